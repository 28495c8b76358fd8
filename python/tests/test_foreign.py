"""Model files that the command makes and this package would not: other ways to tell several classes apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mercer
import numpy as np
import pytest
from mercer import _mercer
from mercer._tables import table
from problems import data_set

LEARNERS = {
    "SVC": "learner: smo\nloss: hinge",
    "KernelLogistic": "learner: newton\nloss: logistic",
    "LeastSquaresSVC": "learner: ls-svm",
    "KernelPerceptron": "learner: kernel-perceptron",
}


def foreign(name: str, multiclass: str, y: np.ndarray, x: np.ndarray, path: Path) -> tuple[Any, Any]:
    """A model of the engine, and the estimator that its file becomes."""
    names, codes = np.unique(y, return_inverse=True)
    spec = f"kernel: rbf(sigma=1)\n{LEARNERS[name]}\nmulticlass: {multiclass}"
    target = ([f"class {label}" for label in names], codes.astype(np.int64))
    model = _mercer.fit(spec, table(x), target)
    model.save(path / "model.mercer")
    loaded = mercer.load(path / "model.mercer")
    assert type(loaded).__name__ == name
    return model, loaded


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("data", ["iris", "blobs"])
def test_one_against_the_rest(name: str, data: str, tmp_path: Path) -> None:
    """Machines are of classes, not of pairs: the class with the largest score is the answer."""
    x, y = data_set(data)
    model, loaded = foreign(name, "one-vs-rest", y, x, tmp_path)
    scores = model.scores(table(x))
    assert scores.shape[1] == len(np.unique(y))
    found = loaded.predict(x)
    np.testing.assert_array_equal(found, loaded.classes_[scores.argmax(axis=1)])
    assert (found == [f"class {label}" for label in y]).mean() > 0.8
    np.testing.assert_array_equal(loaded.decision_function(x), scores)
    for told, row in zip(loaded.explain(x[:5], k=3), scores[:5], strict=True):
        first, second = np.sort(row)[::-1][:2]
        assert told["classes"][0] == loaded.classes_[row.argmax()]
        assert told["score"] == pytest.approx(first - second, abs=1e-6)
        assert told["score"] == pytest.approx(told["bias"] + told["contributions"].sum() + told["rest"], abs=1e-6)


def test_probabilities_of_one_against_the_rest(tmp_path: Path) -> None:
    """Each machine's odds, made to sum to one; the largest is that of the answer."""
    x, y = data_set("iris")
    model, loaded = foreign("KernelLogistic", "one-vs-rest", y, x, tmp_path)
    found = loaded.predict_proba(x)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    np.testing.assert_array_equal(loaded.classes_[found.argmax(axis=1)], loaded.predict(x))
    np.testing.assert_allclose(np.log(found), loaded.predict_log_proba(x), atol=1e-9)
    odds = 1 / (1 + np.exp(-model.scores(table(x))))
    np.testing.assert_allclose(found, odds / odds.sum(axis=1, keepdims=True), atol=1e-9)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("multiclass", ["one-vs-one", "one-vs-rest"])
def test_two_classes_are_the_right_way_round(name: str, multiclass: str, tmp_path: Path) -> None:
    """Two classes have one machine, whatever was asked of several."""
    x, y = data_set("moons")
    _, loaded = foreign(name, multiclass, y, x, tmp_path)
    assert (loaded.predict(x) == [f"class {label}" for label in y]).mean() > 0.8


@pytest.mark.parametrize("kernel", ["linear", "rbf(sigma=1)"])
def test_support_vectors_of_one_against_the_rest(kernel: str, tmp_path: Path) -> None:
    """Coefficients are those of the machines, a row for each class."""
    x, y = data_set("iris")
    spec = f"kernel: {kernel}\nlearner: smo\nloss: hinge\nmulticlass: one-vs-rest"
    model = _mercer.fit(spec, table(x), (["a", "b", "c"], y.astype(np.int64)))
    model.save(tmp_path / "model.mercer")
    loaded = mercer.load(tmp_path / "model.mercer")
    np.testing.assert_array_equal(loaded.dual_coef_, model.coefficients)
    assert loaded.support_vectors_.shape == (len(model.support), 4)
    if kernel == "linear":
        np.testing.assert_allclose(x @ loaded.coef_.T + loaded.intercept_, loaded.decision_function(x), atol=1e-6)
