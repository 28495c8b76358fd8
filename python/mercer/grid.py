"""A grid search with the face of scikit-learn's, by the engine: one pass over the entries of a kernel for all C."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import GridSearchCV, ParameterGrid, check_cv
from sklearn.utils._param_validation import Integral, Interval

from mercer._posed import SEARCHED, Posed, Splits, as_splits, strength_parameter
from mercer.exceptions import MercerError

#: The metric of the engine from which each of scikit-learn's scorers is made.
_METRICS = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced-accuracy",
    "f1": "f1",
    "f1_macro": "f1",
    "roc_auc": "auc",
    "r2": "rmse",
    "neg_mean_squared_error": "rmse",
    "neg_root_mean_squared_error": "rmse",
    "neg_mean_absolute_error": "mae",
}


class GridSearch(GridSearchCV):  # type: ignore[misc]
    """Every combination of parameters, judged on the same folds as by scikit-learn's `GridSearchCV`, in less time.

    For one kernel and one fold the entries are computed once; machines of growing C start from each other's solutions.
    What the engine cannot search over, such as a pipeline or a scorer of your own, is an error that says so:
    `GridSearchCV` takes mercer's estimators too.

    Parameters
    ----------
    estimator : estimator of mercer
        What has a kernel and `C` or `alpha`: SVC, SVR, NuSVR, KernelRidge, KernelLogistic, LeastSquaresSVC,
        KernelQuantile, GradientKernel, GradientKernelClassifier.
    param_grid : dict or list of dict
        Values of `C` or `alpha`, `kernel`, `gamma`, `degree`, `coef0`, `class_weight`, `epsilon`, `quantile`, `loss`,
        `fit_intercept` and `tol`.
    scoring : str, default=None
        "accuracy", "balanced_accuracy", "f1" or "roc_auc" of two classes, "f1_macro" of more, "r2",
        "neg_mean_squared_error", "neg_root_mean_squared_error" or "neg_mean_absolute_error"; None for accuracy or r2.
    n_jobs : int, default=None
        Threads; None for all cores, or as OMP_NUM_THREADS says; -1 for all cores, -2 for all but one. Results do not
        depend on it.
    refit : bool, default=True
        Whether the best candidate is fitted to all rows.
    cv : int, splitter or iterable, default=None
        Folds, as scikit-learn takes them: None for 5, stratified by class.
    memory_limit : int or str, default=None
        Bytes for matrices, or a text such as "4GB"; None for 60 % of what is free.

    Attributes
    ----------
    cv_results_ : dict of ndarray
        For each candidate `params`, `param_…`, `split…_test_score`, `mean_test_score`, `std_test_score`,
        `rank_test_score`, and `solved`: whether every machine was solved to `tol`.
    best_index_ : int
        The candidate of rank 1.
    best_params_ : dict
        Its parameters.
    best_score_ : float
        Its mean score.
    best_estimator_ : estimator
        Fitted to all rows with these parameters; only with `refit`.
    refit_time_ : float
        Seconds that took; only with `refit`.
    scorer_ : callable
        What `score` uses.
    n_splits_ : int
        Number of folds.
    multimetric_ : bool
        False.
    classes_ : ndarray of shape (n_classes,)
        Classes of `best_estimator_`.
    n_features_in_ : int
        Number of columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns; only where the training rows came with names that are texts.

    Notes
    -----
    Mathematics: docs/maths.md §6.

    Examples
    --------
    >>> import mercer
    >>> X, y = mercer.datasets.load("moons", return_X_y=True)
    >>> search = mercer.GridSearch(mercer.SVC(), {"C": [0.1, 1, 10], "gamma": [0.1, 1, 10]}).fit(X, y)
    >>> search.best_params_
    {'C': 10, 'gamma': 1}
    >>> float(search.best_score_)
    1.0
    """

    _parameter_constraints: dict[str, list[Any]] = {
        "param_grid": [dict, list],
        "scoring": [str, None],
        "n_jobs": [Integral, None],
        "refit": ["boolean"],
        "cv": ["cv_object"],
        "memory_limit": [Interval(Integral, 1, None, closed="left"), str, None],
    }

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        scoring: str | None = None,
        n_jobs: int | None = None,
        refit: bool = True,
        cv: Any = None,
        memory_limit: int | str | None = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.refit = refit
        self.cv = cv
        self.memory_limit = memory_limit

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Judge all candidates, and fit the best.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            Training rows.
        y : array-like of shape (n_samples,)
            Classes or numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts, in training and in the scores; a weight of 2 is the same as the row twice.
        groups : array-like of shape (n_samples,), default=None
            The group of each row, for splitters that ask for it.

        Returns
        -------
        self
            With what was found. Ctrl-C raises KeyboardInterrupt.
        """
        self._validate_params()
        self._check_names()
        posed = Posed(self.estimator, X, y, sample_weight)
        scoring = self._scoring(posed)
        chosen = check_cv(self.cv, posed.y, classifier=posed.is_classifier)
        splits = as_splits(chosen.split(posed.X, posed.y, groups), len(posed.y))
        candidates = list(ParameterGrid(self.param_grid))
        told, solved = self._judged(posed, candidates, splits, _METRICS[scoring])
        self.scorer_ = check_scoring(self.estimator, self.scoring)
        self.multimetric_, self.n_splits_ = False, len(splits)
        self.cv_results_ = _results(candidates, _scored(scoring, told, posed, splits), solved)
        self.best_index_ = int(self.cv_results_["rank_test_score"].argmin())
        self.best_params_ = candidates[self.best_index_]
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        if self.refit:
            started = time.monotonic()
            self.best_estimator_ = clone(self.estimator).set_params(**clone(self.best_params_, safe=False))
            self.best_estimator_.fit(X, y, sample_weight)
            self.refit_time_ = time.monotonic() - started
            if hasattr(self.best_estimator_, "feature_names_in_"):
                self.feature_names_in_ = self.best_estimator_.feature_names_in_
        return self

    def _check_names(self) -> None:
        strength_parameter(self.estimator)
        known = self.estimator.get_params(deep=False)
        for grid in [self.param_grid] if isinstance(self.param_grid, dict) else self.param_grid:
            for name in grid:
                if name in known and name not in SEARCHED:
                    raise MercerError(
                        f"GridSearch does not search over {name!r}, only over {', '.join(SEARCHED)}; use "
                        "sklearn.model_selection.GridSearchCV, which takes the same arguments"
                    )

    def _scoring(self, posed: Posed) -> str:
        """The name of a scorer that there is."""
        scoring = self.scoring or ("accuracy" if posed.is_classifier else "r2")
        classes = len(posed.target[0]) if posed.is_classifier else 0
        fits = {"f1": classes == 2, "roc_auc": classes == 2, "f1_macro": classes > 2}.get(scoring, True)
        if scoring not in _METRICS or not fits:
            why = f" of {classes} classes" if scoring in _METRICS else ""
            raise MercerError(
                f"GridSearch has no scorer {scoring!r}{why}; it has {', '.join(_METRICS)}. Use "
                "sklearn.model_selection.GridSearchCV, which takes the same arguments and any scorer"
            )
        return scoring

    def _judged(
        self, posed: Posed, candidates: Sequence[dict[str, Any]], splits: Splits, metric: str
    ) -> tuple[np.ndarray, np.ndarray]:
        """The score of each candidate on each split, and whether all its machines were solved."""
        scores = np.full((len(candidates), len(splits)), np.nan)
        solved = np.ones(len(candidates), dtype=bool)
        for lines, parts, plan in _plans(posed, candidates, splits):
            strengths = tuple(plan[0][1])
            told = posed.tune(
                lines,
                [kernel for kernel, _ in plan],
                strengths,
                n_jobs=self.n_jobs,
                memory_limit=self.memory_limit,
                search=("grid", 1, 0),
                validation={"splits": [splits[part] for part in parts]},
                metric=metric,
            )
            if told["interrupted"] or told["cut_short"]:
                raise KeyboardInterrupt
            trials = iter(told["trials"])
            for _, places in plan:
                for strength in strengths:
                    trial = next(trials)
                    for place in places[strength]:
                        scores[place, parts] = trial["scores"]
                        solved[place] &= trial["solved"]
        return scores, solved


