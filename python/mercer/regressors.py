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
    C, kernel, degree, gamma, coef0, fit_intercept
        As in `KernelLogistic`. Without an intercept the share is not kept.
    tol : float, default=1e-8
        Relative gap between the objective and its lower bound at which the solver ends.
    max_iter : int, default=-1
        Iterations at most; -1 for no limit.
    verbose, time_limit, memory_limit, n_jobs
        As in `KernelLogistic`.

    Attributes
    ----------
    certificate_, gap_, converged_, history_, kernel_, support_, dual_coef_, intercept_
        As in `KernelLogistic`.

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
        What an error r costs: "squared" (r²/2), "huber" or "huber(delta=1)", "epsilon" or "epsilon(epsilon=0.1)",
        "pinball" or "pinball(tau=0.5)". The last two have kinks, where gradients decide little: their gap falls with
        the number of steps only, to about 1e-2 or 1e-3.
    C, kernel, degree, gamma, coef0, fit_intercept
        As in `KernelLogistic`; without an intercept the squared loss is kernel ridge regression with alpha = 1/C.
    step : float, default=None
        Length of a step; None for the longest that is safe for a smooth loss, and 2/(lambda·(t + 1)) for the others.
    tol : float, default=1e-4
        Relative gap between the objective and its lower bound at which the solver ends.
    max_iter : int, default=1000
        Steps at most, each a product of K with a vector.
    verbose, time_limit, memory_limit, n_jobs
        As in `KernelLogistic`.

    Attributes
    ----------
    certificate_, gap_, converged_, history_, kernel_, support_, dual_coef_, intercept_
        As in `KernelLogistic`.

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
