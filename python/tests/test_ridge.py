"""KernelRidge against scikit-learn's, numpy's linear algebra, and its own certificate."""

from __future__ import annotations

import pickle
import warnings

import mercer
import numpy as np
import pytest
import scipy.sparse as sp
from mercer import KernelRidge
from mercer.exceptions import KernelWarning, MercerError
from sklearn.base import clone
from sklearn.gaussian_process.kernels import RBF
from sklearn.kernel_ridge import KernelRidge as Theirs
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks


def rows(count: int = 60, columns: int = 5, seed: int = 0) -> np.ndarray:
    return np.random.RandomState(seed).uniform(size=(count, columns))


X = rows()
Y = np.random.RandomState(1).normal(size=(60, 3))
NEW = rows(25, seed=2)
WEIGHTS = np.random.RandomState(3).uniform(size=60)

#: Names of scikit-learn's, with parameters.
NAMED = [
    {"kernel": "linear"},
    {"kernel": "rbf"},
    {"kernel": "rbf", "gamma": 0.7},
    {"kernel": "rbf", "gamma": 0.0},
    {"kernel": "laplacian"},
    {"kernel": "laplacian", "gamma": 1.3},
    {"kernel": "poly"},
    {"kernel": "polynomial", "degree": 2, "coef0": 0.5, "gamma": 2.0},
    {"kernel": "poly", "degree": 2.5},
    {"kernel": "poly", "degree": 0},
    {"kernel": "cosine"},
    {"kernel": "chi2", "gamma": 0.8},
]


@parametrize_with_checks([KernelRidge(), KernelRidge(kernel="rbf", alpha=0.1)])
def test_conventions_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("form", ["dense", "float32", "csr", "csc", "fortran"])
@pytest.mark.parametrize("parameters", NAMED, ids=str)
def test_named_kernels_are_those_of_scikit_learn(parameters, form):
    if parameters["kernel"] == "chi2" and form in ("csr", "csc"):
        pytest.skip("scikit-learn has no chi2 of sparse rows")
    dtype = np.float32 if form == "float32" else np.float64
    make = {"csr": sp.csr_array, "csc": sp.csc_array, "fortran": np.asfortranarray}.get(form, np.asarray)
    ours = KernelRidge(alpha=0.3, **parameters).fit(make(X.astype(dtype)), Y[:, 0])
    theirs = Theirs(alpha=0.3, **parameters).fit(make(X), Y[:, 0])
    tolerance = 1e-4 if form == "float32" else 1e-8
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(
        ours.predict(make(NEW.astype(dtype))), theirs.predict(make(NEW)), rtol=tolerance, atol=tolerance
    )


@pytest.mark.parametrize("weights", [None, WEIGHTS, 2.0, np.where(WEIGHTS < 0.3, 0.0, WEIGHTS)], ids=str)
@pytest.mark.parametrize("alpha", [0.5, [0.5, 0.5, 0.5], [0.1, 1.0, 10.0]], ids=str)
@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed"])
def test_several_targets_weights_and_alphas(kernel, alpha, weights):
    train, new = (X @ X.T, NEW @ X.T) if kernel == "precomputed" else (X, NEW)
    ours = KernelRidge(alpha=alpha, kernel=kernel).fit(train, Y, sample_weight=weights)
    theirs = Theirs(alpha=alpha, kernel=kernel).fit(train, Y, sample_weight=weights)
    assert ours.dual_coef_.shape == (60, 3)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(ours.predict(new), theirs.predict(new), rtol=1e-8, atol=1e-10)
    assert ours.converged_ and ours.gap_ <= 1e-6 and len(ours.certificates_) == 3


def test_shape_of_the_answers_is_that_of_the_target():
    assert KernelRidge().fit(X, Y[:, 0]).predict(NEW).shape == (25,)
    assert KernelRidge().fit(X, Y[:, :1]).predict(NEW).shape == (25, 1)
    assert KernelRidge().fit(X, Y[:, :1]).dual_coef_.shape == (60, 1)
    assert KernelRidge().fit(X, Y).predict(NEW[:1]).shape == (1, 3)


