"""Gram matrices: as arrays, checks, spectra, repairs, pictures."""

import pickle
import time
import xml.etree.ElementTree as ElementTree

import mercer
import numpy as np
import pytest
from mercer import Gram, _mercer, kernels
from mercer.exceptions import MercerError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import KernelCenterer
from sklearn.svm import SVC

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))


def indefinite(n, seed=0):
    half = np.random.default_rng(seed).normal(size=(n, n))
    return half + half.T


def test_a_gram_knows_its_kernel_and_is_an_array():
    gram = mercer.gram("rbf(gamma=0.5)", X)
    wanted = rbf_kernel(X, gamma=0.5)
    assert (gram.shape, gram.ndim, len(gram), gram.dtype) == ((60, 60), 2, 60, np.float64)
    np.testing.assert_allclose(np.asarray(gram), wanted, rtol=1e-12)
    np.testing.assert_allclose(gram @ np.ones(60), wanted.sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(gram + 1, wanted + 1, rtol=1e-12)
    np.testing.assert_allclose(np.exp(gram), np.exp(wanted), rtol=1e-12)
    np.testing.assert_array_equal(gram.T, np.asarray(gram).T)
    assert type(gram + 1) is np.ndarray
    assert gram.kernel == kernels.rbf(gamma=0.5)
    assert repr(gram) == "<Gram 60x60 float64 of rbf(gamma=0.5)>"
    again = pickle.loads(pickle.dumps(gram))
    np.testing.assert_array_equal(np.asarray(again), np.asarray(gram))
    assert again.kernel == gram.kernel
    assert np.array(gram, dtype=np.float32, copy=True).dtype == np.float32
    assert mercer.gram(kernels.rbf(), X.astype(np.float32)).dtype == np.float32
    assert "gamma=" in repr(mercer.gram(kernels.rbf(), X).kernel)


def test_the_same_rows_and_columns_of_a_gram_are_one():
    gram = mercer.gram("linear", X)
    values = np.asarray(gram)
    rows = np.array([3, 1, 7])
    mask = np.arange(60) < 5
    for index in (np.s_[:5, :5], np.ix_(rows, rows), np.ix_(mask, mask)):
        part = gram[index]
        assert isinstance(part, Gram)
        assert part.kernel == gram.kernel
        np.testing.assert_array_equal(np.asarray(part), values[index])
    for index in (np.s_[:5], np.s_[:5, 5:10], np.s_[3, 4], np.ix_(rows, rows[::-1]), np.s_[0]):
        part = gram[index]
        assert not isinstance(part, Gram)
        np.testing.assert_array_equal(part, values[index])


def test_between_two_sets_of_rows():
    gram = mercer.gram("linear", X, X[:7])
    assert gram.shape == (60, 7)
    np.testing.assert_allclose(np.asarray(gram), X @ X[:7].T, rtol=1e-9, atol=1e-12)
    for question in (gram.check, gram.spectrum, gram.center, gram.repair):
        with pytest.raises(MercerError, match="60 rows and 7 columns"):
            question()
    assert gram._repr_svg_() is None
    assert "Gram" in gram._repr_html_()


def test_scikit_learn_takes_it_as_precomputed():
    y = X[:, 0] > 0
    gram = mercer.gram("rbf(gamma=0.5)", X)
    ours = cross_val_score(SVC(kernel="precomputed"), gram, y, cv=3)
    theirs = cross_val_score(SVC(gamma=0.5), X, y, cv=3)
    np.testing.assert_array_equal(ours, theirs)


def test_spectrum_and_eigh_are_those_of_numpy():
    values = np.asarray(mercer.gram("poly(degree=2)", X))
    np.testing.assert_allclose(Gram(values).spectrum(), np.linalg.eigvalsh(values)[::-1], atol=1e-9 * values.max())
    found, vectors = _mercer.eigh(values)
    np.testing.assert_allclose(vectors * found @ vectors.T, values, atol=1e-9 * values.max())
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(60), atol=1e-10)
    with pytest.raises(MercerError, match="square"):
        _mercer.spectrum(np.ones((2, 3)))


def test_centring_is_that_of_scikit_learn():
    gram = mercer.gram("poly(degree=2)", X)
    wanted = KernelCenterer().fit_transform(np.array(gram))
    np.testing.assert_allclose(np.asarray(gram.center()), wanted, atol=1e-10 * np.abs(wanted).max())


def test_alignment_is_that_of_the_kernel():
    y = np.where(X[:, 0] > 0, "up", "down")
    for centered in (True, False):
        expected = kernels.rbf(sigma=1).align(X, y, centered=centered)
        assert mercer.gram("rbf(sigma=1)", X).align(y, centered=centered) == pytest.approx(expected)


@pytest.mark.parametrize("how", ["clip", "flip", "shift"])
def test_repairs_are_their_definitions(how):
    matrix = indefinite(30)
    values, vectors = np.linalg.eigh(matrix)
    changed = {"clip": np.maximum(values, 0), "flip": np.abs(values), "shift": values - values[0]}[how]
    repaired = mercer.repair(matrix, how)
    np.testing.assert_allclose(repaired, vectors * changed @ vectors.T, atol=1e-10)
    np.testing.assert_array_equal(repaired, repaired.T)
    assert Gram(repaired).check()
    assert Gram(matrix).repair(how).check()


