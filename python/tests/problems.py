"""Data, kernels and dual objectives, written down here apart from the package, to judge any solution by.

A *solution* is what an estimator shows after `fit`: `support_`, `dual_coef_`, `intercept_`. The objectives
are the textbook ones, computed in double precision from a matrix that NumPy and scikit-learn make.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import datasets
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.preprocessing import StandardScaler

Floats = NDArray[np.float64]


@cache
def data_set(name: str) -> tuple[Floats, NDArray[Any]]:
    """A small set by name, standardised, at most some hundred rows in a random but fixed order."""
    if name in ("moons", "circles"):
        x, y = getattr(datasets, f"make_{name}")(n_samples=160, noise=0.15, random_state=0)
    elif name == "blobs":
        x, y = datasets.make_blobs(n_samples=160, centers=4, cluster_std=2.0, n_features=3, random_state=0)
    elif name == "friedman":
        x, y = datasets.make_friedman1(n_samples=150, noise=0.5, random_state=0)
    else:
        x, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    keep = np.random.default_rng(0).permutation(len(x))[:240]
    x, y = StandardScaler().fit_transform(x[keep]), y[keep]
    if name in ("diabetes", "friedman"):
        y = (y - y.mean()) / y.std()
    return x, y


def kernel_matrix(settings: dict[str, Any], x: Floats, z: Floats) -> Floats:
    """The kernel that scikit-learn's `kernel`, `gamma`, `coef0` and `degree` mean, by its own functions."""
    names = {
        "rbf": ("gamma",),
        "poly": ("gamma", "coef0", "degree"),
        "sigmoid": ("gamma", "coef0"),
        "linear": (),
    }
    gamma = settings.get("gamma", "scale")
    if gamma == "scale":
        gamma = 1 / (x.shape[1] * x.var())
    known = {"coef0": 0.0, "degree": 3, **settings, "gamma": gamma}
    name = settings["kernel"]
    return pairwise_kernels(x, z, metric=name, **{parameter: known[parameter] for parameter in names[name]})


def dense(values: Any) -> Floats:
    """A sparse or dense array as a dense one."""
    return values.toarray() if sparse.issparse(values) else np.asarray(values)


def pairs_of(model: Any, y: NDArray[Any]) -> Iterator[Floats]:
    """The coefficients of each one-against-one machine over all rows, from the layout of `dual_coef_`.

    Machine (i, j) has the coefficients of the rows of class i in row j - 1 of the table and those of the
    rows of class j in row i, as LIBSVM keeps them.
    """
    table, classes = dense(model.dual_coef_), model.classes_
    for i, j in combinations(range(len(classes)), 2):
        beta = np.zeros(len(y))
        for row, name in ((j - 1, classes[i]), (i, classes[j])):
            own = y[model.support_] == name
            beta[model.support_[own]] = table[row, own]
        yield beta


def coefficients(model: Any, rows: int) -> Floats:
    """The coefficients of one machine over all rows."""
    beta = np.zeros(rows)
    beta[model.support_] = dense(model.dual_coef_).ravel()
    return beta


def quadratic(beta: Floats, matrix: Floats) -> float:
    """½ βᵀKβ."""
    return 0.5 * float(beta @ matrix @ beta)


def classes_dual(beta: Floats, matrix: Floats) -> float:
    """The dual of the hinge loss with β = α·y: Σ|β| - ½ βᵀKβ."""
    return float(np.abs(beta).sum()) - quadratic(beta, matrix)


def numbers_dual(beta: Floats, matrix: Floats, y: Floats, epsilon: float) -> float:
    """The dual of the ε-insensitive loss: yᵀβ - ε Σ|β| - ½ βᵀKβ."""
    return float(y @ beta) - epsilon * float(np.abs(beta).sum()) - quadratic(beta, matrix)


def relative(first: float, second: float) -> float:
    """How far two numbers are apart, by the larger one."""
    return abs(first - second) / max(abs(first), abs(second), np.finfo(float).tiny)
