"""The support vector machine that tells where the data are."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import OutlierMixin, _fit_context
from sklearn.utils._param_validation import Interval, Real
from sklearn.utils.validation import _num_samples

from mercer._callbacks import with_callbacks
from mercer._engine import _shape
from mercer._weights import sample_weights
from mercer.svm._base import Gamma, SupportVectorMachine

#: Scores so near the boundary, in units of the offset, are on it.
_ZERO = 1e-8


class OneClassSVM(OutlierMixin, SupportVectorMachine):  # type: ignore[misc]
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
        **SupportVectorMachine._parameter_constraints,
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

    def _explained(self, X: Any, table: Any, k: int) -> list[dict[str, Any]]:
        scaled = ("score", "bias", "rest", "coefficients", "contributions")
        found = super()._explained(X, table, k)
        return [{**told, **{name: self._unit * told[name] for name in scaled}} for told in found]

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
        return self._in_units(self._scores(X))

    def _in_units(self, scores: np.ndarray) -> np.ndarray:
        scores = scores[:, 0] * self._unit
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
        return np.where(self._in_units(self._scores(X, decide=True)) >= 0, 1, -1)
