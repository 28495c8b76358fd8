"""KernelLogistic with `multi_class="multinomial"`: against scikit-learn's logistic regression, and with itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mercer
import numpy as np
import pytest
from mercer.exceptions import MemoryBudgetError
from scipy.special import softmax
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler


def data_set(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows of mean 0 and deviation 1, and their classes."""
    x, y = {"iris": load_iris, "wine": load_wine, "digits": load_digits}[name](return_X_y=True)
    return np.ascontiguousarray(StandardScaler().fit_transform(x)[:600]), y[:600]


@pytest.mark.parametrize("name", ["iris", "wine", "digits"])
@pytest.mark.parametrize("C", [0.01, 1.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_linear_kernel_is_multinomial_logistic_regression(name: str, C: float, fit_intercept: bool) -> None:
    """The same problem, so the same probabilities, weights and offsets, up to a common constant of the offsets."""
    x, y = data_set(name)
    weights = 0.5 + np.arange(len(y)) % 3
    ours = mercer.KernelLogistic(
        C=C, kernel="linear", multi_class="multinomial", fit_intercept=fit_intercept, tol=1e-10
    ).fit(x, y, weights)
    theirs = LogisticRegression(C=C, fit_intercept=fit_intercept, tol=1e-10, max_iter=5000).fit(x, y, weights)
    assert ours.converged_ and ours.gap_ <= 1e-10
    np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=2e-5)
    np.testing.assert_allclose(ours.dual_coef_ @ ours.support_vectors_, theirs.coef_, atol=2e-4)
    offsets = theirs.intercept_ - theirs.intercept_.mean()
    np.testing.assert_allclose(ours.intercept_, offsets, atol=2e-4)


def test_answers_scores_and_probabilities_agree(tmp_path: Path) -> None:
    """The largest score, the most probable class and the answer are one, and survive a file."""
    x, y = data_set("digits")
    clf = mercer.KernelLogistic(C=10, gamma=0.02, multi_class="multinomial").fit(x, y)
    scores, chances = clf.decision_function(x), clf.predict_proba(x)
    assert scores.shape == chances.shape == (len(y), 10)
    np.testing.assert_array_equal(clf.classes_[scores.argmax(axis=1)], clf.predict(x))
    np.testing.assert_array_equal(chances.argmax(axis=1), scores.argmax(axis=1))
    np.testing.assert_allclose(chances, softmax(scores, axis=1))
    np.testing.assert_allclose(np.exp(clf.predict_log_proba(x)), chances)
    assert len({found.primal for found in clf.certificates_}) == 1
    assert abs(clf.intercept_.sum()) < 1e-9 and clf.dual_coef_.shape[0] == 10
    clf.save(path := tmp_path / "digits.mercer")
    again: Any = mercer.load(path)
    assert again.multi_class == "multinomial"
    np.testing.assert_allclose(again.predict_proba(x), chances)


def test_explanations_are_of_the_best_class_against_the_second() -> None:
    """The terms and the offset add up to the difference of the two largest scores."""
    x, y = data_set("iris")
    clf = mercer.KernelLogistic(multi_class="multinomial").fit(x, y)
    scores = np.sort(clf.decision_function(x[:5]), axis=1)
    for row, told in enumerate(clf.explain(x[:5], k=3)):
        assert len(told["rows"]) == 3 and len(told["classes"]) == 2
        total = told["contributions"].sum() + told["rest"] + told["bias"]
        np.testing.assert_allclose([total, told["score"]], scores[row, -1] - scores[row, -2], atol=1e-9)
        assert told["classes"][0] == clf.predict(x[row : row + 1])[0]


def test_two_classes_have_one_machine_in_either_case() -> None:
    """As in scikit-learn: C means the same, whatever `multi_class` says."""
    x, y = data_set("iris")
    few = y < 2
    plain, other = (mercer.KernelLogistic(multi_class=how).fit(x[few], y[few]) for how in ("ovo", "multinomial"))
    np.testing.assert_array_equal(plain.decision_function(x), other.decision_function(x))
    np.testing.assert_array_equal(plain.predict_proba(x), other.predict_proba(x))


def test_searches_and_wrong_words() -> None:
    """A grid over `multi_class`; words that are none are refused."""
    x, y = data_set("wine")
    search = mercer.GridSearch(mercer.KernelLogistic(gamma=0.05, multi_class="multinomial"), {"C": [0.1, 1, 10]})
    assert search.fit(x, y).best_score_ > 0.95
    with pytest.raises(ValueError, match="multi_class"):
        mercer.KernelLogistic(multi_class="ovr").fit(x, y)  # type: ignore[arg-type]


def test_memory_errors_name_parameters() -> None:
    """What the command calls --multi is multi_class here."""
    x, y = data_set("digits")
    model = mercer.KernelLogistic(multi_class="multinomial", memory_limit="200 kB")
    with pytest.raises(
        MemoryBudgetError, match='multi_class="ovo", which solves one pair of classes at a time'
    ) as caught:
        model.fit(x, y)
    assert "--" not in str(caught.value)
