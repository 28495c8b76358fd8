"""Support vector machines that tell classes apart."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Literal

import numpy as np
from sklearn.utils._param_validation import Interval, Real

from mercer._warn import warn
from mercer.svm._base import LARGE, Gamma
from mercer.svm._classifier import SupportVectorClassifier


class SVC(SupportVectorClassifier):
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
    probability : bool, "platt" or "isotonic", default=False
        Whether and how to fit probabilities for `predict_proba` to scores of rows that are left out, by five more fits:
        True and "platt" fit a sigmoid, "isotonic" a line that never falls.
    tol : float, default=1e-3
        Largest violation of the optimality conditions at which the solver ends.
    cache_size : float, default=200
        Accepted for compatibility; see `memory_limit`.
    class_weight : dict or "balanced", default=None
        What C is multiplied by for each class; "balanced" is n_samples/(n_classes · rows of the class).
    verbose : bool, default=False
        Whether to print progress.
    max_iter : int, default=-1
        Iterations of each machine at most; -1 for ten million, or a hundred a row.
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
        **SupportVectorClassifier._parameter_constraints,
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
        probability: bool | Literal["platt", "isotonic"] = False,
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
        return {**super()._lines(learner), "loss": "hinge", "C": min(float(self.C), LARGE)}


class NuSVC(SupportVectorClassifier):
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
    probability : bool, "platt" or "isotonic", default=False
        Whether and how to fit probabilities for `predict_proba` to scores of rows that are left out, by five more fits:
        True and "platt" fit a sigmoid, "isotonic" a line that never falls.
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
        Iterations of each machine at most; -1 for ten million, or a hundred a row.
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
        **SupportVectorClassifier._parameter_constraints,
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
        probability: bool | Literal["platt", "isotonic"] = False,
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
