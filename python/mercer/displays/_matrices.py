"""Gram matrices and their eigenvalues."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.utils import check_consistent_length

from mercer import _mercer
from mercer._gram import Gram
from mercer._limits import in_bytes
from mercer._tables import table, target
from mercer.displays import _rows
from mercer.displays._display import Display
from mercer.exceptions import MercerError


class GramDisplay(Display):
    """Gram matrices as colours, rows ordered by label, beside the ideal one, with the alignment under each.

    Parameters
    ----------
    view : View
        What is to be seen, from the engine.

    Examples
    --------
    >>> import mercer
    >>> from mercer.displays import GramDisplay
    >>> X, y = mercer.datasets.load("moons", return_X_y=True)
    >>> display = GramDisplay.from_kernel({"narrow": "rbf(sigma=0.1)", "wide": "rbf(sigma=5)"}, X, y)
    >>> [panel["title"] for panel in display.data["panels"]]
    ['narrow', 'wide', 'ideal']
    """

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any = None, *, name: str | None = None, ax: Any = None) -> Self:
        """Draw the Gram matrix of the kernel of a machine.

        Parameters
        ----------
        estimator : estimator of mercer, or a pipeline that ends with one
            Fitted, with a kernel of the kernel language.
        X : array-like, sparse matrix, data frame, or list of texts
            Rows.
        y : array-like of shape (n_samples,), default=None
            Their targets, which make the ideal matrix.
        name : str, default=None
            What the rows are called in the picture.
        ax : Axes or array of Axes, default=None
            Axes of matplotlib to draw on; None draws on none yet.

        Returns
        -------
        GramDisplay
            The display.
        """
        kernel, rows = _kernel_of(estimator, X)
        title = type(_rows.machine(estimator)).__name__
        return cls._of([(title, kernel)], rows, y, kernel, _rows.data_name(X, name), ax)

    @classmethod
    def from_kernel(
        cls,
        kernel: Any,
        X: Any,
        y: Any = None,
        *,
        name: str | None = None,
        memory_limit: int | str | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the Gram matrices of one or more kernels.

        Parameters
        ----------
        kernel : str, Kernel, list or dict of them
            Kernels of the kernel language; the names of a dict are titles.
        X : array-like, sparse matrix, data frame, or list of texts
            Rows.
        y : array-like of shape (n_samples,), default=None
            Their targets, which make the ideal matrix.
        name : str, default=None
            What the rows are called in the picture.
        memory_limit : int or str, default=None
            Bytes that a matrix may take; None for 60 % of what is free.
        ax : Axes or array of Axes, default=None
            Axes of matplotlib to draw on; None draws on none yet.

        Returns
        -------
        GramDisplay
            The display.
        """
        several = kernel if isinstance(kernel, list | tuple) else [kernel]
        if isinstance(kernel, Mapping):
            named = [(str(title), _text(one)) for title, one in kernel.items()]
        else:
            named = [(_text(one), _text(one)) for one in several]
        if not named:
            raise MercerError("there is no kernel to draw")
        subtitle = named[0][1] if len(named) == 1 else ""
        rows = table(X, kernel_text=named[0][1])
        return cls._of(named, rows, y, subtitle, _rows.data_name(X, name), ax, memory_limit)

    @classmethod
    def from_gram(cls, K: Any, y: Any = None, *, name: str | None = None, ax: Any = None) -> Self:
        """Draw a Gram matrix that is there already.

        Parameters
        ----------
        K : Gram or array-like of shape (n_samples, n_samples)
            The matrix, symmetric.
        y : array-like of shape (n_samples,), default=None
            The targets of the rows, which make the ideal matrix.
        name : str, default=None
            What the rows are called in the picture.
        ax : Axes or array of Axes, default=None
            Axes of matplotlib to draw on; None draws on none yet.

        Returns
        -------
        GramDisplay
            The display.
        """
        made = K if isinstance(K, Gram) else Gram(np.asarray(K))
        kernel = "" if made.kernel is None else repr(made.kernel)
        rows = _mercer.Table.matrix(_square(made))
        return cls._of([("as given", "precomputed")], rows, y, kernel, _rows.data_name(made.values, name), ax)

    @classmethod
    def _of(
        cls,
        kernels: list[tuple[str, str]],
        rows: _mercer.Table,
        y: Any,
        subtitle: str,
        name: str,
        ax: Any,
        memory_limit: int | str | None = None,
    ) -> Self:
        check_consistent_length(rows, y)
        title = f"Gram matrix of {name}" + (", rows ordered by label" if y is not None else "")
        labels = None if y is None else target(y)
        limit = in_bytes(memory_limit)
        view = _mercer.View.gram(kernels, rows, labels, title=title, subtitle=subtitle, memory_limit=limit)
        return cls._made(view, ax)

    def _decorate(self, axes: np.ndarray) -> None:
        from mercer.displays._axes import plain

        groups = self.data["groups"]
        counts = np.array([group["count"] for group in groups], dtype=float)
        total = counts.sum()
        few = 0 < len(groups) <= 20
        middles = np.cumsum(counts) - counts / 2 if few else np.empty(0)
        names = [plain(group["label"]) for group in groups] if few else []
        for place, ax in enumerate(axes):
            ax.set_xticks([])
            # Row 0 is at the top.
            ax.set_yticks(total - middles if place == 0 else [], names if place == 0 else [])
            ax.tick_params(length=0)


