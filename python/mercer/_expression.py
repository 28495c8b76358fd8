"""From `kernel=` to what the engine takes.

An estimator's kernel is one of scikit-learn's names with its `gamma`, `degree` and `coef0`, an expression of the
kernel language, a kernel object, a callable on blocks, or "precomputed".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer import _mercer

#: Kernels whose parameters are those of the estimator.
NAMES = ("linear", "poly", "rbf", "sigmoid")


@dataclass(frozen=True)
class Expression:
    """A kernel as the engine sees it."""

    text: str
    #: One of scikit-learn's names: the points are vectors and validated as scikit-learn does.
    plain: bool = False
    #: Points are known by a matrix alone.
    matrix: bool = False
    #: k(X, Y) of the user's, on blocks.
    function: Callable[..., Any] | None = None


def expression(
    kernel: Any,
    X: Any = None,
    *,
    gamma: Any = "scale",
    degree: int = 3,
    coef0: float = 0.0,
    weights: np.ndarray | None = None,
) -> Expression:
    """Read `kernel=`; `X` is only looked at for `gamma`."""
    if isinstance(kernel, str):
        if kernel == "precomputed":
            return Expression("precomputed", matrix=True)
        if kernel in NAMES:
            number = 1.0 if kernel == "linear" else resolve_gamma(gamma, X, weights)
            return Expression(_named(kernel, number, degree, coef0), plain=True)
        return Expression(_mercer.kernel_parse(kernel))
    text = getattr(kernel, "__mercer_kernel__", None)
    if text is not None:
        return Expression(str(text), matrix=is_matrix(kernel))
    if callable(kernel):
        return Expression("precomputed", matrix=True, function=kernel)
    raise TypeError(
        f"kernel must be a name, an expression, a kernel of mercer.kernels, a callable or 'precomputed'; got {kernel!r}"
    )


def is_matrix(kernel: Any) -> bool:
    """Whether points are known by a matrix alone, by the word or by the object for it."""
    return (kernel if isinstance(kernel, str) else getattr(kernel, "__mercer_kernel__", None)) == "precomputed"


def resolve_gamma(gamma: Any, X: Any, weights: np.ndarray | None = None) -> float:
    """`gamma` as a number: "scale" is 1/(n_features · variance of X), with weights that count as repetition."""
    if not isinstance(gamma, str):
        return float(gamma)
    if X is None:
        return 1.0
    if gamma == "auto":
        return 1.0 / X.shape[1]
    with np.errstate(over="ignore", invalid="ignore"):
        variance = _variance(X, weights)
    if not np.isfinite(variance):
        raise ValueError(
            "The dual coefficients or intercepts are not finite, since gamma='scale' needs the variance of X and that "
            "overflows; scale the columns"
        )
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0


def _variance(X: Any, weights: np.ndarray | None) -> float:
    if weights is not None:
        share = weights / (weights.sum() * X.shape[1])
        if sp.issparse(X):
            mean = float((X.T @ share).sum())
            return float((X.multiply(X).T @ share).sum()) - mean**2
        mean = float((share @ X).sum())
        return float((share @ (X - mean) ** 2).sum())
    if sp.issparse(X):
        return float(X.multiply(X).mean()) - float(X.mean()) ** 2
    if X.nbytes > _BLOCK:
        return _variance_by_blocks(X)
    return float(X.var(dtype=np.float64) if X.dtype == np.float32 else X.var())


#: Arrays beyond so many bytes are looked at in parts, since `var` makes a copy.
_BLOCK = 1 << 24


def _variance_by_blocks(X: np.ndarray) -> float:
    rows = max(1, _BLOCK // max(1, X.shape[1] * 8))
    blocks = range(0, X.shape[0], rows)
    mean = sum(float(X[start : start + rows].sum(dtype=np.float64)) for start in blocks) / X.size
    return sum(float(np.square(X[start : start + rows].astype(np.float64) - mean).sum()) for start in blocks) / X.size


def _named(name: str, gamma: float, degree: int, coef0: float) -> str:
    if name == "linear":
        return "linear"
    if gamma == 0.0:
        return _constant({"rbf": 1.0, "poly": float(coef0) ** degree, "sigmoid": float(np.tanh(coef0))}[name])
    if name == "rbf":
        return f"rbf(gamma={gamma!r})"
    if name == "sigmoid":
        return f"sigmoid(gamma={gamma!r}, offset={float(coef0)!r})"
    if degree == 0:
        return _constant(1.0)
    return f"poly(degree={degree}, gamma={gamma!r}, offset={float(coef0)!r})"


def _constant(value: float) -> str:
    # A kernel that is the same for every pair; zero is as good as the smallest one.
    return f"constant(value={float(max(value, np.finfo(float).tiny))!r})"


def kernel_matrix(function: Callable[..., Any], X: Any, Y: Any) -> np.ndarray:
    """K(X, Y) of a callable on blocks, as an array in C order."""
    values = function(X, Y)
    if sp.issparse(values):
        values = values.toarray()
    values = np.asarray(values, dtype=np.float64, order="C")
    shape = (_count(X), _count(Y))
    if values.shape != shape:
        raise ValueError(
            f"the kernel callable must return a matrix with a row for each row of its first argument and a column for "
            f"each of its second, {shape}; it returned an array of shape {values.shape}"
        )
    if not np.isfinite(values).all():
        row, column = (int(place[0]) for place in np.nonzero(~np.isfinite(values)))
        raise ValueError(f"the kernel callable returned {values[row, column]} for rows {row} and {column}")
    return values


def _count(X: Any) -> int:
    return X.shape[0] if hasattr(X, "shape") else len(X)
