"""Pegasos: stochastic subgradient descent on the soft margin."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Integral, Interval, StrOptions

from mercer._callbacks import with_callbacks
from mercer._machine import ClassifierMachine, Gamma, Machine


class _Pegasos(ClassifierMachine):
    """What the two have in common.

    Rows are drawn alike whatever they weigh, so that a row of weight 2 is not the same as the row twice, except in the
    limit: there is no `sample_weight`.
    """

    _usual_lines = {"gap": "1e-6", "seed": "0"}
    _cure = "raise max_iter or tol, or lower C; SVC is faster and has an intercept"
    _parameter_constraints: dict[str, list[Any]] = {
        **Machine._parameter_constraints,
        "average": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    @_fit_context(prefer_skip_nested_validation=True)
    @with_callbacks
    def fit(self, X: Any, y: Any) -> Self:
        """Fit the machine to training rows.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            Training rows; the kernel matrix for `kernel="precomputed"`.
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        self
            The fitted estimator. Ctrl-C ends the fit with what there is.
        """
        self._fit_classes(X, y, None)
        return self

    def _lines(self) -> dict[str, Any]:
        passes = {"epochs": int(self.max_iter), "average": bool(self.average), "seed": self._seed()}
        return {**super()._lines(), "loss": "hinge", **passes}


class Pegasos(_Pegasos):
    """Stochastic subgradient descent on explicit features: the linear soft margin without an intercept.

    Minimises C·Σ max(0, 1 − y·f(x)) + ‖f‖²/2 by one random row at a time, in O(features) a step.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of errors; the larger, the more passes are needed.
    kernel : str or kernel, default="linear"
        "linear", or "linear@map" with a feature map of the kernel language, such as
        "linear@standardize" or "linear@fourier(dim=200)"; "linear@polynomial(degree=1)" has a constant feature, which
        makes an intercept.
    average : bool, default=False
        Whether the answer is the average of all iterates, and not the last one: steadier after few passes, but slower.
    tol : float, default=0.05
        Relative gap between the objective and its lower bound at which the solver ends. The gap falls like 1/t: a few
        hundredths is what this method is for.
    max_iter : int, default=1000
        Passes over the rows at most.
    random_state : int, RandomState or None, default=None
        Which rows are drawn.
    verbose, time_limit, memory_limit, n_jobs
        As in `KernelLogistic`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_machines, n_features)
        Weights of the features, for `kernel="linear"`.
    certificate_, gap_, converged_, history_, kernel_, classes_, support_, dual_coef_, intercept_
        As in `KernelLogistic`; the intercept is 0.

    Examples
    --------
    >>> from mercer import Pegasos
    >>> clf = Pegasos(random_state=0).fit([[1, 2], [2, 1], [-1, -1], [-2, -1]], [1, 1, 0, 0])
    >>> clf.predict([[1, 1], [-1, 0]])
    array([1, 0])
    >>> clf.gap_ < 0.05
    True
    """

    _learner = "pegasos"

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "linear",
        average: bool = False,
        tol: float = 0.05,
        max_iter: int = 1000,
        random_state: Any = None,
        verbose: bool = False,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.average = average
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs

    @property
    def coef_(self) -> np.ndarray:
        """Weights of the features, for the linear kernel."""
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        return np.asarray(self.dual_coef_ @ self.support_vectors_)


class KernelPegasos(_Pegasos):
    """Pegasos in coefficients: the soft margin with any kernel, without an intercept.

    Minimises C·Σ max(0, 1 − y·f(x)) + ‖f‖²/2 by one random row at a time, in O(rows) a step.

    Parameters
    ----------
    kernel, degree, gamma, coef0
        As in `KernelLogistic`; a kernel with a constant, such as "rbf(sigma=1) + 1", has a penalised intercept.
    class_weight : dict or "balanced", default=None
        What C is multiplied by for each class.
    C, average, tol, max_iter, random_state, verbose, time_limit, memory_limit, n_jobs
        As in `Pegasos`.

    Attributes
    ----------
    certificate_, gap_, converged_, history_, kernel_, classes_, support_, dual_coef_, intercept_
        As in `KernelLogistic`; the intercept is 0.

    Examples
    --------
    >>> from mercer import KernelPegasos
    >>> clf = KernelPegasos(random_state=0).fit([[0, 0], [0, 1], [2, 2], [3, 2]], [0, 0, 1, 1])
    >>> clf.predict([[0.2, 0.3], [2.5, 2.5]])
    array([0, 1])
    """

    _learner = "kernel-pegasos"
    _usual_lines = {**_Pegasos._usual_lines, "average": "true"}
    _parameter_constraints: dict[str, list[Any]] = {
        **_Pegasos._parameter_constraints,
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        class_weight: Any = None,
        average: bool = False,
        tol: float = 0.05,
        max_iter: int = 1000,
        random_state: Any = None,
        verbose: bool = False,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.class_weight = class_weight
        self.average = average
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
