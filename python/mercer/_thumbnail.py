"""A picture of a fitted model in a few kilobytes of SVG: its decisions in two dimensions, or how its solver went."""

from __future__ import annotations

import warnings
from html import escape
from itertools import groupby
from typing import Any

import numpy as np

from mercer import _mercer

WIDTH, HEIGHT = 240, 180
#: Cells a side of the picture of decisions; it divides both sides of the picture.
CELLS = 30

#: Colours of classes, told apart also by those who see few colours, on light and dark pages.
COLOURS = ("#3b6fb6", "#d95f30", "#4f9d69", "#a05cb0", "#c9a227", "#3aa6a6", "#c2507f", "#7a7a7a")


def thumbnail(estimator: Any, model: Any) -> str:
    """Return a small picture of a fitted model: decisions, the way of the solver, or the share of support vectors."""
    points = model.support_points() if _is_flat(estimator) else None
    if isinstance(points, np.ndarray) and points.ndim == 2 and points.shape[1] == 2 and len(points):
        return decisions(estimator, model, points)
    trace = model.trace(0)
    known = np.isfinite(trace["primal"]) | np.isfinite(trace["dual"])
    if np.count_nonzero(known) > 1:
        return history(trace)
    return share(len(model.support), int(model.provenance["rows"]))


def _is_flat(estimator: Any) -> bool:
    return getattr(estimator, "n_features_in_", None) == 2


def decisions(estimator: Any, model: Any, points: np.ndarray) -> str:
    """Draw what the model says on a coarse grid around its support points."""
    points = points.astype(np.float64)
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.15 * np.where(high > low, high - low, 1.0)
    low, high = low - margin, high + margin
    steps = (np.arange(CELLS) + 0.5) / CELLS
    across, up = low[0] + steps * (high[0] - low[0]), low[1] + steps * (high[1] - low[1])
    grid = np.column_stack([np.tile(across, CELLS), np.repeat(up[::-1], CELLS)])
    colours, shades = _shades(estimator, model, grid)
    parts = ['<g shape-rendering="crispEdges">', *_cells(colours, shades), "</g>"]
    span = high - low
    for x, y in points[:: max(1, len(points) // 200)]:
        left, top = (x - low[0]) / span[0] * WIDTH, (high[1] - y) / span[1] * HEIGHT
        parts.append(f'<circle cx="{left:.1f}" cy="{top:.1f}" r="1.8" fill="none" stroke="currentColor"/>')
    return _svg("decisions; circles are support vectors", parts)


def _cells(colours: list[str], shades: np.ndarray) -> list[str]:
    """Draw the grid, a path for each colour and shade with a box for each run of them in a row."""
    width, height = WIDTH // CELLS, HEIGHT // CELLS
    paths: dict[tuple[str, str], list[str]] = {}
    paints = [(colour, f"{shade:.1f}") for colour, shade in zip(colours, shades, strict=True)]
    for row in range(CELLS):
        place = 0
        for paint, run in groupby(paints[row * CELLS : (row + 1) * CELLS]):
            count = len(list(run))
            box = f"M{place * width} {row * height}h{count * width}v{height}h-{count * width}z"
            paths.setdefault(paint, []).append(box)
            place += count
    return [
        f'<path d="{"".join(boxes)}" fill="{colour}" fill-opacity="{shade}"/>'
        for (colour, shade), boxes in paths.items()
    ]


def _shades(estimator: Any, model: Any, grid: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Return a colour and an opacity for every cell."""
    if model.task == "classes" and len(model.classes) > 2:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            classes = np.searchsorted(estimator.classes_, estimator.predict(grid))
        return [COLOURS[place % len(COLOURS)] for place in classes], np.full(len(grid), 0.5)
    names = getattr(estimator, "feature_names_in_", None)
    table = _mercer.Table.dense(grid, None if names is None else [str(name) for name in names])
    values = np.asarray(model.scores(table))[:, 0]
    if model.task == "numbers":
        values = values - values.mean()
    size = np.abs(values).max() or 1.0
    return [COLOURS[int(value > 0)] for value in values], 0.1 + 0.6 * np.abs(values) / size


def history(trace: dict[str, np.ndarray]) -> str:
    """Draw the objective and its bound over the iterations."""
    iteration = trace["iteration"]
    parts, values = [], np.concatenate([trace["primal"], trace["dual"]])
    values = values[np.isfinite(values)]
    low, high = float(values.min()), float(values.max())
    span, first, last = (high - low) or 1.0, float(iteration.min()), float(iteration.max())
    for name, colour in (("primal", COLOURS[1]), ("dual", COLOURS[0])):
        line = [
            f"{(at - first) / ((last - first) or 1) * (WIDTH - 8) + 4:.1f},"
            f"{(high - value) / span * (HEIGHT - 28) + 20:.1f}"
            for at, value in zip(iteration, trace[name], strict=True)
            if np.isfinite(value)
        ]
        step = max(1, len(line) // 200)
        parts.append(f'<polyline points="{" ".join(line[::step])}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        left = 4 if name == "primal" else 60
        parts.append(f'<text x="{left}" y="12" font-size="11" fill="{colour}">{name}</text>')
    return _svg("objective and its bound over the iterations", parts)


def share(support: int, rows: int) -> str:
    """Draw how many of the rows are support vectors."""
    width = WIDTH * (support / rows if rows else 0.0)
    parts = [
        f'<rect x="0" y="24" width="{WIDTH}" height="12" fill="currentColor" fill-opacity="0.12"/>',
        f'<rect x="0" y="24" width="{width:.1f}" height="12" fill="{COLOURS[0]}"/>',
        f'<text x="0" y="14" font-size="11" fill="currentColor">{support} of {rows} rows are support vectors</text>',
    ]
    return _svg("share of support vectors", parts, height=44)


def _svg(title: str, parts: list[str], height: int = HEIGHT) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        f'role="img" font-family="system-ui,sans-serif"><title>{escape(title)}</title>{"".join(parts)}</svg>'
    )
