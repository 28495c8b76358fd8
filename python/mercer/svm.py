"""Support vector machines with the parameters and attributes of `sklearn.svm`."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import OutlierMixin, RegressorMixin, _fit_context
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import Hidden, Integral, Interval, Real, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _num_samples, check_is_fitted, column_or_1d

from mercer._callbacks import Progress, with_callbacks
from mercer._classifier import ClassifierPart
from mercer._engine import LIMITS, KernelMachine, _rows, _shape
from mercer._pairs import pair_coefficients, support_by_class
from mercer._probability import calibrate, probabilities
from mercer._warn import warn
from mercer._weights import sample_weights

#: Up to so many rows are solved to so small a violation, whatever `tol` is, if that takes no more than so many
#: iterations times rows.
_FEW, _DIGITS, _PATIENCE = 200, 1e-10, 20_000_000

#: What C = inf stands for: no error is worth its price.
_LARGE = 1e10

#: Scores of the one-class machine so near the boundary, in units of its offset, are on it.
_ZERO = 1e-8

Gamma = float | Literal["scale", "auto"]


class _SupportVectorMachine(KernelMachine):
    """What the five have in common."""

    _parameter_constraints: dict[str, list[Any]] = {
        "kernel": [str, callable],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "shrinking": ["boolean"],
        "cache_size": [Interval(Real, 0, None, closed="neither")],
        "verbose": ["verbose"],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        **LIMITS,
    }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags

    def _lines(self, learner: str) -> dict[str, Any]:
        return {"learner": learner, "gap": None, "violation": float(self.tol)}

    def _run(
        self,
        lines: Mapping[str, Any],
        table: Any,
        target: Any,
        weights: Any,
        progress: Progress,
        most: int | None = None,
    ) -> Any:
        # Few rows are solved to many digits, since that takes no time; what counts as solved is still `tol`.
        patience = _PATIENCE // self.shape_fit_[0]
        if self.shape_fit_[0] <= _FEW and self.tol > _DIGITS:
            fine = {**lines, "violation": _DIGITS}
            model = super()._run(fine, table, target, weights, progress, patience)
            if "iteration limit" not in model.statuses or 0 <= self.max_iter <= patience:
                return model
        return super()._run(lines, table, target, weights, progress, most)

    def _holds(self, model: Any) -> bool:
        found = self.certificates_
        proved = all(one.convexity["status"] != "refuted" and one.violation <= self.tol for one in found)
        return bool(found) and proved and all(status in ("solved", "stalled") for status in model.statuses)

    def _adopt(self, model: Any) -> None:
        super()._adopt(model)
        order, self._n_support, coefficients = self._arranged(model)
        # A file of LIBSVM does not tell which rows the support vectors were.
        known = len(model.support) == len(order)
        self.support_ = model.support.astype(np.int32)[order if known else slice(0)]
        self.intercept_ = np.array(model.bias)
        self.dual_coef_: Any = coefficients
        points = model.support_points()
        if self._expression().matrix or points is None:
            self.support_vectors_: Any = np.empty((0, 0))
        elif isinstance(points, tuple):
            indptr, indices, data, dim = points
            self.support_vectors_ = sp.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, dim))[order]
            self.dual_coef_ = sp.csr_matrix(coefficients)
        else:
            self.support_vectors_ = _rows(points, order)
        self.n_iter_: Any = model.iterations.astype(np.int32)

    def _arranged(self, model: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The order of the support points, how many there are, and the coefficients in that order."""
        count = model.coefficients.shape[1]
        return np.arange(count), np.array([count], dtype=np.int32), np.array(model.coefficients)

    @property
    def n_support_(self) -> np.ndarray:
        """Number of support vectors, by class where there are classes."""
        self._fitted("n_support_")
        return self._n_support

    @property
    def coef_(self) -> Any:
        """Weights of the features, for the linear kernel."""
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        self._fitted("coef_")
        coef = self._linear()
        (coef.data if sp.issparse(coef) else coef).flags.writeable = False
        return coef

    def _linear(self) -> Any:
        return self.dual_coef_ @ self.support_vectors_


