"""Support vector machines that predict numbers."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin, _fit_context
from sklearn.utils._param_validation import Interval, Real
from sklearn.utils.validation import column_or_1d

from mercer._callbacks import with_callbacks
from mercer._engine import _shape
from mercer._weights import sample_weights
from mercer.svm._base import LARGE, Gamma, SupportVectorMachine


class SupportVectorRegressor(RegressorMixin, SupportVectorMachine):  # type: ignore[misc]
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


class SVR(SupportVectorRegressor):
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
        Iterations at most; -1 for ten million, or a hundred a row.
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
        **SupportVectorMachine._parameter_constraints,
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
        return {**super()._lines(learner), "loss": loss, "C": min(float(self.C), LARGE)}


class NuSVR(SupportVectorRegressor):
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
        Iterations at most; -1 for ten million, or a hundred a row.
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
        **SupportVectorMachine._parameter_constraints,
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
        return {**super()._lines(learner), "nu": float(self.nu), "C": min(float(self.C), LARGE)}
