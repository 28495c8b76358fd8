"""A picture of a fitted model in a few kilobytes of SVG: its decisions in two dimensions, or how its solver went."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from mercer import _mercer

#: Cells a side of the picture of decisions.
CELLS = 28
WIDTH, HEIGHT = 240, 180

#: Colours of classes, told apart also by those who see few colours, on light and dark pages.
COLOURS = ("#3b6fb6", "#d95f30", "#4f9d69", "#a05cb0", "#c9a227", "#3aa6a6", "#c2507f", "#7a7a7a")


def thumbnail(estimator: Any, model: Any) -> str:
    """Return a small picture of a fitted model: decisions, the way of the solver, or the share of support vectors."""
    points = model.support_points() if _is_flat(estimator) else None
    if isinstance(points, np.ndarray) and points.ndim == 2 and points.shape[1] == 2 and len(points):
        return decisions(model, points)
    trace = model.trace(0)
    known = np.isfinite(trace["primal"]) | np.isfinite(trace["dual"])
    if np.count_nonzero(known) > 1:
        return history(trace)
    return share(len(model.support), int(model.provenance["rows"]))


def _is_flat(estimator: Any) -> bool:
    return getattr(estimator, "n_features_in_", None) == 2


def decisions(model: Any, points: np.ndarray) -> str:
    """Draw what the model says on a coarse grid around its support points."""
    points = points.astype(np.float64)
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.15 * np.where(high > low, high - low, 1.0)
    low, high = low - margin, high + margin
    steps = (np.arange(CELLS) + 0.5) / CELLS
    across, up = low[0] + steps * (high[0] - low[0]), low[1] + steps * (high[1] - low[1])
    grid = np.column_stack([np.tile(across, CELLS), np.repeat(up[::-1], CELLS)])
    scores = np.asarray(model.scores(_mercer.Table.dense(grid)))
    colours, shades = _shades(model, scores)
    width, height = WIDTH / CELLS, HEIGHT / CELLS
    parts = [
        f'<rect x="{at % CELLS * width:.1f}" y="{at // CELLS * height:.1f}" width="{width + 0.2:.1f}" '
        f'height="{height + 0.2:.1f}" fill="{colours[at]}" fill-opacity="{shades[at]:.2f}"/>'
        for at in range(len(grid))
    ]
    span = high - low
    for x, y in points[:: max(1, len(points) // 200)]:
        left, top = (x - low[0]) / span[0] * WIDTH, (high[1] - y) / span[1] * HEIGHT
        parts.append(f'<circle cx="{left:.1f}" cy="{top:.1f}" r="1.8" fill="none" stroke="currentColor"/>')
    return _svg("decisions; circles are support vectors", parts)


def _shades(model: Any, scores: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Return a colour and an opacity for every cell."""
    count = len(model.classes)
    if model.task == "classes" and count > 2:
        votes = _votes(scores, count)
        best = votes.argmax(axis=1)
        return [COLOURS[k % len(COLOURS)] for k in best], np.full(len(best), 0.45)
    values = scores[:, 0] - (scores[:, 0].mean() if model.task == "numbers" else 0.0)
    size = np.abs(values).max() or 1.0
    return [COLOURS[int(value > 0)] for value in values], 0.12 + 0.6 * np.abs(values) / size


def _votes(scores: np.ndarray, count: int) -> np.ndarray:
    if scores.shape[1] == count:
        return scores
    votes = np.zeros((len(scores), count))
    pairs = [(i, j) for i in range(count) for j in range(i + 1, count)]
    for (i, j), column in zip(pairs, scores.T, strict=False):
        # One machine a pair; which sign means which class is of no matter to a thumbnail's colours but must be steady.
        votes[np.arange(len(scores)), np.where(column > 0, j, i)] += 1
    return votes


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
        parts.append(
            f'<polyline points="{" ".join(line[::step])}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
        )
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
