"""Searches: GridSearch against scikit-learn's on the same folds, and what `tune` finds against loops by hand."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Any

import mercer
import numpy as np
import pandas as pd
import pytest
import sklearn.kernel_ridge
import sklearn.svm
from mercer.exceptions import KernelError, MercerError
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

KEYS = {"params", "mean_test_score", "std_test_score", "rank_test_score"}


@pytest.fixture(scope="module")
def cancer() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X)[:300], y[:300]


@pytest.fixture(scope="module")
def iris() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_iris(return_X_y=True)
    return X, np.array(["setosa", "versicolor, or not", "virginica"])[y]


@pytest.fixture(scope="module")
def diabetes() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_diabetes(return_X_y=True)
    return StandardScaler().fit_transform(X)[:200], (y[:200] - y.mean()) / y.std()


def check(
    ours: Any, theirs: Any, grid: Any, data: Any, *, within: float = 1e-4, weights: Any = None, **how: Any
) -> Any:
    """The same candidates, splits, scores and choice; a row that falls to the other side is more than is allowed."""
    given = {} if weights is None else {"sample_weight": weights}
    groups = how.pop("groups", None)
    found = mercer.GridSearch(ours, grid, **how).fit(*data, groups=groups, **given)
    # Threads of BLAS that wait for each other on matrices of this size take minutes.
    with threadpool_limits(1):
        expected = GridSearchCV(theirs, grid, **how).fit(*data, groups=groups, **given)
    names = {name for name in expected.cv_results_ if name.startswith(("param_", "split"))} | KEYS
    assert names <= set(found.cv_results_)
    assert found.cv_results_["params"] == expected.cv_results_["params"]
    for name in names - {"params", "rank_test_score"}:
        if name.startswith("param_"):
            assert found.cv_results_[name].tolist() == expected.cv_results_[name].tolist()
    mean, theirs_mean = (search.cv_results_["mean_test_score"] for search in (found, expected))
    assert np.abs(mean - theirs_mean).max() <= within
    split = "split0_test_score"
    assert np.abs(found.cv_results_[split] - expected.cv_results_[split]).max() <= 10 * within
    assert found.best_params_ == expected.best_params_
    assert found.best_score_ == pytest.approx(expected.best_score_, abs=within)
    assert found.n_splits_ == expected.n_splits_
    assert found.cv_results_["solved"].all()
    return found


# ------------------------------------------------------------------------------------------------- GridSearch


def test_svc_has_the_scores_and_the_choice_of_scikit_learn(cancer: Any) -> None:
    grid = {"C": [0.1, 1, 10, 100], "gamma": [0.001, 0.01, 0.1]}
    found = check(mercer.SVC(tol=1e-6), sklearn.svm.SVC(tol=1e-6), grid, cancer)
    X, y = cancer
    assert found.score(X, y) == found.best_estimator_.score(X, y) > 0.9
    assert (found.predict(X) == found.best_estimator_.predict(X)).all()
    assert found.decision_function(X).shape == y.shape
    assert found.classes_.tolist() == [0, 1]
    assert found.best_estimator_.get_params()["C"] == found.best_params_["C"]
    assert not hasattr(found, "predict_proba")


def test_kernels_of_several_kinds_and_classes_with_names(iris: Any) -> None:
    grid = [
        {"kernel": ["rbf", "poly", "linear"], "C": [0.1, 1.0, 10.0], "gamma": ["scale", "auto", 0.5]},
        {"kernel": ["sigmoid"], "C": [0.1, 1.0], "gamma": [0.001], "coef0": [0.0, 0.5]},
    ]
    check(mercer.SVC(tol=1e-6), sklearn.svm.SVC(tol=1e-6), grid, iris)


def test_expressions_and_kernel_objects_are_candidates(iris: Any) -> None:
    X, y = iris
    kernels = ["rbf(sigma=1)", mercer.kernels.rbf(sigma=2.0) + mercer.kernels.linear()]
    found = mercer.GridSearch(mercer.SVC(tol=1e-6), {"kernel": kernels, "C": [1.0, 10.0]}).fit(X, y)
    for parameters, mean in zip(found.cv_results_["params"], found.cv_results_["mean_test_score"], strict=True):
        assert mean == cross_val_score(mercer.SVC(**parameters), X, y).mean()


def test_svr_over_epsilon(diabetes: Any) -> None:
    grid = {"C": [0.1, 1, 10], "epsilon": [0.01, 0.1, 0.5], "gamma": [0.01, 0.1]}
    check(mercer.SVR(tol=1e-6), sklearn.svm.SVR(tol=1e-6), grid, diabetes)


@pytest.mark.parametrize(
    "scoring", [None, "r2", "neg_mean_squared_error", "neg_root_mean_squared_error", "neg_mean_absolute_error"]
)
def test_ridge_by_every_scorer(diabetes: Any, scoring: str | None) -> None:
    grid = {"alpha": [0.01, 0.1, 1.0, 10.0], "kernel": ["rbf", "poly", "laplacian"], "gamma": [None, 0.01]}
    ours, theirs = mercer.KernelRidge(), sklearn.kernel_ridge.KernelRidge()
    check(ours, theirs, grid, diabetes, scoring=scoring, within=1e-8)


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "f1", "roc_auc"])
def test_two_classes_by_every_scorer(cancer: Any, scoring: str) -> None:
    check(
        mercer.SVC(tol=1e-6), sklearn.svm.SVC(tol=1e-6), {"C": [0.01, 1], "gamma": [0.01, 0.1]}, cancer, scoring=scoring
    )


def test_several_classes_by_their_mean_f1(iris: Any) -> None:
    check(mercer.SVC(tol=1e-6), sklearn.svm.SVC(tol=1e-6), {"C": [0.01, 1]}, iris, scoring="f1_macro")


@pytest.mark.parametrize("weight", ["balanced", {0: 5.0}, {0: 0.2, 1: 3}])
def test_weights_of_classes(cancer: Any, weight: Any) -> None:
    # With a smaller C every coefficient is at its bound, and any offset of an interval as good as another.
    grid = {"C": [0.1, 1, 10], "class_weight": [None, weight]}
    check(mercer.SVC(gamma=0.01, tol=1e-6), sklearn.svm.SVC(gamma=0.01, tol=1e-6), grid, cancer)


def test_weights_of_classes_with_names(iris: Any) -> None:
    grid = {"C": [0.01, 0.1], "class_weight": [{"versicolor, or not": 4.0}]}
    check(mercer.SVC(gamma=0.1, tol=1e-6), sklearn.svm.SVC(gamma=0.1, tol=1e-6), grid, iris)


def test_weights_of_rows(cancer: Any, diabetes: Any) -> None:
    weights = np.where(cancer[1] == 0, 20.0, 0.1)
    grid = {"C": [0.01, 0.1, 1], "gamma": [0.01]}
    found = check(mercer.SVC(tol=1e-6), sklearn.svm.SVC(tol=1e-6), grid, cancer, weights=weights)
    plain = mercer.GridSearch(mercer.SVC(), grid).fit(*cancer)
    assert np.abs(found.cv_results_["mean_test_score"] - plain.cv_results_["mean_test_score"]).max() > 0.01
    weights = np.linspace(0.1, 3.0, 200)
    ours, theirs = mercer.KernelRidge(kernel="rbf"), sklearn.kernel_ridge.KernelRidge(kernel="rbf")
    check(ours, theirs, {"alpha": [0.1, 1.0]}, diabetes, weights=weights, within=1e-8)


@pytest.mark.parametrize(
    "cv",
    [
        3,
        StratifiedKFold(4, shuffle=True, random_state=1),
        ShuffleSplit(3, test_size=0.3, random_state=0),
        [(np.arange(100, 300), np.arange(100)), (np.arange(150), np.arange(250, 300))],
    ],
    ids=["number", "stratified", "shuffled", "pairs"],
)
def test_folds_are_those_that_are_asked_for(cancer: Any, cv: Any) -> None:
    check(mercer.SVC(tol=1e-6), sklearn.svm.SVC(tol=1e-6), {"C": [0.1, 1], "gamma": [0.01, 0.1]}, cancer, cv=cv)


def test_groups_reach_the_splitter(cancer: Any) -> None:
    groups = np.arange(300) // 7
    grid = {"C": [0.1, 1]}
    check(mercer.SVC(tol=1e-6), sklearn.svm.SVC(tol=1e-6), grid, cancer, cv=GroupKFold(3), groups=groups)


def test_masks_are_splits_too(cancer: Any) -> None:
    first = np.arange(300) < 150
    by_mask = mercer.GridSearch(mercer.SVC(), {"C": [0.1, 1]}, cv=[(first, ~first)]).fit(*cancer)
    by_number = mercer.GridSearch(mercer.SVC(), {"C": [0.1, 1]}, cv=[(np.flatnonzero(first), np.flatnonzero(~first))])
    expected = by_number.fit(*cancer).cv_results_["mean_test_score"]
    assert by_mask.cv_results_["mean_test_score"].tolist() == expected.tolist()


def test_other_machines_have_the_scores_of_their_own_fits(cancer: Any, diabetes: Any) -> None:
    machines: list[tuple[Any, Any]] = [
        (mercer.KernelLogistic(gamma=0.01), cancer),
        (mercer.LeastSquaresSVC(gamma=0.01), cancer),
        (mercer.KernelQuantile(gamma=0.01, quantile=0.3), diabetes),
        (mercer.NuSVR(gamma=0.01), diabetes),
    ]
    for machine, (X, y) in machines:
        found = mercer.GridSearch(machine, {"C": [0.1, 1.0]}, cv=3).fit(X, y)
        for place, C in enumerate([0.1, 1.0]):
            expected = cross_val_score(clone(machine).set_params(C=C), X, y, cv=3)
            assert found.cv_results_["mean_test_score"][place] == pytest.approx(expected.mean(), abs=2e-3)


def test_without_a_refit_there_is_a_table_but_no_estimator(cancer: Any) -> None:
    found = mercer.GridSearch(mercer.SVC(), {"C": [0.1, 1]}, refit=False).fit(*cancer)
    assert not hasattr(found, "best_estimator_") and found.best_params_ in ({"C": 0.1}, {"C": 1})


def test_frames_give_names_and_threads_change_nothing(cancer: Any) -> None:
    X, y = cancer
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    grid = {"C": [0.1, 1], "gamma": ["scale", 0.1]}
    one = mercer.GridSearch(mercer.SVC(), grid, n_jobs=1).fit(frame, y)
    two = mercer.GridSearch(mercer.SVC(), grid, n_jobs=2).fit(X, y)
    assert one.feature_names_in_.tolist() == list(frame.columns)
    assert one.cv_results_["mean_test_score"].tolist() == two.cv_results_["mean_test_score"].tolist()


def test_what_it_cannot_do_is_an_error_that_names_who_can(cancer: Any) -> None:
    X, y = cancer
    for estimator, grid, how in [
        (make_pipeline(StandardScaler(), mercer.SVC()), {"svc__C": [1]}, {}),
        (sklearn.svm.SVC(), {"C": [1]}, {}),
        (mercer.NuSVC(), {"nu": [0.1]}, {}),
        (mercer.SVC(), {"shrinking": [True]}, {}),
        (mercer.SVC(), {"C": [1]}, {"scoring": "neg_log_loss"}),
        (mercer.SVC(kernel=lambda a, b: a @ b.T), {"C": [1]}, {}),
        (mercer.SVC(kernel="precomputed"), {"C": [1]}, {}),
    ]:
        with pytest.raises(MercerError, match="GridSearchCV"):
            mercer.GridSearch(estimator, grid, **how).fit(X @ X.T if len(how) else X[:, :30], y)
    with pytest.raises(ValueError, match="CC"):
        mercer.GridSearch(mercer.SVC(), {"CC": [1]}).fit(X, y)
    with pytest.raises(ValueError, match="'C' parameter"):
        mercer.GridSearch(mercer.SVC(), {"C": [-1.0]}).fit(X, y)
    with pytest.raises(MercerError, match="'f1' of 3 classes"):
        mercer.GridSearch(mercer.SVC(), {"C": [1]}, scoring="f1").fit(X, np.arange(300) % 3)
    with pytest.raises(MercerError, match="row 300"):
        mercer.GridSearch(mercer.SVC(), {"C": [1]}, cv=[([0, 1], [300])]).fit(X, y)


# ------------------------------------------------------------------------------------------------------- tune


def test_tune_has_the_scores_of_models_fitted_one_by_one(cancer: Any) -> None:
    X, y = cancer
    splitter = StratifiedKFold(3, shuffle=True, random_state=2)
    found = mercer.tune(X, y, "linear | rbf(sigma=3..30)", C="0.1|10", points=3, cv=splitter)
    assert len(found.table["mean"]) == 8 and found.n_splits == 3 and not found.cut_short
    for place, (kernel, C) in enumerate(zip(found.table["kernel"], found.table["C"], strict=True)):
        expected = cross_val_score(mercer.SVC(kernel=kernel, C=C), X, y, cv=splitter)
        ours = [found.table[f"split_{k}"][place] for k in range(3)]
        assert ours == pytest.approx(expected, abs=0.011)
        assert found.table["mean"][place] == pytest.approx(expected.mean(), abs=0.004)
    assert found.best["mean"] == max(found.table["mean"])
    assert found.best["mean"] - found.best["standard_error"] <= found.simplest["mean"]
    assert found.simplest["C"] <= found.best["C"]


def test_every_row_left_out_by_itself_in_closed_form(diabetes: Any) -> None:
    X, y = diabetes
    X, y = X[:60], y[:60]
    found = mercer.tune(X, y, "rbf(gamma=0.1)", alpha=[0.3], estimator=mercer.KernelRidge(), cv="leave-one-out")
    left = cross_val_predict(mercer.KernelRidge(kernel="rbf", gamma=0.1, alpha=0.3), X, y, cv=LeaveOneOut())
    assert found.best["mean"] == pytest.approx(np.sqrt(np.mean((left - y) ** 2)), rel=1e-8)


def test_tune_of_numbers_is_a_ridge_by_the_rmse(diabetes: Any) -> None:
    X, y = diabetes
    splitter = KFold(4)
    found = mercer.tune(X, y, "rbf(gamma=0.01|0.1)", alpha=[0.1, 1.0], cv=splitter)
    assert found.metric == "rmse" and not found.larger_is_better
    for place, (kernel, alpha) in enumerate(zip(found.table["kernel"], found.table["alpha"], strict=True)):
        ridge = mercer.KernelRidge(kernel=kernel, alpha=alpha)
        expected = -cross_val_score(ridge, X, y, cv=splitter, scoring="neg_root_mean_squared_error")
        assert found.table["mean"][place] == pytest.approx(expected.mean(), abs=1e-9)
    assert found.best["mean"] == min(found.table["mean"])
    model = found.fit()
    assert isinstance(model, mercer.KernelRidge) and model.alpha == found.best["alpha"]


@pytest.mark.parametrize("search", ["grid", "random", "halving", "refine"])
def test_every_search_finds_something_good(cancer: Any, search: Any) -> None:
    found = mercer.tune(*cancer, "rbf(sigma=0.5..50)", points=4, draws=10, search=search, cv=3)
    assert found.best["mean"] > 0.93
    again = mercer.tune(*cancer, "rbf(sigma=0.5..50)", points=4, draws=10, search=search, cv=3, n_jobs=1)
    assert again.table == found.table


@pytest.mark.parametrize(
    ("how", "splits"),
    [
        ({"cv": 4}, 4),
        ({"cv": 3, "repeats": 2}, 6),
        ({"cv": 0.3}, 1),
        ({"cv": "hold-out"}, 1),
        ({"cv": 3, "ordered": True}, 3),
        ({"cv": 3, "groups": np.arange(300) // 10}, 3),
        ({"cv": GroupKFold(5), "groups": np.arange(300) // 10}, 5),
        ({"cv": [(range(200), range(200, 300))]}, 1),
    ],
)
def test_rows_are_parted_as_asked(cancer: Any, how: Any, splits: int) -> None:
    found = mercer.tune(*cancer, "rbf(sigma=5)", C=[1.0], **how)
    assert found.n_splits == splits == len(found.best["scores"])


def test_the_table_is_a_frame_and_the_map_its_means(cancer: Any) -> None:
    found = mercer.tune(*cancer, "rbf(sigma=2|20) + poly(degree=1|2, offset=1)", C=[0.1, 1, 10], cv=3)
    frame = pd.DataFrame(found.table)
    assert {"kernel", "sigma", "degree", "C", "mean", "standard_error", "solved"} <= set(frame.columns)
    assert "offset" not in frame.columns and len(frame) == 12 and frame["solved"].all()
    told = found.heat_map("sigma")
    assert (told["rows"], told["columns"], told["row_values"]) == ("sigma", "C", [2.0, 20.0])
    best = frame.groupby(["sigma", "C"])["mean"].max().unstack()
    assert np.array_equal(told["values"], best.to_numpy())
    assert found.heat_map("degree", "sigma")["values"].shape == (2, 2)
    with pytest.raises(ValueError, match="sigma, degree, C"):
        found.heat_map("offset")
    words = mercer.tune(*cancer, C=[1.0], cv=2).heat_map()
    assert words["row_values"] == ["q10", "q25", "median", "q75", "q90"]


def test_texts_are_searched_too() -> None:
    texts = ["ACGT" * 3 + "A" * (k % 5) if k % 2 else "TTGA" * 3 + "C" * (k % 5) for k in range(40)]
    found = mercer.tune(texts, ["odd" if k % 2 else "even" for k in range(40)], "spectrum(k=1..3)", C=[1.0], cv=4)
    assert found.table["k"] == [1.0, 2.0, 3.0] and found.best["mean"] == 1.0
    assert found.fit().predict(texts[:2]).tolist() == ["even", "odd"]


def test_what_was_found_is_fitted(cancer: Any) -> None:
    X, y = cancer
    found = mercer.tune(X, y, "rbf(sigma=2|20)", C=[0.1, 1], estimator=mercer.SVC(class_weight="balanced"))
    model = found.fit("simplest")
    assert model.class_weight == "balanced"
    assert (model.kernel, model.C) == (found.simplest["kernel"], found.simplest["C"])
    by_hand = mercer.SVC(kernel=model.kernel, C=model.C, class_weight="balanced").fit(X, y)
    assert np.array_equal(model.decision_function(X), by_hand.decision_function(X))
    assert found.fit(X=X[:100], y=y[:100]).shape_fit_[0] == 100


def test_weights_count_in_training_and_in_the_metric(cancer: Any) -> None:
    X, y = cancer
    weights = np.where(np.arange(300) % 2 == 0, 0.0, 1.0)
    splits = [(np.arange(200), np.arange(200, 300))]
    found = mercer.tune(X, y, "rbf(sigma=5)", C=[1.0], cv=splits, sample_weight=weights)
    kept = np.flatnonzero(weights[:200])
    tested = 200 + np.flatnonzero(weights[200:])
    expected = mercer.SVC(kernel="rbf(sigma=5)", C=1.0).fit(X[kept], y[kept]).score(X[tested], y[tested])
    assert found.best["mean"] == pytest.approx(expected)


def test_a_journal_goes_on_where_it_was(cancer: Any, tmp_path: Path) -> None:
    path = tmp_path / "search.jsonl"
    how: dict[str, Any] = {"kernel": "rbf(sigma=2|20)", "C": [0.1, 1.0, 10.0], "cv": StratifiedKFold(3)}
    whole = mercer.tune(*cancer, **how)
    assert mercer.tune(*cancer, **how, journal=path).table == whole.table
    lines = path.read_text().splitlines(keepends=True)
    assert len(lines) == 1 + 2 * 3 * 3
    path.write_text("".join(lines[:7]))
    assert mercer.tune(*cancer, **how, journal=path).table == whole.table
    with pytest.raises(MercerError, match="another search"):
        mercer.tune(*cancer, **{**how, "cv": StratifiedKFold(4)}, journal=path)


def test_a_listener_hears_all_fits_and_may_end_the_search(cancer: Any, capsys: Any) -> None:
    heard: list[tuple[int, int, float]] = []
    X = np.tile(cancer[0], (5, 1)) + 0.01 * np.random.default_rng(0).standard_normal((1500, 30))
    y = np.tile(cancer[1], 5)

    def listen(done: int, fits: int, seconds: float) -> bool:
        heard.append((done, fits, seconds))
        return done >= 60

    with pytest.warns(ConvergenceWarning, match="cut short"):
        found = mercer.tune(X, y, "rbf(sigma=0.5..50)", points=10, cv=2, progress=listen)
    assert found.cut_short and 0 < len(found.table["mean"]) < 100
    assert heard[0][1] == 200 and heard[-1][0] >= 60


def test_a_search_without_time_says_so(cancer: Any) -> None:
    with pytest.raises(MercerError, match="in the time there was"):
        mercer.tune(*cancer, time_limit=0.0)


def test_ctrl_c_ends_a_search(cancer: Any) -> None:
    X = np.tile(cancer[0], (20, 1)) + 0.3 * np.random.default_rng(0).standard_normal((6000, 30))
    y = np.tile(cancer[1], 20)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        mercer.GridSearch(mercer.SVC(), {"C": [10.0] * 50, "gamma": np.logspace(-3, 0, 50)}).fit(X, y)
    timer.join()


def test_mistakes_are_told(cancer: Any) -> None:
    X, y = cancer
    for error, match, how in [
        (ValueError, "has no alpha", {"alpha": [1.0]}),
        (ValueError, "grid, random, halving, refine", {"search": "best"}),
        (ValueError, "a number of folds", {"cv": "folds"}),
        (ValueError, "one can be given", {"cv": 3, "ordered": True, "repeats": 2}),
        (ValueError, "for a number of folds", {"cv": KFold(3), "repeats": 2}),
        (MercerError, "no range", {"C": "10..1"}),
        (MercerError, "distances say nothing", {"C": "?"}),
        (KernelError, "rbff", {"kernel": "rbff(sigma=?)"}),
        (MercerError, "metric", {"metric": "goodness"}),
        (MercerError, "GridSearchCV", {"estimator": sklearn.svm.SVC()}),
        (MercerError, "not a callable or a matrix", {"kernel": "precomputed"}),
    ]:
        with pytest.raises(error, match=match):
            mercer.tune(X, y, **how)
    with pytest.raises(ValueError, match="best and simplest"):
        mercer.tune(X, y, "linear", C=[1.0]).fit("worst")  # type: ignore[arg-type]
