"""The support vector machines find what scikit-learn finds: the same objective, scores and votes.

Both sides are solved tightly, and the functions of `problems.py` judge both solutions.
"""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any

import mercer
import numpy as np
import pytest
import sklearn.svm
from problems import (
    Floats,
    classes_dual,
    coefficients,
    data_set,
    kernel_matrix,
    numbers_dual,
    pairs_of,
    quadratic,
    relative,
)
from scipy import sparse

#: Relative difference of objectives that counts as the same.
SAME = 1e-6
#: Scores nearer than this share of the largest one count as the same.
CLOSE = 1e-4
TIGHT: dict[str, Any] = {"tol": 1e-8}
#: LIBSVM keeps kernel entries in single precision; with that, some of these problems never come to an end.
PATIENCE = 500_000

KERNELS: list[dict[str, Any]] = [
    {"kernel": "linear"},
    {"kernel": "rbf"},
    {"kernel": "rbf", "gamma": 0.5},
    {"kernel": "poly", "degree": 2, "gamma": 0.2, "coef0": 1.0},
    {"kernel": "poly", "degree": 3, "gamma": "scale", "coef0": 0.5},
]
CLASSES = ["iris", "wine", "breast_cancer", "digits", "moons", "circles", "blobs"]
NUMBERS = ["diabetes", "friedman"]
CONFIGURATIONS = list(product(CLASSES, KERNELS, [0.1, 1.0])) + list(product(["iris", "moons"], KERNELS[1:], [30.0]))


def named(value: object) -> str | None:
    """A short name of a configuration for pytest."""
    if isinstance(value, dict):
        return "-".join(str(part) for part in value.values())
    return None


