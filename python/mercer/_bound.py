"""Kernels bound to training rows: one function, whatever rows come later."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mercer import _mercer
from mercer._limits import in_bytes, threads
from mercer._tables import is_single, table
from mercer.exceptions import KernelError, MercerError

if TYPE_CHECKING:
    from mercer._kernel import Kernel

#: Kernels of one name that are inner products of the features of a map.
MAPS = {
    "quadratic": "quadratic",
    "monomials": "monomials",
    "tuples": "tuples",
    "all_subsets": "subsets",
    "cosine": "unit",
}


class BoundKernel:
    """A kernel with everything worked out that needs training rows.

    Parameters
    ----------
    text : str
        The expression.
    X : array-like, sparse matrix, data frame or list of str
        The training rows.

    Attributes
    ----------
    kernel : Kernel
        The expression with its words turned into numbers.

    Examples
    --------
    >>> from mercer import kernels
    >>> bound = kernels.linear().__matmul__("standardize").bind([[0.0], [2.0]])
    >>> bound([[1.0], [3.0]])
    array([[0., 0.],
           [0., 4.]])
    """

    def __init__(self, text: str, X: Any) -> None:
        self._asked = text
        self._rows = X
        self._table = table(X, kernel_text=text)
        self._engine = _mercer.Kernel(text, self._table)

    @property
    def kernel(self) -> Kernel:
        """The expression with its words turned into numbers."""
        from mercer._kernel import Kernel

        return Kernel(self._engine.text)

    def __repr__(self) -> str:
        return f"{self._engine.text} bound to {len(self._table)} rows"

    def __reduce__(self) -> tuple[type, tuple[str, Any]]:
        return type(self), (self._asked, self._rows)

    def __call__(
        self,
        X: Any,
        Y: Any = None,
        *,
        dtype: Literal["float64", "float32"] | None = None,
        memory_limit: int | str | None = None,
        n_jobs: int | None = None,
    ) -> np.ndarray:
        """Kernel values between rows.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of str
            Rows.
        Y : array-like, sparse matrix, data frame or list of str, default=None
            Other rows; None for the values between those of `X`.
        dtype : {"float64", "float32"}, default=None
            Of the result; None is float32 if all are float32 arrays, else float64.
        memory_limit : int or str, default=None
            Bytes that the matrix may take; None for 60 % of what is free.
        n_jobs : int, default=None
            Threads; None for all cores, -1 for all cores, -2 for all but one.

        Returns
        -------
        ndarray of shape (rows of X, rows of Y)
            The values.
        """
        if dtype is None:
            dtype = "float32" if is_single(X) and (Y is None or is_single(Y)) else "float64"
        rows = self._see(X)
        columns = None if Y is None else self._see(Y)
        return self._engine.gram(
            rows, columns, dtype=_precision(dtype), memory_limit=in_bytes(memory_limit), threads=threads(n_jobs)
        )

    def diagonal(self, X: Any) -> np.ndarray:
        """Return k(x, x) for every row, without the matrix.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of str
            Rows.

        Returns
        -------
        ndarray of shape (rows,)
            The values.
        """
        return self._engine.diagonal(self._see(X))

    def features(self, X: Any) -> np.ndarray:
        """Features whose inner product is the kernel, where there are finitely many.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame
            Rows.

        Returns
        -------
        ndarray of shape (rows, features)
            F with ``F @ F.T`` equal to ``self(X)``.

        Raises
        ------
        KernelError
            If the kernel has no such map; the message names one that imitates it.
        """
        found = self._engine.features(self._see(X))
        if found is not None:
            return found
        factor, text = _explicit(self._engine.text)
        bound = _mercer.Kernel(text, self._table)
        found = bound.features(self._see(X))
        if found is None:
            raise _no_map(self._engine.text)
        return found * factor if factor != 1.0 else found

    def _see(self, X: Any) -> _mercer.Table:
        return self._table if X is self._rows else table(X, kernel_text=self._asked)


def _precision(dtype: Any) -> Literal["float64", "float32"]:
    """Return the name of a precision, given by its name or as NumPy does."""
    if np.dtype(dtype) == np.float32:
        return "float32"
    if np.dtype(dtype) == np.float64:
        return "float64"
    raise MercerError(f"kernel values are float64 or float32, not {dtype!r}")


def _explicit(text: str) -> tuple[float, str]:
    """Return a factor and a linear kernel after a map that are the same kernel as a single leaf."""
    found = re.fullmatch(r"(\w+)(?:\(([^()]*)\))?((?:[\[@].*)?)", text)
    if found is None or " + " in text:
        raise _no_map(text)
    name, inside, after = found.groups()
    given = {key.strip(): value for key, value in (pair.split("=") for pair in (inside or "").split(",") if pair)}
    if name in MAPS:
        return 1.0, f"linear@{MAPS[name]}" + (f"({inside})" if inside else "") + after
    if name == "poly" and float(given["offset"]) >= 0:
        # (g<x,z> + c)^p = g^p (<x,z> + c/g)^p.
        gamma, degree = float(given["gamma"]), int(given["degree"])
        map_text = f"polynomial(degree={degree}, offset={float(given['offset']) / gamma!r})"
        return gamma ** (degree / 2), f"linear@{map_text}{after}"
    raise _no_map(text)


def _no_map(text: str) -> KernelError:
    return KernelError(
        f"{text} has no finite feature map that is known; imitate it by linear@nystrom(kernel={text}, m=100), or give "
        "features by maps: linear@polynomial(degree=2), linear@fourier(m=500), …"
    )
