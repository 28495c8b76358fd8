"""Searches for kernel and penalty side by side: the same candidates on the same folds.

./bench/run tune [--data DIR] [--out FOLDER] [--only TEXT] [--peers a,b] [--rounds N]

Each search is a process of its own, in an order drawn anew each round. Peers that take minutes have one round unless
`--peer-rounds` says more; Mercer has three, and its spread is shown.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "svm"))
from cases import Case, arrays  # noqa: E402

Floats = NDArray[Any]
Folds = list[tuple[NDArray[np.int64], NDArray[np.int64]]]


@dataclass(frozen=True)
class Search:
    """Rows of a data set, and what is searched on them."""

    name: str
    data: str
    rows: int | None = None
    is_ridge: bool = False

    def grid(self, points: int | None) -> dict[str, list[float]]:
        """Every value of every parameter; fewer of them to see whether it works."""
        if self.is_ridge:
            sigma = np.logspace(-0.5, 1.5, points or 10)
            return {"gamma": (0.5 / sigma**2).tolist(), "alpha": np.logspace(-6, 2, 2 * (points or 10)).tolist()}
        return {
            "gamma": np.logspace(-1, 1.5, points or 10).tolist(),
            "C": np.logspace(-1, 3, points or 10).tolist(),
        }


SEARCHES = [
    Search("covtype 5k", "covtype", 5_000),
    Search("spambase", "spambase"),
    Search("pendigits", "pendigits"),
    Search("ridge, california 3k", "california", 3_000, is_ridge=True),
]
#: Without `--data`: what scikit-learn ships.
SMALL = [
    Search("breast cancer", "breast_cancer"),
    Search("digits", "digits"),
    Search("ridge, diabetes", "diabetes", is_ridge=True),
]
JUDGE = {True: "neg_root_mean_squared_error", False: "accuracy"}
MACHINES = ["mercer", "scikit-learn", "oneDAL jobs"]
RIDGES = ["mercer", "mercer leave-one-out", "scikit-learn"]


def main() -> int:
    """Run all rounds, or, for a process of its own, one search."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of data sets; without it what scikit-learn ships")
    parser.add_argument("--kept", type=Path, default=HERE.parent / ".data", help="where arrays are kept")
    parser.add_argument("--out", type=Path, help="folder for tune.md and tune.json")
    parser.add_argument("--only", default="", help="searches whose name contains this")
    parser.add_argument("--peers", default="", help="peers by name, with commas; mercer is always there")
    parser.add_argument("--rounds", type=int, default=3, help="searches of Mercer")
    parser.add_argument("--peer-rounds", type=int, default=1, help="searches of the others")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rows", type=int, help="no more rows than these, to see whether it works")
    parser.add_argument("--points", type=int, help="no more values of a parameter than these, likewise")
    parser.add_argument("--limit", type=float, default=3600.0, help="seconds after which a search is given up")
    parser.add_argument("--one", nargs=2, metavar=("PEER", "SEARCH"), help="one search of a peer, told as JSON")
    given = parser.parse_args()
    searches = SEARCHES if given.data else SMALL
    if given.one:
        peer, name = given.one
        print(json.dumps(one(peer, next(search for search in searches if search.name == name), given)))
        return 0
    found = {search.name: measure(search, given) for search in searches if given.only in search.name}
    lines = ["## Searches for kernel and penalty, 5 folds", ""]
    lines += [
        "| search | peer | wall s | ± | ratio | best score | less scikit-learn's | parts by at most | at | solved |",
        "|" + "---|" * 10,
    ]
    for name, runs in found.items():
        lines += [f"| {name} | {peer} | {row(peer, runs)}" for peer in runs]
    text = "\n".join(lines)
    print(text)
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
        (given.out / "tune.md").write_text(text + "\n", encoding="utf-8")
        (given.out / "tune.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    return 0


def measure(search: Search, given: argparse.Namespace) -> dict[str, list[dict[str, Any]]]:
    """All rounds of all peers."""
    case(search, given)
    named = [name.strip() for name in given.peers.split(",") if name.strip()]
    usual = RIDGES if search.is_ridge else MACHINES
    peers = ["mercer", *(peer for peer in named or usual if peer != "mercer" and peer in RUNS[search.is_ridge])]
    runs: dict[str, list[dict[str, Any]]] = {peer: [] for peer in peers}
    draw = random.Random(0)
    for number in range(max(given.rounds, given.peer_rounds)):
        order = list(peers)
        draw.shuffle(order)
        for peer in order:
            most = given.rounds if peer.startswith("mercer") else given.peer_rounds
            if number >= most or any("error" in run for run in runs[peer]):
                continue
            runs[peer].append(run(search, peer, given))
            note = runs[peer][-1].get("error") or f"{runs[peer][-1]['wall']:.2f} s"
            print(f"{search.name}: {peer}: {note}", file=sys.stderr, flush=True)
    return runs


def run(search: Search, peer: str, given: argparse.Namespace) -> dict[str, Any]:
    """One search in a process of its own."""
    command = [sys.executable, __file__, "--one", peer, search.name, "--kept", str(given.kept)]
    command += ["--threads", str(given.threads)]
    for name in ("data", "rows", "points"):
        if getattr(given, name) is not None:
            command += [f"--{name}", str(getattr(given, name))]
    # Where there is a process for each thread, each has one.
    threads = str(1 if peer in ("scikit-learn", "oneDAL jobs") else given.threads)
    environment = os.environ | {"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=given.limit, env=environment)
    except subprocess.TimeoutExpired:
        return {"error": f"not done after {given.limit:.0f} s"}
    if done.returncode != 0:
        return {"error": (done.stderr.strip().splitlines() or ["no word"])[-1][:200]}
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said


def row(peer: str, runs: dict[str, list[dict[str, Any]]]) -> str:
    """The figures of one peer."""
    rounds = runs[peer]
    if "error" in rounds[0]:
        return f"{rounds[0]['error']} |" + " |" * 7
    wall, first = [each["wall"] for each in rounds], rounds[0]
    ratio = "–"
    if "error" not in runs["mercer"][0]:
        ratio = f"{median(wall) / median(each['wall'] for each in runs['mercer']):.2f}"
    theirs = runs.get("scikit-learn", [{"error": "not run"}])[0]
    less, apart = "–", "–"
    if "error" not in theirs:
        less = f"{first['score'] - theirs['score']:+.5f}"
        # Leaving rows out one by one is another figure than that of folds.
        if first["folds"] == theirs["folds"]:
            apart = f"{np.abs(np.subtract(first['means'], theirs['means'])).max():.5f}"
    spread = f"{(max(wall) - min(wall)) / 2:.2f}" if len(wall) > 1 else "–"
    said = {name: value if isinstance(value, str) else f"{value:.4g}" for name, value in first["at"].items()}
    at = ", ".join(f"{name}={value}" for name, value in sorted(said.items()))
    told = [f"{median(wall):.2f}", spread, ratio, f"{first['score']:.5f}", less, apart, at, first["solved"]]
    return " | ".join(told) + " |"


# --------------------------------------------------------------------------------------------------- one search


def case(search: Search, given: argparse.Namespace) -> tuple[Floats, Floats]:
    """The rows and the targets."""
    # Of the prices of houses all rows are kept under one name, whatever is asked for.
    rows = None if search.is_ridge else search.rows
    place = arrays(Case(search.name, search.data, 1.0, 1.0, rows=rows), given.data, given.kept)
    most = min(search.rows or sys.maxsize, given.rows or sys.maxsize)
    x, y = np.load(place / "x.npy")[:most], np.load(place / "y.npy")[:most]
    return np.ascontiguousarray(x), np.ascontiguousarray(y)


def folds(search: Search, x: Floats, y: Floats) -> Folds:
    """The same five folds for everybody."""
    from sklearn.model_selection import KFold, StratifiedKFold

    kind = KFold if search.is_ridge else StratifiedKFold
    return list(kind(5, shuffle=True, random_state=0).split(x, y))


def one(peer: str, search: Search, given: argparse.Namespace) -> dict[str, Any]:
    """One search, with imports, threads and workers before the clock."""
    x, y = case(search, given)
    grid, cv = search.grid(given.points), folds(search, x, y)
    work = RUNS[search.is_ridge][peer]
    few = {name: values[:1] for name, values in grid.items()}
    small = np.concatenate([np.flatnonzero(y == value)[:10] for value in np.unique(y)[:10]])
    work(x[small], y[small], few, folds(search, x[small], y[small]), given.threads)
    start = time.perf_counter()
    told = work(x, y, grid, cv, given.threads)
    return {"wall": time.perf_counter() - start, "rows": len(x), "fits": len(told["means"]) * told["folds"], **told}


def told(search: Any, solved: str = "not told") -> dict[str, Any]:
    """What anything with the attributes of scikit-learn's searches has found."""
    return {
        "score": float(search.best_score_),
        "at": {name: float(value) for name, value in search.best_params_.items()},
        "means": [float(mean) for mean in search.cv_results_["mean_test_score"]],
        "folds": int(search.n_splits_),
        "solved": solved,
    }


def mercer_svm(x: Floats, y: Floats, grid: dict[str, list[float]], cv: Folds, threads: int) -> dict[str, Any]:
    """This project, to a violation of 1e-3."""
    import mercer

    search = mercer.GridSearch(mercer.SVC(tol=1e-3), grid, cv=cv, refit=False, n_jobs=threads).fit(x, y)
    return told(search, solved_by(search.cv_results_["solved"]))


def mercer_ridge(x: Floats, y: Floats, grid: dict[str, list[float]], cv: Folds, threads: int) -> dict[str, Any]:
    """This project."""
    import mercer

    ridge = mercer.KernelRidge(kernel="rbf")
    search = mercer.GridSearch(ridge, grid, cv=cv, scoring=JUDGE[True], refit=False, n_jobs=threads).fit(x, y)
    return told(search, solved_by(search.cv_results_["solved"]))


def mercer_one_out(x: Floats, y: Floats, grid: dict[str, list[float]], _: Folds, threads: int) -> dict[str, Any]:
    """This project, with rows left out one by one."""
    import mercer

    kernel, ridge = f"rbf(gamma={'|'.join(map(repr, grid['gamma']))})", mercer.KernelRidge()
    found = mercer.tune(x, y, kernel, alpha=grid["alpha"], estimator=ridge, cv="leave-one-out", n_jobs=threads)
    return {
        "score": -found.best["mean"],
        "at": {"kernel": found.best["kernel"], "alpha": found.best["alpha"]},
        "means": [-float(mean) for mean in found.table["mean"]],
        "folds": 1,
        "solved": solved_by(found.table["solved"]),
    }


def solved_by(solved: Any) -> str:
    """How many candidates were solved to the tolerance on every fold."""
    return "all" if all(solved) else f"{int(np.sum(solved))} of {len(solved)}"


def scikit(x: Floats, y: Floats, grid: dict[str, list[float]], cv: Folds, threads: int) -> dict[str, Any]:
    """scikit-learn: LIBSVM, a process for each thread."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVC

    return told(GridSearchCV(SVC(cache_size=1000), grid, cv=cv, refit=False, n_jobs=threads).fit(x, y))


def scikit_ridge(x: Floats, y: Floats, grid: dict[str, list[float]], cv: Folds, threads: int) -> dict[str, Any]:
    """scikit-learn."""
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.model_selection import GridSearchCV

    ridge = KernelRidge(kernel="rbf")
    return told(GridSearchCV(ridge, grid, cv=cv, scoring=JUDGE[True], refit=False, n_jobs=threads).fit(x, y))


def intel(jobs: bool) -> Callable[..., dict[str, Any]]:
    """scikit-learn-intelex: oneDAL, in a process for each thread or with all threads in one."""

    def work(x: Floats, y: Floats, grid: dict[str, list[float]], cv: Folds, threads: int) -> dict[str, Any]:
        from sklearn.model_selection import GridSearchCV
        from sklearnex.svm import SVC

        machine = SVC(cache_size=1000, n_jobs=1 if jobs else threads)
        processes = threads if jobs else 1
        return told(GridSearchCV(machine, grid, cv=cv, refit=False, n_jobs=processes).fit(x, y))

    return work


RUNS: dict[bool, dict[str, Callable[..., dict[str, Any]]]] = {
    False: {
        "mercer": mercer_svm,
        "scikit-learn": scikit,
        "oneDAL jobs": intel(jobs=True),
        "oneDAL threads": intel(jobs=False),
    },
    True: {"mercer": mercer_ridge, "mercer leave-one-out": mercer_one_out, "scikit-learn": scikit_ridge},
}

if __name__ == "__main__":
    sys.exit(main())