@pytest.mark.parametrize("kernel", ["additive_chi2", "sigmoid"])
def test_kernels_that_are_not_positive_semi_definite_are_solved_as_there(kernel):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = KernelRidge(kernel=kernel).fit(X, Y), Theirs(kernel=kernel).fit(X, Y)
    np.testing.assert_allclose(ours.predict(NEW), theirs.predict(NEW), rtol=1e-6, atol=1e-8)
    assert not ours.converged_


def test_an_indefinite_kernel_is_said_to_be_one():
    with pytest.warns((KernelWarning, UserWarning)) as told:
        KernelRidge(kernel="sigmoid", alpha=2.0, gamma=3.0).fit(X - 0.5, Y)
    assert any("positive semi-definite" in str(one.message) or "Singular" in str(one.message) for one in told)


def test_rows_of_zeros_have_no_cosine():
    zero, new = np.vstack([X, np.zeros((1, 5))]), np.vstack([NEW, np.zeros((1, 5))])
    for train, target in [(X, Y), (zero, np.vstack([Y, Y[:1]]))]:
        ours, theirs = (
            KernelRidge(kernel="cosine").fit(train, target),
            Theirs(kernel="cosine").fit(train, target),
        )
        np.testing.assert_allclose(ours.predict(new), theirs.predict(new), atol=1e-10)
        assert (ours.predict(new)[-1] == 0).all()


def test_alpha_zero_is_least_squares():
    with pytest.warns(UserWarning, match="Singular matrix in solving dual problem"):
        ours = KernelRidge(alpha=0).fit(X, Y)
    best = X @ np.linalg.lstsq(X, Y, rcond=None)[0]
    np.testing.assert_allclose(ours.predict(X), best, atol=1e-8)
    assert ours.certificate_ is None and not ours.converged_
    with pytest.raises(AttributeError, match="alpha above 0"):
        ours.explain(X)
    several = KernelRidge(alpha=[0.0, 1.0, 2.0], kernel="rbf", gamma=50.0).fit(X, Y)
    for column, alpha in enumerate([0.0, 1.0, 2.0]):
        expected = np.linalg.solve(rbf_kernel(X, gamma=50.0) + alpha * np.eye(60), Y[:, column])
        np.testing.assert_allclose(several.dual_coef_[:, column], expected, rtol=1e-7, atol=1e-8)


def minimum(x, y):
    return np.minimum(x, y).sum()


def inner(x, y):
    return x @ y.T


@pytest.mark.parametrize(
    ("function", "matrix"),
    [
        (minimum, lambda A, B: np.minimum(A[:, None], B[None]).sum(axis=2)),
        (inner, lambda A, B: A @ B.T),
        (np.dot, lambda A, B: A @ B.T),
        (rbf_kernel, rbf_kernel),
        (RBF(0.5), lambda A, B: rbf_kernel(A, B, gamma=2.0)),
    ],
    ids=["pairs", "both", "dot", "blocks", "gaussian process"],
)
@pytest.mark.parametrize("columns", [3, 5])
def test_callables_on_rows_and_on_blocks(function, matrix, columns):
    train, new = X[:, :columns], NEW[:, :columns]
    expected = np.linalg.solve(matrix(train, train) + np.eye(60), Y)
    ours = KernelRidge(kernel=function).fit(train, Y)
    np.testing.assert_allclose(ours.dual_coef_, expected, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(ours.predict(new), matrix(new, train) @ expected, rtol=1e-8, atol=1e-10)


def test_a_callable_on_blocks_is_called_once_for_all_rows():
    shapes = []

    def block(A, B):
        shapes.append((A.shape, B.shape))
        return A @ B.T

    KernelRidge(kernel=block).fit(X, Y)
    assert ((60, 5), (60, 5)) in shapes and len(shapes) < 10


def test_expressions_and_their_precomputed_matrix_agree():
    text = "0.5*rbf(gamma=0.7) + 2*linear"
    expected = 0.5 * rbf_kernel(X, gamma=0.7) + 2 * X @ X.T
    ours = KernelRidge(kernel=text).fit(X, Y)
    np.testing.assert_allclose(ours.dual_coef_, np.linalg.solve(expected + np.eye(60), Y), rtol=1e-8, atol=1e-10)
    assert ours._model.kernel == mercer._mercer.kernel_parse(text)


def test_texts_are_rows():
    words = ["abracadabra", "abrakadabra", "simsalabim", "salabim", "hokus", "pokus"]
    model = KernelRidge(kernel="spectrum(k=2)", alpha=0.1).fit(words, [1.0, 1.0, 2.0, 2.0, 3.0, 3.0])
    assert model.predict(["simsalabim!"])[0] > model.predict(["abracadabra"])[0]


@pytest.mark.parametrize("kernel", ["rbf", "cosine", "poly", "chi2", "laplacian"])
def test_files_and_pickles_keep_the_function(kernel, tmp_path):
    model = KernelRidge(kernel=kernel, alpha=0.2).fit(X, Y)
    model.save(tmp_path / "ridge.mercer")
    for again in [mercer.load(tmp_path / "ridge.mercer"), KernelRidge.load(tmp_path / "ridge.mercer")]:
        assert isinstance(again, KernelRidge) and again.alpha == 0.2
        np.testing.assert_array_equal(again.predict(NEW), model.predict(NEW))
        np.testing.assert_array_equal(again.dual_coef_, model.dual_coef_)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(NEW), model.predict(NEW))
    joined = KernelRidge(kernel=kernel, alpha=[0.1, 0.2, 0.3]).fit(X, Y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(joined)).predict(NEW), joined.predict(NEW))
    with pytest.raises(MercerError, match="one alpha"):
        joined.save(tmp_path / "joined.mercer")


