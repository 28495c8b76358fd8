"""One machine for each pair of classes: votes, and LIBSVM's arrangement of the coefficients."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._mercer import tally


def ovr_scores(scores: np.ndarray, classes: int) -> np.ndarray:
    """Votes of the pairs, plus the sum of their scores squeezed into (-1/3, 1/3) to decide between equal votes.

    Column k of `scores` is the pair k of (0,1), (0,2), …, (1,2), …; above 0 it votes for the first of the two.
    """
    votes, sums = tally(np.ascontiguousarray(scores, dtype=np.float64), classes)
    return votes + sums / (3 * (np.abs(sums) + 1))


def coupled_scores(scores: np.ndarray, classes: int) -> np.ndarray:
    """Logarithms of probabilities, up to a common number, from the log-odds of the pairs.

    If the log-odds f_ij of class i against class j were log p_i − log p_j for all pairs, 1/p_i would be
    1 + Σ_j exp(−f_ij); taken for p_i in any case (Price, Knerr, Personnaz and Dreyfus 1995), it needs no iteration, and
    the softmax of the scores are the probabilities.
    """
    inverse = np.zeros((scores.shape[0], classes))
    for k, (first, second) in enumerate(combinations(range(classes), 2)):
        inverse[:, first] = np.logaddexp(inverse[:, first], -scores[:, k])
        inverse[:, second] = np.logaddexp(inverse[:, second], scores[:, k])
    return -inverse


def agreeing(probabilities: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The nearest probabilities of which those of the given classes are the largest.

    The engine decides between classes of equally many votes by their order, scikit-learn by the sum of their scores.
    """
    for row in np.flatnonzero(probabilities.argmax(axis=1) != codes):
        own, code = probabilities[row], codes[row]
        order = [k for k in np.argsort(-own, kind="stable") if k != code]
        level, count = own[code], 1
        for k in order:
            if own[k] <= level:
                break
            level, count = (level * count + own[k]) / (count + 1), count + 1
        own[order[: count - 1]] = level
        # By one digit: of equal ones the first would be the largest.
        own[code] = np.nextafter(level, 2.0)
    return probabilities


def support_by_class(model: Any, classes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Support points grouped by class, how many each has, and the coefficients in LIBSVM's arrangement.

    A row of the arrangement is not a machine: for the machine of (a, b) the coefficients of support points of class a
    are in row b-1, those of class b in row a. The class of a support point is told by the sign of its coefficients.
    """
    machine, place, alpha = model.used()
    # The only machine of two classes is positive for the second.
    first, second = np.triu_indices(classes, 1) if classes > 2 else (np.array([1]), np.array([0]))
    code = np.zeros(model.support_count, dtype=np.intp)
    code[place] = np.where(alpha > 0, first[machine], second[machine])
    order = np.argsort(code, kind="stable")
    at = np.empty_like(order)
    at[order] = np.arange(len(order))
    arranged = np.zeros((classes - 1, len(order)))
    for one, two in ((first, second), (second, first)):
        own = code[place] == one[machine]
        row = (two - (two > one))[machine]
        arranged[row[own], at[place[own]]] = alpha[own]
    return order, np.bincount(code, minlength=classes).astype(np.int32), arranged


def pair_coefficients(arranged: np.ndarray, n_support: np.ndarray, points: Any) -> Any:
    """Weights of the features of every pair, for the linear kernel."""
    ends = np.cumsum(n_support)
    part = [slice(end - count, end) for end, count in zip(ends, n_support, strict=True)]
    weights = [
        arranged[second - 1, part[first]] @ points[part[first]] + arranged[first, part[second]] @ points[part[second]]
        for first, second in combinations(range(len(n_support)), 2)
    ]
    stacked = np.vstack([np.asarray(row).reshape(1, -1) for row in weights])
    return sp.csr_matrix(stacked) if sp.issparse(points) else stacked
