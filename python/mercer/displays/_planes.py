"""What estimators answer in a plane, and along a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np

from mercer import _mercer
from mercer.displays import _grid, _rows
from mercer.displays._display import Display
from mercer.exceptions import MercerError


class BoundaryDisplay(Display):
    """What an estimator answers in a plane: boundary and margins, regions of classes, or the surface of a number.

    Rows stand in the colours and forms of their classes. A circle around a row is a support vector below its bound, an
    outline one at its bound; the larger a row, the more slack it has. An estimator of more than two columns is shown in
    a slice.

    Parameters
    ----------
    view : View
        What is to be seen, from the engine.

    Attributes
    ----------
    response : ndarray of shape (grid_resolution, grid_resolution)
        What the estimator answers on the grid: scores of two classes, places in `classes_`, or numbers.
    xx0, xx1 : ndarray of shape (grid_resolution, grid_resolution)
        Where: the first and the second coordinate of the plane.

    Examples
    --------
    >>> import mercer
    >>> from mercer.displays import BoundaryDisplay
    >>> X, y = mercer.datasets.load("moons", return_X_y=True)
    >>> display = BoundaryDisplay.from_estimator(mercer.SVC(C=10).fit(X, y), X, y)
    >>> display.response.shape
    (200, 200)
    >>> display.plot().ax_.get_xlabel().splitlines()[0]
    'x0'
    """

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        slice: Literal["usual", "medians", "components"] = "usual",
        columns: tuple[Any, Any] | None = None,
        grid_resolution: int = 200,
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Ask an estimator on a grid.

        Parameters
        ----------
        estimator : estimator
            Fitted. Machines of mercer are asked by the engine; any other classifier, regressor or outlier detector,
            such as a pipeline, by its own methods.
        X : array-like, sparse matrix, data frame, or list of texts
            Rows to be shown.
        y : array-like of shape (n_samples,), default=None
            Their targets.
        slice : {"usual", "medians", "components"}, default="usual"
            Which plane is shown of more than two columns: "medians" is that of two columns with all others at their
            medians, "components" that of the first two kernel principal components, on which a score is affine. "usual"
            is "medians" where `columns` are given, else "components".
        columns : tuple of str, default=None
            The two columns of a slice at medians by name; of arrays, which have no names, by number from 0. None is the
            first two.
        grid_resolution : int, default=200
            Points of the grid along each side. Machines of very many support vectors are asked at fewer, and a note
            says so.
        name : str, default=None
            What the rows are called in the picture.
        ax : Axes, default=None
            Axes of matplotlib to draw on; None draws on none yet.

        Returns
        -------
        BoundaryDisplay
            The display.
        """
        if grid_resolution < 2:
            raise ValueError(f"grid_resolution = {grid_resolution}; a grid has at least two points along each side")
        told = _rows.asked(estimator, X, y)
        if told is None:
            return cls._made(_grid.plane(estimator, X, y, columns, slice, grid_resolution, name), ax)
        view = _mercer.View.boundary(
            told.model,
            told.table,
            told.target,
            name=_rows.data_name(X, name),
            classes=told.classes,
            counted=not hasattr(X, "columns"),
            slice=slice,
            columns=None if columns is None else _named(X, columns),
            side=grid_resolution,
        )
        return cls._made(view, ax)

    def _field(self) -> dict[str, Any]:
        (field,) = self.data["ground"].values()
        return dict(field)

    @property
    def response(self) -> np.ndarray:
        """What the estimator answers on the grid."""
        field = self._field()
        return np.array(field["values"], dtype=np.float64).reshape(field["rows"], field["columns"])

    @property
    def xx0(self) -> np.ndarray:
        """The first coordinate of the grid."""
        return self._places()[0]

    @property
    def xx1(self) -> np.ndarray:
        """The second coordinate of the grid."""
        return self._places()[1]

    def _places(self) -> list[np.ndarray]:
        field = self._field()
        (left, right), (low, high) = field["x"], field["y"]
        across, up = np.linspace(left, right, field["columns"]), np.linspace(low, high, field["rows"])
        return list(np.meshgrid(across, up))


