"""Kernel matrices where `kernel=` means what it means to scikit-learn's `pairwise_kernels`.

A bare name of scikit-learn's (`rbf`, `poly`, `chi2`, …) takes `gamma`, `degree` and `coef0` with the defaults that
it has there; any other text is an expression of the kernel language. Entries are computed by the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize
from sklearn.utils.validation import _num_samples

from mercer import _mercer
from mercer._bound import BoundKernel
from mercer._expression import Expression

#: Names that mean what scikit-learn means by them.
NAMES = (
    "additive_chi2",
    "chi2",
    "cosine",
    "laplacian",
    "linear",
    "poly",
    "polynomial",
    "rbf",
    "sigmoid",
)

#: The highest degree that the kernel language writes down.
_HIGHEST_DEGREE = 64


@dataclass(frozen=True)
class Shape:
    """What scikit-learn's kernels take; None is their default, for `gamma` 1/n_features (1 for `chi2`)."""

    gamma: float | None = None
    degree: float | None = None
    coef0: float | None = None


def pairwise_expression(
    kernel: Any, n_features: int = 1, shape: Shape | None = None, params: Mapping[str, Any] | None = None
) -> Expression:
    """Read `kernel=`; a kernel that is no expression comes with a function of two blocks of rows."""
    if isinstance(kernel, str):
        if kernel == "precomputed":
            return Expression("precomputed", matrix=True)
        if kernel in NAMES:
            return _named(kernel, n_features, shape or Shape())
        return Expression(_mercer.kernel_parse(kernel))
    text = getattr(kernel, "__mercer_kernel__", None)
    if text is not None:
        return Expression(str(text))
    if callable(kernel):
        return Expression("precomputed", matrix=True, function=UserKernel(kernel, dict(params or {})))
    raise TypeError(
        f"kernel must be a name, an expression, a kernel of mercer.kernels, a callable or 'precomputed'; got {kernel!r}"
    )


def gram(
    kernel: Expression,
    X: Any,
    Y: Any = None,
    *,
    threads: int | None = None,
    names: Sequence[str] | None = None,
) -> np.ndarray:
    """K(X, Y), or K(X, X) without `Y`, in the precision of the rows; words of the kernel are those of `Y`.

    `names` are those of the columns of rows that are arrays.
    """
    if kernel.function is not None:
        return np.asarray(kernel.function(X, X if Y is None else Y))
    if kernel.matrix:
        return np.asarray(X)
    return BoundKernel(kernel.text, X if Y is None else Y, names)(X, Y, n_jobs=threads)


def fitted(kernel: Expression, X: Any, names: Sequence[str] | None = None) -> Expression | BoundKernel:
    """The same kernel with what it learns from training rows: numbers for words such as `scale`.

    Where maps such as `standardize` learn more than a text can tell, it is bound to the rows and keeps them.
    """
    if kernel.matrix or kernel.plain or not _mercer.kernel_info(kernel.text)["uses_data"]:
        return kernel
    bound = BoundKernel(kernel.text, X, names)
    text = repr(bound.kernel)
    return bound if _mercer.kernel_info(text)["uses_data"] else Expression(text)


# ------------------------------------------------------------------------------------------------- names


def _named(name: str, n_features: int, shape: Shape) -> Expression:
    gamma = float(shape.gamma) if shape.gamma is not None else (1.0 if name == "chi2" else 1.0 / n_features)
    degree = 3.0 if shape.degree is None else float(shape.degree)
    coef0 = 1.0 if shape.coef0 is None else float(shape.coef0)
    if name == "linear":
        return Expression("linear", plain=True)
    if name == "cosine":
        return Expression("precomputed", plain=True, matrix=True, function=Cosine())
    if name == "additive_chi2":
        return Expression("precomputed", plain=True, matrix=True, function=AdditiveChi2())
    name = "poly" if name == "polynomial" else name
    if gamma == 0.0 or (name == "poly" and not (degree.is_integer() and 1 <= degree <= _HIGHEST_DEGREE)):
        function = Elementwise(name, gamma, degree, coef0)
        return Expression("precomputed", plain=True, matrix=True, function=function)
    text = {
        "rbf": f"rbf(gamma={gamma!r})",
        "laplacian": f"laplacian(scale={1.0 / gamma!r})",
        "chi2": f"chi2(gamma={gamma!r})",
        "sigmoid": f"sigmoid(gamma={gamma!r}, offset={coef0!r})",
        "poly": f"poly(degree={int(degree)}, gamma={gamma!r}, offset={coef0!r})",
    }[name]
    return Expression(text, plain=True)


@dataclass(frozen=True)
class Cosine:
    """Inner products of rows of length 1; a row of zeros has 0 with every row, which the language refuses."""

    def __call__(self, X: Any, Y: Any) -> np.ndarray:
        """K(X, Y)."""
        rows = normalize(X)
        return _linear(rows, rows if Y is X else normalize(Y))


