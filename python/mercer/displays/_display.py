"""What all displays share: a view, its pictures, and its place on axes."""

from __future__ import annotations

import json
from os import PathLike, fspath
from typing import Any, Self

import numpy as np

from mercer import _mercer
from mercer.exceptions import MercerError

#: Width of a picture in a notebook, in pixels.
WIDTH = 560


class Display:
    """A picture: what is to be seen, drawn as SVG or PNG by the engine, or on axes of matplotlib.

    Its class methods make one; a notebook shows it. It is drawn on axes by `plot`, or where axes were given when it was
    made, or when `ax_`, `axes_` or `figure_` is asked for.

    Parameters
    ----------
    view : View
        What is to be seen, from the engine.

    Attributes
    ----------
    view : View
        What is to be seen.
    data : dict
        The same as plain data: texts, numbers, lists.
    notes : list of str
        Remarks under the picture, such as which slice it shows or how many rows.
    ax_ : Axes
        The axes of matplotlib that it is drawn on; the first of several.
    axes_ : ndarray of Axes
        All axes that it is drawn on.
    figure_ : Figure
        The figure of matplotlib that holds them.

    Examples
    --------
    >>> from mercer.displays import LossesDisplay
    >>> display = LossesDisplay.from_losses(["hinge", "logistic"])
    >>> display.svg(width=400)[:4]
    '<svg'
    >>> display.plot().ax_.get_xlabel()
    'margin y·f'
    """

    def __init__(self, view: _mercer.View) -> None:
        self.view = view
        self._axes: np.ndarray | None = None

    @classmethod
    def _made(cls, view: _mercer.View, ax: Any) -> Self:
        """A display that is drawn if there are axes for it."""
        made = cls(view)
        return made if ax is None else made.plot(ax)

    @property
    def data(self) -> dict[str, Any]:
        """What is to be seen, as plain data."""
        (shown,) = json.loads(self.view.json()).values()
        return dict(shown)

    @property
    def notes(self) -> list[str]:
        """Remarks under the picture."""
        return list(json.loads(self.view.figure()["figure"])["notes"])

    # -------------------------------------------------------------------------------------------- pictures

    def svg(self, *, width: int = 640, dark: bool = False) -> str:
        """Draw the picture as SVG, which needs nothing but itself.

        Parameters
        ----------
        width : int, default=640
            Pixels at most, from 300 to 2400; type keeps its size.
        dark : bool, default=False
            Whether it is for a dark page.

        Returns
        -------
        str
            The picture.
        """
        return self.view.svg(float(width), dark)

    def png(self, *, width: int = 640, dark: bool = False) -> bytes:
        """Draw the picture as PNG, at two pixels a unit.

        Parameters
        ----------
        width : int, default=640
            Units at most, from 300 to 2400; type keeps its size.
        dark : bool, default=False
            Whether it is for a dark page.

        Returns
        -------
        bytes
            The picture.
        """
        return self.view.png(float(width), dark)

    def save(self, path: str | PathLike[str], *, width: int = 640, dark: bool = False) -> None:
        """Write the picture to a file.

        Parameters
        ----------
        path : str or path-like
            Where to; its ending says whether it is SVG or PNG.
        width : int, default=640
            Pixels at most, from 300 to 2400; type keeps its size.
        dark : bool, default=False
            Whether it is for a dark page.
        """
        name = fspath(path)
        if name.lower().endswith(".svg"):
            drawn = self.svg(width=width, dark=dark).encode()
        elif name.lower().endswith(".png"):
            drawn = self.png(width=width, dark=dark)
        else:
            raise MercerError(f"{name!r}: a picture is written to a file that ends in .svg or .png")
        with open(name, "wb") as file:
            file.write(drawn)

    def _repr_svg_(self) -> str:
        return self.svg(width=WIDTH)

    def _repr_html_(self) -> str:
        return f'<div style="max-width:100%;overflow-x:auto">{self._repr_svg_()}</div>'

    def __repr__(self) -> str:
        figure = json.loads(self.view.figure()["figure"])
        return f"<{type(self).__name__}: {figure['title']}>"

    # ------------------------------------------------------------------------------------------------ axes

    def plot(self, ax: Any = None, *, legend: bool = True, dark: bool = False) -> Self:
        """Draw the picture on axes of matplotlib.

        Parameters
        ----------
        ax : Axes or array of Axes, default=None
            Where; None makes a figure. A picture of several plots divides one Axes, or takes one for each plot.
        legend : bool, default=True
            Whether there is a legend, below the axes, where it covers no data.
        dark : bool, default=False
            Whether the colours are those for a dark page.

        Returns
        -------
        Display
            Itself, with `ax_`, `axes_` and `figure_`.
        """
        from mercer.displays._axes import draw

        self._axes = draw(self.view.figure(float(WIDTH), dark), ax, legend=legend, dark=dark)
        self._decorate(self._axes)
        return self

    def _decorate(self, axes: np.ndarray) -> None:
        """What a display adds to its axes."""

    @property
    def axes_(self) -> np.ndarray:
        """All axes that it is drawn on."""
        if self._axes is None:
            self.plot()
        assert self._axes is not None
        return self._axes

    @property
    def ax_(self) -> Any:
        """The axes that it is drawn on; the first of several."""
        return self.axes_.flat[0]

    @property
    def figure_(self) -> Any:
        """The figure that holds the axes."""
        return self.ax_.figure
