"""Support vector machines side by side: training, prediction, scaling, a sweep of C; and against the machine's limits.

./bench/run svc predict svr scaling sweep limits others ridge [--data DIR] [--out FOLDER]

Each fit is a process of its own. Peers take turns, in an order drawn anew each round; a figure is the median of the
rounds. Every solution is judged by the same function in f64 (`judge.py`). On the sets of the project's promises the
report ends with what is promised and what was measured of it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import numpy as np
from cases import OTHERS, SCALING, SCALING_SMALL, SVC, SVC_SMALL, SVR, SVR_SMALL, SWEEP, Case, arrays
from judge import Verdict, judge
from promises import Promises

HERE = Path(__file__).resolve().parent
#: LIBSVM by either package, and oneDAL in either precision: the better one counts. Mercer has one form for each figure,
#: the first one here, since the better of two runs of the same work would be a matter of luck.
OURS = {"fit": ("mercer",), "predict": ("mercer f32", "mercer")}
RIVALS = {"LIBSVM": ("scikit-learn", "libsvm"), "oneDAL": ("oneDAL f32", "oneDAL f64")}
#: How many times faster than these in the geometric mean, and at least.
FASTER = {
    ("fit", "LIBSVM"): (10.0, 5.0),
    ("fit", "oneDAL"): (2.5, 1.3),
    ("predict", "LIBSVM"): (30.0, None),
    ("predict", "oneDAL"): (1.5, 1.0),
}
#: A fit may take so many times what its entries take at the speed of the tiles, on this problem.
FLOORS, FLOORS_OF = 4.0, "covtype 20k"
USUAL = ["mercer f32", "oneDAL f32", "oneDAL f64", "scikit-learn", "libsvm", "thundersvm"]
#: Crates that bench-peers runs. They are slow or hold all n × n entries: unless they are named they get no more rows.
RUST = ["libsvm-rs", "linfa-svm", "smartcore"]
RUST_ROWS = 10_000
TOLERANCE = 1e-3
SUITES = ["svc", "svr", "predict", "scaling", "sweep", "limits", "others", "ridge"]
#: Of a peer that did not end.
NOTHING = Verdict(float("-inf"), float("inf"), float("inf"), float("inf"))
#: For each case and peer a list of rounds.
Found = dict[str, dict[str, list[dict[str, Any]]]]


def main() -> int:
    """Run the suites that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="+", choices=SUITES)
    parser.add_argument("--data", type=Path, help="folder of data sets; without it what scikit-learn ships")
    parser.add_argument("--kept", type=Path, default=HERE.parent / ".data", help="where arrays are kept")
    parser.add_argument("--out", type=Path, help="folder for report.md and report.json")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--peers", default="", help="peers by name, with commas; mercer is always there")
    parser.add_argument("--binary", type=Path, default=HERE.parent / "peers/target/release/bench-peers")
    parser.add_argument("--tile", type=Path, default=HERE.parents[1] / "target/release/bench-tile")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--long", type=float, default=60.0, help="seconds from which on a peer has one round")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds after which a run is given up")
    given = parser.parse_args()
    bench = Bench(given)
    svc, svr = (SVC, SVR) if given.data else (SVC_SMALL, SVR_SMALL)
    suites, cases = set(given.suites), []
    if {"svc", "predict"} & suites:
        cases += svc
    if {"svr", "predict"} & suites:
        cases += svr
    bench.measure(cases)
    tables: list[tuple[bool, Callable[[], list[str]]]] = [
        (bool({"svc", "svr"} & suites), lambda: bench.training(cases)),
        ("predict" in suites, lambda: bench.prediction(cases)),
        ("sweep" in suites, bench.sweep),
        ("scaling" in suites, lambda: bench.scaling(SCALING if given.data else SCALING_SMALL)),
        ("limits" in suites, lambda: bench.limits([*svc, *svr])),
        ("others" in suites, bench.others),
        ("ridge" in suites, bench.ridge),
        (given.data is not None and not given.only, bench.promises.table),
    ]
    for is_wanted, table in tables:
        if is_wanted:
            bench.text += table()
            bench.write()
    print("\n".join(bench.text))
    return 0


