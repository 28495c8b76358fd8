"""What searches found, and how a machine changes with its penalty."""

from __future__ import annotations

import json
from typing import Any, Self

import numpy as np

from mercer import _mercer
from mercer._engine import _text
from mercer._expression import Expression
from mercer._limits import threads
from mercer._posed import Posed
from mercer.displays import _rows
from mercer.displays._display import Display
from mercer.exceptions import MercerError
from mercer.tuning import Found, Values, _sorted, _validation


class TuningDisplay(Display):
    """A search: every candidate, the best, and those within one standard error of it.

    Parameters
    ----------
    view : View
        What is to be seen, from the engine.

    Examples
    --------
    >>> import mercer
    >>> from mercer.displays import TuningDisplay
    >>> X, y = mercer.datasets.load("moons", return_X_y=True)
    >>> found = mercer.tune(X, y, "rbf(sigma=0.1|1)", C=[1, 10], cv=3)
    >>> TuningDisplay.from_search(found).plot().ax_.get_ylabel()
    'sigma'
    """

    @classmethod
    def from_search(cls, search: Any, *, rows: str | None = None, columns: str | None = None, ax: Any = None) -> Self:
        """Draw what a search has found.

        Parameters
        ----------
        search : Found, GridSearch, or a search of scikit-learn
            What `mercer.tune` gave, or a fitted search with `cv_results_`.
        rows : str, default=None
            The parameter that runs up, of a search with `cv_results_`; None is the second that varies.
        columns : str, default=None
            The parameter that runs to the right, of a search with `cv_results_`; None is the first that varies.
        ax : Axes, default=None
            Axes of matplotlib to draw on; None draws on none yet.

        Returns
        -------
        TuningDisplay
            The display.
        """
        if isinstance(search, Found):
            if rows is not None or columns is not None:
                raise ValueError("rows and columns are for a search with cv_results_; kernels run up here")
            return cls._made(_mercer.View.of(search._view), ax)
        if not hasattr(search, "cv_results_"):
            raise MercerError(f"{type(search).__name__} is no search that has found something; fit it first")
        return cls._made(_of_results(search, rows, columns), ax)


class PathDisplay(Display):
    """A machine as its penalty grows weaker: the metric on training and held-out rows, and its support vectors.

    Parameters
    ----------
    view : View
        What is to be seen, from the engine.

    Examples
    --------
    >>> import mercer
    >>> from mercer.displays import PathDisplay
    >>> X, y = mercer.datasets.load("moons", return_X_y=True)
    >>> display = PathDisplay.from_estimator(mercer.SVC(), X, y, values="0.01..100", points=5, cv=3)
    >>> [step["strength"] for step in display.data["steps"]]
    [0.01, 0.1, 1.0, 10.0, 100.0]
    """

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        values: Values = "0.01..1000",
        points: int = 12,
        cv: Any = 5,
        metric: str | None = None,
        sample_weight: Any = None,
        name: str | None = None,
        n_jobs: int | None = None,
        ax: Any = None,
    ) -> Self:
        """Fit a machine for one strength of the penalty after another.

        Parameters
        ----------
        estimator : estimator of mercer
            All but the strength of the penalty; it is left as it is.
        X : array-like, sparse matrix, data frame, or list of texts
            Training rows.
        y : array-like of shape (n_samples,)
            Their targets.
        values : str or list of float, default="0.01..1000"
            Values of C, or of alpha: a range for `points` values evenly on a logarithmic scale, or the values.
        points : int, default=12
            Values of a range.
        cv : int, float, "hold-out", splitter, iterable or None, default=5
            Rows to be held out, as for `mercer.tune`; None holds out none.
        metric : str, default=None
            What machines are judged by; None for accuracy of classes and the RMSE of numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts.
        name : str, default=None
            What the rows are called in the picture.
        n_jobs : int, default=None
            Threads; None for all cores.
        ax : Axes or array of Axes, default=None
            Axes of matplotlib to draw on; None draws on none yet.

        Returns
        -------
        PathDisplay
            The display.
        """
        posed = Posed(estimator, X, y, sample_weight)
        kernel = posed.candidate({})._expression(posed.X)
        if kernel.function is not None or kernel.matrix:
            raise MercerError("a path needs a kernel of the kernel language on rows, not a callable or a matrix")
        lines = {"kernel": kernel.text, **posed.lines(posed.estimator)}
        view = _mercer.path(
            "\n".join(f"{key}: {_text(value)}" for key, value in lines.items()),
            (posed.strength, values if isinstance(values, str) else "|".join(repr(float(value)) for value in values)),
            points,
            posed.estimator._table(posed.X, Expression(kernel.text), fit=True),
            posed.target,
            posed.weights,
            validation=None if cv is None else _validation(posed, cv, 1, False, None),
            metric=metric,
            name=_rows.data_name(X, name),
            threads=threads(n_jobs),
        )
        return cls._made(view, ax)


