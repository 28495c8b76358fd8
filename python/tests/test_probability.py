"""Probabilities by the engine: they agree with `predict`, follow the seed, and outlive pickles and files."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import mercer
import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss

KINDS: list[Any] = [True, "platt", "isotonic"]


def problems() -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Rows, classes and new rows, of two to four classes."""
    found = []
    for seed in range(8):
        if seed % 2:
            x, y = make_blobs(120, centers=3 + seed % 3, cluster_std=3.0, random_state=seed)
        else:
            x, y = make_classification(120, 4, n_informative=2, flip_y=0.2, random_state=seed)
        new = x[np.random.default_rng(seed).integers(0, len(x), 150)]
        found.append((x, y, new + np.random.default_rng(seed + 1).standard_normal(new.shape)))
    return found


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("estimator", [mercer.SVC, mercer.NuSVC], ids=["SVC", "NuSVC"])
@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_all_three_answers_are_one(estimator: type, kind: Any, shape: str) -> None:
    """`predict` is the most probable class and the one with the largest score."""
    given = {"nu": 0.2} if estimator is mercer.NuSVC else {"class_weight": "balanced"}
    for x, y, new in problems():
        model = estimator(probability=kind, random_state=0, decision_function_shape=shape, **given).fit(x, y)
        sure = model.predict_proba(new)
        np.testing.assert_allclose(sure.sum(axis=1), 1.0, atol=1e-12)
        assert sure.shape == (len(new), len(model.classes_))
        np.testing.assert_array_equal(model.predict(new), model.classes_[sure.argmax(axis=1)])
        scores = model.set_params(decision_function_shape="ovr").decision_function(new)
        best = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        np.testing.assert_array_equal(sure.argmax(axis=1), best)
        with np.errstate(divide="ignore"):
            np.testing.assert_array_equal(model.predict_log_proba(new), np.log(sure))


def test_true_is_platt_and_seeds_decide() -> None:
    """The folds are drawn by `random_state`."""
    x, y, new = problems()[0]
    one, two, other = (
        mercer.SVC(probability=kind, random_state=seed).fit(x, y).predict_proba(new)
        for kind, seed in ((True, 3), ("platt", 3), (True, 4))
    )
    np.testing.assert_array_equal(one, two)
    assert np.abs(one - other).max() > 0


def test_they_are_worth_more_than_none() -> None:
    """On rows that were not seen, they beat the frequencies of the classes."""
    x, y = make_blobs(600, centers=3, cluster_std=3.0, random_state=1)
    for kind in KINDS:
        model = mercer.SVC(probability=kind, random_state=0).fit(x[:400], y[:400])
        usual = np.tile(np.bincount(y[:400]) / 400, (200, 1))
        assert log_loss(y[400:], np.clip(model.predict_proba(x[400:]), 1e-6, 1)) < log_loss(y[400:], usual)


def test_weights_count_as_rows() -> None:
    """Rows of weight 0 are as good as gone, also from the folds."""
    x, y, new = problems()[0]
    weights = np.r_[np.ones(100), np.zeros(20)]
    kept = mercer.SVC(gamma=0.2, probability=True, random_state=0).fit(x[:100], y[:100])
    both = mercer.SVC(gamma=0.2, probability=True, random_state=0).fit(x, y, sample_weight=weights)
    np.testing.assert_allclose(both.predict_proba(new), kept.predict_proba(new), atol=1e-4)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_matrices_and_functions_have_the_probabilities_of_their_kernel(kind: Any) -> None:
    """Rows that are left out of a matrix are left out as columns too."""
    for x, y, new in problems()[:3]:
        given = {"probability": kind, "random_state": 0}
        plain = mercer.SVC(kernel="linear", **given).fit(x, y).predict_proba(new)
        matrix = mercer.SVC(kernel="precomputed", **given).fit(x @ x.T, y).predict_proba(new @ x.T)
        function = mercer.SVC(kernel=lambda a, b: a @ b.T, **given).fit(x, y).predict_proba(new)
        np.testing.assert_allclose(matrix, plain, atol=2e-3)
        np.testing.assert_allclose(function, plain, atol=2e-3)


def test_pickles_and_files_keep_them(tmp_path: Path) -> None:
    """To the last bit."""
    x, y, new = problems()[1]
    for kind in ("platt", "isotonic"):
        model = mercer.SVC(probability=kind, random_state=0).fit(x, y)
        sure = model.predict_proba(new)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(new), sure)
        model.save(tmp_path / "m.mercer")
        loaded = mercer.load(tmp_path / "m.mercer")
        assert loaded.get_params()["probability"] == kind
        np.testing.assert_array_equal(loaded.predict_proba(new), sure)


def test_where_there_are_none() -> None:
    """Not asked for, asked for after the fit, and no class of which a row could be left out."""
    x, y, new = problems()[0]
    plain = mercer.SVC().fit(x, y)
    assert not hasattr(plain, "predict_proba")
    with pytest.raises(NotFittedError, match="fitted with probability=False"):
        plain.set_params(probability=True).predict_proba(new)
    with pytest.raises(ValueError, match="probability"):
        mercer.SVC(probability="odds").fit(x, y)
    two = [np.flatnonzero(y == 0)[0], np.flatnonzero(y == 1)[0]]
    with pytest.raises(mercer.exceptions.MercerError, match="no class has two rows with weight"):
        mercer.SVC(probability=True).fit(x[two], y[two])


@pytest.mark.parametrize("count", [1, 3])
def test_a_class_of_few_rows_has_fewer_folds(count: int) -> None:
    """As many as it has rows; the only row of a class is never left out."""
    x, y, new = problems()[0]
    few = np.r_[np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:count]]
    model = mercer.SVC(probability=True, random_state=0).fit(x[few], y[few])
    sure = model.predict_proba(new)
    np.testing.assert_array_equal(model.predict(new), model.classes_[sure.argmax(axis=1)])
