"""Kernel ridge regression side by side: Mercer, scikit-learn, and a Gram matrix by GEMM with OpenBLAS's Cholesky.

./bench/run ridge [--data DIR] [--rounds N] [--out FOLDER]

Each fit is a process of its own, in an order drawn anew each round; a figure is the median of the rounds. The rows are
drawn: twenty columns, f64. The residual of every solution is recomputed in f64.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from memory import grown, watched

Floats = NDArray[np.float64]
GAMMA, ALPHA = 0.05, 0.1
PEERS = ["mercer", "scikit-learn", "OpenBLAS potrf + Gram"]


def main() -> int:
    """Run all rounds, or, for a process of its own, one fit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, help="folder for ridge.md and ridge.json")
    parser.add_argument("--one", choices=PEERS, help="one fit of a peer, told as JSON")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(one(given.one, given.rows, given.threads)))
        return 0
    found: dict[str, list[dict[str, Any]]] = {peer: [] for peer in PEERS}
    order, draw = list(PEERS), random.Random(0)
    for _ in range(given.rounds):
        draw.shuffle(order)
        for peer in order:
            command = [sys.executable, __file__, "--one", peer, "--rows", str(given.rows)]
            threads = str(given.threads)
            environment = os.environ | {"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
            done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
            found[peer].append(json.loads(done.stdout))
            print(f"ridge: {peer}: {found[peer][-1]['wall']:.2f} s", file=sys.stderr, flush=True)
    text = "\n".join(table(given.rows, found))
    print(text)
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
        (given.out / "ridge.md").write_text(text + "\n", encoding="utf-8")
        (given.out / "ridge.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    return 0


def table(rows: int, found: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Seconds, memory in units of the matrix, and residuals."""
    lines = [f"## Kernel ridge, n = {rows}, f64", "", "| peer | wall s | ± | CPU s | ratio | MB | of n²·8 | residual |"]
    lines.append("|" + "---|" * 8)
    ours = median(run["wall"] for run in found["mercer"])
    for peer, runs in found.items():
        wall = [run["wall"] for run in runs]
        memory = max(run["peak_mb"] for run in runs)
        lines.append(
            f"| {peer} | {median(wall):.2f} | {(max(wall) - min(wall)) / 2:.2f} | "
            f"{median(run['cpu'] for run in runs):.2f} | {median(wall) / ours:.2f} | {memory:.0f} | "
            f"{memory * 2**20 / (8 * rows**2):.2f} | {max(run['residual'] for run in runs):.1e} |"
        )
    return [*lines, ""]


def one(peer: str, rows: int, threads: int) -> dict[str, float]:
    """One fit, with its imports before the clock."""
    draw = np.random.default_rng(0)
    x = draw.standard_normal((rows, 20))
    y = np.sin(x[:, 0]) + 0.1 * draw.standard_normal(rows)
    fit = {"mercer": mercer_fit, "scikit-learn": scikit_fit, "OpenBLAS potrf + Gram": blas_fit}[peer]
    fit(x[:50], y[:50], threads)
    before = watched()
    wall, cpu = time.perf_counter(), time.process_time()
    alpha = fit(x, y, threads)
    told = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    told["peak_mb"] = grown(before) / 2**20
    return told | {"residual": residual(x, y, alpha)}


def residual(x: Floats, y: Floats, alpha: Floats) -> float:
    """‖(K + αI)a − y‖/‖y‖, some rows at a time."""
    off = [gram(x[at : at + 500], x) @ alpha + ALPHA * alpha[at : at + 500] for at in range(0, len(x), 500)]
    return float(np.linalg.norm(np.concatenate(off) - y) / np.linalg.norm(y))


def gram(x: Floats, z: Floats) -> Floats:
    """The Gaussian kernel by one GEMM, in place from there."""
    k = x @ z.T
    k *= 2.0
    k -= (x**2).sum(axis=1)[:, None]
    k -= (z**2).sum(axis=1)
    k *= GAMMA
    np.minimum(k, 0.0, out=k)
    return np.exp(k, out=k)


def mercer_fit(x: Floats, y: Floats, threads: int) -> Floats:
    """This project."""
    import mercer

    return np.asarray(mercer.KernelRidge(kernel="rbf", gamma=GAMMA, alpha=ALPHA, n_jobs=threads).fit(x, y).dual_coef_)


def scikit_fit(x: Floats, y: Floats, _: int) -> Floats:
    """scikit-learn."""
    from sklearn.kernel_ridge import KernelRidge

    return np.asarray(KernelRidge(kernel="rbf", gamma=GAMMA, alpha=ALPHA).fit(x, y).dual_coef_)


def blas_fit(x: Floats, y: Floats, _: int) -> Floats:
    """The least that LAPACK can do: the matrix, its factor in place, two triangular systems."""
    from scipy.linalg import lapack

    k = gram(x, x)
    k.flat[:: len(x) + 1] += ALPHA
    factor, info = lapack.dpotrf(k.T, lower=1, overwrite_a=1)
    if info != 0:
        raise SystemExit(f"dpotrf: {info}")
    alpha, _ = lapack.dpotrs(factor, y, lower=1)
    return np.asarray(alpha)


if __name__ == "__main__":
    sys.exit(main())
