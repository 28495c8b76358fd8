"""Mercer's tile against scikit-learn and NumPy, taking turns on the same arrays.

First the Rust binary compares Mercer with the machine's peak and with a Rust GEMM followed by exp. Then it
serves single measurements, between which the peers have theirs: in every round each contestant has one
turn, in an order drawn anew. Threads are limited alike on both sides, memory for a result is asked for and
given back within a turn, and a ratio is the median over rounds of the ratio within a round.
"""

import argparse
import contextlib
import datetime
import json
import os
import pathlib
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy
import sklearn
import threadpoolctl
from sklearn.metrics.pairwise import rbf_kernel

SIZES = {8: 8000, 54: 6000, 784: 3000}
QUICK_SIZES = {8: 3000, 54: 2000, 784: 1000}
THREADS = (1, 2)
# A turn repeats its call until this many seconds have passed.
TURN = 0.05
# BLAS threads spin for a while after their work; Mercer's turn must not pay for that.
PAUSE = 0.05
# Rows of a block in the NumPy versions.
BLOCK = 256

MERCER_STORE = "Mercer"
MERCER_PREPARED = "Mercer, points packed before"
SKLEARN = ("scikit-learn `rbf_kernel`, float64", "scikit-learn `rbf_kernel`, float32")
NUMPY = "NumPy float32, GEMM + exp in place"
MERCER_PLAIN = "Mercer, plain"
MERCER_SYMMETRIC = "Mercer, symmetric"
NUMPY_PRODUCT = "NumPy float32, block by block"


def main():
    options = arguments()
    sizes = QUICK_SIZES if options.quick else SIZES
    rounds = 3 if options.quick else 7
    files = {d: points(options.data, n, d) for d, n in sizes.items()}
    header = machine()
    note("Mercer, the peak and GEMM + exp in Rust ...")
    tile, table = contest(options, list(files.values()))
    with Server(options.binary, list(files.values())) as server:
        peers = {d: against_peers(server, np.load(file), rounds) for d, file in files.items()}
    text = "\n".join(
        [
            header,
            "## Mercer, the peak, and GEMM followed by exp (one process, Rust)\n",
            table,
            f"## Stored Gram matrix, fresh memory, median of {rounds} rounds\n",
            peer_tables(peers, "store"),
            f"## Kernel matrix times a vector, nothing stored, median of {rounds} rounds\n",
            peer_tables(peers, "product"),
            must_hold(tile, peers),
        ]
    )
    sys.stdout.write(text)
    if options.out:
        options.out.write_text(text, encoding="utf-8")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, help="the bench-tile program")
    parser.add_argument("--quick", action="store_true", help="smaller arrays, fewer rounds")
    parser.add_argument("--out", type=pathlib.Path, help="also write the report to this file")
    default = pathlib.Path(__file__).resolve().parent.parent / ".data"
    parser.add_argument("--data", type=pathlib.Path, default=default, help="where the arrays are kept")
    return parser.parse_args()


def note(message):
    print(message, file=sys.stderr, flush=True)


def points(folder, n, d):
    """The file with n standardised normal points, written if it is missing."""
    file = folder / f"normal-{n}x{d}.npy"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        x = np.random.default_rng(7).standard_normal((n, d))
        x = (x - x.mean(axis=0)) / x.std(axis=0)
        np.save(file, x.astype(np.float32))
    return file


def machine():
    """Date, machine and versions, as the head of the report."""
    cpu = platform.machine()
    with contextlib.suppress(OSError):
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next(
            (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")),
            cpu,
        )
    libraries = [lib for lib in threadpoolctl.threadpool_info() if lib["user_api"] == "blas"]
    blas = {f"{lib['internal_api']} {lib['version']}" for lib in libraries}
    facts = {
        "date": datetime.date.today().isoformat(),
        "CPU": f"{cpu}, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f} before the run",
        "Python": platform.python_version(),
        "peers": f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}, SciPy {scipy.__version__}",
        "BLAS": ", ".join(sorted(blas)),
    }
    lines = "\n".join(f"- {name}: {value}" for name, value in facts.items())
    return f"# bench/tile\n\n{lines}\n"


