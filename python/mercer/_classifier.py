"""What all classifiers share: classes and their names, weights of classes, machines of pairs, votes."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from mercer._engine import KernelMachine, _rows, _shape
from mercer._pairs import ovr_scores
from mercer._weights import sample_weights
from mercer.exceptions import MercerError


class ClassifierPart(ClassifierMixin, KernelMachine):  # type: ignore[misc]
    """A machine that tells classes apart; `_lines_of_problem` says what is posed to the engine."""

    #: How the complaint about a single class begins.
    _one_class = "Invalid input - "
    classes_: np.ndarray
    class_weight_: np.ndarray

    def _lines_of_problem(self) -> dict[str, Any]:
        raise NotImplementedError

    def _problem(self) -> dict[str, Any]:
        lines = self._lines_of_problem()
        return {**lines, "multiclass": "one-vs-one"} if len(self.classes_) > 2 else lines

    def _fit_classes(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, np.ndarray]:
        """Fit, and give the rows and classes as they were checked, with the code of each class."""
        X, y = self._checked(X, y)
        self.shape_fit_ = _shape(X)
        codes = self._encode(y, weights := sample_weights(sample_weight, X))
        if weights is not None and len(np.unique(codes[weights > 0])) < 2:
            raise ValueError(f"{self._one_class}all samples with positive weights belong to the same class.")
        rows = self._row_weights(codes, weights)
        self._class_totals = np.bincount(codes, weights=rows, minlength=len(self.classes_))
        self._solve(X, (self._class_names(), codes), rows, self._problem(), y)
        return X, y, codes

    # ---------------------------------------------------------------------------------------------- classes

    def _encode(self, y: Any, weights: np.ndarray | None) -> np.ndarray:
        labels = y if isinstance(y, np.ndarray) and y.ndim == 1 else column_or_1d(y, warn=True)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {len(self.classes_)} class")
        self.class_weight_ = self._class_weights(codes, weights)
        return codes.astype(np.int64)

    def _class_weights(self, codes: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
        count, asked = len(self.classes_), getattr(self, "class_weight", None)
        if asked is None:
            return np.ones(count)
        if isinstance(asked, str):
            rows = np.bincount(codes, weights=weights, minlength=count)
            shares = rows.sum() / (count * np.where(rows > 0, rows, 1.0))
            return np.where(rows > 0, shares, 1.0)
        unknown = [label for label in asked if label not in list(self.classes_)]
        if unknown and len(asked) - len(unknown) < count:
            raise ValueError(f"The classes, {unknown}, are not in class_weight's target; classes are {self.classes_}")
        return np.array([float(asked.get(label, 1.0)) for label in self.classes_])

    def _row_weights(self, codes: np.ndarray, weights: np.ndarray | None) -> np.ndarray | None:
        if weights is None and getattr(self, "class_weight", None) is None:
            return None
        rows = self.class_weight_[codes]
        return np.ascontiguousarray(rows if weights is None else rows * weights, dtype=np.float64)

    def _class_names(self) -> list[str]:
        """Names under which the engine keeps the order of the classes."""
        kind = self.classes_.dtype.kind
        if kind in "iuf" and np.abs(self.classes_.astype(np.float64)).max() < 2.0**53:
            return [repr(label.item()) for label in self.classes_]
        names = [str(label) for label in self.classes_]
        if names == sorted(set(names)) and not any(_is_float(name) for name in names):
            return names
        # The engine takes classes that look like numbers for numbers.
        return [str(code) for code in range(len(names))]

    def _adopt(self, model: Any) -> None:
        if not hasattr(self, "classes_"):
            self.classes_ = _labels(model.classes)
            self.class_weight_ = np.ones(len(self.classes_))
        super()._adopt(model)

    def _kept(self) -> Any:
        model = super()._kept()
        kept = _labels(model.classes)
        kinds = {"n" if labels.dtype.kind in "iuf" else labels.dtype.kind for labels in (kept, self.classes_)}
        same = len(kinds) == 1 and np.array_equal(kept, self.classes_)
        if not same and (self.classes_.dtype.kind != "O" or list(map(str, self.classes_)) != list(kept)):
            raise MercerError(
                "a model file keeps classes that are numbers, or texts which do not look like numbers; it would give "
                f"{kept.tolist()} back for {self.classes_.tolist()}; choose other labels, or pickle the model"
            )
        return model

    # ---------------------------------------------------------------------------------------------- answers

    def _is_rest(self) -> bool:
        """Whether there is a machine for each class against all others, as a model file of the command may have."""
        return len(self.classes_) > 2 and "multiclass: one-vs-rest" in self._model.spec.splitlines()

    def _explained(self, X: Any, table: Any, k: int) -> list[dict[str, Any]]:
        if len(self.classes_) == 2:
            return super()._explained(X, table, k)
        if self._is_rest():
            return self._differences(table, k)
        order = np.argsort(-self._class_scores(self._scores(X)), axis=1, kind="stable")[:, :2]
        found: list[dict[str, Any]] = [{} for _ in order]
        for machine, (first, second) in enumerate(combinations(range(len(self.classes_)), 2)):
            rows = np.flatnonzero((np.sort(order, axis=1) == (first, second)).all(axis=1))
            if not len(rows):
                continue
            terms = self._model.explain(self._table(_rows(X, rows), self._fitted_expression(), fit=False), k, machine)
            for row, told in zip(rows, terms, strict=True):
                # The machine of a pair speaks for its first class.
                sign = 1.0 if order[row, 0] == first else -1.0
                turned = {
                    name: sign * told[name] for name in ("score", "bias", "rest", "coefficients", "contributions")
                }
                found[row] = {**told, **turned, "classes": tuple(self.classes_[order[row]].tolist())}
        return found

    def _differences(self, table: Any, k: int) -> list[dict[str, Any]]:
        """The terms of what parts the best class from the second best, where each class has a machine."""
        scores = np.asarray(self._model.scores(table))
        order = np.argsort(-scores, axis=1, kind="stable")[:, :2]
        if len(self.classes_) == 2:
            # The score of two classes is that of the second against the first.
            order = np.tile([1, 0], (len(scores), 1))
        count = len(self._model.support)
        terms = [self._model.explain(table, count, machine) for machine in range(len(self.classes_))]
        return [
            self._against(terms[best][row], terms[next_][row], k, order[row]) for row, (best, next_) in enumerate(order)
        ]

    def _against(self, best: dict[str, Any], other: dict[str, Any], k: int, classes: np.ndarray) -> dict[str, Any]:
        """The terms of a difference of two scores, from all terms of both."""
        support = np.sort(self._model.support)
        coefficients, kernel = np.zeros(len(support)), np.zeros(len(support))
        for sign, told in ((1.0, best), (-1.0, other)):
            places = np.searchsorted(support, told["rows"])
            coefficients[places] += sign * told["coefficients"]
            kernel[places] = told["kernel"]
        contributions = coefficients * kernel
        largest = np.argsort(-np.abs(contributions), kind="stable")
        chosen = largest[:k]
        found = {
            "score": best["score"] - other["score"],
            "bias": best["bias"] - other["bias"],
            "rest": float(contributions[largest[k:]].sum()),
            "rows": support[chosen],
            "coefficients": coefficients[chosen],
            "kernel": kernel[chosen],
            "contributions": contributions[chosen],
        }
        return found if len(self.classes_) == 2 else {**found, "classes": tuple(self.classes_[classes].tolist())}

    def _class_scores(self, scores: np.ndarray) -> np.ndarray:
        """A score a class, for more than two classes, from those of the pairs."""
        return scores if self._is_rest() else ovr_scores(scores, len(self.classes_))

    def _are_votes(self) -> bool:
        """Whether the answer is the class of the largest score, or of most votes of pairs."""
        return True

    def _codes(self, scores: np.ndarray) -> np.ndarray:
        if len(self.classes_) == 2:
            return (scores[:, 0] > 0).astype(np.intp)
        return np.argmax(self._class_scores(scores), axis=1)

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of rows: for two classes, above 0 is the second; else one a class, and the largest wins.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            Rows; K(X, training rows) for `kernel="precomputed"`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Scores.
        """
        scores = self._scores(X)
        return scores[:, 0] if len(self.classes_) == 2 else self._class_scores(scores)

    def predict(self, X: Any) -> np.ndarray:
        """Classes of rows: always those with the largest score.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            Rows; K(X, training rows) for `kernel="precomputed"`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes.
        """
        check_is_fitted(self)
        return self.classes_[self._codes(self._scores(X, decide=self._are_votes()))]


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _labels(names: list[str]) -> np.ndarray:
    """Classes of a model file: whole numbers, numbers, truth values, or texts."""
    if names == ["False", "True"]:
        return np.array([False, True])
    for kind in (np.int64, np.float64):
        try:
            return np.array([kind(name) for name in names])
        except ValueError:
            continue
    return np.array(names)
