"""Programs for tests of interrupts, hangs and memory, each a process of its own: `python fits.py name`.

A process says one line of JSON for each thing that it did, at once, so that the test knows when it may go on.
"""

from __future__ import annotations

import json
import multiprocessing
import signal
import sys
import time
import warnings
from typing import Any

import numpy as np


def say(**told: Any) -> None:
    """One line of JSON."""
    print(json.dumps(told), flush=True)


def asymmetric(package: str) -> None:
    """Fit SVC to a random matrix that is not symmetric."""
    matrix = np.random.default_rng(0).standard_normal((100, 100))
    precomputed(package, matrix)


def indefinite(package: str) -> None:
    """Fit SVC to a random symmetric matrix, half of whose eigenvalues are negative."""
    matrix = np.random.default_rng(0).standard_normal((100, 100))
    precomputed(package, matrix + matrix.T)


def precomputed(package: str, matrix: np.ndarray) -> None:
    """Fit SVC of one of the packages to a precomputed matrix, and tell what became of it."""
    module = __import__(package, fromlist=["SVC"])
    labels = np.random.default_rng(1).integers(0, 2, len(matrix))
    say(ready=True)
    start = time.perf_counter()
    try:
        module.SVC(kernel="precomputed").fit(matrix, labels)
        say(error=None, seconds=time.perf_counter() - start)
    except ValueError as error:
        say(error=str(error), seconds=time.perf_counter() - start)


def hard_problem(rows: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    """Labels that have nothing to do with the rows: a fit with large C takes very long."""
    draw = np.random.default_rng(0)
    return draw.standard_normal((rows, 5)), draw.integers(0, 2, rows)


def interrupted(package: str) -> None:
    """Fit a problem that takes very long, until Ctrl-C; then show what can be done with the estimator."""
    module = __import__(package, fromlist=["SVC"])
    x, y = hard_problem()
    estimator = module.SVC(C=1e6, gamma=0.5)
    times: list[float] = []
    usual = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: Any) -> None:
        times.append(time.perf_counter())
        usual(number, frame)

    signal.signal(signal.SIGINT, note)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        say(ready=True)
        try:
            estimator.fit(x, y)
        except KeyboardInterrupt:
            say(raised=True, fitted=hasattr(estimator, "support_"))
            return
        after = time.perf_counter() - times[0]
    say(
        raised=False,
        seconds=after,
        converged=estimator.converged_,
        gap=estimator.gap_,
        accuracy=float(np.mean(estimator.predict(x) == y)),
        warnings=[[warning.category.__name__, str(warning.message)] for warning in caught],
    )


def twice(package: str) -> None:
    """Fit long problems in a loop; only a second Ctrl-C leads out of it."""
    module = __import__(package, fromlist=["SVC"])
    x, y = hard_problem()
    fits = 0
    warnings.simplefilter("ignore")
    try:
        while True:
            say(ready=True, fits=fits)
            module.SVC(C=1e6, gamma=0.5).fit(x, y)
            fits += 1
    except KeyboardInterrupt:
        say(raised=True, fits=fits)


def forked(package: str) -> None:
    """Fit, fork, and fit in the child."""
    module = __import__(package, fromlist=["SVC"])
    x, y = hard_problem(300)
    module.SVC().fit(x, y)
    warnings.simplefilter("ignore")
    context = multiprocessing.get_context("fork")
    answers: Any = context.SimpleQueue()
    child = context.Process(target=lambda: answers.put(module.SVC().fit(x, y).predict(x[:5]).tolist()))
    child.start()
    child.join(60)
    say(ended=child.exitcode == 0, predictions=answers.get() if child.exitcode == 0 else None)
    child.kill()


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
