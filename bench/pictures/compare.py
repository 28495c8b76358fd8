"""A decision boundary side by side: Mercer's displays and scikit-learn's DecisionBoundaryDisplay, on the same model.

./bench/run pictures [--rounds N] [--out FOLDER] [--mercer COMMAND]

A support vector machine of about 2 000 support vectors is asked on a grid of 400 × 400 points and drawn: the seconds
are from the fitted model to the bytes of the picture. Each picture is a process of its own, in an order drawn anew each
round; a figure is the median of the rounds. Both machines solve the same problem; by how much their answers on the grid
differ is told. With --mercer the command fits the same problem too, and draws it from the model's file; its seconds are
those of the whole process.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
C, GAMMA, NOISE = 1.0, 4.0, 0.55
PEERS = ["mercer, SVG", "mercer, PNG", "mercer on matplotlib", "scikit-learn"]
COMMAND = "mercer, the command"
#: What the project promises of it.
SECONDS, RATIO = 1.0, 10.0


def main() -> int:
    """Run all rounds, or, for a process of its own, one picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=4_200)
    parser.add_argument("--side", type=int, default=400, help="points of the grid along each side")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, help="folder for pictures.md and pictures.json")
    parser.add_argument("--mercer", type=Path, help="the command, to be measured too")
    parser.add_argument("--one", choices=[*PEERS, COMMAND], help="one picture of a peer, told as JSON")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(one(given)))
        return 0
    peers = [*PEERS, *([COMMAND] if given.mercer else [])]
    found: dict[str, list[dict[str, Any]]] = {peer: [] for peer in peers}
    order, draw = list(peers), random.Random(0)
    for _ in range(given.rounds):
        draw.shuffle(order)
        for peer in order:
            command = [sys.executable, __file__, "--one", peer]
            command += ["--rows", str(given.rows), "--side", str(given.side), "--threads", str(given.threads)]
            command += ["--mercer", str(given.mercer)] if given.mercer else []
            threads = str(given.threads)
            environment = os.environ | {"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
            done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
            found[peer].append(json.loads(done.stdout))
            print(f"pictures: {peer}: {found[peer][-1]['wall']:.2f} s", file=sys.stderr, flush=True)
    text = "\n".join(table(given.side, found))
    print(text)
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
        (given.out / "pictures.md").write_text(text + "\n", encoding="utf-8")
        (given.out / "pictures.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    return 0


def table(side: int, found: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Seconds, and how many times as long the others take as Mercer's SVG."""
    ours, theirs = found["mercer, SVG"][0], found["scikit-learn"][0]
    lines = [
        f"## A boundary on {side} × {side} points",
        "",
        f"{ours['support']} support vectors; scikit-learn's machine has {theirs['support']}.",
        "",
        "| picture | wall s | ± | CPU s | ratio | kB |",
        "|" + "---|" * 6,
    ]
    first = median(run["wall"] for run in found["mercer, SVG"])
    for peer, runs in found.items():
        wall = [run["wall"] for run in runs]
        lines.append(
            f"| {peer} | {median(wall):.2f} | {(max(wall) - min(wall)) / 2:.2f} | "
            f"{median(run['cpu'] for run in runs):.2f} | {median(wall) / first:.1f} | {runs[0]['bytes'] / 1000:.0f} |"
        )
    ratio = median(run["wall"] for run in found["scikit-learn"]) / first
    apart = np.abs(np.array(ours["answers"]) - np.array(theirs["answers"])).max()
    lines += [
        "",
        f"Answers on the grid differ by at most {apart:.1e}.",
        f"Must hold: under {SECONDS:.0f} s: {'yes' if first < SECONDS else 'NO'} ({first:.2f} s);",
        f"at least {RATIO:.0f} times as fast as scikit-learn: {'yes' if ratio >= RATIO else 'NO'} ({ratio:.1f}).",
    ]
    return [*lines, ""]


def rows(count: int) -> tuple[Floats, NDArray[np.int64]]:
    """Two moons that overlap."""
    from sklearn.datasets import make_moons

    x, y = make_moons(n_samples=count, noise=NOISE, random_state=0)
    return np.ascontiguousarray(x), y


def one(given: argparse.Namespace) -> dict[str, Any]:
    """One picture, with the fit and the imports before the clock."""
    import matplotlib

    matplotlib.use("Agg")
    x, y = rows(given.rows)
    model = scikit(x, y) if given.one == "scikit-learn" else ours(x, y)
    told = by_command(given, x, y) if given.one == COMMAND else measured(given, model, x, y)
    few = np.stack(np.meshgrid(np.linspace(-1, 2, 20), np.linspace(-1, 1, 20)), axis=-1).reshape(-1, 2)
    answers = model.decision_function(few).tolist()
    return told | {"support": len(model.support_), "answers": answers}


def measured(given: argparse.Namespace, model: Any, x: Floats, y: NDArray[np.int64]) -> dict[str, Any]:
    """One picture in this process, after a small one."""
    picture: Callable[[int], bytes] = {
        "mercer, SVG": lambda side: display(model, x, y, side).svg().encode(),
        "mercer, PNG": lambda side: display(model, x, y, side).png(),
        "mercer on matplotlib": lambda side: saved(display(model, x, y, side).plot().figure_),
        "scikit-learn": lambda side: saved(theirs(model, x, y, side)),
    }[given.one]
    picture(20)
    wall, cpu = time.perf_counter(), time.process_time()
    drawn = picture(given.side)
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "bytes": len(drawn)}


def ours(x: Floats, y: NDArray[np.int64]) -> Any:
    """Mercer's machine."""
    import mercer

    return mercer.SVC(C=C, gamma=GAMMA).fit(x, y)


def scikit(x: Floats, y: NDArray[np.int64]) -> Any:
    """scikit-learn's machine."""
    from sklearn.svm import SVC

    return SVC(C=C, gamma=GAMMA).fit(x, y)


def display(model: Any, x: Floats, y: NDArray[np.int64], side: int) -> Any:
    """Mercer's display."""
    from mercer.displays import BoundaryDisplay

    return BoundaryDisplay.from_estimator(model, x, y, grid_resolution=side)


def theirs(model: Any, x: Floats, y: NDArray[np.int64], side: int) -> Any:
    """scikit-learn's display, with the rows, the boundary and the margins, as its examples draw them."""
    from matplotlib import pyplot
    from sklearn.inspection import DecisionBoundaryDisplay

    _, ax = pyplot.subplots()
    shown = DecisionBoundaryDisplay.from_estimator(
        model, x, grid_resolution=side, response_method="decision_function", ax=ax
    )
    ax.contour(shown.xx0, shown.xx1, shown.response, levels=[-1, 0, 1], colors="k", linestyles=["--", "-", "--"])
    ax.scatter(x[:, 0], x[:, 1], c=y, s=10)
    return shown.figure_


def saved(figure: Any) -> bytes:
    """A figure of matplotlib as PNG."""
    file = io.BytesIO()
    figure.savefig(file, format="png")
    return file.getvalue()


def by_command(given: argparse.Namespace, x: Floats, y: NDArray[np.int64]) -> dict[str, Any]:
    """The picture that the command draws of a model's file and of its rows, a process from start to end."""
    with tempfile.TemporaryDirectory() as folder:
        file, data, picture = (str(Path(folder) / name) for name in ("model.mercer", "rows.csv", "boundary.svg"))
        np.savetxt(data, np.column_stack([x, y]), delimiter=",", header="x,y,label", comments="", fmt="%.17g")
        fit = [given.mercer, "fit", data, "--kernel", f"rbf(gamma={GAMMA})", "--loss", "hinge", "--C", C, "-o", file]
        subprocess.run(list(map(str, fit)), check=True, capture_output=True)
        words = [given.mercer, "plot", "boundary", file, "--grid", given.side, "-o", picture]
        wall, before = time.perf_counter(), os.times()
        subprocess.run(list(map(str, words)), check=True, capture_output=True)
        after, wall = os.times(), time.perf_counter() - wall
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        return {"wall": wall, "cpu": cpu, "bytes": len(Path(picture).read_bytes())}


if __name__ == "__main__":
    sys.exit(main())
