"""What the machine can do, and how near a fit comes to it: one problem in one process.

limits.py ARRAYS SETTINGS     (SETTINGS: JSON with gamma, C, epsilon, threads, tolerance)

Prints one line of JSON: seconds of the fit and of n × nSV entries at the speed of the tiles, how many entries and
operations these are, and the speeds of GEMM and of memory, a second.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def main() -> None:
    """Measure, best of some turns each."""
    arrays, settings = Path(sys.argv[1]), json.loads(sys.argv[2])
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(settings["threads"])
    import mercer
    import numpy as np

    x, y = np.load(arrays / "x.npy").astype(np.float32), np.load(arrays / "y.npy")
    given = {key: settings[key] for key in ("gamma", "C")} | {"tol": settings["tolerance"]}
    machine = mercer.SVR if settings["epsilon"] is not None else mercer.SVC
    more = {"epsilon": settings["epsilon"]} if settings["epsilon"] is not None else {}
    machine(n_jobs=settings["threads"]).fit([[0.0], [1.0]], [0, 1])
    model = machine(kernel="rbf", n_jobs=settings["threads"], **given, **more)
    fit = min(seconds(lambda: model.fit(x, y)) for _ in range(3))
    entries = len(x) * len(model.support_)
    scores = model.predict if settings["epsilon"] is not None else model.decision_function
    tiles = min(seconds(lambda: scores(x)) for _ in range(3))
    side = np.random.default_rng(0).standard_normal((2048, 2048)).astype(np.float32)
    product = np.empty_like(side)
    gemm = 2 * 2048**3 / min(seconds(lambda: np.matmul(side, side, out=product)) for _ in range(5))
    source, target = np.ones(1 << 25), np.ones(1 << 25)
    copied = 2 * source.nbytes / min(seconds(lambda: np.copyto(target, source)) for _ in range(5))
    told: dict[str, Any] = {
        "fit": fit,
        "entries": entries,
        "tiles": tiles,
        "flop": 2 * x.shape[1] * entries,
        "gemm": gemm,
        "memory": copied,
    }
    print(json.dumps(told))


def seconds(work: Callable[[], Any]) -> float:
    """Wall-clock time of a call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
