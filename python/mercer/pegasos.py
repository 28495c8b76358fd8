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
        Penalty of errors; the larger it is, the more passes are needed.
    kernel : str or Kernel, default="linear"
        "linear", or "linear@map" with a feature map of the kernel language, such as "linear@standardize" or
        "linear@fourier(m=200)"; "linear@polynomial(degree=1)" has a constant feature, which makes an intercept.
    average : bool, default=False
        Whether the answer is the average of all iterates, and not the last one: steadier after few passes, but slower.
    tol : float, default=0.05
        Relative gap between the objective and its lower bound at which the solver ends. The gap falls like 1/t: a few
        hundredths is what this method is for.
    max_iter : int, default=1000
        Passes over the rows at most.
    random_state : int, RandomState or None, default=None
        Which rows are drawn.
    verbose : bool, default=False
        Whether to print progress.
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
        Whether every certificate has a gap of at most `tol`, and nothing speaks against the kernel.
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
        Ones: there is no `class_weight`.
    support_ : ndarray of shape (n_support,)
        Numbers of the training rows with a coefficient.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        These rows; of shape (0, 0) for a kernel matrix or a callable.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        Coefficients of these rows; n_machines is 1 for two classes, else the number of pairs of classes: (0,1), (0,2),
        …, (1,2), …. The score of a pair is above 0 for its first class; where there are only two, it is above 0 for the
        second.
    intercept_ : ndarray of shape (n_machines,)
        Zeros: this method has no intercept.
    coef_ : ndarray of shape (n_machines, n_features)
        Weights of the features; only for `kernel="linear"`.
    n_iter_ : int
        Passes over the rows, of the machine that took most.
    fit_status_ : int
        0 where `converged_`, else 1.
    shape_fit_ : tuple of int
        Shape of the training rows.
    n_features_in_ : int
        Number of columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns; only where the training rows came with names that are texts.

    Notes
    -----
    Learner `pegasos`: Stochastic subgradient descent with step 1/(lambda t), on explicit features. Time O(d) a step,
    for d features. Mathematics: docs/maths.md §4.6. Reference: Shalev-Shwartz et al. 2011.

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
        if self._expression().text != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        return np.asarray(self.dual_coef_ @ self.support_vectors_)


class KernelPegasos(_Pegasos):
    """Pegasos in coefficients: the soft margin with any kernel, without an intercept.

    Minimises C·Σ max(0, 1 − y·f(x)) + ‖f‖²/2 by one random row at a time, in O(rows) a step.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of errors; the larger it is, the more passes are needed.
    kernel : str, Kernel or callable, default="rbf"
        A name ("linear", "poly", "rbf", "sigmoid", with the parameters below), an expression such as
        "0.5*rbf(sigma=1) + poly(degree=2)", an object of `mercer.kernels`, a callable `k(X, Y) -> matrix`, or
        "precomputed". A kernel with a constant, such as "rbf(sigma=1) + 1", has a penalised intercept.
    degree : int, default=3
        Degree of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Of "rbf", "poly" and "sigmoid": "scale" is 1/(n_features · X.var()), "auto" is 1/n_features.
    coef0 : float, default=0.0
        Offset of "poly" and "sigmoid".
    class_weight : dict or "balanced", default=None
        What C is multiplied by for each class; "balanced" is n_samples/(n_classes · rows of the class).
    average : bool, default=False
        Whether the answer is the average of all iterates, and not the last one: steadier after few passes, but slower.
    tol : float, default=0.05
        Relative gap between the objective and its lower bound at which the solver ends. The gap falls like 1/t: a few
        hundredths is what this method is for.
    max_iter : int, default=1000
        Passes over the rows at most.
    random_state : int, RandomState or None, default=None
        Which rows are drawn.
    verbose : bool, default=False
        Whether to print progress.
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
        Whether every certificate has a gap of at most `tol`, and nothing speaks against the kernel.
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
        Numbers of the training rows with a coefficient.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        These rows; of shape (0, 0) for a kernel matrix or a callable.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        Coefficients of these rows; n_machines is 1 for two classes, else the number of pairs of classes: (0,1), (0,2),
        …, (1,2), …. The score of a pair is above 0 for its first class; where there are only two, it is above 0 for the
        second.
    intercept_ : ndarray of shape (n_machines,)
        Zeros: this method has no intercept.
    n_iter_ : int
        Passes over the rows, of the machine that took most.
    fit_status_ : int
        0 where `converged_`, else 1.
    shape_fit_ : tuple of int
        Shape of the training rows.
    n_features_in_ : int
        Number of columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns; only where the training rows came with names that are texts.

    Notes
    -----
    Learner `kernel-pegasos`: Pegasos in coefficients, averaged in O(1) a step. Time O(n) an update, for n rows.
    Mathematics: docs/maths.md §4.7. Reference: Shalev-Shwartz et al. 2011.

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