def contest(options, files):
    """The comparison within Rust: its JSON by (d, key, threads), and its markdown."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "tile.json"
        quick = ["--quick"] if options.quick else []
        command = [options.binary, *quick, "--json", file, *files]
        table = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        cases = json.loads(file.read_text())["cases"]
    return {(case["d"], s["key"], s["threads"]): s["seconds"] for case in cases for s in case["scores"]}, table


class Server:
    """The Rust binary, answering one measurement at a time."""

    def __init__(self, binary, files):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([binary, "serve", *files], stdin=pipe, stdout=pipe, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def turn(self, key, d, threads):
        """A function of the number of repetitions that gives wall and CPU seconds."""

        def measure(reps):
            before = self.cpu()
            self.process.stdin.write(f"{key} d={d} threads={threads} reps={reps}\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline().strip()
            if not answer or answer.startswith("error"):
                raise RuntimeError(answer or "bench-tile ended")
            return float(answer), self.cpu() - before

        return measure

    def cpu(self):
        # Linux's clock for the CPU time of another process is made of its number.
        return time.clock_gettime((~self.process.pid << 3) | 2)


def peer_turn(call, controller, threads):
    """The same for a Python function."""

    def measure(reps):
        with controller.limit(limits=threads):
            wall, cpu = time.perf_counter(), time.process_time()
            for _ in range(reps):
                call()
            return time.perf_counter() - wall, time.process_time() - cpu

    return measure


def against_peers(server, x, rounds):
    """Seconds a call by (task, threads, name): a list of (wall, CPU), one for each round."""
    n, d = x.shape
    gamma = 1.0 / d
    wide = x.astype(np.float64)
    vector = np.random.default_rng(11).standard_normal(n).astype(np.float32)
    check(x, wide, gamma, vector)
    controller = threadpoolctl.ThreadpoolController()
    turns = {}
    for threads in THREADS:
        mercer = {
            ("store", MERCER_STORE): "prepare-store",
            ("store", MERCER_PREPARED): "store",
            ("product", MERCER_PLAIN): "plain",
            ("product", MERCER_SYMMETRIC): "symmetric",
        }
        peers = {
            ("store", SKLEARN[0]): lambda: rbf_kernel(wide, gamma=gamma),
            ("store", SKLEARN[1]): lambda: rbf_kernel(x, gamma=gamma),
            ("store", NUMPY): lambda: numpy_store(x, gamma),
            ("product", NUMPY_PRODUCT): lambda: numpy_product(x, gamma, vector),
        }
        for (task, name), key in mercer.items():
            turns[task, threads, name] = server.turn(key, d, threads)
        for (task, name), call in peers.items():
            turns[task, threads, name] = peer_turn(call, controller, threads)
    note(f"Mercer and its peers at d = {d} ...")
    reps = {which: repetitions(measure) for which, measure in turns.items()}
    seconds = {which: [] for which in turns}
    draw = random.Random(7)
    for _ in range(rounds):
        for which in draw.sample(list(turns), len(turns)):
            time.sleep(PAUSE)
            wall, cpu = turns[which](reps[which])
            seconds[which].append((wall / reps[which], cpu / reps[which]))
    return n, seconds


def repetitions(measure):
    measure(1)
    once = max(measure(1)[0], 1e-6)
    return max(1, int(np.ceil(TURN / once)))


def exponents(x, gamma):
    """Two arrays whose product is -gamma times the squared distances: no pass is needed for these."""
    scaled = x * np.float32(np.sqrt(2.0 * gamma))
    half = -0.5 * np.einsum("ij,ij->i", scaled, scaled)[:, None]
    one = np.ones_like(half)
    return np.hstack([scaled, half, one]), np.hstack([scaled, one, half]).T


def numpy_store(x, gamma):
    left, right = exponents(x, gamma)
    gram = np.empty((len(x), len(x)), dtype=np.float32)
    for first in range(0, len(x), BLOCK):
        block = gram[first : first + BLOCK]
        np.matmul(left[first : first + BLOCK], right, out=block)
        np.exp(block, out=block)
    return gram


def numpy_product(x, gamma, vector):
    left, right = exponents(x, gamma)
    out = np.empty(len(x), dtype=np.float32)
    buffer = np.empty((BLOCK, len(x)), dtype=np.float32)
    for first in range(0, len(x), BLOCK):
        rows = left[first : first + BLOCK]
        block = buffer[: len(rows)]
        np.matmul(rows, right, out=block)
        np.exp(block, out=block)
        out[first : first + BLOCK] = block @ vector
    return out


def check(x, wide, gamma, vector):
    """The peers compute the same matrix."""
    exact = rbf_kernel(wide, gamma=gamma)
    assert np.abs(numpy_store(x, gamma) - exact).max() < 1e-5
    product = exact @ vector
    assert np.abs(numpy_product(x, gamma, vector) - product).max() < 1e-4 * np.abs(product).max()


def ratio(of, to, clock=0):
    """How many times as long `of` takes as `to`: the median over rounds; the clock is wall (0) or CPU (1)."""
    return statistics.median(a[clock] / b[clock] for a, b in zip(of, to, strict=True))


def peer_tables(peers, task):
    first = {"store": MERCER_STORE, "product": MERCER_PLAIN}[task]
    lines = []
    for threads in THREADS:
        plural = "" if threads == 1 else "s"
        cells = [f"d = {d}, n = {n}" for d, (n, _) in peers.items()]
        lines += [
            row(f"{threads} thread{plural}", cells),
            row("---", ["---:"] * len(cells)),
        ]
        names = [name for t, c, name in next(iter(peers.values()))[1] if (t, c) == (task, threads)]
        for name in names:
            lines.append(
                row(
                    name,
                    [cell(s, task, threads, name, first) for _, s in peers.values()],
                )
            )
        lines.append("")
    lines.append("Milliseconds, half the range as ±; in brackets how many times as long as Mercer, wall / CPU.\n")
    return "\n".join(lines)


def row(name, cells):
    return f"| {name} | " + " | ".join(cells) + " |"


def cell(seconds, task, threads, name, first):
    mine = seconds[task, threads, name]
    walls = [wall for wall, _ in mine]
    middle = statistics.median(walls)
    spread = 50.0 * (max(walls) - min(walls)) / middle
    text = f"{1e3 * middle:.0f} ± {spread:.0f} %"
    if name == first:
        return text
    base = seconds[task, threads, first]
    return f"{text} ({ratio(mine, base):.2f} / {ratio(mine, base, 1):.2f})"


def must_hold(tile, peers):
    def faster(d, of, to):
        pairs = zip(tile[d, of, 1], tile[d, to, 1], strict=True)
        return statistics.median(theirs / ours for ours, theirs in pairs)

    def over_sklearn(d):
        seconds = peers[d][1]
        mine = seconds["store", 1, MERCER_STORE]
        return min(ratio(seconds["store", 1, name], mine) for name in SKLEARN)

    lines = [
        "## Must hold (one thread)\n",
        row("what", ["at least", "measured", "holds"]),
        "| --- | ---: | ---: | --- |",
    ]
    for d, share in ((784, 0.75), (54, 0.65)):
        figure = faster(d, "plain", "linear")
        what = f"fused mat-vec as a share of the tile without exp, d = {d}"
        lines.append(verdict(what, f"{share:.0%}", f"{figure:.0%}", figure >= share))
    for what, rival in (
        ("GEMM block + a pass of the library's `f32::exp`", "gemm-libm"),
        ("GEMM block + a pass of Mercer's own vectorised exp", "gemm-exp"),
    ):
        figure = faster(8, "plain", rival)
        lines.append(
            verdict(
                f"fused mat-vec over {what}, d = 8",
                "2.5×",
                f"{figure:.2f}×",
                figure >= 2.5,
            )
        )
    for d in (8, 54):
        figure = over_sklearn(d)
        what = f"stored Gram over scikit-learn `rbf_kernel` (the better precision), d = {d}"
        lines.append(verdict(what, "3×", f"{figure:.2f}×", figure >= 3.0))
    return "\n".join(lines) + "\n"


def verdict(what, least, measured, holds):
    return row(what, [least, measured, "yes" if holds else "**no**"])


if __name__ == "__main__":
    main()