def test_repair_refuses_what_it_cannot_mend():
    with pytest.raises(MercerError, match="square"):
        mercer.repair(np.ones((2, 3)))
    with pytest.raises(MercerError, match=r"K\[0, 1\] is nan"):
        mercer.repair([[1.0, np.nan], [0.0, 1.0]])
    with pytest.raises(MercerError, match="clip, flip and shift"):
        mercer.repair(np.eye(2), "mend")


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly(degree=3)", "laplace", "rbf(sigma=0.01)", "rbf(sigma=1000)"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_grams_of_kernels_pass_the_check_in_both_precisions(kernel, dtype):
    points = RNG.normal(size=(400, 6)) * 3
    assert mercer.gram(kernel, points, dtype=dtype).check().verdict == "psd"
    # Made by others in single precision.
    single = points.astype(np.float32)
    assert Gram(single @ single.T).check()
    assert Gram(rbf_kernel(single)).check()


def test_what_is_no_gram_is_refused_fast_with_a_witness():
    matrix = indefinite(100)
    started = time.perf_counter()
    report = Gram(matrix).check()
    assert time.perf_counter() - started < 1
    assert report.verdict == "refuted"
    vector = np.zeros(100)
    vector[report.witness_rows] = report.witness
    assert np.linalg.norm(vector) == pytest.approx(1)
    assert vector @ matrix @ vector == pytest.approx(report.witness_value)
    values = np.linalg.eigvalsh(matrix)
    assert report.smallest == pytest.approx(values[0])
    assert report.details["negative"] == np.count_nonzero(values < 0)
    assert "repair" in report.details["cure"]


def test_a_random_matrix_is_refused_for_its_asymmetry():
    matrix = np.random.default_rng(1).normal(size=(100, 100))
    report = Gram(matrix).check()
    assert report.verdict == "not symmetric"
    off = np.abs(matrix - matrix.T)
    row, column = report.details["row"], report.details["column"]
    assert off[row, column] == off.max() == pytest.approx(report.details["asymmetry"])
    assert f"K[{row}, {column}]" in report.reason


def test_a_slightly_negative_eigenvalue_is_found_and_rounding_is_not():
    vectors = np.linalg.qr(np.random.default_rng(2).normal(size=(200, 200)))[0]
    for lowest, verdict in ((-1e-3, "refuted"), (-1e-9, "psd"), (0.0, "psd")):
        values = np.ones(200)
        values[0] = lowest
        matrix = vectors * values @ vectors.T
        assert Gram((matrix + matrix.T) / 2).check().verdict == verdict


def test_rounding_in_a_precomputed_matrix_is_forgiven():
    matrix = rbf_kernel(X, gamma=0.5)
    noisy = matrix + 1e-8 * np.random.default_rng(3).normal(size=matrix.shape)
    y = X[:, 0] > 0
    exact = mercer.SVC(kernel="precomputed").fit(matrix, y)
    rounded = mercer.SVC(kernel="precomputed").fit(noisy, y)
    np.testing.assert_allclose(rounded.decision_function(matrix), exact.decision_function(matrix), atol=1e-3)


def test_entries_that_are_not_finite_are_named():
    report = Gram([[1.0, 0.0], [np.nan, 1.0]]).check()
    assert report.verdict == "not finite"
    assert "K[1, 0]" in report.reason
    assert Gram(np.zeros((0, 0))).check()


def test_a_picture_is_svg_with_everything_escaped():
    gram = mercer.gram("rbf", X)
    labels = np.where(X[:, 0] > 0, "<b>&", "other")
    picture = gram.svg(labels, title="<script>alert(1)</script>", size=300)
    root = ElementTree.fromstring(picture)
    assert root.get("width") == "300"
    assert "<script" not in picture
    assert "<b>" not in picture
    assert "&lt;b&gt;&amp;" in picture
    assert gram.svg(dark=True) != gram.svg()
    ElementTree.fromstring(gram._repr_svg_())
    assert gram.thumbnail() is gram
    np.testing.assert_array_equal(np.asarray(gram.thumbnail(25)), np.asarray(gram)[::3, ::3])
    with pytest.raises(MercerError, match="60 rows, but 2 labels"):
        gram.svg(["a", "b"])


def test_what_is_no_matrix_is_refused():
    for wrong in (np.ones(3), np.ones((2, 2, 2)), [["a"]]):
        with pytest.raises(MercerError):
            Gram(wrong)


def test_a_refuted_report_has_both_ends_of_the_spectrum():
    """Both are eigenvalues, not estimates of them; of a matrix whose spectrum nobody computed there is none."""
    matrix = Gram(1 - abs(np.subtract.outer(np.arange(5.0), np.arange(5.0))))
    report = matrix.check()
    np.testing.assert_allclose((report.largest, report.smallest), matrix.spectrum()[[0, -1]])
    assert "largest 5.23607" in repr(report)
    assert Gram(np.eye(3)).check().largest is None


def test_a_callable_is_no_expression():
    """The message says what to write instead."""
    with pytest.raises(TypeError, match=r"mercer\.Gram\(function\(X, X\)\)"):
        mercer.gram(rbf_kernel, np.eye(3))
