"""What a fit was forecast to take against what it took: seconds, and the growth of the process's peak memory.

./bench/run forecast [--data DIR] [--only TEXT] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

BENCH = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(BENCH), str(BENCH / "svm")]
from memory import grown, watched  # noqa: E402

#: What must hold.
FACTOR, SHARE = 2.0, 0.25


def svc(data: str, rows: int | None, gamma: float, C: float) -> Callable[[Path], tuple[Any, Any, Any]]:
    """A support vector machine on rows of a set."""

    def make(source: Path) -> tuple[Any, Any, Any]:
        import mercer

        x, y = rows_of(data, rows, source)
        return mercer.SVC(gamma=gamma, C=C), x, y

    return make


def california(name: str, rows: int | None, **parameters: Any) -> Callable[[Path], tuple[Any, Any, Any]]:
    """A machine for numbers on the houses of California."""

    def make(source: Path) -> tuple[Any, Any, Any]:
        import mercer

        x, y = rows_of("california", None, source)
        return getattr(mercer, name)(**parameters), x[:rows].copy(), y[:rows].copy()

    return make


def logistic(source: Path) -> tuple[Any, Any, Any]:
    """Newton's method on rows of covtype."""
    import mercer

    x, y = rows_of("covtype", 5_000, source)
    return mercer.KernelLogistic(kernel="rbf(gamma=1)", C=10.0), x[:2_000].copy(), y[:2_000].copy()


def messages(source: Path) -> tuple[Any, Any, Any]:
    """Short messages by shared substrings."""
    import mercer

    lines = (source / "sms_spam" / "SMSSpamCollection").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t", 1) for line in lines if len(line.split("\t", 1)[-1]) >= 3]
    kernel = "normalize(spectrum(k=3))"
    return mercer.SVC(kernel=kernel, C=10), [text for _, text in pairs], np.array([label for label, _ in pairs])


JOBS: dict[str, Callable[[Path], tuple[Any, Any, Any]]] = {
    "covtype 5k, SVC": svc("covtype", 5_000, 1.0, 10.0),
    "covtype 20k, SVC": svc("covtype", 20_000, 1.0, 10.0),
    "a9a, SVC": svc("a9a", None, 1 / 123, 1.0),
    "mnist 5k, SVC": svc("mnist", 5_000, 0.02, 10.0),
    "letter, SVC": svc("letter", None, 1.0, 10.0),
    "california, SVR": california("SVR", None, gamma=0.1, C=10.0, epsilon=0.1),
    "california 3k, ridge": california("KernelRidge", 3_000, kernel="rbf", gamma=0.1, alpha=1.0),
    "california 8k, ridge": california("KernelRidge", 8_000, kernel="rbf", gamma=0.1, alpha=1.0),
    "covtype 2k, logistic": logistic,
    "sms_spam, SVC by substrings": messages,
}


def rows_of(data: str, rows: int | None, source: Path) -> tuple[Any, Any]:
    """Training rows of a set, as the other suites have them."""
    from cases import Case, arrays

    folder = arrays(Case(data, data, 1.0, 1.0, rows=rows), source, BENCH / ".data")
    return np.load(folder / "x.npy"), np.load(folder / "y.npy")


def main() -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder with the data sets")
    parser.add_argument("--only", default="", help="only jobs whose name contains this")
    parser.add_argument("--out", type=Path, help="where the report goes too")
    parser.add_argument("--turn", nargs=2, metavar=("WHAT", "JOB"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.turn:
        print(json.dumps(turn(given.turn[0], *JOBS[given.turn[1]](given.data))))
        return 0
    text = report([name for name in JOBS if given.only in name], given.data)
    print(text)
    if given.out:
        given.out.write_text(text + "\n", encoding="utf-8")
    return 0


def report(names: list[str], source: Path) -> str:
    """A line a job."""
    lines = [
        "| job | plan | seconds: forecast | taken | ratio | MB: forecast | taken | off by | forecast took |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    times, sizes = 0, 0
    for name in names:
        said, was = (ask(what, name, source) for what in ("forecast", "fit"))
        ratio, off = said["seconds"] / was["seconds"], said["bytes"] / was["bytes"] - 1
        times += 1 / FACTOR <= ratio <= FACTOR
        sizes += abs(off) <= SHARE
        lines.append(
            f"| {name} | {said['plan']} | {said['seconds']:.2f} | {was['seconds']:.2f} | {ratio:.2f} | "
            f"{said['bytes'] / 1e6:.0f} | {was['bytes'] / 1e6:.0f} | {100 * off:+.0f} % | "
            f"{said['spent']:.2f} s ({100 * said['spent'] / was['seconds']:.0f} %) |"
        )
        print(lines[-1], file=sys.stderr)
    lines += ["", f"Time within a factor of {FACTOR:g}: {times} of {len(names)}. "]
    lines[-1] += f"Memory within {100 * SHARE:.0f} %: {sizes} of {len(names)}."
    return "\n".join(lines)


def ask(what: str, name: str, source: Path) -> dict[str, Any]:
    """One turn, in a process of its own."""
    run = [sys.executable, __file__, "--data", str(source), "--turn", what, name]
    said: dict[str, Any] = json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
    return said


def turn(what: str, estimator: Any, x: Any, y: Any) -> dict[str, Any]:
    """A forecast, or a fit with the growth of the peak while it ran."""
    import mercer

    warnings.simplefilter("ignore")
    # Threads and libraries are there before anything is counted.
    mercer.SVC().fit([[0.0], [1.0]], [0, 1])
    before = watched()
    started = time.perf_counter()
    if what == "forecast":
        found = estimator.forecast(x, y)
        return {"plan": found.plan, "seconds": found.seconds, "bytes": found.peak_bytes, "spent": found.spent}
    estimator.fit(x, y)
    return {"seconds": time.perf_counter() - started, "bytes": grown(before)}


if __name__ == "__main__":
    sys.exit(main())
