"""What a solution is worth: one function in f64 for the solutions of everybody.

For one machine with coefficients β (β_i = y_i α_i for classes), box [lo, hi] and Σ β = 0:

    dual       = −½ βᵀKβ + linear·β             (the larger the better)
    primal     = ½ βᵀKβ + C Σ loss(y_i, f_i + b) at the best b
    violation  = max over what can fall of F − min over what can rise of F,   F = Kβ − linear'
    outside    = how far β is outside its box or Σ β from 0, in units of C

Coefficients that a peer gives in single precision are at the ends of their boxes if they are so but for its rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Verdict:
    """Sums over all machines, and the largest violation."""

    dual: float
    gap: float
    violation: float
    outside: float


def judge(x: Any, y: Any, solution: dict[str, Any], gamma: float, C: float, epsilon: float | None) -> Verdict:
    """Judge what `worker.py` stored: support rows, LIBSVM's arrangement of coefficients, counts by class."""
    support, coefficients = solution["support"].astype(int), in_box(solution["coefficients"], C)
    if epsilon is not None:
        beta = np.zeros(len(y))
        beta[support] = coefficients[0]
        return numbers(scores(x, x[support], coefficients[0], gamma), beta, y, C, epsilon)
    classes = np.unique(y)
    if len(classes) == 2:
        beta, sign = np.zeros(len(y)), np.where(y == classes[1], 1.0, -1.0)
        beta[support] = coefficients[0]
        # The sign of the first class is a convention.
        beta = beta if (beta * sign).sum() > 0 else -beta
        return labels(scores(x, x[support], beta[support], gamma), beta, sign, C)
    parts = []
    ends = np.cumsum(solution["counts"])
    starts = ends - solution["counts"]
    for first, second in combinations(range(len(classes)), 2):
        rows = np.flatnonzero((y == classes[first]) | (y == classes[second]))
        beta = np.zeros(len(y))
        beta[support[starts[first] : ends[first]]] = coefficients[second - 1, starts[first] : ends[first]]
        beta[support[starts[second] : ends[second]]] = coefficients[first, starts[second] : ends[second]]
        sign = np.where(y[rows] == classes[first], 1.0, -1.0)
        beta = beta[rows] if (beta[rows] * sign).sum() > 0 else -beta[rows]
        own = np.flatnonzero(beta)
        parts.append(labels(scores(x[rows], x[rows][own], beta[own], gamma), beta, sign, C))
    return Verdict(
        sum(part.dual for part in parts),
        sum(part.gap for part in parts),
        max(part.violation for part in parts),
        max(part.outside for part in parts),
    )


def in_box(coefficients: Any, C: float) -> Any:
    """Coefficients in f64; what differs from ±C by the rounding of their precision is ±C."""
    exact = coefficients.astype(np.float64)
    is_single = bool((exact.astype(np.float32) == exact).all())
    rounding = 4 * np.finfo(np.float32 if is_single else np.float64).eps
    return np.where(np.abs(np.abs(exact) - C) <= rounding * C, np.sign(exact) * C, exact)


def scores(x: Any, support: Any, beta: Any, gamma: float, block: int = 2000) -> Any:
    """Kβ in f64, a block of rows at a time."""
    x, support = np.asarray(x, dtype=np.float64), np.asarray(support, dtype=np.float64)
    norms = (support**2).sum(axis=1)
    out = np.empty(len(x))
    for start in range(0, len(x), block):
        part = x[start : start + block]
        squares = (part**2).sum(axis=1)[:, None] + norms - 2 * part @ support.T
        np.maximum(squares, 0, out=squares)
        np.multiply(squares, -gamma, out=squares)
        out[start : start + block] = np.exp(squares, out=squares) @ beta
    return out


def labels(f: Any, beta: Any, sign: Any, C: float) -> Verdict:
    """C-SVC with labels ±1."""
    alpha = beta * sign
    norm = float(beta @ f)
    slack = f - sign
    bias = level(slack, alpha * sign, np.where(sign > 0, 0.0, -C), np.where(sign > 0, C, 0.0))
    risk = C * float(np.maximum(0.0, 1.0 - sign * (f + best_offset(f, sign))).sum())
    outside = max(0.0, -float(alpha.min()), float(alpha.max()) - C, abs(float(beta.sum()))) / C
    return Verdict(float(alpha.sum()) - 0.5 * norm, norm + risk - float(alpha.sum()), bias, outside)


def numbers(f: Any, beta: Any, y: Any, C: float, epsilon: float) -> Verdict:
    """ε-SVR."""
    norm, linear = float(beta @ f), float(y @ beta - epsilon * np.abs(beta).sum())
    # Each β is one of two variables: the one above zero has slope f − y + ε, the one below f − y − ε.
    slope = f - y
    rise = np.where(beta < 0, slope - epsilon, slope + epsilon)
    fall = np.where(beta > 0, slope + epsilon, slope - epsilon)
    violation = max(0.0, float(fall[beta > -C].max() - rise[beta < C].min()))
    offset = best_tube_offset(f, y, epsilon)
    risk = C * float(np.maximum(0.0, np.abs(y - f - offset) - epsilon).sum())
    outside = max(0.0, float(np.abs(beta).max()) - C, abs(float(beta.sum()))) / C
    return Verdict(linear - 0.5 * norm, norm + risk - linear, violation, outside)


def level(slope: Any, beta: Any, low: Any, high: Any) -> float:
    """How far the optimality conditions are violated."""
    edge = 1e-12 * np.maximum(high - low, 1e-300)
    top = slope[beta > low + edge]
    bottom = slope[beta < high - edge]
    return max(0.0, float(top.max() - bottom.min())) if len(top) and len(bottom) else 0.0


def best_offset(f: Any, sign: Any) -> float:
    """The b that minimises Σ max(0, 1 − y(f + b)): the slope of that sum changes at y − f."""
    places = sign - f
    order = np.argsort(places, kind="stable")
    # To the left of all places each positive row pulls up by one; past its place it stops, and a negative one begins.
    slopes = -float((sign > 0).sum()) + np.arange(1, len(f) + 1)
    return float(places[order[min(int(np.searchsorted(slopes, 0.0)), len(f) - 1)]])


def best_tube_offset(f: Any, y: Any, epsilon: float) -> float:
    """The b that minimises Σ max(0, |y − f − b| − ε)."""
    places = np.sort(np.concatenate([y - f - epsilon, y - f + epsilon]))
    slopes = -float(len(f)) + np.arange(1, len(places) + 1)
    return float(places[int(np.searchsorted(slopes, 0.0))])
