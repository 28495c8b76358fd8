"""Gram matrices: all kernel values between rows, with what can be asked of them.

Examples
--------
>>> import mercer
>>> K = mercer.gram("rbf(sigma=1)", [[0.0], [1.0], [3.0]])
>>> K.shape, bool(K.check())
((3, 3), True)
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from mercer import _mercer
from mercer._kernel import Kernel
from mercer._limits import in_bytes, threads
from mercer._report import KernelReport
from mercer._tables import target
from mercer.exceptions import MercerError

__all__ = ["Gram", "gram", "repair"]

How = Literal["clip", "flip", "shift"]


class Gram(NDArrayOperatorsMixin):
    """A matrix of kernel values that knows its kernel; NumPy takes it for an array.

    Parameters
    ----------
    values : array-like of shape (rows, columns)
        The entries.
    kernel : str or Kernel, default=None
        The kernel that made them.

    Attributes
    ----------
    values : ndarray
        The entries.
    kernel : Kernel or None
        The kernel, its words resolved.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import Gram
    >>> K = Gram([[1.0, 2.0], [2.0, 1.0]])
    >>> K.check().verdict
    'refuted'
    >>> K.repair("clip").spectrum().round(6)
    array([3., 0.])
    >>> np.trace(K)
    np.float64(2.0)
    """

    def __init__(self, values: Any, kernel: str | Kernel | None = None) -> None:
        self.values = np.asarray(values)
        if self.values.ndim != 2 or self.values.dtype.kind not in "fiub":
            raise MercerError("a Gram matrix has rows and columns of numbers")
        if self.values.dtype not in (np.float64, np.float32):
            self.values = self.values.astype(np.float64)
        self.kernel = Kernel(kernel) if isinstance(kernel, str) else kernel

    # ----------------------------------------------------------------------------------------- as an array

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.values.shape

    @property
    def ndim(self) -> int:
        """Two."""
        return 2

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the entries: float64 or float32."""
        return self.values.dtype

    @property
    def T(self) -> np.ndarray:
        """The transposed entries."""
        return self.values.T

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy:
            return np.array(self.values, dtype=dtype)
        return np.asarray(self.values, dtype=dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [given.values if isinstance(given, Gram) else given for given in inputs]
        if "out" in options:
            return NotImplemented
        return getattr(ufunc, method)(*plain, **options)

    def __getitem__(self, index: Any) -> Any:
        """Return entries as an array; the same rows and columns, as in ``K[:5, :5]``, as a Gram matrix."""
        found = self.values[index]
        if isinstance(index, tuple) and len(index) == 2 and found.ndim == 2 and self._same(*index):
            return Gram(found, self.kernel)
        return found

    def _same(self, rows: Any, columns: Any) -> bool:
        if self.shape[0] != self.shape[1]:
            return False
        places = np.arange(len(self))
        try:
            return np.array_equal(places[np.ravel(rows)], places[np.ravel(columns)])
        except IndexError:
            return bool(np.array_equal(places[rows], places[columns]))

    def __repr__(self) -> str:
        made = f" of {self.kernel}" if self.kernel is not None else ""
        return f"<Gram {self.shape[0]}x{self.shape[1]} {self.dtype}{made}>"

    # ------------------------------------------------------------------------------------------- questions

    def check(self, *, n_jobs: int | None = None) -> KernelReport:
        """Whether the matrix is symmetric and positive semi-definite, up to the rounding of single precision.

        Parameters
        ----------
        n_jobs : int, default=None
            Threads; None for all cores.

        Returns
        -------
        KernelReport
            The verdict, with a witness where it fails.
        """
        values = self._double()
        found = _mercer.check_matrix(values, threads=threads(n_jobs))
        # The engine's `largest` is an estimate from below; where it knows the spectrum, the matrix is small.
        largest = None if found["smallest"] is None else float(_mercer.spectrum(values)[0])
        kernel = None if self.kernel is None else repr(self.kernel)
        return KernelReport.of({**found, "largest": largest, "kernel": kernel})

    def spectrum(self) -> np.ndarray:
        """All eigenvalues, largest first.

        Returns
        -------
        ndarray of shape (rows,)
            The eigenvalues.
        """
        return _mercer.spectrum(self._double())

    def align(self, y: Any, *, centered: bool = True) -> float:
        """How well the matrix agrees with a target, classes or numbers: 1 where it is the ideal one.

        Parameters
        ----------
        y : array-like
            Classes or numbers, one a row.
        centered : bool, default=True
            Whether both matrices are centred first.

        Returns
        -------
        float
            The alignment.
        """
        return _mercer.align(
            "precomputed", _mercer.Table.matrix(_symmetric(self._double())), target(y), centered=centered
        )

    def center(self) -> Gram:
        """Return the Gram matrix of the features less their mean: HKH with H = I - 11'/n.

        Returns
        -------
        Gram
            The centred matrix, which knows no kernel.
        """
        values = self._double()
        mean = values.mean(axis=0)
        centered = values - mean[:, None] - mean[None, :] + mean.mean()
        return Gram(_symmetric(centered).astype(self.dtype, copy=False))

    def repair(self, how: How = "clip") -> Gram:
        """Return a positive semi-definite matrix near this one.

        Parameters
        ----------
        how : {"clip", "flip", "shift"}, default="clip"
            Negative eigenvalues become zero (the nearest matrix there is), change their sign, or all eigenvalues grow
            by as much as the smallest is below zero.

        Returns
        -------
        Gram
            The repaired matrix, which knows no kernel.
        """
        return Gram(repair(self._double(), how).astype(self.dtype, copy=False))

    # -------------------------------------------------------------------------------------------- pictures

    def svg(self, labels: Any = None, *, title: str | None = None, dark: bool = False, size: int | None = None) -> str:
        """Draw the entries as colours.

        Parameters
        ----------
        labels : array-like, default=None
            One a row: rows with equal labels are put side by side.
        title : str, default=None
            The heading; None is the kernel.
        dark : bool, default=False
            Whether it is for a dark page.
        size : int, default=None
            Width in pixels; None for the usual one.

        Returns
        -------
        str
            A picture in SVG.
        """
        if title is None:
            title = "" if self.kernel is None else repr(self.kernel)
        names = None if labels is None else [str(label) for label in np.asarray(labels).tolist()]
        return _mercer.heatmap(self._double(), names, title=title, dark=dark, size=size)

    def _repr_svg_(self) -> str | None:
        return self.thumbnail().svg(size=320) if self.shape[0] == self.shape[1] > 0 else None

    def thumbnail(self, rows: int = 500) -> Gram:
        """Every so many-th row and column, so that few are left: what a small picture can show.

        Parameters
        ----------
        rows : int, default=500
            About so many at most.

        Returns
        -------
        Gram
            This matrix if it has no more rows.
        """
        step = -(-len(self) // rows) if len(self) else 1
        return self if step == 1 else Gram(self.values[::step, ::step], self.kernel)

    def _repr_html_(self) -> str:
        from mercer._html import gram_card

        return gram_card(self)

    def _double(self) -> np.ndarray:
        if self.shape[0] != self.shape[1]:
            raise MercerError(
                f"this matrix has {self.shape[0]} rows and {self.shape[1]} columns; only that of rows with themselves "
                "can be checked, decomposed or repaired"
            )
        return np.ascontiguousarray(self.values, dtype=np.float64)


def gram(
    kernel: Kernel | str,
    X: Any,
    Y: Any = None,
    *,
    dtype: Literal["float64", "float32"] | None = None,
    memory_limit: int | str | None = None,
    n_jobs: int | None = None,
) -> Gram:
    """Kernel values between all rows.

    Parameters
    ----------
    kernel : Kernel or str
        The kernel; words such as ``scale`` are worked out on `Y` where it is given, else on `X`.
    X : array-like, sparse matrix, data frame or list of str
        Rows.
    Y : array-like, sparse matrix, data frame or list of str, default=None
        Other rows; None for the values between those of `X`.
    dtype : {"float64", "float32"}, default=None
        Of the entries; None is float32 if all are float32 arrays, else float64.
    memory_limit : int or str, default=None
        Bytes that the matrix may take; None for 60 % of what is free.
    n_jobs : int, default=None
        Threads; None for all cores, -1 for all cores, -2 for all but one. The entries are the same for any number.

    Returns
    -------
    Gram
        The matrix.

    Examples
    --------
    >>> import mercer
    >>> mercer.gram("linear", [[1.0], [2.0]])
    <Gram 2x2 float64 of linear>
    """
    text = kernel if isinstance(kernel, str) else getattr(kernel, "__mercer_kernel__", None)
    if text is None:
        raise TypeError(
            f"kernel must be an expression or a kernel of mercer.kernels; got {kernel!r}. The matrix of a function of "
            "your own is mercer.Gram(function(X, X))"
        )
    made = kernel if isinstance(kernel, Kernel) else Kernel(text)
    bound = made.bind(X if Y is None else Y)
    values = bound(X, Y, dtype=dtype, memory_limit=memory_limit, n_jobs=n_jobs)
    return Gram(values, bound.kernel)


def repair(K: Any, how: How = "clip", *, memory_limit: int | str | None = None) -> np.ndarray:
    """Return a positive semi-definite matrix near a symmetric one.

    Parameters
    ----------
    K : array-like of shape (n, n)
        The matrix; what is not symmetric in it is averaged first.
    how : {"clip", "flip", "shift"}, default="clip"
        Negative eigenvalues become zero (the nearest matrix there is), change their sign, or all eigenvalues grow by
        as much as the smallest is below zero.
    memory_limit : int or str, default=None
        Bytes that the work may take; it needs four matrices of this size.

    Returns
    -------
    ndarray of shape (n, n)
        The repaired matrix, symmetric to the last bit.

    Examples
    --------
    >>> import mercer
    >>> mercer.repair([[1.0, 2.0], [2.0, 1.0]]).round(6)
    array([[1.5, 1.5],
           [1.5, 1.5]])
    """
    values = np.ascontiguousarray(np.asarray(K), dtype=np.float64)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise MercerError(f"a matrix to repair is square; this one has the shape {values.shape}")
    if not np.isfinite(values).all():
        row, column = (int(place) for place in np.argwhere(~np.isfinite(values))[0])
        raise MercerError(f"entry K[{row}, {column}] is {values[row, column]}; no repair is near to that")
    return _mercer.repair(_symmetric(values), how, memory_limit=in_bytes(memory_limit))[0]


def _symmetric(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray((values + values.T) / 2)