class SweepDisplay(Display):
    """Boundaries of several estimators on the same axes, such as those of one machine for several widths.

    Parameters
    ----------
    view : View
        What is to be seen, from the engine.

    Examples
    --------
    >>> import mercer
    >>> from mercer.displays import SweepDisplay
    >>> X, y = mercer.datasets.load("moons", return_X_y=True)
    >>> machines = {f"gamma = {gamma}": mercer.SVC(gamma=gamma).fit(X, y) for gamma in (0.1, 1, 10)}
    >>> SweepDisplay.from_estimators(machines, X, y).plot().axes_.shape
    (3,)
    """

    @classmethod
    def from_estimators(
        cls,
        estimators: Mapping[str, Any],
        X: Any,
        y: Any = None,
        *,
        title: str = "Boundaries side by side",
        grid_resolution: int = 200,
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Ask several estimators on the same grid.

        Parameters
        ----------
        estimators : dict of str to estimator
            Fitted, under what sets each apart.
        X : array-like, sparse matrix, data frame, or list of texts
            Rows to be shown.
        y : array-like of shape (n_samples,), default=None
            Their targets.
        title : str, default="Boundaries side by side"
            The heading.
        grid_resolution : int, default=200
            Points of the grid along each side. Machines of very many support vectors are asked at fewer, and a note
            says so.
        name : str, default=None
            What the rows are called in the picture.
        ax : Axes or array of Axes, default=None
            Axes of matplotlib to draw on; None draws on none yet.

        Returns
        -------
        SweepDisplay
            The display.
        """
        if not estimators:
            raise MercerError("there is no estimator to draw")
        how: dict[str, Any] = {"grid_resolution": grid_resolution, "name": name}
        panels = [
            (called, BoundaryDisplay.from_estimator(estimator, X, y, **how).view)
            for called, estimator in estimators.items()
        ]
        return cls._made(_mercer.View.sweep(title, panels), ax)


class CurveDisplay(Display):
    """What estimators answer along their only column: fitted curves, or the scores of classes.

    Parameters
    ----------
    view : View
        What is to be seen, from the engine.

    Examples
    --------
    >>> import mercer
    >>> from mercer.displays import CurveDisplay
    >>> X, y = mercer.datasets.load("sinc", return_X_y=True)
    >>> ridges = {f"alpha = {alpha}": mercer.KernelRidge(kernel="rbf", alpha=alpha).fit(X, y) for alpha in (0.01, 10)}
    >>> CurveDisplay.from_estimators(ridges, X, y).plot().ax_.get_title()
    'Fitted curves'
    """

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any = None, *, name: str | None = None, ax: Any = None) -> Self:
        """Ask an estimator along its only column.

        Parameters
        ----------
        estimator : estimator
            Fitted on one column.
        X : array-like or data frame of shape (n_samples, 1)
            Rows to be shown.
        y : array-like of shape (n_samples,), default=None
            Their targets.
        name : str, default=None
            What the rows are called in the picture.
        ax : Axes, default=None
            Axes of matplotlib to draw on; None draws on none yet.

        Returns
        -------
        CurveDisplay
            The display.
        """
        return cls.from_estimators({"the model": estimator}, X, y, name=name, ax=ax)

    @classmethod
    def from_estimators(
        cls, estimators: Mapping[str, Any], X: Any, y: Any = None, *, name: str | None = None, ax: Any = None
    ) -> Self:
        """Ask several estimators along their only column.

        Parameters
        ----------
        estimators : dict of str to estimator
            Fitted on one column, under what sets each apart.
        X : array-like or data frame of shape (n_samples, 1)
            Rows to be shown.
        y : array-like of shape (n_samples,), default=None
            Their targets.
        name : str, default=None
            What the rows are called in the picture.
        ax : Axes, default=None
            Axes of matplotlib to draw on; None draws on none yet.

        Returns
        -------
        CurveDisplay
            The display.
        """
        if not estimators:
            raise ValueError("there is no estimator to draw")
        told = [(called, _rows.asked(estimator, X, y)) for called, estimator in estimators.items()]
        known = [(called, one) for called, one in told if one is not None]
        if len(known) < len(told):
            return cls._made(_grid.curve(dict(estimators), X, y, name), ax)
        first = known[0][1]
        view = _mercer.View.curves(
            [(called, one.model) for called, one in known],
            first.table,
            first.target,
            name=_rows.data_name(X, name),
            classes=first.classes,
            counted=not hasattr(X, "columns"),
        )
        return cls._made(view, ax)


def _named(X: Any, columns: tuple[Any, Any]) -> tuple[str, str]:
    """Columns by the names that the engine has for them, which are numbers from 1 where there are none."""
    if len(columns) != 2:
        raise MercerError(f"a plane has two columns, not {len(columns)}")
    shape = getattr(X, "shape", None) or np.shape(X)
    for one in columns:
        counted = not hasattr(X, "columns") and not isinstance(one, str)
        if counted and (one < 0 or len(shape) == 2 and one >= shape[1]):
            raise MercerError(f"there is no column {one}; columns without names are counted from 0")
    first, second = (one if hasattr(X, "columns") or isinstance(one, str) else int(one) + 1 for one in columns)
    return str(first), str(second)
