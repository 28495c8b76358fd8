"""What SVC and NuSVC have in common: pairs of classes, and probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import _fit_context
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Hidden, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer._callbacks import with_callbacks
from mercer._classifier import ClassifierPart
from mercer._pairs import agreeing, pair_coefficients, support_by_class
from mercer.svm._base import SupportVectorMachine


class SupportVectorClassifier(ClassifierPart, SupportVectorMachine):
    """SVC and NuSVC: one machine for each pair of classes."""

    _parameter_constraints: dict[str, list[Any]] = {
        **SupportVectorMachine._parameter_constraints,
        "probability": ["boolean", StrOptions({"platt", "isotonic"}), Hidden(StrOptions({"deprecated"}))],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "decision_function_shape": [StrOptions({"ovr", "ovo"})],
        "break_ties": ["boolean"],
        "random_state": ["random_state"],
    }
    _learner: str

    @_fit_context(prefer_skip_nested_validation=True)
    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the machine to training rows.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            Training rows; the kernel matrix for `kernel="precomputed"`.
        y : array-like of shape (n_samples,)
            Classes.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts; a weight of 2 is the same as the row twice.

        Returns
        -------
        self
            The fitted estimator. Ctrl-C ends the fit with what there is.
        """
        self._fit_classes(X, y, sample_weight)
        return self

    def _solve(self, X: Any, target: Any, weights: Any, lines: Mapping[str, Any], y: Any = None) -> None:
        how = self._calibration()
        if how is not None:
            seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
            lines = {**lines, "probabilities": how, "seed": seed}
        super()._solve(X, target, weights, lines, y)

    def _lines_of_problem(self) -> dict[str, Any]:
        return self._lines(self._learner)

    def _arranged(self, model: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        # Of machines against the rest signs do not tell the class of every support vector.
        return super()._arranged(model) if self._is_rest() else support_by_class(model, len(self.classes_))

    def _linear(self) -> Any:
        if len(self.classes_) == 2 or self._is_rest():
            return super()._linear()
        dense = self.dual_coef_.toarray() if sp.issparse(self.dual_coef_) else self.dual_coef_
        return pair_coefficients(dense, self._n_support, self.support_vectors_)

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of rows: for two classes, above 0 is the second; else one a class, or one a pair.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            Rows; K(X, training rows) for `kernel="precomputed"`.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            With `decision_function_shape="ovr"` votes of the pairs, and among equal votes the sum of their scores.
        """
        if self.decision_function_shape == "ovo" and len(getattr(self, "classes_", ())) > 2:
            return self._scores(X)
        return super().decision_function(X)

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
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        return super().predict(X)

    def _calibration(self) -> str | None:
        """How probabilities are made, if they are."""
        if isinstance(self.probability, str):
            return None if self.probability == "deprecated" else self.probability
        return "platt" if self.probability else None

    def _check_probability(self) -> bool:
        if self._calibration() is None:
            raise AttributeError("predict_proba is not available when probability=False")
        return True

    @available_if(lambda self: self._check_probability())
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes; the largest is always that of the class that `predict` gives.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            Rows; K(X, training rows) for `kernel="precomputed"`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, fitted to scores of rows that were left out, in five folds, or as many as the smallest
            class has rows.
        """
        check_is_fitted(self)
        if not self._model.calibrated:
            asked = "probabilities" in self._model.spec
            why = "the fit was stopped before probabilities" if asked else "fitted with probability=False"
            raise NotFittedError(f"predict_proba is not available when {why}")
        scores = np.ascontiguousarray(self._scores(X))
        return agreeing(np.asarray(self._model.probabilities(scores)), self._codes(scores))

    @available_if(lambda self: self._check_probability())
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities of the classes.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            Rows; K(X, training rows) for `kernel="precomputed"`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms of `predict_proba`.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