class Bench:
    """Runs, what they found, and what that says of the promises."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        named = [name.strip() for name in given.peers.split(",") if name.strip()]
        self.peers = ["mercer", *(named or USUAL + (RUST if given.binary.exists() else []))]
        self.found: Found = {}
        self.promises = Promises()
        self.text: list[str] = []
        self.random = random.Random(0)

    def write(self) -> None:
        """What there is so far: a run may be cut short."""
        if self.given.out:
            self.given.out.mkdir(parents=True, exist_ok=True)
            (self.given.out / "report.md").write_text("\n".join(self.text) + "\n", encoding="utf-8")
            (self.given.out / "report.json").write_text(json.dumps(self.found, indent=1), encoding="utf-8")

    def measure(self, cases: list[Case], peers: list[str] | None = None) -> None:
        """All rounds of all cases."""
        for case in cases:
            if self.given.only not in case.name:
                continue
            place = arrays(case, self.given.data, self.given.kept)
            runs = self.found.setdefault(case.name, {})
            few = len(np.load(place / "x.npy", mmap_mode="r")) <= RUST_ROWS
            for _ in range(self.given.rounds):
                order = list(peers or (self.peers if few else self.enduring()))
                self.random.shuffle(order)
                for peer in order:
                    said = runs.setdefault(peer, [])
                    # What failed or took its time once is not asked again.
                    is_long = bool(said) and "error" not in said[0] and said[0]["fit"]["wall"] > self.given.long
                    if said and ("error" in said[0] or is_long and peer not in OURS["predict"]):
                        continue
                    said.append(self.run(case, peer, place, judged=not said))
                    note = said[-1].get("error") or f"{said[-1]['fit']['wall']:.2f} s"
                    print(f"{case.name}: {peer}: {note}", file=sys.stderr, flush=True)
                self.write()

    def enduring(self) -> list[str]:
        """The peers for what takes long: those that are named, or all but the Rust crates."""
        return [peer for peer in self.peers if self.given.peers or peer not in RUST]

    def run(self, case: Case, peer: str, place: Path, judged: bool) -> dict[str, Any]:
        """One fit in a process of its own."""
        settings = {
            "gamma": case.gamma,
            "C": case.C,
            "epsilon": case.epsilon,
            "threads": self.given.threads,
            "tolerance": TOLERANCE,
        }
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "solution.npz"
            worker = [str(self.given.binary)] if peer in RUST else [sys.executable, str(HERE / "worker.py")]
            command = [*worker, peer, str(place), str(out), json.dumps(settings)]
            # Libraries read these when they are loaded.
            names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
            environment = os.environ | dict.fromkeys(names, str(self.given.threads))
            try:
                done = subprocess.run(
                    command, capture_output=True, text=True, timeout=self.given.limit, env=environment
                )
            except subprocess.TimeoutExpired:
                return {"error": f"not done after {self.given.limit:.0f} s"}
            except FileNotFoundError:
                return {"error": "bench-peers is not built"}
            if done.returncode != 0:
                return {"error": (done.stderr.strip().splitlines() or ["no word"])[-1][:200]}
            said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
            if judged and not said.get("unjudged"):
                x, y = np.load(place / "x.npy"), np.load(place / "y.npy")
                verdict = judge(x, y, dict(np.load(out)), case.gamma, case.C, case.epsilon)
                said["verdict"] = vars(verdict)
            return said

    # ------------------------------------------------------------------------------------------------ tables

    def of(self, cases: list[Case]) -> Found:
        """What was found for these cases."""
        return {case.name: self.found[case.name] for case in cases if case.name in self.found}

    def training(self, cases: list[Case]) -> list[str]:
        """Seconds, memory and what the solutions are worth, with what is promised of it."""
        found = self.of(cases)
        lines = ["## Training", "", *self.fits(found), *self.summary("fit", found, promised=True)]
        if found:
            ours = {name: verdict(runs, "mercer") for name, runs in found.items()}
            worse = max(below(ours[name].dual, best_dual(runs)) for name, runs in found.items())
            self.promises.at_most("dual objective below the best of all, relative", 1e-6, worse)
            self.promises.at_most("violation of the conditions", TOLERANCE, violation(ours.values()))
        return lines

    def others(self) -> list[str]:
        """Training and prediction on sets that nothing was fitted to."""
        self.measure(OTHERS)
        found = self.of(OTHERS)
        lines = ["## Other sets, training", "", *self.fits(found), *self.summary("fit", found)]
        return [*lines, "## Other sets, prediction", "", *self.answers(found), *self.summary("predict", found)]

    def fits(self, found: Found) -> list[str]:
        """A line of training for each problem and peer."""
        head = "| problem | peer | wall s | ± | CPU s | ratio | MB | SVs | score | dual objective | gap | violation |"
        lines = [head, "|" + "---|" * 12]
        for name, runs in found.items():
            best = best_dual(runs)
            for peer, rounds in runs.items():
                lines.append(f"| {name} | {peer} | " + self.row(rounds, runs["mercer"], best))
        return [*lines, ""]

    def row(self, rounds: list[dict[str, Any]], ours: list[dict[str, Any]], best: float) -> str:
        """The figures of one peer."""
        if "error" in rounds[0]:
            return f"{rounds[0]['error']} |" + " |" * 9
        wall, cpu = figures(rounds, "fit", "wall"), figures(rounds, "fit", "cpu")
        first, ratio = rounds[0], median(wall) / median(figures(ours, "fit", "wall"))
        memory = "–" if first["peak_mb"] is None else f"{first['peak_mb']:.0f}"
        text = (
            f"{median(wall):.2f} | {(max(wall) - min(wall)) / 2:.2f} | {median(cpu):.2f} | {ratio:.2f} | "
            f"{memory} | {'–' if first['support'] is None else first['support']} | {first['score']:.4f} | "
        )
        if "verdict" not in first:
            return text + "– | – | – |"
        said = Verdict(**first["verdict"])
        return text + f"{said.dual:.4f} (−{below(said.dual, best):.0e}) | {relative(said)} | {said.violation:.1e} |"

    def summary(self, what: str, found: Found, promised: bool = False) -> list[str]:
        """Ratios to the better of each rival's forms."""
        lines = ["| against | geometric mean | least | on |", "|---|---|---|---|"]
        for rival, form in ((rival, form) for rival in RIVALS for form in OURS[what]):
            ratios = {}
            for name, runs in found.items():
                ours, theirs = best(runs, (form,), what), best(runs, RIVALS[rival], what)
                if ours and theirs:
                    ratios[name] = theirs / ours
            if not ratios:
                continue
            mean, least = geometric_mean(ratios.values()), min(ratios, key=lambda name: ratios[name])
            is_first = form == OURS[what][0]
            note = "" if is_first else f", by {form}"
            lines.append(f"| {rival}{note} | {mean:.2f} | {ratios[least]:.2f} | {least} |")
            if promised and is_first:
                (wanted, floor), work = FASTER[what, rival], "training" if what == "fit" else "prediction"
                self.promises.at_least(f"{work}, times as fast as {rival}, geometric mean", wanted, mean)
                if floor:
                    self.promises.at_least(f"{work}, times as fast as {rival}, least ({least})", floor, ratios[least])
        return [*lines, ""]

    def prediction(self, cases: list[Case]) -> list[str]:
        """Rows a second, with what is promised of them."""
        found = self.of(cases)
        return ["## Prediction", "", *self.answers(found), *self.summary("predict", found, promised=True)]

    def answers(self, found: Found) -> list[str]:
        """A line of prediction for each problem and peer."""
        lines = ["| problem | peer | seconds | rows a second | ratio |", "|---|---|---|---|---|"]
        for name, runs in found.items():
            for peer, rounds in runs.items():
                if "error" not in rounds[0]:
                    wall = median(figures(rounds, "predict", "wall"))
                    ratio = wall / median(figures(runs["mercer"], "predict", "wall"))
                    lines.append(f"| {name} | {peer} | {wall:.4f} | {rounds[0]['rows'] / wall:.0f} | {ratio:.2f} |")
        return [*lines, ""]

    def sweep(self) -> list[str]:
        """The true violation for every C."""
        cases = [case for case in SWEEP if self.given.only in case.name]
        self.measure(cases, self.enduring())
        lines = ["## C from 0.01 to 10 000", ""]
        lines += [
            "| problem | peer | wall s | ratio | dual objective | rel. gap | violation |",
            "|---|---|---|---|---|---|---|",
        ]
        for case in cases:
            runs = self.found[case.name]
            for peer, rounds in runs.items():
                if "error" in rounds[0]:
                    lines.append(f"| {case.name} | {peer} | {rounds[0]['error']} |" + " |" * 4)
                    continue
                wall = median(figures(rounds, "fit", "wall"))
                ratio = wall / median(figures(runs["mercer"], "fit", "wall"))
                worth = "– | – | –"
                if "verdict" in rounds[0]:
                    said = Verdict(**rounds[0]["verdict"])
                    worth = f"{said.dual:.6g} | {relative(said)} | {said.violation:.1e}"
                lines.append(f"| {case.name} | {peer} | {wall:.3f} | {ratio:.2f} | {worth} |")
        if cases:
            ours = [verdict(self.found[case.name], "mercer") for case in cases]
            self.promises.at_most("violation for C from 0.01 to 10 000", TOLERANCE, violation(ours))
        return [*lines, ""]

    def scaling(self, cases: list[Case]) -> list[str]:
        """Time against rows, with the exponent of the best line through the logarithms."""
        peers = [peer for peer in self.peers if peer in ("mercer", "oneDAL f32", "oneDAL f64")]
        self.measure(cases, peers)
        lines = ["## Scaling", "", "| peer | " + " | ".join(case.name for case in cases) + " | exponent |"]
        lines.append("|" + "---|" * (len(cases) + 2))
        slopes = {}
        for peer in peers:
            seconds = [
                median(figures(self.found[case.name][peer], "fit", "wall")) if case.name in self.found else float("nan")
                for case in cases
            ]
            rows = np.array([case.rows or 0 for case in cases])
            known = np.isfinite(seconds)
            slopes[peer] = float("nan")
            if known.sum() > 1:
                slopes[peer] = float(np.polyfit(np.log(rows[known]), np.log(np.array(seconds)[known]), 1)[0])
            lines.append(f"| {peer} | " + " | ".join(f"{s:.2f} s" for s in seconds) + f" | {slopes[peer]:.2f} |")
        theirs = [slopes[peer] for peer in peers if peer != "mercer"]
        if theirs:
            self.promises.at_most("exponent, and the least of oneDAL's", min(theirs), slopes["mercer"])
        return [*lines, ""]

    def limits(self, cases: list[Case]) -> list[str]:
        """Fits against the time that their entries take, and that against the machine."""
        lines = ["## Limits", ""]
        lines += [
            "| problem | fit s | n × nSV entries | tiles s | fit ÷ tiles | of the FMA peak | "
            "GEMM alone s | fit ÷ GEMM | reading the entries s |",
            "|" + "---|" * 9,
        ]
        peak = self.peak()
        speeds: list[tuple[float, float]] = []
        for case in cases:
            if self.given.only not in case.name:
                continue
            settings = vars(case) | {"threads": self.given.threads, "tolerance": TOLERANCE}
            place = arrays(case, self.given.data, self.given.kept)
            command = [sys.executable, str(HERE / "limits.py"), str(place), json.dumps(settings)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            said: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
            print(f"{case.name}: limits: {said['fit']:.2f} s", file=sys.stderr, flush=True)
            speeds.append((said["gemm"], said["memory"]))
            floors, gemm = said["fit"] / said["tiles"], said["flop"] / said["gemm"]
            share = f"{said['flop'] / said['tiles'] / peak:.0%}" if peak else "–"
            lines.append(
                f"| {case.name} | {said['fit']:.2f} | {said['entries']:.2e} | {said['tiles']:.2f} | {floors:.2f} | "
                f"{share} | {gemm:.2f} | {said['fit'] / gemm:.1f} | {4 * said['entries'] / said['memory']:.2f} |"
            )
            if case.name == FLOORS_OF:
                self.promises.at_most(f"fit of {case.name}, in times of its entries by tiles", FLOORS, floors)
        if not speeds:
            return []
        gemm, memory = (max(speed) / 1e9 for speed in zip(*speeds, strict=True))
        most = f"; multiply-adds on registers in f32: {peak / 1e9:.0f} GFLOP/s" if peak else ""
        said_of = f"GEMM in f32: {gemm:.0f} GFLOP/s{most}; copying memory: {memory:.1f} GB/s, read and written."
        return [*lines, "", said_of, ""]

    def peak(self) -> float | None:
        """Multiply-adds a second on registers, as `bench-tile` measures them; none where it is not built."""
        command = [str(self.given.tile), "peak", str(self.given.threads)]
        try:
            return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        except (OSError, subprocess.CalledProcessError, ValueError):
            return None

    def ridge(self) -> list[str]:
        """Kernel ridge regression, which has a driver of its own."""
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, str(HERE.parent / "ridge" / "compare.py"), "--out", folder]
            command += ["--rounds", str(self.given.rounds), "--threads", str(self.given.threads)]
            if not self.given.data:
                command += ["--rows", "3000"]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            found = json.loads((Path(folder) / "ridge.json").read_text(encoding="utf-8"))
        wall = {peer: median(run["wall"] for run in runs) for peer, runs in found.items()}
        memory = {peer: max(run["peak_mb"] for run in runs) for peer, runs in found.items()}
        for peer, wanted in (("scikit-learn", 2.0), ("OpenBLAS potrf + Gram", 0.9)):
            self.promises.at_least(f"kernel ridge, times as fast as {peer}", wanted, wall[peer] / wall["mercer"])
        share = memory["mercer"] / memory["scikit-learn"]
        self.promises.at_most("kernel ridge, memory as a share of scikit-learn's", 0.5, share)
        return done.stdout.splitlines()