#: The strengths that a kernel is tried with, and the candidates that each of them is.
_Places = dict[float, list[int]]


def _plans(
    posed: Posed, candidates: Sequence[dict[str, Any]], splits: Splits
) -> list[tuple[dict[str, Any], list[int], list[tuple[str, _Places]]]]:
    """Lines, splits, and kernels that are tried with the same strengths: each a search of the engine."""
    everywhere = list(range(len(splits)))
    tried: dict[tuple[Any, ...], _Places] = {}
    for place, parameters in enumerate(candidates):
        candidate = posed.candidate(parameters)
        lines, strength = tuple(posed.lines(candidate).items()), posed.strength_of(candidate)
        kernel = posed.kernel(candidate)
        kernels = (
            [(kernel, everywhere)]
            if kernel is not None
            else [(posed.kernel_on(candidate, train), [part]) for part, (train, _) in enumerate(splits)]
        )
        for text, parts in kernels:
            tried.setdefault((lines, tuple(parts), text), {}).setdefault(strength, []).append(place)
    together: dict[tuple[Any, ...], list[tuple[str, _Places]]] = {}
    for (lines, parts, text), places in tried.items():
        together.setdefault((lines, parts, tuple(places)), []).append((text, places))
    return [(dict(lines), list(parts), plan) for (lines, parts, _), plan in together.items()]


def _scored(scoring: str, told: np.ndarray, posed: Posed, splits: Splits) -> np.ndarray:
    """Scores as scikit-learn has them, of which more is better, from what the engine told."""
    if scoring == "r2":
        variance = np.array([_variance(posed, test) for _, test in splits])
        # Where the target does not vary, scikit-learn has 1 for what is exact and 0 for all else.
        exact = np.where(told == 0.0, 1.0, 0.0)
        return np.where(variance > 0.0, 1.0 - told**2 / np.where(variance > 0.0, variance, 1.0), exact)
    if scoring == "neg_mean_squared_error":
        return -(told**2)
    return -told if scoring.startswith("neg_") else told


def _variance(posed: Posed, rows: np.ndarray) -> float:
    target, weights = posed.target[rows], None if posed.weights is None else posed.weights[rows]
    return float(np.average((target - np.average(target, weights=weights)) ** 2, weights=weights))


def _results(candidates: Sequence[dict[str, Any]], scores: np.ndarray, solved: np.ndarray) -> dict[str, Any]:
    """The table under scikit-learn's names."""
    results: dict[str, Any] = {}
    for name in sorted({name for parameters in candidates for name in parameters}):
        mask = [name not in parameters for parameters in candidates]
        column: Any = np.ma.MaskedArray(np.empty(len(candidates), dtype=object), mask=mask)
        for place, parameters in enumerate(candidates):
            if name in parameters:
                column[place] = parameters[name]
        results[f"param_{name}"] = column
    results["params"] = list(candidates)
    for split in range(scores.shape[1]):
        results[f"split{split}_test_score"] = scores[:, split].copy()
    results["mean_test_score"] = scores.mean(axis=1)
    results["std_test_score"] = scores.std(axis=1)
    results["rank_test_score"] = rankdata(-results["mean_test_score"], method="min").astype(np.int32)
    results["solved"] = solved
    return results
