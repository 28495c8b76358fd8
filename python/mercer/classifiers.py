"""Classifiers beyond the support vector machines: logistic, least squares, gradient descent."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.utils._param_validation import Integral, Interval, Real, StrOptions
from sklearn.utils.metaestimators import available_if

from mercer._machine import Gamma, Machine, WeightedClassifier
from mercer._pairs import coupled_scores


class _Odds(WeightedClassifier):
    """A classifier whose scores are log-odds where its loss is the logistic one."""

    def _is_logistic(self) -> bool:
        return True

    def _is_coupled(self) -> bool:
        """Whether the log-odds of pairs become probabilities, and these decide."""
        return self._is_logistic() and not self._is_rest()

    def _are_votes(self) -> bool:
        return not self._is_coupled() or len(self.classes_) == 2

    def _class_scores(self, scores: np.ndarray) -> np.ndarray:
        return coupled_scores(scores, len(self.classes_)) if self._is_coupled() else super()._class_scores(scores)

    def _log_odds(self, X: Any) -> np.ndarray:
        """Scores whose softmax are the probabilities; one score a row for two classes."""
        scores = self.decision_function(X)
        return np.asarray(log_expit(scores)) if self._is_rest() else scores

    def _check_probability(self) -> bool:
        if not self._is_logistic():
            raise AttributeError("predict_proba is not available when loss is not 'logistic'")
        return True

    @available_if(lambda self: self._check_probability())
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes; the largest is that of the class that `predict` gives.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            Rows; K(X, training rows) for `kernel="precomputed"`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of `classes_`.
        """
        scores = self._log_odds(X)
        if scores.ndim == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        return np.asarray(softmax(scores, axis=1))

    @available_if(lambda self: self._check_probability())
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities of the classes, exact where a probability is too small for a number.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            Rows; K(X, training rows) for `kernel="precomputed"`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms of `predict_proba`.
        """
        scores = self._log_odds(X)
        if scores.ndim == 1:
            return np.column_stack([log_expit(-scores), log_expit(scores)])
        return np.asarray(log_softmax(scores, axis=1))


class KernelLogistic(_Odds):
    """Kernel logistic regression: probabilities by their nature, found by Newton's method.

    Minimises C·Σ log(1 + exp(−y·(f(x) + b))) + ‖f‖²/2. For more than two classes there is a machine for each pair;
    their log-odds are coupled into one probability a class. With `multi_class="multinomial"` there is one problem of
    all classes instead, C·Σ [log Σ_c exp(f_c(x) + b_c) − f_y(x) − b_y] + Σ_c ‖f_c‖²/2. `predict` gives the largest.

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
    fit_intercept : bool, default=True
        Whether there is an offset b, which is not penalised.
    multi_class : {"ovo", "multinomial"}, default="ovo"
        For more than two classes: "ovo" is a machine for each pair, "multinomial" one problem of all classes, whose
        probabilities are the softmax of the scores. Two classes have one machine in either case.
    class_weight : dict or "balanced", default=None
        What C is multiplied by for each class; "balanced" is n_samples/(n_classes · rows of the class).
    tol : float, default=1e-6
        Relative gap between the objective and its lower bound at which the solver ends.
    max_iter : int, default=100
        Newton steps at most.
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
        One for each machine; with `multi_class="multinomial"` all are that of the one problem.
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
        Numbers of the training rows with a coefficient: here nearly all.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        These rows; of shape (0, 0) for a kernel matrix or a callable.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        Coefficients of these rows; n_machines is 1 for two classes, else the number of pairs of classes: (0,1), (0,2),
        …, (1,2), …, or of classes with `multi_class="multinomial"`. The score of a pair is above 0 for its first class;
        where there are only two classes, it is above 0 for the second.
    intercept_ : ndarray of shape (n_machines,)
        Offsets b.
    n_iter_ : int
        Newton steps of the machine that took most.
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
    Learner `newton`: Kernel logistic regression (and other smooth losses) by Newton's method. Time O(n^3) a step, for n
    rows. Mathematics: docs/maths.md §4.12. Reference: Zhu & Hastie 2005.

    Examples
    --------
    >>> from mercer import KernelLogistic
    >>> X, y = [[0, 0], [0, 1], [2, 2], [3, 2]], ["ham", "ham", "spam", "spam"]
    >>> clf = KernelLogistic(C=10).fit(X, y)
    >>> clf.predict([[0.2, 0.3], [2.5, 2.5]])
    array(['ham', 'spam'], dtype='<U4')
    >>> clf.predict_proba([[0.2, 0.3]]).round(1)
    array([[0.9, 0.1]])
    """

    _learner = "newton"
    _parameter_constraints: dict[str, list[Any]] = {
        **WeightedClassifier._parameter_constraints,
        "fit_intercept": ["boolean"],
        "multi_class": [StrOptions({"ovo", "multinomial"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        fit_intercept: bool = True,
        multi_class: Literal["ovo", "multinomial"] = "ovo",
        class_weight: Any = None,
        tol: float = 1e-6,
        max_iter: int = 100,
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
        self.fit_intercept = fit_intercept
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs

    def _lines(self) -> dict[str, Any]:
        return {**super()._lines(), "loss": "logistic"}

    def _is_softmax(self) -> bool:
        return self.multi_class == "multinomial" and len(self._model.bias) == len(self.classes_)

    def _is_coupled(self) -> bool:
        return not self._is_softmax() and super()._is_coupled()

    def _problem(self) -> dict[str, Any]:
        lines = super()._problem()
        return {**lines, "multiclass": "softmax"} if "multiclass" in lines and self.multi_class != "ovo" else lines

    def _scores(self, X: Any, decide: bool = False) -> np.ndarray:
        scores = super()._scores(X, decide)
        # A model file of the command may have two classes by softmax.
        return scores[:, 1:] - scores[:, :1] if self._is_softmax() and scores.shape[1] == 2 else scores

    def _class_scores(self, scores: np.ndarray) -> np.ndarray:
        return scores if self._is_softmax() else super()._class_scores(scores)

    def _explained(self, X: Any, table: Any, k: int) -> list[dict[str, Any]]:
        return self._differences(table, k) if self._is_softmax() else super()._explained(X, table, k)


class LeastSquaresSVC(WeightedClassifier):
    """Least-squares support vector classification: squared errors of labels −1 and 1, one linear system.

    Minimises C·Σ (y − f(x) − b)²/2 + ‖f‖²/2, so that (K + I/C)·α + b = y and Σα = 0. Every row is a support vector.

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
    fit_intercept : bool, default=True
        Whether there is an offset b, which is not penalised.
    class_weight : dict or "balanced", default=None
        What C is multiplied by for each class; "balanced" is n_samples/(n_classes · rows of the class).
    tol : float, default=1e-6
        Relative gap between the objective and its lower bound up to which `converged_` is True; the system is solved
        directly, so that only rounding can make it larger.
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
        Numbers of the training rows with a coefficient: here nearly all.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        These rows; of shape (0, 0) for a kernel matrix or a callable.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        Coefficients of these rows; n_machines is 1 for two classes, else the number of pairs of classes: (0,1), (0,2),
        …, (1,2), …. The score of a pair is above 0 for its first class; where there are only two, it is above 0 for the
        second.
    intercept_ : ndarray of shape (n_machines,)
        Offsets b.
    n_iter_ : int
        1: the system is solved directly.
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
    Learner `ls-svm`: Least-squares SVM: the squared loss on labels, one linear system. Time O(n^3), for n rows.
    Mathematics: docs/maths.md §4.13. Reference: Suykens & Vandewalle 1999.

    Examples
    --------
    >>> from mercer import LeastSquaresSVC
    >>> clf = LeastSquaresSVC(C=10).fit([[0, 0], [0, 1], [2, 2], [3, 2]], [0, 0, 1, 1])
    >>> clf.predict([[0.2, 0.3], [2.5, 2.5]])
    array([0, 1])
    >>> bool(abs(clf.dual_coef_.sum()) < 1e-9)
    True
    """

    _learner = "ls-svm"
    _cure = "scale the columns with StandardScaler, or lower C"
    _parameter_constraints: dict[str, list[Any]] = {
        **WeightedClassifier._parameter_constraints,
        "fit_intercept": ["boolean"],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        tol: float = 1e-6,
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
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.verbose = verbose
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs


class GradientKernelClassifier(_Odds):
    """Gradient descent in the space of functions, for losses on classes; K is never held.

    Parameters
    ----------
    loss : {"logistic", "hinge", "squared-hinge"}, default="logistic"
        What an error costs, with the margin m = y·(f(x) + b):

        - "hinge": max(0, 1-m), support vector classification
        - "squared-hinge": max(0, 1-m)^2, smooth support vector classification
        - "logistic": log(1 + exp(-m)), logistic regression: scores are log-odds

        `predict_proba` is there for "logistic". The hinge has a kink, where gradients decide little: its gap falls with
        the number of steps only, to about 1e-2 or 1e-3.
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
    fit_intercept : bool, default=True
        Whether there is an offset b, which is not penalised.
    class_weight : dict or "balanced", default=None
        What C is multiplied by for each class; "balanced" is n_samples/(n_classes · rows of the class).
    step : float, default=None
        Length of a step, which in step t is divided by √t for a loss with kinks. None for the longest that is safe for
        a smooth loss, and for 2/(lambda·(t + 1)), with lambda = 1/(C·n_samples), for a loss with kinks.
    tol : float, default=1e-4
        Relative gap between the objective and its lower bound at which the solver ends.
    max_iter : int, default=1000
        Steps at most, each a product of K with a vector.
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
        Numbers of the training rows with a coefficient: here nearly all.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        These rows; of shape (0, 0) for a kernel matrix or a callable.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        Coefficients of these rows; n_machines is 1 for two classes, else the number of pairs of classes: (0,1), (0,2),
        …, (1,2), …. The score of a pair is above 0 for its first class; where there are only two, it is above 0 for the
        second.
    intercept_ : ndarray of shape (n_machines,)
        Offsets b.
    n_iter_ : int
        Steps of the machine that took most.
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
    Learner `gradient`: Gradient descent in function space for the squared, logistic or hinge loss. Time O(n^2) a step,
    for n rows. Mathematics: docs/maths.md §4.11. Reference: Kivinen, Smola & Williamson 2004.

    Examples
    --------
    >>> from mercer import GradientKernelClassifier
    >>> clf = GradientKernelClassifier(loss="squared-hinge")
    >>> clf.fit([[0, 0], [0, 1], [2, 2], [3, 2]], [0, 0, 1, 1]).predict([[0.2, 0.3], [2.5, 2.5]])
    array([0, 1])
    """

    _learner = "gradient"
    _usual_lines = {**Machine._usual_lines, "offset": "false"}
    _cure = "raise max_iter or tol, or lower C; KernelLogistic and SVC solve the same problems faster"
    _parameter_constraints: dict[str, list[Any]] = {
        **WeightedClassifier._parameter_constraints,
        "loss": [StrOptions({"logistic", "hinge", "squared-hinge"})],
        "step": [Interval(Real, 0.0, None, closed="neither"), None],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        loss: str = "logistic",
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        step: float | None = None,
        tol: float = 1e-4,
        max_iter: int = 1000,
        verbose: bool = False,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.step = step
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs

    def _is_logistic(self) -> bool:
        return bool(self.loss == "logistic")

    def _lines(self) -> dict[str, Any]:
        return {**super()._lines(), "loss": self.loss, "epochs": int(self.max_iter), "step": self.step}