def both(name: str, settings: dict[str, Any], x: Any, y: Any, **fit: Any) -> tuple[Any, Any]:
    """Mercer's and scikit-learn's estimator of the same name, fitted to the same rows."""
    ours = getattr(mercer, name)(**TIGHT, **settings)
    theirs = getattr(sklearn.svm, name)(**TIGHT, **settings, max_iter=PATIENCE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours.fit(x, y, **fit)
        warnings.simplefilter("ignore")
        return ours, theirs.fit(x, y, **fit)


def assert_close(ours: Floats, theirs: Floats) -> None:
    """Scores agree up to a small part of the largest one."""
    np.testing.assert_allclose(ours, theirs, rtol=CLOSE, atol=CLOSE * np.abs(theirs).max())


def assert_same_machines(ours: Any, theirs: Any, matrix: Floats, y: Any, bound: Any) -> None:
    """Every pair of classes has the same dual objective, and our coefficients are feasible."""
    for mine, other in zip(pairs_of(ours, y), pairs_of(theirs, y), strict=True):
        assert relative(classes_dual(mine, matrix), classes_dual(other, matrix)) <= SAME
        assert np.all(np.abs(mine) <= bound * (1 + 1e-12))
        assert abs(mine.sum()) <= 1e-9 * np.abs(mine).sum()


@pytest.mark.parametrize(("name", "kernel", "c"), CONFIGURATIONS, ids=named)
def test_classes(name: str, kernel: dict[str, Any], c: float) -> None:
    """Objective, scores, votes and classes of SVC."""
    x, y = data_set(name)
    settings = {**kernel, "C": c, "decision_function_shape": "ovo"}
    ours, theirs = both("SVC", settings, x, y)
    assert ours.converged_
    assert_same_machines(ours, theirs, kernel_matrix(kernel, x, x), y, c)
    mine, other = ours.decision_function(x), theirs.decision_function(x)
    assert_close(mine, other)
    clear = np.abs(other) > CLOSE * np.abs(other).max()
    assert np.array_equal((mine > 0)[clear], (other > 0)[clear])
    assert np.mean(clear) > 0.9


@pytest.mark.parametrize("name", ["iris", "wine", "digits", "blobs"])
def test_one_against_rest_scores(name: str) -> None:
    """The votes with their confidences, and the class with the highest score, as scikit-learn breaks ties."""
    x, y = data_set(name)
    new = x + 0.3 * np.random.default_rng(1).standard_normal(x.shape)
    ours, theirs = both("SVC", {"kernel": "rbf", "gamma": 0.1, "C": 3.0}, x, y)
    theirs.set_params(break_ties=True)
    mine, other = ours.decision_function(new), theirs.decision_function(new)
    pairs = theirs.set_params(decision_function_shape="ovo").decision_function(new)
    theirs.set_params(decision_function_shape="ovr")
    clear = np.all(np.abs(pairs) > CLOSE * np.abs(pairs).max(), axis=1)
    assert np.mean(clear) > 0.9
    np.testing.assert_allclose(mine[clear], other[clear], atol=CLOSE)
    first, second = np.sort(other, axis=1)[:, -1], np.sort(other, axis=1)[:, -2]
    clear &= first - second > CLOSE
    assert np.array_equal(ours.predict(new)[clear], theirs.predict(new)[clear])
    assert np.array_equal(ours.predict(new), ours.classes_[mine.argmax(axis=1)])


@pytest.mark.parametrize("name", ["iris", "moons"])
@pytest.mark.parametrize("weight", ["balanced", "given"])
def test_weights_of_classes(name: str, weight: str) -> None:
    """Weights of classes change C for their rows."""
    x, y = data_set(name)
    keep = np.flatnonzero((y != 0) | (np.arange(len(y)) % 3 == 0))
    x, y = x[keep], y[keep]
    given: Any = {0: 5.0, 1: 0.5} if weight == "given" else "balanced"
    kernel = {"kernel": "rbf", "gamma": 0.3}
    ours, theirs = both("SVC", {**kernel, "C": 0.7, "class_weight": given}, x, y)
    np.testing.assert_allclose(ours.class_weight_, theirs.class_weight_)
    bound = 0.7 * theirs.class_weight_[np.searchsorted(theirs.classes_, y)]
    assert_same_machines(ours, theirs, kernel_matrix(kernel, x, x), y, bound)
    assert_close(ours.decision_function(x), theirs.decision_function(x))


@pytest.mark.parametrize("estimator", ["SVC", "SVR", "OneClassSVM"])
def test_weights_of_rows(estimator: str) -> None:
    """Weights of rows change C for them; a row of weight zero is not there."""
    x, y = data_set("moons")
    weights = np.random.default_rng(2).uniform(0.0, 3.0, len(y))
    weights[::7] = 0.0
    kernel = {"kernel": "rbf", "gamma": 0.3}
    ours, theirs = both(estimator, kernel, x, y, sample_weight=weights)
    answers = [each.predict(x) if estimator == "SVR" else each.decision_function(x) for each in (ours, theirs)]
    assert_close(*answers)
    # scikit-learn numbers its support vectors as if the rows of weight zero had not been given.
    theirs.support_ = np.flatnonzero(weights > 0)[theirs.support_].astype(np.int32)
    assert np.all(weights[ours.support_] > 0)
    if estimator == "SVC":
        assert_same_machines(ours, theirs, kernel_matrix(kernel, x, x), y, weights)


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("kernel", KERNELS[:4], ids=named)
@pytest.mark.parametrize(("c", "epsilon"), [(0.1, 0.1), (1.0, 0.01), (5.0, 0.5)])
def test_numbers(name: str, kernel: dict[str, Any], c: float, epsilon: float) -> None:
    """Objective and predictions of SVR."""
    x, y = data_set(name)
    ours, theirs = both("SVR", {**kernel, "C": c, "epsilon": epsilon}, x, y)
    matrix = kernel_matrix(kernel, x, x)
    mine, other = coefficients(ours, len(y)), coefficients(theirs, len(y))
    found, wanted = (numbers_dual(each, matrix, y, epsilon) for each in (mine, other))
    # LIBSVM that ran out of patience is a lower bound only.
    assert relative(found, wanted) <= SAME if theirs.fit_status_ == 0 else found >= wanted
    assert np.abs(mine).max() <= c * (1 + 1e-12)
    assert abs(mine.sum()) <= 1e-9 * np.abs(mine).sum()
    if theirs.fit_status_ != 0:
        return
    assert_close(ours.predict(x), theirs.predict(x))


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("kernel", KERNELS[:4], ids=named)
@pytest.mark.parametrize("nu", [0.2, 0.6])
def test_numbers_by_nu(name: str, kernel: dict[str, Any], nu: float) -> None:
    """NuSVR: the objective without ε, under its bound on the sum of the coefficients."""
    x, y = data_set(name)
    ours, theirs = both("NuSVR", {**kernel, "C": 0.5, "nu": nu}, x, y)
    matrix = kernel_matrix(kernel, x, x)
    mine, other = coefficients(ours, len(y)), coefficients(theirs, len(y))
    assert relative(numbers_dual(mine, matrix, y, 0.0), numbers_dual(other, matrix, y, 0.0)) <= SAME
    assert np.abs(mine).max() <= 0.5 * (1 + 1e-9)
    assert np.abs(mine).sum() <= 0.5 * nu * len(y) * (1 + 1e-9)
    assert_close(ours.predict(x), theirs.predict(x))


@pytest.mark.parametrize("name", ["iris", "wine", "moons", "circles"])
@pytest.mark.parametrize("kernel", KERNELS[1:4], ids=named)
@pytest.mark.parametrize("nu", [0.15, 0.4])
def test_classes_by_nu(name: str, kernel: dict[str, Any], nu: float) -> None:
    """NuSVC: ½ βᵀKβ for coefficients that are scaled to the sum 1, under the bound that ν gives them.

    The scores are given by the coefficients where both classes have one inside its bounds, and the margin is above 0.
    """
    x, y = data_set(name)
    ours, theirs = both("NuSVC", {**kernel, "nu": nu, "decision_function_shape": "ovo"}, x, y)
    matrix = kernel_matrix(kernel, x, x)
    scores = [each.decision_function(x).reshape(len(x), -1) for each in (ours, theirs)]
    for k, (mine, other) in enumerate(zip(pairs_of(ours, y), pairs_of(theirs, y), strict=True)):
        one, two = mine / np.abs(mine).sum(), other / np.abs(other).sum()
        assert abs(one.sum()) <= 1e-9
        found, wanted, nothing = quadratic(one, matrix), quadratic(two, matrix), SAME * np.diag(matrix).mean()
        if wanted <= nothing:
            assert found <= nothing
            continue
        assert relative(found, wanted) <= SAME
        free = one[(one != 0) & (np.abs(one) < np.abs(one).max() * (1 - 1e-9))]
        if free.min() < 0 < free.max():
            assert_close(scores[0][:, k], scores[1][:, k])


@pytest.mark.parametrize("name", ["iris", "breast_cancer", "blobs", "moons"])
@pytest.mark.parametrize("kernel", [*KERNELS[1:4]], ids=named)
@pytest.mark.parametrize("nu", [0.05, 0.5])
def test_novelty(name: str, kernel: dict[str, Any], nu: float) -> None:
    """OneClassSVM: ½ αᵀKα for coefficients of sum νn."""
    x, _ = data_set(name)
    ours, theirs = both("OneClassSVM", {**kernel, "nu": nu}, x, None)
    matrix = kernel_matrix(kernel, x, x)
    mine, other = coefficients(ours, len(x)), coefficients(theirs, len(x))
    assert relative(quadratic(mine, matrix), quadratic(other, matrix)) <= SAME
    assert np.all((mine >= 0) & (mine <= 1 + 1e-9))
    np.testing.assert_allclose(mine.sum(), nu * len(x), rtol=1e-9)
    assert_close(ours.decision_function(x), theirs.decision_function(x))
    assert_close(ours.score_samples(x), theirs.score_samples(x))


@pytest.mark.parametrize("kernel", KERNELS, ids=named)
def test_sparse_rows_are_dense_rows(kernel: dict[str, Any]) -> None:
    """The same machine from sparse and dense rows, and either predicts from the other."""
    x, y = data_set("digits")
    x = np.where(np.abs(x) < 0.8, 0.0, x)
    settings = {**kernel, "C": 1.0, "decision_function_shape": "ovo"}
    full, thin = (mercer.SVC(**TIGHT, **settings).fit(rows, y) for rows in (x, sparse.csr_array(x)))
    matrix = kernel_matrix(kernel, x, x)
    assert_same_machines(thin, full, matrix, y, 1.0)
    assert_close(thin.decision_function(sparse.csr_array(x)), full.decision_function(x))
    assert_close(thin.decision_function(x), full.decision_function(x))
    assert_close(full.decision_function(sparse.csr_array(x)), full.decision_function(x))


@pytest.mark.parametrize("kernel", KERNELS, ids=named)
def test_single_precision(kernel: dict[str, Any]) -> None:
    """Rows in single precision give the machine of the same rows in double precision, nearly."""
    x, y = data_set("wine")
    single = x.astype(np.float32)
    settings = {**kernel, "C": 1.0, "decision_function_shape": "ovo"}
    ours = mercer.SVC(**TIGHT, **settings).fit(single, y)
    theirs = sklearn.svm.SVC(**TIGHT, **settings).fit(single.astype(np.float64), y)
    assert ours.support_vectors_.dtype == np.float32
    np.testing.assert_array_equal(ours.support_vectors_, single[ours.support_])
    matrix = kernel_matrix(kernel, single.astype(np.float64), single.astype(np.float64))
    for mine, other in zip(pairs_of(ours, y), pairs_of(theirs, y), strict=True):
        assert relative(classes_dual(mine, matrix), classes_dual(other, matrix)) <= 1e-4
    np.testing.assert_allclose(ours.decision_function(single), theirs.decision_function(x), atol=2e-3)


def test_enough_configurations() -> None:
    """At least thirty different data sets, kernels and C for SVC."""
    assert len({str(configuration) for configuration in CONFIGURATIONS}) >= 30


NEAR = [
    (mercer.SVC(gamma=0.3), 2, "dense"),
    (mercer.SVC(gamma=0.3), 5, "dense"),
    (mercer.SVC(gamma=0.05), 2, "wide"),
    (mercer.SVC(gamma=0.05), 5, "sparse"),
    (mercer.SVC(kernel="sigmoid", gamma=0.1, coef0=-1.0), 2, "dense"),
    (mercer.OneClassSVM(gamma=0.3, nu=0.3), 1, "dense"),
    (mercer.KernelLogistic(gamma=0.3, C=5), 2, "dense"),
    (mercer.KernelLogistic(gamma=0.3, C=5, multi_class="multinomial"), 3, "dense"),
    (mercer.LeastSquaresSVC(gamma=0.3), 5, "dense"),
]


@pytest.mark.parametrize(("machine", "classes", "form"), NEAR, ids=lambda case: type(case).__name__)
def test_answers_near_a_boundary(machine: Any, classes: int, form: str) -> None:
    """Answers are those of the accurate scores, however near a boundary, though not all of these are computed."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, 400)
    x = rng.standard_normal((400, 6 if form == "dense" else 80))
    x[np.arange(400), y] += 1.0
    if form == "sparse":
        x = sparse.csr_array(x * (rng.random(x.shape) < 0.1))
    if classes > 1:
        machine.fit(x, y)
    else:
        machine.fit(x)
    low, high = x, x[np.roll(np.arange(400), 200)]
    first = machine.predict(low)
    for _ in range(50):
        middle = (low + high) / 2
        found, scores = machine.predict(middle), machine.decision_function(middle)
        if classes == 1:
            expected = np.where(scores >= 0, 1, -1)
        elif classes == 2:
            expected = machine.classes_[(scores > 0).astype(int)]
        else:
            expected = machine.classes_[scores.argmax(axis=1)]
        np.testing.assert_array_equal(found, expected)
        same = (found == first).astype(float)[:, None]
        low, high = same * middle + (1 - same) * low, same * high + (1 - same) * middle
