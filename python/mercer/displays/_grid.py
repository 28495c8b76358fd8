"""Planes and lines of estimators that the engine does not know, such as pipelines: asked row by row of a grid."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import _num_samples

from mercer import _mercer
from mercer.displays import _rows
from mercer.exceptions import MercerError

#: Rows that are drawn at most, as in the engine.
MOST = 1500
SUPPORT = ("None", "Free", "Bound")


class Columns:
    """Columns of numbers with their names, and rows like them."""

    def __init__(self, X: Any) -> None:
        self.frame = X if hasattr(X, "columns") else None
        given = list(X.columns) if self.frame is not None else None
        try:
            self.values = np.asarray(X, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise MercerError("a plane of this estimator needs columns of numbers, and not all of X are") from error
        if self.values.ndim != 2:
            raise MercerError(f"X has the shape {self.values.shape}; a plane needs two columns")
        width = self.values.shape[1]
        self.names = [str(name) for name in given] if given is not None else [f"x{k}" for k in range(width)]

    def place(self, name: Any) -> int:
        """The place of a column by its name, or by its number from 0 where it has none."""
        if self.frame is None and isinstance(name, int | np.integer) and 0 <= name < len(self.names):
            return int(name)
        if str(name) not in self.names:
            raise MercerError(f"there is no column {name!r}; there are {', '.join(self.names[:8])}")
        return self.names.index(str(name))

    def varied(self, values: dict[int, np.ndarray]) -> Any:
        """Rows in which some columns have given values, and all others the medians of what is not missing."""
        rows = len(next(iter(values.values())))
        made = np.tile([_median(column) for column in self.values.T], (rows, 1))
        for place, own in values.items():
            made[:, place] = own
        if self.frame is None:
            return made
        how = {"columns" if hasattr(self.frame, "iloc") else "schema": list(self.frame.columns)}
        return type(self.frame)(made, **how)


def ends(values: np.ndarray) -> tuple[float, float]:
    """From where to where a grid runs, a little beyond the values."""
    finite = values[np.isfinite(values)]
    if values.size and not finite.size:
        raise MercerError("a column of X has not one finite value, and no place on an axis")
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    room = 0.11 * (high - low) if high > low else 0.5 * max(abs(low), 1.0)
    return low - room, high + room


def answers(estimator: Any, rows: Any) -> tuple[str, np.ndarray]:
    """What an estimator says of rows, and whether that is a score of two classes, a class or a number."""
    what, values = _answers(estimator, rows)
    if not np.isfinite(values).all():
        raise MercerError(f"{type(estimator).__name__} has answers that are not finite, which cannot be drawn")
    return what, values


def _answers(estimator: Any, rows: Any) -> tuple[str, np.ndarray]:
    task = _rows.kind(estimator)
    if task == "numbers":
        return "Numbers", _rows.numbers(estimator.predict(rows))
    if task == "novelty":
        return "Scores", np.asarray(estimator.decision_function(rows), dtype=np.float64).ravel()
    known = _rows.classes(estimator)
    if len(known) != 2:
        return "Regions", _rows.codes(estimator.predict(rows), known).astype(np.float64)
    if hasattr(estimator, "decision_function"):
        return "Scores", np.asarray(estimator.decision_function(rows), dtype=np.float64).ravel()
    if hasattr(estimator, "predict_proba"):
        return "Scores", 2.0 * np.asarray(estimator.predict_proba(rows), dtype=np.float64)[:, 1] - 1.0
    return "Scores", 2.0 * _rows.codes(estimator.predict(rows), known) - 1.0


def plane(
    estimator: Any, X: Any, y: Any, columns: tuple[Any, Any] | None, slice_: str, side: int, name: str | None
) -> _mercer.View:
    """What an estimator answers in the plane of two columns."""
    table = Columns(X)
    if slice_ == "components":
        raise MercerError("a slice along components is of a kernel machine by itself; take slice='medians'")
    if columns is None and len(table.names) != 2 and slice_ != "medians":
        raise MercerError(
            f"X has {len(table.names)} columns; name two of them (columns=…), and all others are at their medians"
        )
    if columns is None and len(table.names) < 2:
        raise MercerError("a plane needs two columns, and X has fewer; draw a curve (CurveDisplay)")
    across, up = (table.place(one) for one in (columns or (table.names[0], table.names[1])))
    if across == up:
        raise MercerError(f"a plane has two different columns, and {table.names[up]!r} is one")
    x, y_ends = ends(table.values[:, across]), ends(table.values[:, up])
    grid = np.meshgrid(np.linspace(*x, side), np.linspace(*y_ends, side))
    what, values = answers(estimator, table.varied({across: grid[0].ravel(), up: grid[1].ravel()}))
    notes = []
    if len(table.names) > 2:
        others = len(table.names) - 2
        notes.append(f"a slice: {others} other columns at their medians; rows stand where their own two columns are")
    places = table.values[:, (across, up)]
    shown, thinned = _thinned(places)
    task = _rows.kind(estimator)
    titles = {"Scores": "Decision boundary and margins", "Regions": "Regions of the classes"}
    return _view(
        "boundary",
        title="Where the training rows are" if task == "novelty" else titles.get(what, "Predicted numbers"),
        subtitle=_rows.subtitle(estimator, X, name),
        x=table.names[across],
        y=table.names[up],
        ground={what: {"x": x, "y": y_ends, "columns": side, "rows": side, "values": values.tolist()}},
        target=_rows.target_name(y),
        classes=_class_names(estimator, task),
        spots=_spots(estimator, X, y, shown, places),
        captions=[],
        notes=[*thinned, *notes],
    )


def curve(estimators: dict[str, Any], X: Any, y: Any, name: str | None) -> _mercer.View:
    """What estimators answer along the only column."""
    table, first = Columns(X), next(iter(estimators.values()))
    if len(table.names) != 1:
        raise MercerError(f"a curve is of one column, and X has {len(table.names)}; draw a boundary (BoundaryDisplay)")
    task = _rows.kind(first)
    places = np.linspace(*ends(table.values[:, 0]), 400)
    curves = []
    for called, estimator in estimators.items():
        what, values = answers(estimator, table.varied({0: places}))
        if what == "Regions":
            raise MercerError("a pipeline of more than two classes has no one score to draw along a line")
        label = f"{called} (above 0: {_rows.classes(estimator)[1]})" if task == "classes" else called
        curves.append({"name": label, "points": np.column_stack([places, values]).tolist(), "tube": None})
    spots: list[dict[str, Any]] = []
    thinned: list[str] = []
    if y is not None and task != "novelty":
        codes = _rows.codes(y, _rows.classes(first)) if task == "classes" else None
        height = _rows.numbers(y) if codes is None else 2.0 * codes - 1.0
        at = np.column_stack([table.values[:, 0], height])
        shown, thinned = _thinned(at)
        spots = [_spot(at[row], None if codes is None else int(codes[row])) for row in shown]
    number = task == "numbers"
    return _view(
        "curves",
        title=("Fitted curves" if len(curves) > 1 else "Fitted curve") if number else "Scores along the only feature",
        subtitle=_rows.subtitle(first, X, name),
        x=table.names[0],
        y=_rows.target_name(y) if number else "score",
        curves=curves,
        spots=spots,
        classes=_class_names(first, task) if task == "classes" else [],
        levels=[] if number else [-1.0, 0.0, 1.0],
        notes=thinned,
    )


def _view(kind: str, **shown: Any) -> _mercer.View:
    return _mercer.View.of(json.dumps({kind: shown}))


def _thinned(places: np.ndarray) -> tuple[list[int], list[str]]:
    """Rows to be shown, of those that have a place, and remarks on the others."""
    found = np.flatnonzero(np.isfinite(places).all(axis=1)).tolist()
    rows, lost = len(found), len(places) - len(found)
    notes = [f"{lost} rows without a place are not shown" if lost > 1 else "1 row without a place is not shown"]
    notes = notes if lost else []
    if rows <= MOST:
        return found, notes
    return [found[k * rows // MOST] for k in range(MOST)], [f"{MOST} of {rows} rows shown, evenly spread", *notes]


def _median(column: np.ndarray) -> float:
    """The median of what is finite; 0 of no rows, and missing where all values are."""
    finite = column[np.isfinite(column)]
    return float(np.median(finite)) if finite.size else (np.nan if column.size else 0.0)


def _class_names(estimator: Any, task: str) -> list[str]:
    if task == "novelty":
        return ["outside", "inside"]
    return [str(label) for label in _rows.classes(estimator).tolist()] if task == "classes" else []


def _spots(estimator: Any, X: Any, y: Any, shown: list[int], places: np.ndarray) -> list[dict[str, Any]]:
    """Rows with their classes and, where the last step is a machine of the engine, what they are to it."""
    task, codes = _rows.kind(estimator), None
    if task == "novelty":
        codes = (np.asarray(estimator.predict(X)) > 0).astype(np.int64)
    elif task == "classes" and y is not None:
        codes = _rows.codes(y, _rows.classes(estimator))
    support, slack = np.zeros(_num_samples(X), dtype=np.int64), np.zeros(_num_samples(X))
    told = _rows.asked(estimator[-1], _rows.prepared(estimator, X), y) if isinstance(estimator, Pipeline) else None
    if told is not None:
        support, slack = _mercer.roles(told.model, told.table, told.target)
    return [
        _spot(places[row], None if codes is None else int(codes[row]), SUPPORT[support[row]], float(slack[row]))
        for row in shown
    ]


def _spot(at: Any, code: int | None, support: str = "None", slack: float = 0.0) -> dict[str, Any]:
    slack = slack if np.isfinite(slack) else 0.0
    return {"at": [float(at[0]), float(at[1])], "class": code, "support": support, "slack": slack}
