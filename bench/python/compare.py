"""What the Python package costs on top of the engine, beside scikit-learn: milliseconds a fit, bytes a large array.

./bench/run python [--quick] [--out FILE]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
import warnings
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from memory import grown, watched


def main() -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds and a smaller array")
    parser.add_argument("--out", type=Path, help="where the report goes too")
    parser.add_argument("--memory", nargs=3, metavar=("WHAT", "ROWS", "COLUMNS"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.memory:
        print(peak(given.memory[0], int(given.memory[1]), int(given.memory[2])))
        return 0
    text = report(given.quick)
    print(text)
    if given.out:
        given.out.write_text(text + "\n", encoding="utf-8")
    return 0


def report(quick: bool) -> str:
    """Both tables."""
    lines = ["## Small fits: `SVC().fit` on 200 rows of 10 columns", ""]
    lines += [
        "| | ms a fit | of it in the engine | around it | scikit-learn, ms | ratio |",
        "|---|---|---|---|---|---|",
    ]
    lines += [small_fits(20 if quick else 300)]
    rows, columns = (500_000, 64) if quick else (4_000_000, 64)
    size = rows * columns * 4
    lines += ["", f"## Large arrays: {rows} rows of {columns} columns in float32, {size / 1e9:.2f} GB", ""]
    lines += ["| | most memory beyond the array | share of the array |", "|---|---|---|"]
    for what in ("nothing", "fit", "predict"):
        run = [sys.executable, __file__, "--memory", what, str(rows), str(columns)]
        extra = int(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
        lines.append(f"| {what} | {extra / 1e6:.0f} MB | {extra / size:.2f} |")
    return "\n".join(lines)


def small_fits(rounds: int) -> str:
    """Mercer and scikit-learn in turns on the same small problem; medians."""
    import mercer
    import sklearn.svm
    from sklearn.datasets import make_classification

    x, y = make_classification(200, 10, random_state=0)
    ours: list[float] = []
    inside: list[float] = []
    theirs: list[float] = []
    for _ in range(rounds):
        started = time.perf_counter()
        model = mercer.SVC().fit(x, y)
        ours.append(time.perf_counter() - started)
        inside.append(model._model.provenance["seconds"])
        started = time.perf_counter()
        sklearn.svm.SVC().fit(x, y)
        theirs.append(time.perf_counter() - started)
    around = [whole - part for whole, part in zip(ours, inside, strict=True)]
    ratio = median(their / our for their, our in zip(theirs, ours, strict=True))
    figures = [f"{1e3 * median(values):.2f}" for values in (ours, inside, around, theirs)]
    return f"| median of {rounds} | {' | '.join(figures)} | {ratio:.2f} |"


def peak(what: str, rows: int, columns: int) -> int:
    """Most memory that was held during a call, beyond what was held before it."""
    import mercer

    warnings.simplefilter("ignore")
    draw = np.random.default_rng(0)
    small: Any = draw.standard_normal((300, columns), dtype=np.float32)
    model = mercer.SVC(gamma=0.01).fit(small, small[:, 0] > 0)
    x = np.empty((rows, columns), dtype=np.float32)
    for start in range(0, rows, 10_000):
        x[start : start + 10_000] = draw.standard_normal((min(10_000, rows - start), columns), dtype=np.float32)
    y = x[:, 0] > 0
    before = watched()
    if what == "fit":
        mercer.SVC(gamma=0.01, time_limit=2).fit(x, y)
    elif what == "predict":
        model.predict(x)
    return grown(before)


if __name__ == "__main__":
    sys.exit(main())