class _Classifier(ClassifierPart, _SupportVectorMachine):
    """SVC and NuSVC: one machine for each pair of classes."""

    _parameter_constraints: dict[str, list[Any]] = {
        **_SupportVectorMachine._parameter_constraints,
        "probability": ["boolean", Hidden(StrOptions({"deprecated"}))],
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
        X, y, codes = self._fit_classes(X, y, sample_weight)
        if self._gives_probabilities():
            self._temperature = calibrate(self, X, y, sample_weight, codes)
        return self

    def _lines_of_problem(self) -> dict[str, Any]:
        return self._lines(self._learner)

    def _arranged(self, model: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return support_by_class(model.coefficients, len(self.classes_))

    def _linear(self) -> Any:
        if len(self.classes_) == 2:
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

    def _gives_probabilities(self) -> bool:
        return self.probability is not False and self.probability != "deprecated" and bool(self.probability)

    def _check_probability(self) -> bool:
        if not self._gives_probabilities():
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
            Probabilities, calibrated on scores of rows that were left out.
        """
        check_is_fitted(self)
        if not hasattr(self, "_temperature"):
            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        return probabilities(self._scores(X), len(self.classes_), self._temperature)

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
        return np.log(self.predict_proba(X))


class SVC(_Classifier):
    """Support vector classification: the soft margin with penalty C.

    A drop-in for `sklearn.svm.SVC` that says how far it is from the optimum.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of errors; large C fits the training rows closely.
    kernel : str, Kernel or callable, default="rbf"
        A name ("linear", "poly", "rbf", "sigmoid", with the parameters below), an expression such as
        "0.5*rbf(sigma=1) + poly(degree=2)", an object of `mercer.kernels`, a callable `k(X, Y) -> matrix`, or
        "precomputed".
    degree : int, default=3
        Degree of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Of "rbf", "poly" and "sigmoid": "scale" is 1/(n_features · X.var()), "auto" is 1/n_features.
    coef0 : float, default=0.0
        Offset of "poly" and "sigmoid".
    shrinking : bool, default=True
        Accepted for compatibility; the solver decides.
    probability : bool, default=False
        Whether to calibrate probabilities for `predict_proba`, by five more fits.
    tol : float, default=1e-3
        Largest violation of the optimality conditions at which the solver ends.
    cache_size : float, default=200
        Accepted for compatibility; see `memory_limit`.
    class_weight : dict or "balanced", default=None
        What C is multiplied by for each class; "balanced" is n_samples/(n_classes · rows of the class).
    verbose : bool, default=False
        Whether to print progress.
    max_iter : int, default=-1
        Iterations of each machine at most; -1 for no limit.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Whether `decision_function` gives a score a class or a pair, for more than two classes.
    break_ties : bool, default=False
        Accepted for compatibility: `predict` always agrees with `decision_function`.
    random_state : int, RandomState or None, default=None
        Of the folds that probabilities are calibrated on.
    time_limit : float, default=None
        Seconds after which the fit ends with what there is; None for no limit.
    memory_limit : int or str, default=None
        Bytes for matrices, or a text such as "4GB"; None for 60 % of what is free.
    n_jobs : int, default=None
        Threads; None for all cores, or as OMP_NUM_THREADS says; -1 for all cores, -2 for all but one. Results do not
        depend on it.

    Attributes
    ----------
    certificate_ : Certificate
        What the solution is worth: objective, lower bound, gap, violation, and what is known of the kernel; of several
        machines the worst.
    certificates_ : list of Certificate
        One for each machine.
    gap_ : float
        Relative gap of `certificate_`: the objective is at most this share of itself above the optimum.
    converged_ : bool
        Whether every certificate has a violation of at most `tol`, and nothing speaks against the kernel.
    history_ : dict of ndarray or list of dict
        How the solver went: `iteration`, `primal`, `dual`, `gap`, `violation`, `support` and `seconds`, one entry a
        report; a list of such dicts for more than two classes.
    kernel_ : Kernel
        The kernel with all words turned into numbers.
    kernel_report_ : dict
        Whether the kernel is positive semi-definite: `status`, `claim` and `proof` by its form, `measured` on the
        training rows.
    classes_ : ndarray of shape (n_classes,)
        Classes, sorted.
    class_weight_ : ndarray of shape (n_classes,)
        What C was multiplied by for each class.
    support_ : ndarray of shape (n_support,)
        Numbers of the training rows that are support vectors, by class.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        These rows; of shape (0, 0) for a kernel matrix or a callable.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    dual_coef_ : ndarray or sparse matrix of shape (n_classes - 1, n_support)
        Coefficients of the support vectors, in the order of scikit-learn: each is in one machine for each of the other
        classes.
    intercept_ : ndarray of shape (n_machines,)
        Offsets b; n_machines is 1 for two classes, else the number of pairs of classes.
    coef_ : ndarray or sparse matrix of shape (n_machines, n_features)
        Weights of the features; only for `kernel="linear"`.
    n_iter_ : ndarray of shape (n_machines,)
        Iterations of each machine.
    fit_status_ : int
        0 where the solver came to its end; 1 where a limit, Ctrl-C or rounding ended it before.
    shape_fit_ : tuple of int
        Shape of the training rows.
    n_features_in_ : int
        Number of columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns; only where the training rows came with names that are texts.

    Notes
    -----
    Learner `smo`: Decomposition of the dual (SMO): SVM, SVR, quantiles and every loss but the logistic. Time about
    O(n s), for n rows and s support vectors. Mathematics: docs/maths.md §4.5. Reference: Platt 1998; Fan, Chen & Lin
    2005.

    Examples
    --------
    >>> from mercer import SVC
    >>> clf = SVC(C=10).fit([[0, 0], [0, 1], [2, 2], [3, 2]], [0, 0, 1, 1])
    >>> clf.predict([[0.2, 0.3], [2.5, 2.5]])
    array([0, 1])
    >>> clf.converged_
    True
    """

    _learner = "smo"
    _parameter_constraints: dict[str, list[Any]] = {
        **_Classifier._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="right")],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs

    def _lines(self, learner: str) -> dict[str, Any]:
        return {**super()._lines(learner), "loss": "hinge", "C": min(float(self.C), _LARGE)}


class NuSVC(_Classifier):
    """Support vector classification with nu, the share of margin errors, in place of C.

    Parameters
    ----------
    nu : float, default=0.5
        Upper bound on the share of margin errors, lower bound on the share of support vectors; above 0, at most 1.
        Where the classes leave no room for it, the most that there is room for is used, with a warning.
    kernel : str, Kernel or callable, default="rbf"
        A name ("linear", "poly", "rbf", "sigmoid", with the parameters below), an expression such as
        "0.5*rbf(sigma=1) + poly(degree=2)", an object of `mercer.kernels`, a callable `k(X, Y) -> matrix`, or
        "precomputed".
    degree : int, default=3
        Degree of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Of "rbf", "poly" and "sigmoid": "scale" is 1/(n_features · X.var()), "auto" is 1/n_features.
    coef0 : float, default=0.0
        Offset of "poly" and "sigmoid".
    shrinking : bool, default=True
        Accepted for compatibility; the solver decides.
    probability : bool, default=False
        Whether to calibrate probabilities for `predict_proba`, by five more fits.
    tol : float, default=1e-3
        Largest violation of the optimality conditions at which the solver ends.
    cache_size : float, default=200
        Accepted for compatibility; see `memory_limit`.
    class_weight : dict or "balanced", default=None
        What the weight of the rows of each class is multiplied by; "balanced" is n_samples/(n_classes · rows of the
        class).
    verbose : bool, default=False
        Whether to print progress.
    max_iter : int, default=-1
        Iterations of each machine at most; -1 for no limit.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Whether `decision_function` gives a score a class or a pair, for more than two classes.
    break_ties : bool, default=False
        Accepted for compatibility: `predict` always agrees with `decision_function`.
    random_state : int, RandomState or None, default=None
        Of the folds that probabilities are calibrated on.
    time_limit : float, default=None
        Seconds after which the fit ends with what there is; None for no limit.
    memory_limit : int or str, default=None
        Bytes for matrices, or a text such as "4GB"; None for 60 % of what is free.
    n_jobs : int, default=None
        Threads; None for all cores, or as OMP_NUM_THREADS says; -1 for all cores, -2 for all but one. Results do not
        depend on it.

    Attributes
    ----------
    certificate_ : Certificate
        What the solution is worth: objective, lower bound, gap, violation, and what is known of the kernel; of several
        machines the worst.
    certificates_ : list of Certificate
        One for each machine.
    gap_ : float
        Relative gap of `certificate_`: the objective is at most this share of itself above the optimum.
    converged_ : bool
        Whether every certificate has a violation of at most `tol`, and nothing speaks against the kernel.
    history_ : dict of ndarray or list of dict
        How the solver went: `iteration`, `primal`, `dual`, `gap`, `violation`, `support` and `seconds`, one entry a
        report; a list of such dicts for more than two classes.
    kernel_ : Kernel
        The kernel with all words turned into numbers.
    kernel_report_ : dict
        Whether the kernel is positive semi-definite: `status`, `claim` and `proof` by its form, `measured` on the
        training rows.
    classes_ : ndarray of shape (n_classes,)
        Classes, sorted.
    class_weight_ : ndarray of shape (n_classes,)
        What the weight of the rows of each class was multiplied by.
    support_ : ndarray of shape (n_support,)
        Numbers of the training rows that are support vectors, by class.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        These rows; of shape (0, 0) for a kernel matrix or a callable.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    dual_coef_ : ndarray or sparse matrix of shape (n_classes - 1, n_support)
        Coefficients of the support vectors, in the order of scikit-learn: each is in one machine for each of the other
        classes.
    intercept_ : ndarray of shape (n_machines,)
        Offsets b; n_machines is 1 for two classes, else the number of pairs of classes.
    coef_ : ndarray or sparse matrix of shape (n_machines, n_features)
        Weights of the features; only for `kernel="linear"`.
    n_iter_ : ndarray of shape (n_machines,)
        Iterations of each machine.
    fit_status_ : int
        0 where the solver came to its end; 1 where a limit, Ctrl-C or rounding ended it before.
    shape_fit_ : tuple of int
        Shape of the training rows.
    n_features_in_ : int
        Number of columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns; only where the training rows came with names that are texts.

    Notes
    -----
    Learner `nu-svc`: nu-SVM: nu bounds the share of margin errors and of support vectors. Time about O(n s), for n rows
    and s support vectors. Mathematics: docs/maths.md §4.13. Reference: Schölkopf et al. 2000.

    Examples
    --------
    >>> from mercer import NuSVC
    >>> NuSVC(nu=0.4).fit([[0, 0], [0, 1], [2, 2], [3, 2]], [0, 0, 1, 1]).predict([[0.2, 0.3]])
    array([0])
    """

    _learner = "nu-svc"
    _one_class = "specified nu is infeasible: "
    _parameter_constraints: dict[str, list[Any]] = {
        **_Classifier._parameter_constraints,
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
    }

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs

    def _lines(self, learner: str) -> dict[str, Any]:
        return {**super()._lines(learner), "nu": self._feasible_nu()}

    def _feasible_nu(self) -> float:
        """nu, or the most there is room for: each class of a pair must have nu/2 of its weight."""
        weight = np.sort(self._class_totals[self._class_totals > 0])
        most = 2 * weight[0] / (weight[0] + weight[-1])
        if self.nu <= most:
            return float(self.nu)
        warn(
            f"the classes leave room for nu up to {most:.3g} only; {0.99 * most:.3g} is used in place of {self.nu}",
            UserWarning,
        )
        return float(0.99 * most)

    def _adopt(self, model: Any) -> None:
        if getattr(self, "class_weight", None) is not None and hasattr(self, "_class_totals"):
            # With no room for nu the objective falls without end as the heavier class is given a wider margin: the
            # limit of that is to say that class always, and weights of classes are there to be obeyed.
            for k, (first, second) in enumerate(combinations(range(len(self.classes_)), 2)):
                pair = self._class_totals[[first, second]]
                if pair.min() > 0 and self.nu * pair.sum() > 2 * pair.min():
                    towards = 1.0 if (pair[0] > pair[1]) == (len(self.classes_) > 2) else -1.0
                    model = model.with_constant(k, towards)
        super()._adopt(model)


class _Regressor(RegressorMixin, _SupportVectorMachine):  # type: ignore[misc]
    """SVR and NuSVR."""

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
            Numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts; a weight of 2 is the same as the row twice.

        Returns
        -------
        self
            The fitted estimator. Ctrl-C ends the fit with what there is.
        """
        X, y = self._checked(X, y, y_numeric=True) if not callable(self.kernel) else self._checked(X, y)
        self.shape_fit_ = _shape(X)
        target = np.ascontiguousarray(column_or_1d(y, warn=True), dtype=np.float64)
        self._solve(X, target, sample_weights(sample_weight, X), self._lines(self._learner), y)
        return self

    def _adopt(self, model: Any) -> None:
        super()._adopt(model)
        self.n_iter_ = int(model.iterations[0])

    def predict(self, X: Any) -> np.ndarray:
        """Numbers for rows.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            Rows; K(X, training rows) for `kernel="precomputed"`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predictions.
        """
        return self._scores(X)[:, 0]


class SVR(_Regressor):
    """Support vector regression: errors below epsilon are free.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        A name ("linear", "poly", "rbf", "sigmoid", with the parameters below), an expression such as
        "0.5*rbf(sigma=1) + poly(degree=2)", an object of `mercer.kernels`, a callable `k(X, Y) -> matrix`, or
        "precomputed".
    degree : int, default=3
        Degree of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Of "rbf", "poly" and "sigmoid": "scale" is 1/(n_features · X.var()), "auto" is 1/n_features.
    coef0 : float, default=0.0
        Offset of "poly" and "sigmoid".
    tol : float, default=1e-3
        Largest violation of the optimality conditions at which the solver ends.
    C : float, default=1.0
        Penalty of errors; large C fits the training rows closely.
    epsilon : float, default=0.1
        Half the width of the tube in which errors are free, in units of y.
    shrinking : bool, default=True
        Accepted for compatibility; the solver decides.
    cache_size : float, default=200
        Accepted for compatibility; see `memory_limit`.
    verbose : bool, default=False
        Whether to print progress.
    max_iter : int, default=-1
        Iterations at most; -1 for no limit.
    time_limit : float, default=None
        Seconds after which the fit ends with what there is; None for no limit.
    memory_limit : int or str, default=None
        Bytes for matrices, or a text such as "4GB"; None for 60 % of what is free.
    n_jobs : int, default=None
        Threads; None for all cores, or as OMP_NUM_THREADS says; -1 for all cores, -2 for all but one. Results do not
        depend on it.

    Attributes
    ----------
    certificate_ : Certificate
        What the solution is worth: objective, lower bound, gap, violation, and what is known of the kernel.
    certificates_ : list of Certificate
        The one certificate.
    gap_ : float
        Relative gap of `certificate_`: the objective is at most this share of itself above the optimum.
    converged_ : bool
        Whether every certificate has a violation of at most `tol`, and nothing speaks against the kernel.
    history_ : dict of ndarray
        How the solver went: `iteration`, `primal`, `dual`, `gap`, `violation`, `support` and `seconds`, one entry a
        report.
    kernel_ : Kernel
        The kernel with all words turned into numbers.
    kernel_report_ : dict
        Whether the kernel is positive semi-definite: `status`, `claim` and `proof` by its form, `measured` on the
        training rows.
    support_ : ndarray of shape (n_support,)
        Numbers of the training rows that are support vectors.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        These rows; of shape (0, 0) for a kernel matrix or a callable.
    n_support_ : ndarray of shape (1,)
        Number of support vectors.
    dual_coef_ : ndarray or sparse matrix of shape (1, n_support)
        Coefficients of the support vectors.
    intercept_ : ndarray of shape (1,)
        The offset b.
    coef_ : ndarray or sparse matrix of shape (1, n_features)
        Weights of the features; only for `kernel="linear"`.
    n_iter_ : int
        Iterations of the solver.
    fit_status_ : int
        0 where the solver came to its end; 1 where a limit, Ctrl-C or rounding ended it before.
    shape_fit_ : tuple of int
        Shape of the training rows.
    n_features_in_ : int
        Number of columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns; only where the training rows came with names that are texts.

    Notes
    -----
    Learner `svr`: Support vector regression: errors below epsilon are free. Time about O(n s), for n rows and s support
    vectors. Mathematics: docs/maths.md §4.13. Reference: Drucker et al. 1997.

    Examples
    --------
    >>> from mercer import SVR
    >>> SVR(C=10, epsilon=0.01).fit([[0], [1], [2], [3]], [0, 1, 2, 3]).predict([[1.5]]).round(1)
    array([1.5])
    """

    _learner = "svr"
    _parameter_constraints: dict[str, list[Any]] = {
        **_SupportVectorMachine._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="right")],
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs

    def _lines(self, learner: str) -> dict[str, Any]:
        loss = f"epsilon(epsilon={float(self.epsilon)!r})"
        return {**super()._lines(learner), "loss": loss, "C": min(float(self.C), _LARGE)}


class NuSVR(_Regressor):
    """Support vector regression that finds the width of its tube; nu bounds the share of rows outside.

    Parameters
    ----------
    nu : float, default=0.5
        Upper bound on the share of rows outside the tube, lower bound on the share of support vectors; above 0, at most
        1.
    C : float, default=1.0
        Penalty of errors; large C fits the training rows closely.
    kernel : str, Kernel or callable, default="rbf"
        A name ("linear", "poly", "rbf", "sigmoid", with the parameters below), an expression such as
        "0.5*rbf(sigma=1) + poly(degree=2)", an object of `mercer.kernels`, a callable `k(X, Y) -> matrix`, or
        "precomputed".
    degree : int, default=3
        Degree of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Of "rbf", "poly" and "sigmoid": "scale" is 1/(n_features · X.var()), "auto" is 1/n_features.
    coef0 : float, default=0.0
        Offset of "poly" and "sigmoid".
    shrinking : bool, default=True
        Accepted for compatibility; the solver decides.
    tol : float, default=1e-3
        Largest violation of the optimality conditions at which the solver ends.
    cache_size : float, default=200
        Accepted for compatibility; see `memory_limit`.
    verbose : bool, default=False
        Whether to print progress.
    max_iter : int, default=-1
        Iterations at most; -1 for no limit.
    time_limit : float, default=None
        Seconds after which the fit ends with what there is; None for no limit.
    memory_limit : int or str, default=None
        Bytes for matrices, or a text such as "4GB"; None for 60 % of what is free.
    n_jobs : int, default=None
        Threads; None for all cores, or as OMP_NUM_THREADS says; -1 for all cores, -2 for all but one. Results do not
        depend on it.

    Attributes
    ----------
    certificate_ : Certificate
        What the solution is worth: objective, lower bound, gap, violation, and what is known of the kernel.
    certificates_ : list of Certificate
        The one certificate.
    gap_ : float
        Relative gap of `certificate_`: the objective is at most this share of itself above the optimum.
    converged_ : bool
        Whether every certificate has a violation of at most `tol`, and nothing speaks against the kernel.
    history_ : dict of ndarray
        How the solver went: `iteration`, `primal`, `dual`, `gap`, `violation`, `support` and `seconds`, one entry a
        report.
    kernel_ : Kernel
        The kernel with all words turned into numbers.
    kernel_report_ : dict
        Whether the kernel is positive semi-definite: `status`, `claim` and `proof` by its form, `measured` on the
        training rows.
    support_ : ndarray of shape (n_support,)
        Numbers of the training rows that are support vectors.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        These rows; of shape (0, 0) for a kernel matrix or a callable.
    n_support_ : ndarray of shape (1,)
        Number of support vectors.
    dual_coef_ : ndarray or sparse matrix of shape (1, n_support)
        Coefficients of the support vectors.
    intercept_ : ndarray of shape (1,)
        The offset b.
    coef_ : ndarray or sparse matrix of shape (1, n_features)
        Weights of the features; only for `kernel="linear"`.
    n_iter_ : int
        Iterations of the solver.
    fit_status_ : int
        0 where the solver came to its end; 1 where a limit, Ctrl-C or rounding ended it before.
    shape_fit_ : tuple of int
        Shape of the training rows.
    n_features_in_ : int
        Number of columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns; only where the training rows came with names that are texts.

    Notes
    -----
    Learner `nu-svr`: nu-SVR: the width of the tube is found, nu bounds the share outside. Time about O(n s), for n rows
    and s support vectors. Mathematics: docs/maths.md §4.13. Reference: Schölkopf et al. 2000.

    Examples
    --------
    >>> from mercer import NuSVR
    >>> NuSVR(C=10).fit([[0], [1], [2], [3]], [0, 1, 2, 3]).predict([[1.5]]).round(1)
    array([1.5])
    """

    _learner = "nu-svr"
    _parameter_constraints: dict[str, list[Any]] = {
        **_SupportVectorMachine._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="right")],
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
    }

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs

    def _lines(self, learner: str) -> dict[str, Any]:
        return {**super()._lines(learner), "nu": float(self.nu), "C": min(float(self.C), _LARGE)}


