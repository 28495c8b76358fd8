"""Nystroem and RBFSampler against scikit-learn's, and against the kernels that they approximate."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from mercer import Nystroem, RBFSampler
from sklearn.kernel_approximation import Nystroem as TheirNystroem
from sklearn.kernel_approximation import RBFSampler as TheirSampler
from sklearn.metrics.pairwise import kernel_metrics, pairwise_kernels
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

X = np.random.RandomState(0).uniform(size=(80, 6))
NEW = np.random.RandomState(1).uniform(size=(20, 6))


@parametrize_with_checks([Nystroem(), Nystroem(kernel="linear"), RBFSampler(), RBFSampler(gamma="scale")])
def test_conventions_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("form", [np.asarray, np.float32, sp.csr_array, np.asfortranarray])
@pytest.mark.parametrize("gamma", [0.5, "scale"])
def test_the_same_state_draws_the_same_features(gamma, form):
    ours = RBFSampler(gamma=gamma, n_components=30, random_state=7).fit(form(X))
    theirs = TheirSampler(gamma=gamma, n_components=30, random_state=7).fit(form(X))
    np.testing.assert_array_equal(ours.random_weights_, theirs.random_weights_)
    np.testing.assert_array_equal(ours.random_offset_, theirs.random_offset_)
    assert ours.transform(form(NEW)).dtype == theirs.transform(form(NEW)).dtype
    np.testing.assert_array_equal(ours.transform(form(NEW)), theirs.transform(form(NEW)))


def test_fourier_features_approximate_the_kernel():
    features = RBFSampler(gamma=2.0, n_components=20_000, random_state=0).fit_transform(X)
    assert np.abs(features @ features.T - pairwise_kernels(X, metric="rbf", gamma=2.0)).max() < 0.05


@pytest.mark.parametrize("kernel", sorted(kernel_metrics()))
@pytest.mark.parametrize("form", ["dense", "float32", "csr"])
def test_the_same_state_chooses_the_same_rows(kernel, form):
    if form == "csr" and kernel in ("chi2", "additive_chi2"):
        pytest.skip("scikit-learn has no such kernel of sparse rows")
    make = {"csr": sp.csr_array, "float32": np.float32}.get(form, np.asarray)
    ours = Nystroem(kernel, n_components=12, random_state=3).fit(make(X))
    theirs = TheirNystroem(kernel, n_components=12, random_state=3).fit(make(X))
    np.testing.assert_array_equal(ours.component_indices_, theirs.component_indices_)
    found, expected = ours.transform(make(NEW)), theirs.transform(make(NEW))
    assert found.shape == expected.shape and found.dtype == (np.float32 if form == "float32" else np.float64)
    if kernel == "linear" or (form == "float32" and kernel in ("polynomial", "poly", "sigmoid", "cosine")):
        # Of low rank: what multiplies noise is not compared, the inner products are.
        wanted = expected @ expected.T
        np.testing.assert_allclose(found @ found.T, wanted, atol=1e-2 if form == "float32" else 1e-6)
        return
    tolerance = 5e-2 if form == "float32" else 1e-6
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("parameters", [{"gamma": 0.3}, {"kernel_params": {"gamma": 0.3}}], ids=str)
def test_parameters_reach_the_kernel(parameters):
    ours = Nystroem(n_components=80, random_state=0, **parameters).fit_transform(X)
    np.testing.assert_allclose(ours @ ours.T, pairwise_kernels(X, metric="rbf", gamma=0.3), atol=1e-6)
    poly = Nystroem("poly", degree=2, coef0=0.5, gamma=0.1, n_components=80).fit_transform(X)
    expected = pairwise_kernels(X, metric="poly", degree=2, coef0=0.5, gamma=0.1)
    np.testing.assert_allclose(poly @ poly.T, expected, atol=1e-6)


def test_all_rows_give_the_kernel_itself():
    text = "0.5*rbf(gamma=0.7) * (1 + linear)"
    features = Nystroem(text, n_components=80).fit_transform(X)
    expected = 0.5 * pairwise_kernels(X, metric="rbf", gamma=0.7) * (1 + X @ X.T)
    np.testing.assert_allclose(features @ features.T, expected, atol=1e-6)


def test_words_are_those_of_all_training_rows():
    model = Nystroem("rbf(gamma=scale)", n_components=5, random_state=0).fit(X)
    expected = Nystroem("rbf", gamma=1 / (6 * X.var()), n_components=5, random_state=0).fit(X)
    np.testing.assert_allclose(model.transform(NEW), expected.transform(NEW), rtol=1e-8)


def test_callables_on_rows_and_on_blocks_agree():
    def rows(x, y, scale=1.0):
        return scale * np.minimum(x, y).sum()

    def blocks(A, B):
        return np.minimum(A[:, None], B[None]).sum(axis=2)

    options = {"n_components": 9, "random_state": 0}
    expected = TheirNystroem(rows, **options).fit(X).transform(NEW)
    for kernel in (rows, blocks):
        np.testing.assert_allclose(Nystroem(kernel, **options).fit(X).transform(NEW), expected, atol=1e-8)
    scaled = Nystroem(rows, kernel_params={"scale": 4.0}, **options).fit(X).transform(NEW)
    np.testing.assert_allclose(scaled, 2 * expected, atol=1e-8)
    with pytest.raises(ValueError, match="Don't pass gamma"):
        Nystroem(rows, gamma=1.0).fit(X)


def test_more_components_than_rows_are_said_to_be_too_many():
    with pytest.warns(UserWarning, match="n_components > n_samples"):
        model = Nystroem(n_components=100).fit(X)
    assert model.transform(NEW).shape == (20, 80) and len(model.get_feature_names_out()) == 80


@pytest.mark.parametrize("model", [Nystroem("rbf(gamma=scale)", n_components=5), RBFSampler(n_components=5)], ids=repr)
def test_pickles_keep_the_features(model):
    model.fit(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).transform(NEW), model.transform(NEW))


def test_columns_by_name() -> None:
    """Names of a frame's columns reach the kernel."""
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((30, 3)), columns=["a", "b", "c"])
    named = Nystroem("rbf(sigma=1)[a, b]", n_components=10, random_state=0).fit(frame)
    counted = Nystroem("rbf(sigma=1)", n_components=10, random_state=0).fit(frame[["a", "b"]])
    np.testing.assert_array_equal(named.transform(frame), counted.transform(frame[["a", "b"]]))


def test_maps_learn_from_all_training_rows() -> None:
    """With all rows drawn or a few, standardize is that of all; also after a pickle."""
    draw = np.random.default_rng(0)
    x, new = draw.standard_normal((60, 3)) * [1, 5, 20] + 7, draw.standard_normal((9, 3))
    scaler = StandardScaler().fit(x)
    found = Nystroem("rbf(sigma=1)@standardize", n_components=10, random_state=0).fit(x)
    wanted = Nystroem("rbf(sigma=1)", n_components=10, random_state=0).fit(scaler.transform(x))
    for fitted in (found, pickle.loads(pickle.dumps(found))):
        np.testing.assert_allclose(fitted.transform(new), wanted.transform(scaler.transform(new)), atol=1e-8)
