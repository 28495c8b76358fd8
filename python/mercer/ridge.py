"""Kernel ridge regression with the parameters and attributes of `sklearn.kernel_ridge`."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy import linalg
from sklearn.base import MultiOutputMixin, RegressorMixin, _fit_context
from sklearn.utils._param_validation import Interval, Real
from sklearn.utils.validation import _check_sample_weight, _check_y, check_is_fitted, validate_data

from mercer._callbacks import with_callbacks
from mercer._engine import LIMITS, KernelMachine, _is_mixed, _shape
from mercer._expression import Expression, is_matrix
from mercer._limits import threads
from mercer._pairwise import NAMES, Shape, gram, pairwise_expression
from mercer._targets import JoinedModel
from mercer._warn import warn
from mercer.exceptions import KernelWarning, MercerError

#: How far a precomputed matrix may be from symmetric, in units of its largest entry.
_ASYMMETRY = 1e-8


class KernelRidge(MultiOutputMixin, RegressorMixin, KernelMachine):  # type: ignore[misc]
    """Ridge regression in the space of a kernel: (K + alpha I) dual_coef = y, one factor for all targets.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1
        How much the size of the function counts against its errors; an array has one for each target. With 0 there is
        nothing to certify: the equations are solved as they are, by least squares where they are singular.
    kernel : str, Kernel or callable, default="linear"
        A name of scikit-learn's pairwise kernels ("linear", "poly", "rbf", "laplacian", "sigmoid", "cosine", "chi2",
        "additive_chi2", with `gamma`, `degree`, `coef0`), an expression of the kernel language such as
        "0.5*rbf(sigma=1) + linear", an object of `mercer.kernels`, a callable k(X, Y) on blocks of rows or k(x, y) on
        two rows, or "precomputed".
    gamma : float, default=None
        Of "rbf", "laplacian", "poly", "sigmoid" and "chi2"; None is 1/n_features, for "chi2" 1.
    degree : float, default=3
        Degree of "poly".
    coef0 : float, default=1
        Offset of "poly" and "sigmoid".
    kernel_params : dict, default=None
        Keyword arguments for a callable.
    time_limit : float, default=None
        Seconds after which the fit ends with what there is; None for no limit.
    memory_limit : int or str, default=None
        Bytes for matrices, or a text such as "4GB"; None for 60 % of what is free.
    n_jobs : int, default=None
        Threads; None for all cores, or as OMP_NUM_THREADS says; -1 for all cores, -2 for all but one. Results do not
        depend on it.

    Attributes
    ----------
    certificate_ : Certificate or None
        What the solution is worth: objective, lower bound, gap, violation, and what is known of the kernel; of several
        targets the worst. None with `alpha=0`, or where K + alpha I has no Cholesky factor.
    certificates_ : list of Certificate
        One for each target; none with `alpha=0`.
    gap_ : float
        Relative gap of the worst target: the objective is at most this share of itself above the optimum. NaN with
        `alpha=0`.
    converged_ : bool
        Whether every target is certified to a relative gap of 1e-6.
    history_ : dict of ndarray or list of dict
        How the solver went: `iteration`, `primal`, `dual`, `gap`, `violation`, `support` and `seconds`, one entry a
        report; a list of such dicts for several targets. Not with `alpha=0`.
    kernel_ : Kernel
        The kernel with all words turned into numbers. Not with `alpha=0`.
    kernel_report_ : dict
        Whether the kernel is positive semi-definite: `status`, `claim` and `proof` by its form, `measured` on the
        training rows. Not with `alpha=0`.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Coefficients of the training rows.
    X_fit_ : ndarray or sparse matrix of shape (n_samples, n_features)
        The training rows; the kernel matrix for `kernel="precomputed"`.
    fit_status_ : int
        0 where the equations were solved; 1 where `time_limit` or Ctrl-C ended the fit before.
    shape_fit_ : tuple of int
        Shape of the training rows. Not with `alpha=0`.
    n_features_in_ : int
        Number of columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns; only where the training rows came with names that are texts.

    Notes
    -----
    Learner `cholesky`: Kernel ridge by Cholesky: (K + lambda n I) alpha = y. Time O(n^3), for n rows. Mathematics:
    docs/maths.md §4.9. Reference: Saunders, Gammerman & Vovk 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelRidge
    >>> X = np.linspace(0, 6, 30).reshape(-1, 1)
    >>> model = KernelRidge(alpha=1e-3, kernel="rbf", gamma=1.0).fit(X, np.sin(X).ravel())
    >>> model.predict([[np.pi / 2]]).round(2)
    array([1.])
    >>> model.converged_
    True
    """

    _parameter_constraints: dict[str, list[Any]] = {
        "alpha": [Interval(Real, 0, None, closed="left"), "array-like"],
        "kernel": [str, callable],
        "gamma": [Interval(Real, 0, None, closed="left"), None],
        "degree": [Interval(Real, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "kernel_params": [dict, None],
        **LIMITS,
    }

    def __init__(
        self,
        alpha: Any = 1,
        *,
        kernel: Any = "linear",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = is_matrix(self.kernel)
        return tags

    # ---------------------------------------------------------------------------------------------- fitting

    @_fit_context(prefer_skip_nested_validation=True)
    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the function to training rows.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            Training rows; the kernel matrix for `kernel="precomputed"`.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Numbers.
        sample_weight : float or array-like of shape (n_samples,), default=None
            How much each row counts; a weight of 2 is the same as the row twice.

        Returns
        -------
        self
            The fitted estimator. Ctrl-C ends the fit with what there is.
        """
        X, y = self._checked(X, y, multi_output=True, y_numeric=True)
        y = _check_y(y, multi_output=True, y_numeric=True, estimator=self)
        target = np.ascontiguousarray(y, dtype=np.float64)
        weights = self._weights(sample_weight, X)
        alphas = self._alphas(1 if target.ndim == 1 else target.shape[1])
        self.X_fit_ = X
        self._single = target.ndim == 1
        try:
            self._fit_targets(X, target, weights, alphas)
        except MercerError as error:
            if "could not be factored" not in str(error):
                raise
            self._fit_directly(X, target, weights, alphas)
        return self

    def _fit_targets(self, X: Any, target: np.ndarray, weights: np.ndarray | None, alphas: np.ndarray) -> None:
        if (alphas == 0.0).any():
            self._fit_directly(X, target, weights, alphas)
        elif (alphas == alphas[0]).all():
            self._solve(X, target, weights, self._lines(alphas[0]), target)
        else:
            models: list[Any] = []
            for alpha, column in zip(alphas, target.T, strict=True):
                self._solve(X, np.ascontiguousarray(column), weights, self._lines(alpha), target)
                models.append(self._model)
            self._adopt(JoinedModel(models))

    def _lines(self, alpha: float) -> dict[str, Any]:
        return {"learner": "cholesky", "loss": "squared", "offset": False, "mu": float(alpha)}

    def _fit_directly(self, X: Any, target: np.ndarray, weights: np.ndarray | None, alphas: np.ndarray) -> None:
        """Solve the equations alone, where they pose no problem: alpha 0, K + alpha I indefinite."""
        self.shape_fit_ = _shape(X)
        matrix = np.array(
            gram(self._expression(X), X, threads=threads(self.n_jobs), names=self._columns()), dtype=np.float64
        )
        columns = target.reshape(len(target), -1)
        scale = np.ones(len(target)) if weights is None else np.sqrt(weights)
        matrix *= np.outer(scale, scale)
        found = [_solution(matrix, columns * scale[:, np.newaxis], alphas[0])] if len(alphas) == 1 else []
        if len(alphas) > 1:
            pairs = zip(alphas, columns.T, strict=True)
            found = [_solution(matrix, (column * scale)[:, np.newaxis], alpha) for alpha, column in pairs]
        self._model = None
        self.certificates_, self.certificate_, self.gap_, self.converged_ = [], None, float("nan"), False
        self.fit_status_ = 0
        self._keep(np.hstack(found) * scale[:, np.newaxis])

    def _adopt(self, model: Any) -> None:
        super()._adopt(model)
        if "X_fit_" not in self.__dict__:
            self.X_fit_, self._single = _points(model), len(model.bias) == 1
        coefficients = np.zeros((int(model.provenance["rows"]), len(model.bias)))
        coefficients[model.support] = model.coefficients.T
        self._keep(coefficients)

    def _keep(self, coefficients: np.ndarray) -> None:
        flat = self._single and coefficients.shape[1] == 1
        self.dual_coef_ = coefficients.ravel() if flat else coefficients

    def _weights(self, sample_weight: Any, X: Any) -> np.ndarray | None:
        if sample_weight is None:
            return None
        count = X.shape[0] if hasattr(X, "shape") else len(X)
        weights = _check_sample_weight(sample_weight, np.empty((count, 1)), dtype=np.float64)
        if (weights < 0).any():
            row = int(np.flatnonzero(weights < 0)[0])
            raise ValueError(f"sample_weight of row {row} is {weights[row]}; weights are 0 or more")
        return np.asarray(weights)

    def _alphas(self, targets: int) -> np.ndarray:
        alphas = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64)).ravel()
        if not (np.isfinite(alphas) & (alphas >= 0)).all():
            raise ValueError(f"alpha = {self.alpha!r}; it is a number from 0, or one for each target")
        if len(alphas) not in (1, targets):
            raise ValueError(
                f"there are {targets} targets but {len(alphas)} values of alpha; give one, or one for each"
            )
        return alphas

    # ---------------------------------------------------------------------------------------------- kernel

    def _expression(self, X: Any = None, weights: np.ndarray | None = None) -> Expression:
        columns = X.shape[1] if getattr(X, "ndim", 0) == 2 else getattr(self, "n_features_in_", 1)
        if self.kernel == "cosine" and not _has_zero_row(getattr(self, "X_fit_", X)):
            return Expression("cosine", plain=True)
        return pairwise_expression(self.kernel, columns, Shape(self.gamma, self.degree, self.coef0), self.kernel_params)

    def _checked(self, X: Any, y: Any = "no_validation", *, reset: bool = True, **checks: Any) -> Any:
        named = isinstance(self.kernel, str) and self.kernel in NAMES
        function = callable(self.kernel) and not hasattr(self.kernel, "__mercer_kernel__")
        if not named and (not function or _is_mixed(X)):
            return super()._checked(X, y, reset=reset, **checks)
        options = dict(dtype=[np.float64, np.float32], order="C", accept_sparse="csr", reset=reset, **checks)
        return validate_data(self, X, y, **options)

    def _square(self, matrix: np.ndarray, fit: bool) -> np.ndarray:
        matrix = np.ascontiguousarray(matrix, dtype=np.float64)
        if not fit or matrix.shape[0] != matrix.shape[1]:
            return super()._square(matrix, fit)
        row, column, difference = _asymmetry(matrix)
        if difference > _ASYMMETRY * np.abs(matrix).max(initial=0.0):
            raise MercerError(
                f"the kernel matrix is not symmetric: K[{row}, {column}] = {matrix[row, column]} but "
                f"K[{column}, {row}] = {matrix[column, row]}; pass (K + K.T)/2 if the difference is noise"
            )
        return matrix if difference == 0.0 else (matrix + matrix.T) / 2

    def _warn(self) -> None:
        refuted = [found for found in self.certificates_ if not found.convex]
        if not refuted:
            return super()._warn()
        warn(
            f"the kernel is not positive semi-definite on these rows ({refuted[0].convexity['evidence']}): "
            "dual_coef_ solves the equations, but they are not those of a regularised problem, and nothing "
            "is certified",
            KernelWarning,
        )

    # ---------------------------------------------------------------------------------------------- answers

    def predict(self, X: Any) -> np.ndarray:
        """Numbers for rows.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            Rows; K(X, training rows) for `kernel="precomputed"`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            Predictions.
        """
        check_is_fitted(self)
        if self._model is None:
            X = self._checked(X, reset=False)
            kernel = self._expression()
            matrix = (
                X if kernel.matrix and kernel.function is None else gram(kernel, X, self.X_fit_, names=self._columns())
            )
            return np.asarray(matrix @ self.dual_coef_)
        scores = self._scores(X)
        return scores[:, 0] if self._single and scores.shape[1] == 1 else scores

    def _scores(self, X: Any, decide: bool = False) -> np.ndarray:
        if self.kernel != "cosine" or self._expression().function is not None:
            return super()._scores(X, decide)
        # A row of zeros has no direction and is as far from all others as can be.
        X = self._checked(X, reset=False)
        there = _lengths(X) > 0
        scores = np.zeros((X.shape[0], len(self._model.bias)))
        if there.any():
            scores[there] = super()._scores(X[there], decide)
        return scores

    def explain(self, X: Any, k: int = 5) -> list[dict[str, Any]]:
        """Find the training rows that made the score of each row of `X`; of several targets the first.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            The rows to be explained; K(X, training rows) for `kernel="precomputed"`.
        k : int, default=5
            How many terms of each score to give.

        Returns
        -------
        list of dict
            For each row: `score`, `bias`, `rows` (numbers of training rows), `coefficients`, `kernel` values
            and `contributions` (their products), largest first, and `rest`, what all other terms sum to.
        """
        check_is_fitted(self)
        self._fitted("explanation")
        return super().explain(X, k)

    def _fitted(self, name: str) -> Any:
        if super()._fitted(name) is None:
            raise AttributeError(f"there is no {name} of a fit that is not regularised; choose an alpha above 0")
        return self._model

    @classmethod
    def _of_model(cls, model: Any) -> Self:
        loaded = super()._of_model(model)
        # In parentheses a name is the one of the language.
        if loaded.kernel in NAMES and loaded.kernel not in ("linear", "cosine"):
            loaded.kernel = f"({loaded.kernel})"
        return loaded


