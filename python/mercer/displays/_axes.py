"""Marks on axes, drawn with matplotlib: the same figures that the engine draws as SVG."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import islice
from textwrap import wrap
from typing import Any, Literal

import numpy as np

#: Points of a printer in a unit of the picture.
POINT = 0.72
DASHES: dict[str, Literal["-", "--", ":"]] = {"Solid": "-", "Dashed": "--", "Dotted": ":"}
MARKERS = {"Disc": "o", "Triangle": "^", "Square": "s", "Diamond": "D", "Cross": "x"}


def draw(told: dict[str, Any], ax: Any = None, *, legend: bool = True, dark: bool = False) -> np.ndarray:
    """Draw a figure of the engine on axes, and return them.

    Parameters
    ----------
    told : dict
        What `View.figure` says.
    ax : Axes or array of Axes, optional
        Where; without it a figure is made.
    legend : bool
        Whether there is a legend.
    dark : bool
        Whether paper and ink are dark.

    Returns
    -------
    ndarray of Axes
        One for each plot.
    """
    figure = json.loads(plain(told["figure"], r"\\$"))
    painter = Painter(told)
    axes = _axes(figure["plots"], ax)
    for own, plot in zip(axes, figure["plots"], strict=True):
        title = plot["title"] or (figure["title"] if len(axes) == 1 else "")
        painter.plot(own, plot, title)
        if dark:
            painter.darken(own)
    if figure["bar"] is not None:
        painter.bar(axes, figure["bar"], dark)
    notes = _wrapped(figure["notes"], axes[0].figure) if ax is None else ""
    if ax is None:
        axes[0].figure.set_facecolor(painter.tones["Paper"])
        if len(axes) > 1:
            axes[0].figure.suptitle(figure["title"], color=painter.tones["Strong"])
    if legend and figure["legend"]:
        painter.legend(axes, figure["legend"], notes, whole=ax is None, dark=dark)
    elif notes:
        axes[0].figure.supxlabel(notes, fontsize="x-small", color=painter.tones["Quiet"])
    return axes


def plain(text: str, dollar: str = r"\$") -> str:
    """Text that matplotlib takes for no formula: names may have dollars."""
    return text.replace("$", dollar)


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "drawing on axes needs matplotlib, which is not installed: pip install matplotlib; svg(), png() and save() "
            "draw without it"
        ) from error
    return pyplot


def _axes(plots: list[dict[str, Any]], ax: Any) -> np.ndarray:
    """Axes for every plot: those given, parts of the one given, or new ones."""
    pyplot, count = _pyplot(), max(1, len(plots))
    if ax is None:
        high = 5.0 if all(plot["square"] for plot in plots) else 4.0
        columns = 2 if count == 4 else min(count, 3)
        rows = -(-count // columns)
        size = (5.6 if count == 1 else 4.2 * columns, high * rows + 0.5)
        figure = pyplot.figure(figsize=size, layout="constrained")
        made = np.atleast_1d(figure.subplots(rows, columns)).ravel()
        for extra in made[count:]:
            extra.remove()
        return made[:count]
    given = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
    if len(given) == count:
        return given
    if len(given) != 1:
        raise ValueError(f"the picture has {count} plots, and {len(given)} axes were given; give one, or {count}")
    whole = given[0]
    whole.set_axis_off()
    parts = _parts(whole, count)
    return np.array([whole.figure.add_subplot(part) for part in parts], dtype=object)


def _parts(whole: Any, count: int) -> Any:
    """Places side by side where axes are, in a grid of axes or anywhere."""
    from matplotlib.gridspec import GridSpec

    if whole.get_subplotspec() is not None:
        return whole.get_subplotspec().subgridspec(1, count, wspace=0.35)
    place = whole.get_position()
    ends = {"left": place.x0, "right": place.x1, "bottom": place.y0, "top": place.y1}
    return GridSpec(1, count, figure=whole.figure, wspace=0.35, **ends)


def _wrapped(notes: list[str], figure: Any) -> str:
    """Remarks in lines that a figure has room for."""
    letters = int(15 * figure.get_figwidth())
    return "\n".join(line for note in notes for line in wrap(note, letters))


class Painter:
    """The colours and images of one figure."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.tones: dict[str, Any] = told["tones"]
        self.images = iter(told["images"])
        self.ramp: list[str] | None = told.get("ramp")

    def tone(self, tone: Any) -> str:
        """The colour of a tone."""
        if isinstance(tone, dict):
            series = self.tones["Series"]
            return str(series[tone["Series"] % len(series)])
        return str(self.tones[tone])

    # ------------------------------------------------------------------------------------------------ plots

    def plot(self, ax: Any, plot: dict[str, Any], title: str) -> None:
        """Draw one plot."""
        for order, mark in enumerate(plot["marks"]):
            (kind, told), level = next(iter(mark.items())), 1 + 0.1 * order
            getattr(self, kind.lower())(ax, told, level)
        self.axis(ax, "x", plot["x"])
        self.axis(ax, "y", plot["y"])
        below = [line for line in (plot["x"]["label"], *plot["captions"]) if line]
        ax.set_xlabel("\n".join(below))
        ax.set_ylabel(plot["y"]["label"])
        if title:
            ax.set_title(title, fontsize="medium")
        if plot["square"]:
            ax.set_box_aspect(1)
        if plot["x"]["spacing"] == "Bare":
            ax.set_axis_off()

    def axis(self, ax: Any, which: str, told: dict[str, Any]) -> None:
        """The ends and the numbers of an axis."""
        spacing = told["spacing"]
        if spacing == "Logarithmic":
            getattr(ax, f"set_{which}scale")("log")
        low, high = told["low"], told["high"]
        if low is not None and high is not None and low < high:
            getattr(ax, f"set_{which}lim")(low, high)
        if isinstance(spacing, dict):
            names = spacing["Names"]
            getattr(ax, f"set_{which}ticks")(range(len(names)), names, rotation=45 if which == "x" else 0)

    def darken(self, ax: Any) -> None:
        """Paper and ink of a dark page."""
        ax.set_facecolor(self.tones["Paper"])
        for spine in ax.spines.values():
            spine.set_color(self.tones["Faint"])
        ax.tick_params(colors=self.tones["Quiet"], which="both")
        for text in (ax.xaxis.label, ax.yaxis.label, ax.title):
            text.set_color(self.tones["Strong"])

    # ------------------------------------------------------------------------------------------------ marks

    def line(self, ax: Any, told: dict[str, Any], level: float) -> None:
        """From point to point."""
        x, y = _columns(told["points"], 2)
        style, width = DASHES[told["dash"]], told["width"] * POINT
        ax.plot(x, y, color=self.tone(told["tone"]), linewidth=width, linestyle=style, zorder=level)

    def band(self, ax: Any, told: dict[str, Any], level: float) -> None:
        """Between two lines."""
        x, low, high = _columns(told["points"], 3)
        ax.fill_between(x, low, high, color=self.tone(told["tone"]), alpha=0.2, linewidth=0, zorder=level)

    def surface(self, ax: Any, told: dict[str, Any], level: float) -> None:
        """An area with straight edges."""
        x, y = _columns(told["points"], 2)
        ax.fill(x, y, color=self.tone(told["tone"]), alpha=0.2, linewidth=0, zorder=level)

    def boxes(self, ax: Any, told: dict[str, Any], level: float) -> None:
        """Boxes, filled or outlined."""
        x, to_x, y, to_y = _columns(told["boxes"], 4)
        colour, filled = self.tone(told["tone"]), told["filled"]
        ax.bar(
            x,
            to_y - y,
            width=to_x - x,
            bottom=y,
            align="edge",
            color=colour if filled else "none",
            edgecolor="none" if filled else colour,
            linewidth=told["width"] * POINT,
            alpha=0.75 if filled else 1.0,
            zorder=level,
        )

    def dots(self, ax: Any, told: list[dict[str, Any]], level: float) -> None:
        """Dots, those of one look at once."""
        looks: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
        for dot in told:
            looks[dot["shape"], self.tone(dot["tone"]), dot["ring"]].append(dot)
        for (shape, colour, ring), own in looks.items():
            x, y = _columns([dot["at"] for dot in own], 2)
            radius = np.array([dot["size"] for dot in own], dtype=float) * POINT
            sizes = (2 * np.where(np.isfinite(radius), radius, 0.0)) ** 2
            edge = self.tones["Paper" if ring == "None" else "Strong"]
            cross = shape == "Cross"
            ax.scatter(
                x,
                y,
                s=sizes,
                marker=MARKERS[shape],
                color=colour,
                zorder=level,
                linewidth=1.2 if cross else (0.4 if ring == "None" else 0.9),
                **({} if cross else {"edgecolor": edge}),
            )
            if ring == "Halo":
                around = (2 * (np.sqrt(sizes) / 2 + 3.4 * POINT)) ** 2
                ax.scatter(x, y, s=around, marker="o", facecolor="none", edgecolor=edge, linewidth=0.8, zorder=level)

    def image(self, ax: Any, told: dict[str, Any], level: float) -> None:
        """Pixels."""
        how = "nearest" if told["sharp"] else "bilinear"
        extent = (*told["x"], *told["y"])
        pixels = next(self.images)
        if None not in extent and pixels.size:
            ax.imshow(pixels, extent=extent, origin="upper", aspect="auto", interpolation=how, zorder=level)

    def words(self, ax: Any, told: dict[str, Any], level: float) -> None:
        """Words around a point."""
        x, y = told["at"]
        if x is not None and y is not None:
            ax.text(x, y, told["text"], ha="center", color=self.tone(told["tone"]), zorder=level)

    # ------------------------------------------------------------------------------------------- beside them

    def bar(self, axes: np.ndarray, told: dict[str, Any], dark: bool) -> None:
        """Which colour is which number."""
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import ListedColormap, Normalize

        span = Normalize(told["range"]["low"], told["range"]["high"])
        colours = ScalarMappable(span, ListedColormap(self.ramp or ["#000000"]))
        made = axes[0].figure.colorbar(colours, ax=list(axes), shrink=0.8)
        made.set_label(told["label"])
        if dark:
            made.ax.tick_params(colors=self.tones["Quiet"])
            made.ax.yaxis.label.set_color(self.tones["Strong"])

    def legend(self, axes: np.ndarray, keys: list[dict[str, Any]], notes: str, *, whole: bool, dark: bool) -> None:
        """What colours and forms mean, below the axes, and the remarks."""
        handles, texts = [self.handle(key["swatch"]) for key in keys], [key["text"] for key in keys]
        how: dict[str, Any] = {"frameon": False, "fontsize": "small"}
        if dark:
            how["labelcolor"] = self.tones["Quiet"]
        if whole:
            columns = 2 if len(axes) == 1 else 3
            made = axes[0].figure.legend(handles, texts, loc="outside lower center", ncols=columns, title=notes, **how)
            made.get_title().set(fontsize="x-small", color=self.tones["Quiet"], multialignment="left")
        else:
            place = {"loc": "upper left", "bbox_to_anchor": (0.0, -0.16), "borderaxespad": 0.0}
            axes[0].legend(handles, texts, ncols=2, **place, **how)

    def handle(self, swatch: dict[str, Any]) -> Any:
        """The sign of a key."""
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        ((kind, told),) = swatch.items()
        colour = self.tone(told["tone"])
        if kind == "Line":
            return Line2D([], [], color=colour, linewidth=told["width"] * POINT, linestyle=DASHES[told["dash"]])
        if kind == "Area":
            return Patch(facecolor=colour, alpha=0.2)
        if kind == "Frame":
            return Patch(facecolor="none", edgecolor=colour, linewidth=told["width"] * POINT)
        edge = colour if told["shape"] == "Cross" or told["ring"] == "None" else self.tones["Strong"]
        size = 2 * told["size"] * POINT
        sign = Line2D([], [], linestyle="", marker=MARKERS[told["shape"]], markersize=size, color=colour)
        sign.set_markeredgecolor(edge)
        if told["ring"] != "Halo":
            return sign
        halo = Line2D([], [], linestyle="", marker="o", markersize=size + 5, markerfacecolor="none")
        halo.set_markeredgecolor(edge)
        return (sign, halo)


def _columns(points: list[Any], width: int) -> list[np.ndarray]:
    """Points column by column; what is not finite is NaN."""
    if not points:
        return [np.empty(0)] * width
    found = np.array(points, dtype=float)
    return [found[:, column] for column in islice(range(found.shape[1]), width)]
