"""Data sets that ship with the package."""

import mercer
import numpy as np
import pytest
from mercer import datasets, kernels
from mercer.exceptions import MercerError
from sklearn.datasets import load_iris


def test_every_set_is_what_the_catalogue_says():
    assert [row["name"] for row in datasets.catalogue()] == datasets.names()
    for row in datasets.catalogue():
        found = datasets.load(row["name"])
        assert len(found.data) == len(found.target) == row["rows"], row["name"]
        assert row["source"] in found.DESCR or row["generated"]
        assert row["terms"] in found.DESCR
        classes = np.unique(found.target)
        if row["task"] == "regression":
            assert found.target.dtype == np.float64
            assert found.target_names == []
        else:
            assert found.target.dtype == np.int64
            assert len(found.target_names) == len(classes)
            assert (len(classes) == 2) == (row["task"] == "two classes")
        if found.data.ndim == 2:
            assert found.data.shape[1] == len(found.feature_names)
            assert np.isfinite(found.data).all()
        else:
            assert all(isinstance(text, str) for text in found.data)


def test_iris_is_that_of_scikit_learn():
    ours, theirs = datasets.load("iris"), load_iris()
    assert ours.target_names == theirs.target_names.tolist()
    np.testing.assert_array_equal(ours.target, theirs.target)
    # Two rows differ between the copy of UCI and that of scikit-learn, by 0.1 and 0.2 in a column or two.
    assert np.abs(ours.data - theirs.data).max() < 0.6
    assert np.count_nonzero(np.abs(ours.data - theirs.data) > 1e-9) <= 4


def test_generated_sets_take_parameters():
    X, y = datasets.load("moons", n=50, noise=0.0, seed=1, return_X_y=True)
    assert X.shape == (50, 2)
    again = datasets.load("moons", n=50, noise=0.0, seed=1)
    np.testing.assert_array_equal(again.data, X)
    np.testing.assert_array_equal(again.target, y)
    other = datasets.load("moons", n=50, noise=0.3, seed=1)
    assert np.abs(other.data - X).max() > 0.1
    assert np.bincount((y + 1) // 2).tolist() == [25, 25]


def test_frames():
    pandas = pytest.importorskip("pandas")
    found = datasets.load("iris", as_frame=True)
    assert list(found.data.columns) == found.feature_names
    assert isinstance(found.target, pandas.Series)
    assert found.frame.shape == (150, 5)
    X, y = datasets.load("promoter", as_frame=True, return_X_y=True)
    assert list(X.columns) == ["sequence"]
    assert len(y) == 106


def test_sets_that_are_not_there_are_an_error():
    with pytest.raises(MercerError, match="did you mean '@moons'"):
        datasets.load("mons")
    with pytest.raises(MercerError):
        datasets.load("iris", n=3)
    with pytest.raises(MercerError, match="no parameter 'size'"):
        datasets.load("moons", size=3)


def test_texts_go_into_kernels():
    X, y = datasets.load("promoter", return_X_y=True)
    assert kernels.spectrum(k=3).align(X, y) > kernels.white().align(X, y)
    assert mercer.gram(kernels.normalize(kernels.spectrum(k=4)), X).check()


def test_parameters_may_be_numbers_of_numpy():
    """As they come out of an array."""
    assert datasets.load("moons", n=np.int64(50), noise=np.float32(0.25)).data.shape == (50, 2)
