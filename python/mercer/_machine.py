"""What the machines beyond the support vector ones share: parameters, fitted attributes, warnings."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import RegressorMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Integral, Interval, Real, StrOptions
from sklearn.utils.validation import column_or_1d

from mercer._callbacks import with_callbacks
from mercer._classifier import ClassifierPart
from mercer._engine import LIMITS, KernelMachine
from mercer._expression import is_matrix
from mercer._warn import warn
from mercer._weights import sample_weights

Gamma = float | Literal["scale", "auto"]


class Machine(KernelMachine):
    """A machine whose `tol` is a relative duality gap."""

    _parameter_constraints: dict[str, list[Any]] = {
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "kernel": [str, callable],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "verbose": ["verbose"],
        **LIMITS,
    }
    _learner: str
    #: What the engine takes where a line is not said, as a model file does not say it then.
    _usual_lines: dict[str, str] = {"gap": "1e-6", "offset": "true"}
    #: What to do where the iterations did not suffice.
    _cure = "raise max_iter, or lower C"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_matrix(self.kernel)
        tags.input_tags.sparse = not is_matrix(self.kernel)
        return tags

    def _lines(self) -> dict[str, Any]:
        """What is posed to the engine, kernel and target apart."""
        lines: dict[str, Any] = {"learner": self._learner, "C": float(self.C), "gap": float(self.tol)}
        if hasattr(self, "fit_intercept"):
            lines["offset"] = bool(self.fit_intercept)
        return lines

    def _seed(self) -> int:
        """The seed of learners that draw rows; an integer is one as it is."""
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _adopt(self, model: Any) -> None:
        super()._adopt(model)
        self.fit_status_ = int(not self.converged_)
        self.support_ = model.support
        self.dual_coef_ = np.array(model.coefficients)
        self.intercept_ = np.array(model.bias)
        self.n_iter_ = int(model.iterations.max())

    @property
    def support_vectors_(self) -> Any:
        """The training rows with a coefficient; nothing for a kernel matrix or a callable."""
        points = self._fitted("support_vectors_").support_points()
        if points is None or self._expression().matrix:
            return np.empty((0, 0))
        if isinstance(points, tuple):
            indptr, indices, data, dim = points
            return sp.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, dim))
        return points

    def _warn(self) -> None:
        if self.converged_:
            return
        refuted = any(not found.convex for found in self.certificates_)
        if refuted or any(status in ("time limit", "stopped") for status in self._model.statuses):
            super()._warn()
            return
        ends = ", ".join(sorted(set(self._model.statuses)))
        warn(
            f"The solver ended ({ends}) with an objective within {self.gap_:.1e} (relative gap) of the optimum; "
            f"tol={self.tol} was asked for. Cheapest cure: {self._cure}.",
            ConvergenceWarning,
        )


class ClassifierMachine(ClassifierPart, Machine):
    """A machine that tells classes apart, one for each pair where there are more than two."""

    def _lines_of_problem(self) -> dict[str, Any]:
        return self._lines()


class WeightedClassifier(ClassifierMachine):
    """A machine that tells classes apart and takes weights of rows."""

    _parameter_constraints: dict[str, list[Any]] = {
        **Machine._parameter_constraints,
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

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


class RegressorMachine(RegressorMixin, Machine):  # type: ignore[misc]
    """A machine that predicts numbers."""

    @_fit_context(prefer_skip_nested_validation=True)
    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the machine to training rows.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            Training rows; the kernel matrix for `kernel="precomputed"`.
        y : array-like of shape (n_samples,)
            Numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts; a weight of 2 is the same as the row twice.

        Returns
        -------
        self
            The fitted estimator. Ctrl-C ends the fit with what there is.
        """
        X, y = self._checked(X, y, **({} if callable(self.kernel) else {"y_numeric": True}))
        target = np.ascontiguousarray(column_or_1d(y, warn=True), dtype=np.float64)
        self._solve(X, target, sample_weights(sample_weight, X), self._lines(), y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Numbers for rows.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            Rows; K(X, training rows) for `kernel="precomputed"`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Numbers.
        """
        return self._scores(X)[:, 0]
