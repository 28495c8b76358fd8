"""Probabilities that never contradict `predict`.

For two classes p = 1/(1 + exp(-t·f)): one number t, so that p crosses 1/2 where the score f crosses 0. For more
classes a softmax of t times the scores that `predict` takes the largest of. t is fitted by maximum likelihood to the
scores of rows that were left out, in five folds.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_random_state

from mercer._pairs import ovr_scores

#: t is looked for between these.
_LEAST, _MOST = 1e-6, 1e6


def probabilities(scores: np.ndarray, classes: int, temperature: float) -> np.ndarray:
    """Probabilities of the classes, from the scores of the machines."""
    logits = temperature * _class_scores(scores, classes)
    logits -= logits.max(axis=1, keepdims=True)
    odds = np.exp(logits)
    return odds / odds.sum(axis=1, keepdims=True)


def _class_scores(scores: np.ndarray, classes: int) -> np.ndarray:
    if classes == 2:
        return np.column_stack([-scores[:, 0] / 2, scores[:, 0] / 2])
    return ovr_scores(scores, classes)


def calibrate(estimator: Any, X: Any, y: Any, sample_weight: Any, codes: np.ndarray, until: float | None) -> float:
    """Fit t to out-of-fold scores; 1 where a class has too few rows to leave some out.

    Ctrl-C and the end of the time end it with the folds there are.
    """
    from mercer._engine import _rows

    classes = len(estimator.classes_)
    folds = min(5, int(np.bincount(codes).min()))
    if folds < 2 or estimator._model.interrupted:
        return 1.0
    seed = check_random_state(estimator.random_state).randint(np.iinfo(np.int32).max)
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    scores, truth = [], []
    matrix = estimator._expression().matrix and estimator._expression().function is None
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=seed).split(np.zeros(len(codes)), codes):
        left = None if until is None else until - time.monotonic()
        if left is not None and left <= 0:
            break
        part = clone(estimator).set_params(probability=False, verbose=False, time_limit=left)
        rows, held = (X[np.ix_(train, train)], X[np.ix_(test, train)]) if matrix else (_rows(X, train), _rows(X, test))
        part.fit(rows, np.asarray(y)[train], **({} if weights is None else {"sample_weight": weights[train]}))
        scores.append(_class_scores(part._scores(held), classes))
        truth.append(codes[test])
        if part._model.interrupted:
            break
    if not scores:
        return 1.0
    return _most_likely(np.concatenate(scores), np.concatenate(truth))


def _most_likely(scores: np.ndarray, truth: np.ndarray) -> float:
    """The t of greatest likelihood: the derivative in t is monotone, so bisection on log t finds its zero."""
    own = scores[np.arange(len(truth)), truth]

    def slope(t: float) -> float:
        odds = np.exp(t * (scores - scores.max(axis=1, keepdims=True)))
        expected = (odds * scores).sum(axis=1) / odds.sum(axis=1)
        return float((own - expected).sum())

    low, high = np.log(_LEAST), np.log(_MOST)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(float(np.exp(middle))) > 0 else (low, middle)
    # A perfect separation has no finite answer; scores of the size of a margin then count as they are.
    return float(np.clip(np.exp((low + high) / 2), 0.1, 30.0))
