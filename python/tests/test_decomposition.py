"""KernelPCA against scikit-learn's, and against principal components."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from mercer import KernelPCA
from sklearn.decomposition import PCA
from sklearn.decomposition import KernelPCA as Theirs
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

X = np.random.RandomState(0).uniform(size=(70, 6))
NEW = np.random.RandomState(1).uniform(size=(20, 6))


@parametrize_with_checks([KernelPCA(), KernelPCA(kernel="rbf", n_components=2)])
def test_conventions_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("solver", ["auto", "dense", "arpack", "randomized"])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid", "cosine"])
@pytest.mark.parametrize("form", ["dense", "csr"])
def test_components_are_those_of_scikit_learn(kernel, solver, form):
    make = sp.csr_array if form == "csr" else np.asarray
    options = {"kernel": kernel, "eigen_solver": solver, "random_state": 0, "n_components": 4}
    ours, theirs = KernelPCA(**options).fit(make(X)), Theirs(**options).fit(make(X))
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
    np.testing.assert_allclose(ours.transform(make(NEW)), theirs.transform(make(NEW)), atol=1e-6)
    np.testing.assert_allclose(ours.fit_transform(make(X)), theirs.fit_transform(make(X)), atol=1e-6)
    assert ours.gamma_ == theirs.gamma_


def test_single_precision_stays_single():
    for kernel in ["linear", "rbf", "poly"]:
        ours = KernelPCA(3, kernel=kernel).fit(X.astype(np.float32))
        assert ours.transform(NEW.astype(np.float32)).dtype == np.float32
        expected = Theirs(3, kernel=kernel).fit(X)
        np.testing.assert_allclose(ours.transform(NEW.astype(np.float32)), expected.transform(NEW), atol=1e-3)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_the_way_back_is_that_of_scikit_learn(kernel):
    options = {"kernel": kernel, "n_components": 3, "fit_inverse_transform": True, "alpha": 0.1, "gamma": 0.5}
    ours, theirs = KernelPCA(**options).fit(X), Theirs(**options).fit(X)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-6, atol=1e-8)
    back = ours.inverse_transform(ours.transform(NEW))
    np.testing.assert_allclose(back, theirs.inverse_transform(theirs.transform(NEW)), rtol=1e-6, atol=1e-8)


def test_the_linear_kernel_gives_principal_components():
    ours = KernelPCA(4).fit_transform(X)
    np.testing.assert_allclose(np.abs(ours), np.abs(PCA(4).fit_transform(X)), atol=1e-8)
    assert KernelPCA().fit(X).eigenvalues_.shape == (6,)
    assert KernelPCA(n_components=20, remove_zero_eig=True).fit(X).eigenvalues_.shape == (6,)


def test_expressions_callables_and_matrices_agree():
    expected = Theirs(3, kernel="rbf", gamma=0.7).fit(X).transform(NEW)
    for kernel in ["rbf(gamma=0.7)", lambda A, B: rbf_kernel(A, B, gamma=0.7)]:
        np.testing.assert_allclose(KernelPCA(3, kernel=kernel).fit(X).transform(NEW), expected, atol=1e-8)
    matrix = KernelPCA(3, kernel="precomputed").fit(rbf_kernel(X, gamma=0.7))
    np.testing.assert_allclose(matrix.transform(rbf_kernel(NEW, X, gamma=0.7)), expected, atol=1e-8)
    scaled = KernelPCA(3, kernel="rbf(gamma=scale)").fit(X).transform(NEW)
    same = Theirs(3, kernel="rbf", gamma=1 / (6 * X.var())).fit(X).transform(NEW)
    np.testing.assert_allclose(scaled, same, atol=1e-8)


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="Cannot fit_inverse_transform"):
        KernelPCA(kernel="precomputed", fit_inverse_transform=True).fit(X @ X.T)
    with pytest.raises(NotImplementedError):
        KernelPCA(2, fit_inverse_transform=True).fit(sp.csr_array(X))
    with pytest.raises(NotFittedError):
        KernelPCA(2).fit(X).inverse_transform(X[:, :2])


def test_pickles_keep_the_components():
    model = KernelPCA(3, kernel="rbf(gamma=scale)").fit(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).transform(NEW), model.transform(NEW))


def test_columns_by_name() -> None:
    """Names of a frame's columns reach the kernel, in fit and in transform."""
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((30, 3)), columns=["a", "b", "c"])
    named = KernelPCA(3, kernel="rbf(sigma=1)[a, b]").fit(frame)
    counted = KernelPCA(3, kernel="rbf(sigma=1)").fit(frame[["a", "b"]])
    np.testing.assert_array_equal(named.transform(frame), counted.transform(frame[["a", "b"]]))


def test_maps_learn_from_the_training_rows() -> None:
    """New rows are standardized as the training rows were."""
    draw = np.random.default_rng(0)
    x, new = draw.standard_normal((60, 3)) * [1, 5, 20] + 7, draw.standard_normal((9, 3))
    scaler = StandardScaler().fit(x)
    found = KernelPCA(3, kernel="rbf(sigma=1)@standardize").fit(x)
    wanted = KernelPCA(3, kernel="rbf(sigma=1)").fit(scaler.transform(x))
    np.testing.assert_allclose(abs(found.transform(new)), abs(wanted.transform(scaler.transform(new))), atol=1e-8)