class SpectrumDisplay(Display):
    """The eigenvalues of a Gram matrix, the largest first: how many dimensions the rows fill.

    Parameters
    ----------
    view : View
        What is to be seen, from the engine.

    Attributes
    ----------
    eigenvalues : ndarray
        The eigenvalues, the largest first; of at most 600 rows, evenly spread.

    Examples
    --------
    >>> from mercer.displays import SpectrumDisplay
    >>> SpectrumDisplay.from_kernel("linear", [[3.0, 0.0], [0.0, 2.0]]).eigenvalues
    array([9., 4.])
    """

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, *, name: str | None = None, ax: Any = None) -> Self:
        """Draw the eigenvalues of the kernel of a machine on some rows.

        Parameters
        ----------
        estimator : estimator of mercer, or a pipeline that ends with one
            Fitted, with a kernel of the kernel language.
        X : array-like, sparse matrix, data frame, or list of texts
            Rows.
        name : str, default=None
            What the rows are called in the picture.
        ax : Axes, default=None
            Axes of matplotlib to draw on; None draws on none yet.

        Returns
        -------
        SpectrumDisplay
            The display.
        """
        kernel, rows = _kernel_of(estimator, X)
        return cls._made(_mercer.View.spectrum(kernel, rows, name=_rows.data_name(X, name)), ax)

    @classmethod
    def from_kernel(cls, kernel: Any, X: Any, *, name: str | None = None, ax: Any = None) -> Self:
        """Draw the eigenvalues of a kernel on some rows.

        Parameters
        ----------
        kernel : str or Kernel
            A kernel of the kernel language.
        X : array-like, sparse matrix, data frame, or list of texts
            Rows.
        name : str, default=None
            What the rows are called in the picture.
        ax : Axes, default=None
            Axes of matplotlib to draw on; None draws on none yet.

        Returns
        -------
        SpectrumDisplay
            The display.
        """
        text = _text(kernel)
        rows = table(X, kernel_text=text)
        return cls._made(_mercer.View.spectrum(text, rows, name=_rows.data_name(X, name)), ax)

    @classmethod
    def from_gram(cls, K: Any, *, name: str | None = None, ax: Any = None) -> Self:
        """Draw the eigenvalues of a Gram matrix that is there already.

        Parameters
        ----------
        K : Gram or array-like of shape (n_samples, n_samples)
            The matrix, symmetric.
        name : str, default=None
            What the rows are called in the picture.
        ax : Axes, default=None
            Axes of matplotlib to draw on; None draws on none yet.

        Returns
        -------
        SpectrumDisplay
            The display.
        """
        made = K if isinstance(K, Gram) else Gram(np.asarray(K))
        rows = _mercer.Table.matrix(_square(made))
        return cls._made(_mercer.View.spectrum("precomputed", rows, name=_rows.data_name(made.values, name)), ax)

    @property
    def eigenvalues(self) -> np.ndarray:
        """The eigenvalues, the largest first."""
        return np.array(self.data["values"], dtype=np.float64)


def _text(kernel: Any) -> str:
    text = kernel if isinstance(kernel, str) else getattr(kernel, "__mercer_kernel__", None)
    if text is None:
        raise TypeError(f"kernel must be an expression or a kernel of mercer.kernels; got {kernel!r}")
    return str(text)


def _kernel_of(estimator: Any, X: Any) -> tuple[str, _mercer.Table]:
    """The kernel of a machine with its words resolved, and rows as it reads them."""
    last = _rows.machine(estimator)
    told = _rows.asked(last, _rows.prepared(estimator, X))
    if told is None:
        raise MercerError("the kernel is computed in Python; draw the matrix itself (from_gram)")
    return told.model.kernel, told.table


def _square(gram: Gram) -> np.ndarray:
    values = gram._double()
    return values if np.array_equal(values, values.T) else np.ascontiguousarray((values + values.T) / 2)
