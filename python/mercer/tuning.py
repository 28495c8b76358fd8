"""Searches for a kernel and the strength of the penalty, by the engine."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from os import PathLike, fspath
from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import type_of_target

from mercer._posed import Posed, as_splits
from mercer._warn import warn

#: Values to be tried: a text such as "0.1..1000" or "1|10|100", or the values themselves.
Values = str | Sequence[float]


def tune(
    X: Any,
    y: Any,
    kernel: Any = "rbf(sigma=?)",
    C: Values | None = None,
    *,
    alpha: Values | None = None,
    estimator: Any = None,
    search: Literal["grid", "random", "halving", "refine"] = "grid",
    points: int = 7,
    draws: int = 40,
    rounds: int = 2,
    cv: Any = 5,
    repeats: int = 1,
    ordered: bool = False,
    groups: Any = None,
    metric: str | None = None,
    sample_weight: Any = None,
    seed: int = 0,
    journal: str | PathLike[str] | None = None,
    progress: bool | Callable[[int, int, float], Any] = False,
    time_limit: float | None = None,
    memory_limit: int | str | None = None,
    n_jobs: int | None = None,
) -> Found:
    """Search for a kernel and the strength of the penalty, judged on rows that candidates have not seen.

    Parameters
    ----------
    X : array-like, sparse matrix, data frame, or list of texts
        Training rows.
    y : array-like of shape (n_samples,)
        Classes or numbers.
    kernel : str, Kernel or list of them, default="rbf(sigma=?)"
        An expression with values left open: "rbf(sigma=0.1..10)" for `points` values evenly on a logarithmic scale,
        "rbf(gamma=0.1|1|10)" for these, "poly(degree=1..4)" for each of these, "rbf(sigma=?)" for quantiles of the
        distances between training rows. Of several, with ` | ` between them or in a list, one or the other.
    C : str or list of float, default=None
        Penalties of errors, left open in the same way; None for "0.1..1000".
    alpha : str or list of float, default=None
        For KernelRidge in place of C; None for "1e-6..100".
    estimator : estimator of mercer, default=None
        All that is not searched for; None for SVC() where `y` holds classes, and for KernelRidge() where it holds
        numbers.
    search : {"grid", "random", "halving", "refine"}, default="grid"
        Every combination; `draws` of them by chance; a grid on a ninth of the training rows, of which a third goes on
        with three times as many; a grid, then finer ones around the best, `rounds` in all.
    points : int, default=7
        Values of each range.
    draws : int, default=40
        Candidates of a random search.
    rounds : int, default=2
        Grids of a refining search.
    cv : int, float, "hold-out", "leave-one-out", splitter or iterable, default=5
        Folds, stratified by class; a share of the rows to be held out ("hold-out" is a quarter); every row
        left out by itself, in closed form, for the squared loss; or splits from
        elsewhere: what has a method `split`, or pairs of arrays of rows.
    repeats : int, default=1
        How often folds are drawn anew.
    ordered : bool, default=False
        Whether the rows are in the order of time: trained on what was before, tested on what came next.
    groups : array-like of shape (n_samples,), default=None
        The group of each row; rows of a group are never parted.
    metric : str, default=None
        What candidates are judged by; None for accuracy of classes and the RMSE of numbers.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each row counts, in training and in the metric.
    seed : int, default=0
        Of folds and draws.
    journal : str or path-like, default=None
        A file that takes results down as they come: the same search goes on from there after it was killed.
    progress : bool or callable, default=False
        Whether to print how far the search is; or what is called with fits done, fits in all, and seconds, and ends the
        search by answering True.
    time_limit : float, default=None
        Seconds after which the search ends with the candidates judged by then; None for no limit.
    memory_limit : int or str, default=None
        Bytes for matrices, or a text such as "4GB"; None for 60 % of what is free.
    n_jobs : int, default=None
        Threads; None for all cores, or as OMP_NUM_THREADS says; -1 for all cores, -2 for all but one. Results do not
        depend on it.

    Returns
    -------
    Found
        All candidates with their scores, the best, and the simplest that is as good for all that is known. Ctrl-C ends
        the search with what there is.

    Examples
    --------
    >>> import mercer
    >>> X, y = mercer.datasets.load("moons", return_X_y=True)
    >>> found = mercer.tune(X, y, "rbf(sigma=0.1..10)", C="0.1..1000", points=5)
    >>> found.best["kernel"], found.best["C"], found.best["mean"]
    ('rbf(sigma=0.1)', 1.0, 1.0)
    >>> found.heat_map()["values"].shape
    (5, 5)
    >>> model = found.fit()
    >>> model.kernel, model.C
    ('rbf(sigma=0.1)', 1.0)
    """
    estimator = _usual(y) if estimator is None else estimator
    # Any expression will do to read the rows: the template takes its place.
    posed = Posed(clone(estimator).set_params(kernel="rbf(gamma=1)"), X, y, sample_weight)
    given = {"C": C, "alpha": alpha}
    other = "C" if posed.parameter == "alpha" else "alpha"
    if given[other] is not None:
        raise ValueError(f"{type(estimator).__name__} has no {other}; give {posed.parameter}")
    numbers = {"grid": (points, 0), "random": (draws, 0), "halving": (points, 0), "refine": (points, rounds)}
    if search not in numbers:
        raise ValueError(f"search = {search!r}; there are {', '.join(numbers)}")
    strengths = given[posed.parameter] or {"C": "0.1..1000", "alpha": "1e-6..100"}[posed.parameter]
    told = posed.tune(
        {**posed.lines(posed.estimator), "seed": int(seed)},
        kernel if isinstance(kernel, str) else [str(one) for one in _several(kernel)],
        strengths if isinstance(strengths, str) else [float(value) for value in strengths],
        n_jobs=n_jobs,
        memory_limit=memory_limit,
        search=(search, *numbers[search]),
        validation=_validation(posed, cv, repeats, ordered, groups),
        metric=metric,
        journal=None if journal is None else fspath(journal),
        time_limit=time_limit,
        progress=_Teller(progress) if progress else None,
    )
    if told["cut_short"]:
        why = "Ctrl-C" if told["interrupted"] else "time_limit" if time_limit is not None else "progress"
        warn(f"The search was cut short by {why}: not all candidates were judged.", ConvergenceWarning)
    return Found(told, clone(estimator), posed.parameter, (X, y, sample_weight))


class Found:
    """What a search has found; `mercer.tune` makes it.

    Parameters
    ----------
    told : dict
        What the engine says.
    estimator : estimator of mercer
        All that was not searched for.
    parameter : {"C", "alpha"}
        What it calls the strength of the penalty.
    rows : tuple
        Training rows, targets and weights.

    Attributes
    ----------
    best : dict
        The best candidate: `kernel`, its parameters that vary, `C` or `alpha`, `mean`, `standard_error`, `scores`.
    simplest : dict
        The one with the strongest penalty within one standard error of the best.
    table : dict of list
        All candidates, a column each: ready for `pandas.DataFrame`.
    metric : str
        What candidates were judged by.
    larger_is_better : bool
        Whether more of it is better.
    n_splits : int
        Splits that each candidate was judged on.
    cut_short : bool
        Whether not all candidates were judged.

    Examples
    --------
    >>> import mercer
    >>> X, y = mercer.datasets.load("moons", return_X_y=True)
    >>> mercer.tune(X, y, "rbf(sigma=0.1|1)", C=[1, 10], cv=3)
    Found(4 candidates on 3 splits; accuracy 0.995 with C=10, rbf(sigma=1))
    """

    def __init__(self, told: dict[str, Any], estimator: Any, parameter: str, rows: tuple[Any, Any, Any]) -> None:
        self.metric: str = told["metric"]
        self.larger_is_better: bool = told["larger_is_better"]
        self.n_splits: int = told["splits"]
        self.cut_short: bool = told["cut_short"]
        #: What a picture of the search shows, as the engine tells it.
        self._view: str = told["view"]
        self._estimator, self._parameter, self._given = estimator, parameter, rows
        trials = told["trials"]
        written = [_parameters(trial["kernel"]) for trial in trials]
        #: Parameters of kernels that vary.
        self._varied = [
            name
            for name in dict.fromkeys(name for one in written for name in one)
            if len({one.get(name) for one in written}) > 1
        ]
        self._trials: list[dict[str, Any]] = [
            {
                "kernel": trial["kernel"],
                **{name: values.get(name) for name in self._varied},
                parameter: trial["strength"][1],
                "rows": trial["rows"],
                "mean": trial["mean"],
                "standard_error": trial["standard_error"],
                "solved": trial["solved"],
                "scores": trial["scores"],
            }
            for trial, values in zip(trials, written, strict=True)
        ]
        self.best: dict[str, Any] = self._trials[told["best"]]
        self.simplest: dict[str, Any] = self._trials[told["simplest"]]

    @property
    def table(self) -> dict[str, list[Any]]:
        """All candidates, a column each: ready for `pandas.DataFrame`."""
        names = [name for name in self.best if name != "scores"]
        columns = {name: [trial[name] for trial in self._trials] for name in names}
        splits = {f"split_{k}": [float(trial["scores"][k]) for trial in self._trials] for k in range(self.n_splits)}
        return {**columns, **splits}

    def heat_map(self, rows: str | None = None, columns: str | None = None) -> dict[str, Any]:
        """Means over two parameters; of candidates that differ in others the best.

        Parameters
        ----------
        rows : str, default=None
            A parameter that varies; None for the first of the kernel.
        columns : str, default=None
            Another; None for C or alpha.

        Returns
        -------
        dict
            `rows` and `columns` (names), `row_values`, `column_values` and `values`, a matrix with NaN where no
            candidate was judged.
        """
        known = [*self._varied, self._parameter]
        columns = self._parameter if columns is None else columns
        rows = next((name for name in known if name != columns), None) if rows is None else rows
        if rows is None or rows == columns or rows not in known or columns not in known:
            raise ValueError(f"a heat map needs two parameters that vary; there are {', '.join(known)}")
        most = max(trial["rows"] for trial in self._trials)
        whole = [trial for trial in self._trials if trial["rows"] == most]
        down, across = (_sorted({trial[name] for trial in whole}) for name in (rows, columns))
        values = np.full((len(down), len(across)), np.nan)
        better = np.fmax if self.larger_is_better else np.fmin
        for trial in whole:
            place = down.index(trial[rows]), across.index(trial[columns])
            values[place] = better(values[place], trial["mean"])
        return {"rows": rows, "columns": columns, "row_values": down, "column_values": across, "values": values}

    def fit(self, which: Literal["best", "simplest"] = "best", X: Any = None, y: Any = None) -> Any:
        """Fit the estimator with what was found.

        Parameters
        ----------
        which : {"best", "simplest"}, default="best"
            The candidate.
        X : array-like, sparse matrix, data frame, or list of texts, default=None
            Training rows; None for those of the search, with their weights.
        y : array-like of shape (n_samples,), default=None
            Classes or numbers; None for those of the search.

        Returns
        -------
        estimator
            Fitted.
        """
        if which not in ("best", "simplest"):
            raise ValueError(f"which = {which!r}; there are best and simplest")
        if (X is None) != (y is None):
            raise ValueError("give X and y, or neither")
        chosen = self.best if which == "best" else self.simplest
        estimator = clone(self._estimator)
        estimator.set_params(kernel=chosen["kernel"], **{self._parameter: chosen[self._parameter]})
        rows, target, weights = self._given if X is None else (X, y, None)
        return estimator.fit(rows, target, sample_weight=weights)

    def __repr__(self) -> str:
        best, count = self.best, len(self._trials)
        return (
            f"Found({count} candidate{'s' * (count != 1)} on {self.n_splits} split{'s' * (self.n_splits != 1)}; "
            f"{self.metric} {best['mean']:.4g} with {self._parameter}={best[self._parameter]:.4g}, {best['kernel']})"
        )


class _Teller:
    """Passes on how far a search is."""

    def __init__(self, listener: bool | Callable[[int, int, float], Any]) -> None:
        self.listener = listener if callable(listener) else None
        self.told = 0.0

    def __call__(self, event: dict[str, Any]) -> bool:
        """Tell one event."""
        if self.listener is not None:
            return bool(self.listener(event["iteration"], event["limit"], event["seconds"]))
        if event["seconds"] - self.told >= 0.5:
            self.told = event["seconds"]
            sys.stdout.write(f"[tune] {event['iteration']} of {event['limit']} fits, {event['seconds']:.1f} s\n")
            sys.stdout.flush()
        return False


def _usual(y: Any) -> Any:
    from mercer.ridge import KernelRidge
    from mercer.svm import SVC

    return SVC() if type_of_target(y) in ("binary", "multiclass") else KernelRidge()


def _several(kernel: Any) -> list[Any]:
    return list(kernel) if isinstance(kernel, list | tuple) else [kernel]


def _validation(posed: Posed, cv: Any, repeats: int, ordered: bool, groups: Any) -> dict[str, Any]:
    """What the engine is told of the splits."""
    is_folds = isinstance(cv, int | np.integer) and not isinstance(cv, bool)
    if not is_folds and (repeats != 1 or ordered):
        raise ValueError("repeats and ordered are for a number of folds")
    if is_folds:
        if ordered + (groups is not None) + (repeats != 1) > 1:
            raise ValueError("of groups, ordered and repeats one can be given")
        if ordered:
            return {"ordered": int(cv)}
        if groups is None:
            return {"folds": int(cv), "repeats": int(repeats)}
        _, codes = np.unique(np.asarray(groups), return_inverse=True)
        return {"folds": int(cv), "groups": codes.tolist()}
    if isinstance(cv, float | np.floating):
        return {"hold_out": float(cv)}
    if isinstance(cv, str):
        if cv == "leave-one-out":
            return {"leave_one_out": True}
        if cv not in ("hold-out", "holdout"):
            words = "a number of folds, a share, 'hold-out', 'leave-one-out', a splitter, or splits"
            raise ValueError(f"cv = {cv!r}; it is {words}")
        return {"hold_out": 0.25}
    pairs: Iterable[tuple[Any, Any]] = cv.split(posed.X, posed.y, groups) if hasattr(cv, "split") else cv
    return {"splits": as_splits(pairs, len(posed.y))}


_PARAMETER = re.compile(r"(\w+)=([^,()\[\]]+)")


def _parameters(kernel: str) -> dict[str, Any]:
    """The parameters that a kernel is written with; one that occurs again has a number after its name."""
    found: dict[str, Any] = {}
    for name, text in _PARAMETER.findall(kernel):
        count = sum(known == name or known.rpartition("_")[0] == name for known in found)
        found[name if count == 0 else f"{name}_{count + 1}"] = _value(text.strip())
    return found


def _value(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


#: Words for widths, from small to large distances.
_WORDS = ("q10", "q25", "median", "q75", "q90")


def _sorted(values: Iterable[Any]) -> list[Any]:
    """Numbers first, by size, then words, and nothing at last."""

    def key(value: Any) -> tuple[int, float, str]:
        if isinstance(value, float):
            return 0, value, ""
        if value is None:
            return 2, 0.0, ""
        return 1, float(_WORDS.index(value) if value in _WORDS else len(_WORDS)), str(value)

    return sorted(values, key=key)
