"""Kernels bound to training rows: one function, whatever rows come later."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mercer import _mercer
from mercer._limits import in_bytes, threads
from mercer._tables import is_single, table
from mercer.exceptions import KernelError, MercerError

if TYPE_CHECKING:
    from mercer._kernel import Kernel

#: Values that features of products may take: a gigabyte.
_MOST = 1 << 27

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
    names : sequence of str, default=None
        Names of the columns, where rows are arrays.

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

    def __init__(self, text: str, X: Any, names: Sequence[str] | None = None) -> None:
        self._asked = text
        self._rows = X
        self._names = names
        self._table = table(X, kernel_text=text, names=names)
        self._engine = _mercer.Kernel(text, self._table)

    @property
    def kernel(self) -> Kernel:
        """The expression with its words turned into numbers."""
        from mercer._kernel import Kernel

        return Kernel(self._engine.text)

    def __repr__(self) -> str:
        return f"{self._engine.text} bound to {len(self._table)} rows"

    def __reduce__(self) -> tuple[type, tuple[str, Any, Any]]:
        return type(self), (self._asked, self._rows, self._names)

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
            If the kernel, or a part of it, has no such map; the message names one that imitates it.
        """
        return self._features(self._engine.text, self._see(X))

    def _features(self, text: str, rows: _mercer.Table) -> np.ndarray:
        """Features of an expression, from those of its parts."""
        bound = _mercer.Kernel(text, self._table)
        found = bound.features(rows)
        if found is not None:
            return found
        text, after = _opened(text)
        if len(terms := _split(text, " + ")) > 1:
            return np.hstack([self._features(term + after, rows) for term in _wrapped(terms, after)])
        if len(factors := _split(text, "*")) > 1:
            if re.fullmatch(_NUMBER, factors[0]):
                rest = "*".join(factors[1:])
                return np.sqrt(float(factors[0])) * self._features(_wrapped([rest], after)[0] + after, rows)
            return reduce(_products, (self._features(part + after, rows) for part in _wrapped(factors, after)))
        if power := re.fullmatch(r"(.*)\^(\d+)", text):
            base = self._features(_wrapped([power[1]], after)[0] + after, rows)
            return reduce(_products, [base] * int(power[2]))
        if label := re.match(r"\w+: ", text):
            return self._features(_wrapped([text[label.end() :]], after)[0] + after, rows)
        if text.startswith("normalize("):
            inside, more = _called(text)
            # An error where a length is 0.
            bound.diagonal(rows)
            features = self._features(f"({inside}){more}{after}", rows)
            return features / np.linalg.norm(features, axis=1, keepdims=True)
        factor, explicit = _explicit(text + after)
        if explicit is None:
            return np.full((len(rows), 1), factor)
        found = _mercer.Kernel(explicit, self._table).features(rows)
        if found is None:
            raise _no_map(text + after)
        return found * factor if factor != 1.0 else found

    def _see(self, X: Any) -> _mercer.Table:
        return self._table if X is self._rows else table(X, kernel_text=self._asked, names=self._names)


def _precision(dtype: Any) -> Literal["float64", "float32"]:
    """Return the name of a precision, given by its name or as NumPy does."""
    if np.dtype(dtype) == np.float32:
        return "float32"
    if np.dtype(dtype) == np.float64:
        return "float64"
    raise MercerError(f"kernel values are float64 or float32, not {dtype!r}")


_NUMBER = r"\d+(?:\.\d+)?(?:e[+-]?\d+)?"


def _products(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """All products of two features: their inner product is the product of the inner products."""
    count = left.shape[1] * right.shape[1]
    if len(left) * count > _MOST:
        raise KernelError(
            f"the features of this product would be {len(left)} rows of {count} or more, over a gigabyte; take fewer "
            "rows, or poly, whose features are fewer than those of a power of linear"
        )
    return np.einsum("ni,nj->nij", left, right).reshape(len(left), count)


def _depths(text: str) -> Iterator[tuple[int, int]]:
    """Each place of an expression that is outside of quotes, with the number of brackets that are open there."""
    depth, place = 0, 0
    while place < len(text):
        if text[place] == '"':
            place = re.compile(r'"(?:[^"\\]|\\.)*"').match(text, place).end()  # type: ignore[union-attr]
            continue
        depth -= text[place] in ")]"
        yield place, depth
        depth += text[place] in "(["
        place += 1


def _split(text: str, sign: str) -> list[str]:
    """The parts of an expression between signs that are in no brackets."""
    places = [place for place, depth in _depths(text) if depth == 0 and text.startswith(sign, place)]
    starts = [0, *(place + len(sign) for place in places)]
    return [text[start:end] for start, end in zip(starts, [*places, len(text)], strict=True)]


def _called(text: str) -> tuple[str, str]:
    """What is in the first parentheses of an expression, and what follows them."""
    start = text.index("(")
    end = next(place for place, depth in _depths(text) if place > start and depth == 0)
    return text[start + 1 : end], text[end + 1 :]


def _opened(text: str) -> tuple[str, str]:
    """An expression without parentheses around it, and the maps and columns that follow them, as in (k + l)@unit."""
    if not text.startswith("("):
        return text, ""
    inside, after = _called(text)
    return (inside, after) if not after or after[0] in "@[" and _is_suffix(after) else (text, "")


def _is_suffix(after: str) -> bool:
    return len(_split(after, " + ")) == len(_split(after, "*")) == len(_split(after, "^")) == 1


def _wrapped(parts: list[str], after: str) -> list[str]:
    """Parts that maps and columns can be written behind."""
    return [f"({part})" if after else part for part in parts]


def _explicit(text: str) -> tuple[float, str | None]:
    """Return a factor and a linear kernel after a map that are the same kernel as a single leaf.

    No kernel stands for a feature that is the factor itself.
    """
    found = re.fullmatch(r"(\w+)(?:\(([^()]*)\))?((?:[\[@].*)?)", text)
    if found is None or found[1] not in ("constant", "poly", *MAPS):
        raise _no_map(text)
    name, inside, after = found.groups()
    given = {key.strip(): value for key, value in (pair.split("=") for pair in (inside or "").split(",") if pair)}
    if name == "constant":
        return float(np.sqrt(float(given["value"]))), None
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
