"""Regression beyond ridge and support vectors: quantiles, and gradient descent on any loss."""

from __future__ import annotations

from typing import Any

from sklearn.utils._param_validation import Integral, Interval, Real

from mercer._machine import Gamma, Machine, RegressorMachine

#: Losses on numbers, as they are written.
_LOSSES = ("squared", "huber", "epsilon", "pinball")


class KernelQuantile(RegressorMachine):
    """Kernel quantile regression: the function that a given share of the targets lies below.

    Minimises C·Σ max(q·r, (q − 1)·r) + ‖f‖²/2 with the residuals r = y − f(x) − b.

    Parameters
    ----------
    quantile : float, default=0.5
        The share q of targets below the function, between 0 and 1; 0.5 is the median.
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
        Whether there is an offset b, which is not penalised. Without it the share `quantile` is not kept.
    tol : float, default=1e-8
        Relative gap between the objective and its lower bound at which the solver ends.
    max_iter : int, default=-1
        Iterations at most; -1 for ten million, or a hundred a row.
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
        What the solution is worth: objective, lower bound, gap, violation, and what is known of the kernel.
    certificates_ : list of Certificate
        The one certificate.
    gap_ : float
        Relative gap of `certificate_`: the objective is at most this share of itself above the optimum.
    converged_ : bool
        Whether every certificate has a gap of at most `tol`, and nothing speaks against the kernel.
    history_ : dict of ndarray
        How the solver went: `iteration`, `primal`, `dual`, `gap`, `violation`, `support` and `seconds`, one entry a
        report.
    kernel_ : Kernel
        The kernel with all words turned into numbers.
    kernel_report_ : dict
        Whether the kernel is positive semi-definite: `status`, `claim` and `proof` by its form, `measured` on the
        training rows.
    support_ : ndarray of shape (n_support,)
        Numbers of the training rows with a coefficient.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        These rows; of shape (0, 0) for a kernel matrix or a callable.
    dual_coef_ : ndarray of shape (1, n_support)
        Coefficients of these rows.
    intercept_ : ndarray of shape (1,)
        The offset b.
    n_iter_ : int
        Iterations of the solver.
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
    Learner `quantile`: Quantile regression: the pinball loss. Time about O(n s), for n rows and s support vectors.
    Mathematics: docs/maths.md §4.13. Reference: Koenker & Bassett 1978; Takeuchi et al. 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelQuantile
    >>> X = np.arange(20.0).reshape(-1, 1)
    >>> y = X.ravel() + np.tile([-1, 1, 0, 3], 5)
    >>> model = KernelQuantile(quantile=0.75, C=10).fit(X, y)
    >>> bool(0.65 <= np.mean(y <= model.predict(X) + 1e-6) <= 0.85)
    True
    """

    _learner = "quantile"
    _parameter_constraints: dict[str, list[Any]] = {
        **Machine._parameter_constraints,
        "quantile": [Interval(Real, 0.0, 1.0, closed="neither")],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        quantile: float = 0.5,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        fit_intercept: bool = True,
        tol: float = 1e-8,
        max_iter: int = -1,
        verbose: bool = False,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.quantile = quantile
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs

    def _lines(self) -> dict[str, Any]:
        return {**super()._lines(), "loss": f"pinball(tau={float(self.quantile)!r})"}


class GradientKernel(RegressorMachine):
    """Gradient descent in the space of functions, for losses on numbers; K is never held.

    Minimises C·Σ loss(y, f(x) + b) + ‖f‖²/2. For losses on classes there is `GradientKernelClassifier`.

    Parameters
    ----------
    loss : str, default="squared"
        What an error costs, with the residual r = f(x) + b - y; a loss without its parameter has the one shown:

        - "squared": r^2/2, ridge regression; the mean
        - "epsilon(epsilon=0.1)": max(0, |r|-epsilon), support vector regression
        - "huber(delta=1.0)": r^2/2 where |r| <= delta, else delta*|r| - delta^2/2, regression that outliers cannot pull
          far
        - "pinball(tau=0.5)": max(-tau*r, (1-tau)*r), quantile regression

        The gap of "epsilon" and "pinball", which have kinks, where gradients decide little, falls with the number of
        steps only, to about 1e-2 or 1e-3.
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
        Whether there is an offset b, which is not penalised. Without it the squared loss is kernel ridge regression
        with alpha = 1/C.
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
        What the solution is worth: objective, lower bound, gap, violation, and what is known of the kernel.
    certificates_ : list of Certificate
        The one certificate.
    gap_ : float
        Relative gap of `certificate_`: the objective is at most this share of itself above the optimum.
    converged_ : bool
        Whether every certificate has a gap of at most `tol`, and nothing speaks against the kernel.
    history_ : dict of ndarray
        How the solver went: `iteration`, `primal`, `dual`, `gap`, `violation`, `support` and `seconds`, one entry a
        report.
    kernel_ : Kernel
        The kernel with all words turned into numbers.
    kernel_report_ : dict
        Whether the kernel is positive semi-definite: `status`, `claim` and `proof` by its form, `measured` on the
        training rows.
    support_ : ndarray of shape (n_support,)
        Numbers of the training rows with a coefficient: here nearly all.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        These rows; of shape (0, 0) for a kernel matrix or a callable.
    dual_coef_ : ndarray of shape (1, n_support)
        Coefficients of these rows.
    intercept_ : ndarray of shape (1,)
        The offset b.
    n_iter_ : int
        Steps.
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
    >>> import numpy as np
    >>> from mercer import GradientKernel
    >>> X = np.linspace(0, 6, 30).reshape(-1, 1)
    >>> model = GradientKernel(loss="huber(delta=1)", C=100, gamma=1).fit(X, np.sin(X).ravel())
    >>> model.predict([[np.pi / 2]]).round(1)
    array([1.])
    """

    _learner = "gradient"
    _usual_lines = {**Machine._usual_lines, "offset": "false", "loss": "squared"}
    _cure = "raise max_iter or tol, or lower C; KernelRidge, SVR and KernelQuantile solve the same problems faster"
    _parameter_constraints: dict[str, list[Any]] = {
        **Machine._parameter_constraints,
        "loss": [str],
        "step": [Interval(Real, 0.0, None, closed="neither"), None],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        loss: str = "squared",
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        fit_intercept: bool = True,
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
        self.step = step
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs

    def _lines(self) -> dict[str, Any]:
        name = self.loss.partition("(")[0].strip()
        if name not in _LOSSES:
            raise ValueError(
                f"loss = {self.loss!r} is no loss on numbers; there are {', '.join(_LOSSES)}, with their parameters as "
                "in 'huber(delta=1)'. GradientKernelClassifier has the losses on classes"
            )
        return {**super()._lines(), "loss": self.loss, "epochs": int(self.max_iter), "step": self.step}