class OneClassSVM(OutlierMixin, _SupportVectorMachine):  # type: ignore[misc]
    """Where the data are: a share nu of the training rows is left outside.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        A name ("linear", "poly", "rbf", "sigmoid", with the parameters below), an expression such as
        "0.5*rbf(sigma=1) + poly(degree=2)", an object of `mercer.kernels`, a callable `k(X, Y) -> matrix`, or
        "precomputed".
    degree : int, default=3
        Degree of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Of "rbf", "poly" and "sigmoid": "scale" is 1/(n_features · X.var()), "auto" is 1/n_features.
    coef0 : float, default=0.0
        Offset of "poly" and "sigmoid".
    tol : float, default=1e-3
        Largest violation of the optimality conditions at which the solver ends.
    nu : float, default=0.5
        Upper bound on the share of training rows outside, lower bound on the share of support vectors; above 0, at most
        1.
    shrinking : bool, default=True
        Accepted for compatibility; the solver decides.
    cache_size : float, default=200
        Accepted for compatibility; see `memory_limit`.
    verbose : bool, default=False
        Whether to print progress.
    max_iter : int, default=-1
        Iterations at most; -1 for no limit.
    time_limit : float, default=None
        Seconds after which the fit ends with what there is; None for no limit.
    memory_limit : int or str, default=None
        Bytes for matrices, or a text such as "4GB"; None for 60 % of what is free.
    n_jobs : int, default=None
        Threads; None for all cores, or as OMP_NUM_THREADS says; -1 for all cores, -2 for all but one. Results do not
        depend on it.

    Attributes
    ----------
    certificate_ : Certificate
        What the solution is worth: objective, lower bound, gap, violation, and what is known of the kernel.
    certificates_ : list of Certificate
        The one certificate.
    gap_ : float
        Relative gap of `certificate_`: the objective is at most this share of itself above the optimum.
    converged_ : bool
        Whether every certificate has a violation of at most `tol`, and nothing speaks against the kernel.
    history_ : dict of ndarray
        How the solver went: `iteration`, `primal`, `dual`, `gap`, `violation`, `support` and `seconds`, one entry a
        report.
    kernel_ : Kernel
        The kernel with all words turned into numbers.
    kernel_report_ : dict
        Whether the kernel is positive semi-definite: `status`, `claim` and `proof` by its form, `measured` on the
        training rows.
    support_ : ndarray of shape (n_support,)
        Numbers of the training rows that are support vectors.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        These rows; of shape (0, 0) for a kernel matrix or a callable.
    n_support_ : ndarray of shape (1,)
        Number of support vectors.
    dual_coef_ : ndarray or sparse matrix of shape (1, n_support)
        Coefficients of the support vectors.
    intercept_ : ndarray of shape (1,)
        Minus `offset_`.
    offset_ : ndarray of shape (1,)
        What `score_samples` is compared with: from it up is inside.
    coef_ : ndarray or sparse matrix of shape (1, n_features)
        Weights of the features; only for `kernel="linear"`.
    n_iter_ : int
        Iterations of the solver.
    fit_status_ : int
        0 where the solver came to its end; 1 where a limit, Ctrl-C or rounding ended it before.
    shape_fit_ : tuple of int
        Shape of the training rows.
    n_features_in_ : int
        Number of columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns; only where the training rows came with names that are texts.

    Notes
    -----
    Learner `one-class`: One-class SVM: where the data are; a share nu is left outside. Time about O(n s), for n rows
    and s support vectors. Mathematics: docs/maths.md §4.13. Reference: Schölkopf et al. 2001.

    Examples
    --------
    >>> from mercer import OneClassSVM
    >>> OneClassSVM(gamma="auto").fit([[0], [0.44], [0.45], [0.46], [1]]).predict([[0.45], [9]])
    array([ 1, -1])
    """

    _parameter_constraints: dict[str, list[Any]] = {
        **_SupportVectorMachine._parameter_constraints,
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)
    @with_callbacks
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the machine to training rows.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            Training rows; the kernel matrix for `kernel="precomputed"`.
        y : ignored, default=None
            Present for pipelines.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts; a weight of 2 is the same as the row twice.

        Returns
        -------
        self
            The fitted estimator. Ctrl-C ends the fit with what there is.
        """
        _num_samples(X)  # what has no length is a TypeError here, as in scikit-learn
        X = self._checked(X)
        self.shape_fit_ = _shape(X)
        weights = sample_weights(sample_weight, X)
        count = self.shape_fit_[0]
        # What LIBSVM's coefficients sum to; the engine's sum to 1.
        self._total = self.nu * (count if weights is None else float(weights.sum()))
        self._solve(X, None, weights, {**self._lines("one-class"), "nu": float(self.nu)})
        return self

    def _adopt(self, model: Any) -> None:
        rows = model.provenance["rows"]
        total, found = getattr(self, "_total", self.nu * rows), float(model.coefficients.sum())
        self._unit = total / found if rows and found else 1.0
        super()._adopt(model)
        self.intercept_ = self.intercept_ * self._unit
        self.dual_coef_ = self.dual_coef_ * self._unit
        self.offset_ = -self.intercept_
        self.n_iter_ = int(model.iterations[0])

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of rows: from 0 up is inside.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            Rows; K(X, training rows) for `kernel="precomputed"`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Scores.
        """
        scores = self._scores(X)[:, 0] * self._unit
        # Support vectors inside their bounds are on the boundary; what rounding makes of that is no answer.
        scores[np.abs(scores) <= _ZERO * np.abs(self.offset_)] = 0.0
        return scores

    def score_samples(self, X: Any) -> np.ndarray:
        """Scores before the offset is taken off.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            Rows; K(X, training rows) for `kernel="precomputed"`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Scores.
        """
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """1 for rows inside, -1 for rows outside.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            Rows; K(X, training rows) for `kernel="precomputed"`.

        Returns
        -------
        ndarray of shape (n_samples,)
            1 or -1.
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)