def test_explanations_add_up():
    model = KernelRidge(kernel="rbf", alpha=0.2).fit(X, Y)
    for score, why in zip(model.predict(NEW)[:, 0], model.explain(NEW, 4), strict=True):
        assert abs(sum(why["contributions"]) + why["rest"] + why["bias"] - score) < 1e-10


def test_the_certificate_is_the_ridge_objective():
    model = KernelRidge(kernel="rbf", alpha=0.5).fit(X, Y[:, 0])
    matrix, coefficients = rbf_kernel(X), model.dual_coef_
    errors = matrix @ coefficients - Y[:, 0]
    objective = (0.5 * errors @ errors + 0.25 * coefficients @ matrix @ coefficients) / 60
    assert abs(model.certificate_.primal - objective) < 1e-12
    assert model.certificate_.dual <= objective + 1e-12


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="not symmetric"):
        KernelRidge(kernel="precomputed").fit(np.triu(rows(8, 8)), Y[:8])
    with pytest.raises(ValueError, match="square"):
        KernelRidge(kernel="precomputed").fit(rows(8, 7), Y[:8])
    with pytest.raises(ValueError, match="2 values of alpha"):
        KernelRidge(alpha=[1.0, 2.0]).fit(X, Y)
    with pytest.raises(ValueError, match="alpha"):
        KernelRidge(alpha=-1).fit(X, Y)
    with pytest.raises(ValueError, match="rbff"):
        KernelRidge(kernel="rbff").fit(X, Y)
    with pytest.raises(MemoryError):
        KernelRidge(memory_limit=1000).fit(X, Y)
    with pytest.raises(ValueError, match="row 0 is -1"):
        KernelRidge().fit(X, Y, sample_weight=-np.ones(60))


def test_grids_search_as_with_scikit_learn():
    grid = {"alpha": [0.01, 0.1, 1.0], "gamma": [0.1, 1.0, 10.0]}
    ours = GridSearchCV(KernelRidge(kernel="rbf"), grid, cv=3).fit(X, Y)
    theirs = GridSearchCV(Theirs(kernel="rbf"), grid, cv=3).fit(X, Y)
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], rtol=1e-8)
    assert ours.best_params_ == theirs.best_params_
    precomputed = GridSearchCV(KernelRidge(kernel="precomputed"), {"alpha": [0.01, 0.1, 1.0]}, cv=3)
    precomputed.fit(pairwise_kernels(X, metric="rbf", gamma=1.0), Y)
    assert precomputed.best_params_["alpha"] in grid["alpha"]


def test_the_constructor_stores_and_nothing_else():
    given = {"alpha": [1.0, 2.0], "kernel": "rbf", "gamma": 0.5, "time_limit": 3.0, "memory_limit": "1GB"}
    model = KernelRidge(**given)
    assert {key: model.get_params()[key] for key in given} == given
    assert clone(model).get_params() == model.get_params()