def _of_results(search: Any, rows: str | None, columns: str | None) -> _mercer.View:
    """The view of a search of scikit-learn's form; of candidates that differ in other parameters the best."""
    results = search.cv_results_
    candidates = list(results["params"])
    varied = [
        name for name in dict.fromkeys(key for one in candidates for key in one) if len(_values(candidates, name)) > 1
    ]
    for given in (rows, columns):
        if given is not None and given not in varied:
            raise ValueError(f"{given!r} does not vary; {', '.join(varied) or 'nothing'} does")
    columns = columns or next((name for name in varied if name != rows), None)
    rows = rows or next((name for name in varied if name != columns), None)
    across = _values(candidates, columns) if columns is not None else [None]
    up = _values(candidates, rows) if rows is not None else [None]
    score = _score(search)
    means, deviations = np.asarray(results[score]), np.asarray(results[score.replace("mean", "std", 1)])
    splits = int(getattr(search, "n_splits_", 1))
    errors = deviations / np.sqrt(max(splits - 1, 1))
    places: dict[tuple[int, int], int] = {}
    for k, one in enumerate(candidates):
        place = up.index(one.get(rows or "")), across.index(one.get(columns or ""))
        if np.isfinite(means[k]) and (place not in places or means[k] > means[places[place]]):
            places[place] = k
    kept = list(places.items())
    if not kept:
        raise MercerError("no candidate of the search has a score")
    best = max(range(len(kept)), key=lambda at: means[kept[at][1]])
    enough = means[kept[best][1]] - errors[kept[best][1]]
    trials = [
        {
            "kernel": u,
            "strength": a,
            "mean": float(means[k]),
            "error": float(errors[k]),
            "near": bool(means[k] >= enough),
        }
        for (u, a), k in kept
    ]
    told = ", ".join(f"{name}={value}" for name, value in candidates[kept[best][1]].items())
    shown = {
        "title": "What the search found",
        "subtitle": f"{len(candidates)} candidates, on {splits} splits",
        "parameter": rows or "",
        "kernels": [_short(value) for value in up],
        "strength": columns or "",
        "strengths": [_short(value) for value in across],
        "trials": trials,
        "metric": "mean score of the splits (larger is better)",
        "best": best,
        "simplest": None,
        "notes": [f"best: {told}: {means[kept[best][1]]:.4g}"],
    }
    return _mercer.View.of(json.dumps({"tuning": shown}))


def _score(search: Any) -> str:
    """The scores in the results of a search: the only ones, or those that the best is chosen by."""
    results, refit = search.cv_results_, getattr(search, "refit", None)
    if "mean_test_score" in results:
        return "mean_test_score"
    if isinstance(refit, str) and f"mean_test_{refit}" in results:
        return f"mean_test_{refit}"
    metrics = [name.removeprefix("mean_test_") for name in results if name.startswith("mean_test_")]
    raise MercerError(
        f"the search has several metrics ({', '.join(metrics)}), and refit names none of them, by which to draw it"
    )


def _values(candidates: list[dict[str, Any]], name: str | None) -> list[Any]:
    """The values of a parameter, in order where they have one."""
    found: list[Any] = []
    for value in (None if name is None else one.get(name) for one in candidates):
        if value not in found:
            found.append(value)
    if all(isinstance(value, int | float | np.number) for value in found):
        return sorted(found)
    return _sorted(found) if all(isinstance(value, str) for value in found) else found


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)