@dataclass(frozen=True)
class AdditiveChi2:
    """Minus the chi-squared distance, -Σ(x-z)²/(x+z) = Σ4xz/(x+z) - Σx - Σz, which is no Mercer kernel."""

    def __call__(self, X: Any, Y: Any) -> np.ndarray:
        """K(X, Y)."""
        shared = gram(Expression("additive_chi2"), X, None if Y is X else Y)
        left, right = np.asarray(X.sum(axis=1)).ravel(), np.asarray(Y.sum(axis=1)).ravel()
        return 2.0 * shared - left[:, np.newaxis] - right


@dataclass(frozen=True)
class Elementwise:
    """Kernels of scikit-learn's that the language has not: gamma 0, a degree that is not whole."""

    name: str
    gamma: float
    degree: float
    coef0: float

    def __call__(self, X: Any, Y: Any) -> np.ndarray:
        """K(X, Y)."""
        if self.name in ("rbf", "laplacian", "chi2"):
            return np.ones((X.shape[0], Y.shape[0]))
        values = self.gamma * _linear(X, Y) + self.coef0
        return values**self.degree if self.name == "poly" else np.tanh(values)


def _linear(X: Any, Y: Any) -> np.ndarray:
    return gram(Expression("linear"), X, None if Y is X else Y)


# ------------------------------------------------------------------------------------------------- callables


@dataclass(frozen=True)
class UserKernel:
    """A callable of the user's: k(X, Y) on blocks if it gives a matrix, and k(x, y) on two rows otherwise.

    Two rows are what scikit-learn calls it with, so they are tried first; a callable that takes both is called
    on blocks where the values agree. With parameters of its own it is taken at scikit-learn's word.
    """

    function: Callable[..., Any]
    params: dict[str, Any]

    def __call__(self, X: Any, Y: Any) -> np.ndarray:
        """K(X, Y)."""
        if not _num_samples(X) or not _num_samples(Y):
            return np.empty((_num_samples(X), _num_samples(Y)))
        try:
            first = _scalar(self._pair(X, 0, Y, min(1, _num_samples(Y) - 1) if Y is X else 0))
        except Exception:
            first = None
        if first is None or self._agrees(X, Y):
            return self._block(X, Y)
        return self._pairs(X, Y, first)

    def _pair(self, X: Any, i: int, Y: Any, j: int) -> Any:
        return self.function(_row(X, i), _row(Y, j), **self.params)

    def _agrees(self, X: Any, Y: Any) -> bool:
        """Whether blocks of different lengths give a matrix of the values of their rows."""
        if self.params or _num_samples(X) < 2 or _num_samples(Y) < 3:
            return False
        try:
            block = np.asarray(self.function(X[:2], Y[:3]))
            corners = [_scalar(self._pair(X, 0, Y, 1)), _scalar(self._pair(X, 1, Y, 2))]
            return block.shape == (2, 3) and np.allclose([block[0, 1], block[1, 2]], corners)
        except Exception:
            return False

    def _block(self, X: Any, Y: Any) -> np.ndarray:
        values = self.function(X, Y, **self.params)
        values = values.toarray() if sp.issparse(values) else np.asarray(values)
        shape = (_num_samples(X), _num_samples(Y))
        if values.shape != shape:
            raise ValueError(
                f"the kernel callable must return a number for two rows, or a matrix of shape {shape} for "
                f"two blocks of rows; it returned an array of shape {values.shape}"
            )
        return np.asarray(values, dtype=np.result_type(values, np.float32))

    def _pairs(self, X: Any, Y: Any, first: float) -> np.ndarray:
        out = np.empty((_num_samples(X), _num_samples(Y)))
        if Y is not X:
            for i, j in product(range(_num_samples(X)), range(_num_samples(Y))):
                out[i, j] = first if i == j == 0 else _scalar(self._pair(X, i, Y, j))
            return out
        for i, j in combinations(range(_num_samples(X)), 2):
            out[i, j] = out[j, i] = first if (i, j) == (0, 1) else _scalar(self._pair(X, i, X, j))
        for i in range(_num_samples(X)):
            out[i, i] = first if _num_samples(X) == 1 else _scalar(self._pair(X, i, X, i))
        return out


def _scalar(value: Any) -> float:
    """A number, or a TypeError: a matrix of one entry is no answer for two rows that are no matrices."""
    if np.ndim(value) > 0 and not (np.shape(value) == (1, 1) or np.shape(value) == (1,)):
        raise TypeError("the kernel callable returned no number for two rows")
    if sp.issparse(value):
        value = value.toarray()
    return float(np.asarray(value).ravel()[0])


def _row(X: Any, i: int) -> Any:
    return X[[i], :] if sp.issparse(X) else X[i]
