"""Model files that the command makes and this package would not: other ways to tell several classes apart."""

from __future__ import annotations

from itertools import combinations
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


@pytest.mark.parametrize("multiclass", ["one-vs-one", "one-vs-rest"])
def test_coefficients_in_use_are_those_that_are_not_zero(multiclass: str) -> None:
    """Machines, support points and values of what the matrix of all coefficients holds beside zeros."""
    x, y = data_set("iris")
    spec = f"kernel: rbf(sigma=1)\nlearner: smo\nloss: hinge\nmulticlass: {multiclass}"
    model = _mercer.fit(spec, table(x), (["a", "b", "c"], y.astype(np.int64)))
    machine, place, alpha = model.used()
    again = np.zeros_like(model.coefficients)
    again[machine, place] = alpha
    np.testing.assert_array_equal(again, model.coefficients)
    assert model.coefficients.shape == (3, model.support_count)
    assert (alpha != 0).all()
    assert 0 < len(alpha) < again.size


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_arrangement_of_pairs_is_that_of_its_definition(classes: int) -> None:
    """Pair by pair: support points of a have their coefficients against b in row b-1, those of b in row a."""
    rng = np.random.default_rng(classes)
    x, y = rng.normal(size=(90, 2)), np.arange(90) % classes
    x += 1.5 * np.column_stack([np.cos(y), np.sin(y)])
    model = mercer.SVC(C=2.0, gamma=1.0).fit(x, y)
    coefficients, labels = model._model.coefficients, y[model._model.support]
    order = np.argsort(labels, kind="stable")
    want = np.zeros((classes - 1, len(order)))
    for k, (first, second) in enumerate(combinations(range(classes), 2)):
        for at, j in enumerate(order):
            if labels[j] in (first, second):
                want[second - 1 if labels[j] == first else first, at] = coefficients[k, j]
    np.testing.assert_array_equal(model.dual_coef_, want)
    np.testing.assert_array_equal(model.n_support_, np.bincount(labels))
    np.testing.assert_array_equal(y[model.support_], np.sort(labels))