def _solution(matrix: np.ndarray, target: np.ndarray, alpha: float) -> np.ndarray:
    """(K + alpha I)⁻¹ target, in the sense of least squares where there is no inverse."""
    shifted = matrix.copy()
    shifted.flat[:: len(shifted) + 1] += alpha
    try:
        return np.asarray(linalg.solve(shifted, target, assume_a="pos"))
    except np.linalg.LinAlgError:
        warn(
            "Singular matrix in solving dual problem. Using least-squares solution instead; a larger alpha "
            "has a solution of its own.",
            UserWarning,
        )
        return np.asarray(linalg.lstsq(shifted, target)[0])


def _points(model: Any) -> Any:
    """The training rows that a model file keeps."""
    points = model.support_points()
    if isinstance(points, tuple):
        indptr, indices, data, dim = points
        return sp.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, dim))
    return points


def _lengths(X: Any) -> np.ndarray:
    return np.asarray(abs(X).max(axis=1).toarray() if sp.issparse(X) else np.abs(X).max(axis=1, initial=0.0)).ravel()


def _has_zero_row(X: Any) -> bool:
    return X is not None and hasattr(X, "shape") and X.shape[0] > 0 and bool((_lengths(X) == 0).any())


def _asymmetry(matrix: np.ndarray, block: int = 256) -> tuple[int, int, float]:
    """Where a matrix differs most from its transpose, in blocks, so that no second matrix is made."""
    worst = (0, 0, 0.0)
    for start in range(0, len(matrix), block):
        rows = slice(start, start + block)
        difference = np.abs(matrix[rows] - matrix[:, rows].T)
        at = int(difference.argmax()) if difference.size else 0
        if difference.size and not difference.flat[at] <= worst[2]:
            row, column = divmod(at, len(matrix))
            worst = (start + row, column, float(difference.flat[at]))
    return worst