def relative(verdict: Verdict) -> str:
    """The gap as a share of the dual objective."""
    return f"{verdict.gap / max(abs(verdict.dual), 1e-300):.1e}"


def verdict(runs: dict[str, list[dict[str, Any]]], peer: str) -> Verdict:
    """What a peer's solution is worth; nothing, where there is none."""
    return Verdict(**runs[peer][0].get("verdict", vars(NOTHING)))


def violation(verdicts: Iterable[Verdict]) -> float:
    """The largest violation, also of boxes and sums."""
    return max(max(each.violation, each.outside) for each in verdicts)


def best_dual(runs: dict[str, list[dict[str, Any]]]) -> float:
    """The largest dual objective that anybody found whose coefficients are in their boxes."""
    return max((said.dual for said in (verdict(runs, peer) for peer in runs) if said.outside <= TOLERANCE), default=0.0)


def below(dual: float, best: float) -> float:
    """How far a dual objective is below the best."""
    return (best - dual) / max(abs(best), 1e-300)


def best(runs: dict[str, list[dict[str, Any]]], forms: tuple[str, ...], what: str) -> float | None:
    """Seconds of the best form that ran."""
    ran = [form for form in forms if form in runs and "error" not in runs[form][0]]
    return min((median(figures(runs[form], what, "wall")) for form in ran), default=None)


def figures(rounds: list[dict[str, Any]], what: str, clock: str) -> list[float]:
    """One figure of every round."""
    return [each[what][clock] for each in rounds if "error" not in each] or [float("nan")]


if __name__ == "__main__":
    sys.exit(main())
