"""How machines were solved, what losses charge, and what feature maps do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from sklearn.utils import check_consistent_length

from mercer import _mercer
from mercer._tables import table, target
from mercer.displays import _rows
from mercer.displays._display import Display


class TraceDisplay(Display):
    """Primal and dual objective against iterations: the optimum lies between them, and the gap is shaded.

    Parameters
    ----------
    view : View
        What is to be seen, from the engine.

    Examples
    --------
    >>> import mercer
    >>> from mercer.displays import TraceDisplay
    >>> X, y = mercer.datasets.load("moons", return_X_y=True)
    >>> TraceDisplay.from_estimator(mercer.SVC(C=10).fit(X, y)).plot().axes_[1].get_yscale()
    'log'
    """

    @classmethod
    def from_estimator(cls, estimator: Any, *, machine: int = 0, name: str | None = None, ax: Any = None) -> Self:
        """Ask a fitted machine how its solver went.

        Parameters
        ----------
        estimator : estimator of mercer, or a pipeline that ends with one
            Fitted by a solver that takes steps.
        machine : int, default=0
            Which of several machines, such as those of pairs of classes.
        name : str, default=None
            What the training rows are called in the picture.
        ax : Axes or array of Axes, default=None
            Axes of matplotlib to draw on; None draws on none yet.

        Returns
        -------
        TraceDisplay
            The display.
        """
        model = _rows.machine(estimator)._model
        rows = name if name is not None else f"{model.provenance['rows']} rows"
        return cls._made(_mercer.View.trace(model, machine, name=rows), ax)


class LossesDisplay(Display):
    """What a wrong score costs: losses of classes against the margin, losses of numbers against the residual.

    Parameters
    ----------
    view : View
        What is to be seen, from the engine.

    Examples
    --------
    >>> from mercer.displays import LossesDisplay
    >>> len(LossesDisplay.from_losses(["hinge", "huber(delta=0.5)"]).axes_)
    2
    """

    @classmethod
    def from_losses(cls, losses: Sequence[str] = (), *, ax: Any = None) -> Self:
        """Draw losses by name.

        Parameters
        ----------
        losses : sequence of str, default=()
            Names such as "hinge", "epsilon(epsilon=0.2)"; none is all there are.
        ax : Axes or array of Axes, default=None
            Axes of matplotlib to draw on; None draws on none yet.

        Returns
        -------
        LossesDisplay
            The display.
        """
        names = [losses] if isinstance(losses, str) else list(losses)
        return cls._made(_mercer.View.losses(names), ax)


class GeometryDisplay(Display):
    """What a feature map makes of two columns: three features, where a plane may part what no line could.

    Parameters
    ----------
    view : View
        What is to be seen, from the engine.

    Examples
    --------
    >>> import mercer
    >>> from mercer.displays import GeometryDisplay
    >>> X, y = mercer.datasets.load("circles", return_X_y=True)
    >>> GeometryDisplay.from_map("quadratic", X, y).data["features"]
    ['x0^2', 'x1^2', 'x0*x1']
    """

    @classmethod
    def from_map(cls, map: Any, X: Any, y: Any = None, *, name: str | None = None, ax: Any = None) -> Self:
        """Lift the first two columns of some rows.

        Parameters
        ----------
        map : str or map of `mercer.maps`
            The feature map.
        X : array-like or data frame
            Rows of numbers.
        y : array-like of shape (n_samples,), default=None
            Their classes; between two there is a plane.
        name : str, default=None
            What the rows are called in the picture.
        ax : Axes or array of Axes, default=None
            Axes of matplotlib to draw on; None draws on none yet.

        Returns
        -------
        GeometryDisplay
            The display.
        """
        check_consistent_length(X, y)
        labels = None if y is None else target(y)
        rows = table(X, names=_rows.column_names(X))
        return cls._made(_mercer.View.geometry(str(map), rows, labels, name=_rows.data_name(X, name)), ax)
