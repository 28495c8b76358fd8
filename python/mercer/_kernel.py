"""Kernels as values: an expression of the kernel language with Python's operators."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, Literal, NoReturn

import numpy as np

from mercer import _mercer
from mercer._bound import BoundKernel
from mercer._limits import in_bytes
from mercer._report import KernelReport
from mercer._tables import table, target
from mercer.exceptions import KernelError, MercerError


class _Text:
    """An immutable value that is one text: equal, hashed, copied and pickled as such."""

    __slots__ = ("_text",)
    __array_ufunc__ = None
    _text: str

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__.lower()} does not change; make another one")

    def __repr__(self) -> str:
        return self._text

    def __eq__(self, other: object) -> bool:
        return self._text == other._text if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._text))

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return type(self), (self._text,)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memory: Any) -> Any:
        return self


class Map(_Text):
    """A feature map, as in ``kernel @ map``.

    Parameters
    ----------
    text : str
        The map in the kernel language, such as ``"polynomial(degree=2)"``.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.Map("polynomial(degree=2)")
    polynomial(degree=2, offset=1)
    """

    __slots__ = ()

    def __init__(self, text: str) -> None:
        object.__setattr__(self, "_text", _mercer.map_parse(text))


class Kernel(_Text):
    """A kernel: a function of two points, made of named kernels by sums, products, maps and selections of columns.

    Its `repr` is its text in the kernel language, which `kernels.parse` reads back. It is a value: it never changes,
    equal texts are equal kernels, and it can be a parameter of any estimator.

    Parameters
    ----------
    text : str or Kernel
        An expression of the kernel language.

    Examples
    --------
    >>> from mercer import kernels
    >>> k = 0.5 * kernels.rbf(sigma=1) + kernels.linear() ** 2
    >>> k
    0.5*rbf(sigma=1) + linear^2
    >>> k([[1.0, 0.0], [0.0, 1.0]])
    array([[1.5       , 0.18393972],
           [0.18393972, 1.5       ]])
    >>> k.status
    'psd'
    """

    __slots__ = ()

    def __init__(self, text: str | Kernel) -> None:
        object.__setattr__(self, "_text", _mercer.kernel_parse(str(text) if isinstance(text, Kernel) else text))

    @property
    def __mercer_kernel__(self) -> str:
        return self._text

    # --------------------------------------------------------------------------------------------- algebra

    def __add__(self, other: Kernel | float) -> Kernel:
        """Sum with a kernel, or with a number from 0, which is the same for every pair."""
        if isinstance(other, Real) and other == 0:
            return self
        return NotImplemented if (part := _part(other)) is None else Kernel(f"({self}) + {part}")

    def __radd__(self, other: float) -> Kernel:
        if isinstance(other, Real) and other == 0:
            return self
        return NotImplemented if (part := _part(other)) is None else Kernel(f"{part} + ({self})")

    def __mul__(self, other: Kernel | float) -> Kernel:
        """Product with a kernel, or with a number from 0."""
        if isinstance(other, Real):
            return Kernel(f"{_number(other)}*({self})")
        return NotImplemented if (part := _part(other)) is None else Kernel(f"({self})*{part}")

    def __rmul__(self, other: float) -> Kernel:
        if not isinstance(other, Real):
            return NotImplemented
        return Kernel(f"{_number(other)}*({self})")

    def __pow__(self, power: int) -> Kernel:
        """Product of so many equal kernels."""
        if not isinstance(power, Integral):
            return NotImplemented
        return Kernel(f"({self})^{int(power)}")

    def __matmul__(self, other: Map | str) -> Kernel:
        """Kernel of points after a feature map: k(f(x), f(z))."""
        return NotImplemented if not isinstance(other, Map | str) else Kernel(f"({self})@{other}")

    def __getitem__(self, columns: str | int | Iterable[str | int]) -> Kernel:
        """Kernel on columns by name; a number counts the columns of an array without names, from 0."""
        chosen = [columns] if isinstance(columns, str | int | Integral) else list(columns)
        return Kernel(f"({self})[{', '.join(_column(column) for column in chosen)}]")

    def __iter__(self) -> NoReturn:
        raise TypeError("a kernel is not a sequence; k['a', 'b'] is the kernel on these columns")

    # ------------------------------------------------------------------------------------------- knowledge

    @property
    def status(self) -> Literal["psd", "conditional", "unknown", "not psd"]:
        """Whether it is positive semi-definite, as far as its form tells."""
        return _mercer.kernel_info(self._text)["status"]

    @property
    def claim(self) -> str:
        """The status in words, with the conditions or the reason."""
        return str(_mercer.kernel_info(self._text)["claim"])

    @property
    def proof(self) -> list[str]:
        """The lines that prove the status, each by a rule from the lines before it."""
        return list(_mercer.kernel_info(self._text)["proof"])

    @property
    def domain(self) -> list[str]:
        """What its parts are evaluated on: vectors, texts, categories, …."""
        return list(_mercer.kernel_info(self._text)["domain"])

    @property
    def uses_data(self) -> list[str]:
        """Words and maps in it that are worked out on training rows, such as ``scale`` and ``standardize``."""
        return list(_mercer.kernel_info(self._text)["uses_data"])

    # ---------------------------------------------------------------------------------------------- points

    def bind(self, X: Any) -> BoundKernel:
        """Work out on training rows what needs them: words such as ``scale``, means of ``standardize``.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of str
            The training rows.

        Returns
        -------
        BoundKernel
            The same function for any other rows.

        Examples
        --------
        >>> from mercer import kernels
        >>> kernels.rbf().bind([[0.0], [2.0]]).kernel
        rbf(gamma=1)
        """
        return BoundKernel(self._text, X)

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

        Words such as ``scale`` are worked out on `Y` where it is given, which is then the training rows, as
        estimators of scikit-learn call a kernel; else on `X`.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of str
            Rows.
        Y : array-like, sparse matrix, data frame or list of str, default=None
            Other rows; None for the values between those of `X`, symmetric to the last bit.
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
        return self.bind(X if Y is None else Y)(
            X, None if Y is None else Y, dtype=dtype, memory_limit=memory_limit, n_jobs=n_jobs
        )

    def diagonal(self, X: Any) -> np.ndarray:
        """Return k(x, x) for every row, without the matrix.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of str
            Rows; words such as ``scale`` are worked out on them.

        Returns
        -------
        ndarray of shape (rows,)
            The values.

        Examples
        --------
        >>> from mercer import kernels
        >>> kernels.linear().diagonal([[1.0], [2.0]])
        array([1., 4.])
        """
        return self.bind(X).diagonal(X)

    def features(self, X: Any) -> np.ndarray:
        """Features whose inner product is the kernel, where there are finitely many.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame
            Rows.

        Returns
        -------
        ndarray of shape (rows, features)
            F with ``F @ F.T`` equal to ``self(X)``; those of a sum stand side by side, those of a product are all
            products.

        Raises
        ------
        KernelError
            If the kernel, or a part of it, has no such map; the message names one that imitates it.

        Examples
        --------
        >>> from mercer import kernels
        >>> kernels.poly(degree=2).features([[1.0, 2.0]]).shape
        (1, 6)
        """
        return self.bind(X).features(X)

    def check(
        self, X: Any, *, rows: int | None = None, seed: int = 0, memory_limit: int | str | None = None
    ) -> KernelReport:
        """Measure on these rows whether the kernel is positive semi-definite.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of str
            Rows.
        rows : int, default=None
            More than so many are sampled; None is 4 000.
        seed : int, default=0
            Of the sample.
        memory_limit : int or str, default=None
            Bytes for whole matrices; beyond it only the extreme eigenvalues are computed.

        Returns
        -------
        KernelReport
            The verdict, the spectrum and, for a refuted kernel, a witness that anyone can recompute.

        Examples
        --------
        >>> from mercer import kernels
        >>> bool(kernels.rbf().check([[0.0], [1.0], [3.0]]))
        True
        """
        if rows is not None and rows < 1:
            raise MercerError(f"rows = {rows}; a check needs one row or more")
        seen = table(X, kernel_text=self._text)
        found = _mercer.check(self._text, seen, rows=rows, seed=seed, memory_limit=in_bytes(memory_limit))
        return KernelReport.of(found)

    def align(self, X: Any, y: Any, *, centered: bool = True) -> float:
        """How well the kernel agrees with a target: 1 where it is the ideal one, 0 where it knows nothing.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of str
            Rows.
        y : array-like
            Classes or numbers, one a row.
        centered : bool, default=True
            Whether both matrices are centred first.

        Returns
        -------
        float
            The alignment.

        Examples
        --------
        >>> from mercer import kernels
        >>> round(kernels.linear().align([[-1.0], [1.0]], [-1, 1]), 6)
        1.0
        """
        return _mercer.align(self._text, table(X, kernel_text=self._text), target(y), centered=centered)

    def _repr_html_(self) -> str:
        from mercer._html import kernel_card

        return kernel_card(self)


def _part(other: Any) -> str | None:
    if isinstance(other, Kernel):
        return f"({other})"
    return _number(other) if isinstance(other, Real) else None


def _number(value: Any) -> str:
    number = float(value)
    if not number >= 0 or number == float("inf"):
        raise KernelError(
            f"a kernel is multiplied by or added to a number from 0, not {value!r}: nothing else keeps it one"
        )
    return repr(number)


def _column(column: str | int) -> str:
    if isinstance(column, Integral) and not isinstance(column, bool):
        if column < 0:
            raise KernelError(f"columns are counted from 0; {column} is below it")
        return str(int(column) + 1)
    if not isinstance(column, str):
        raise KernelError(f"a column is a name or a number, not {column!r}")
    escaped = column.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def leaf(name: str, **parameters: Any) -> Kernel:
    """Return a named kernel; parameters that are None keep their default."""
    return Kernel(_call(name, parameters))


def map_leaf(name: str, **parameters: Any) -> Map:
    """Return a named map; parameters that are None keep their default."""
    return Map(_call(name, parameters))


def _call(name: str, parameters: dict[str, Any]) -> str:
    given = [f"{key}={_value(value)}" for key, value in parameters.items() if value is not None]
    return f"{name}({', '.join(given)})" if given else name


def _value(value: Any) -> str:
    if isinstance(value, Integral):
        return str(int(value))
    return repr(float(value)) if isinstance(value, Real) else str(value)
