"""Explicit features whose inner products approximate a kernel, as in `sklearn.kernel_approximation`."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Integral, Interval, Real, StrOptions
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer._bound import BoundKernel
from mercer._expression import Expression
from mercer._limits import threads
from mercer._pairwise import NAMES, Shape, fitted, gram, pairwise_expression
from mercer._warn import warn

#: Singular values of the basis below this are taken for it, so that their roots can be divided by.
_SMALLEST = 1e-12

#: What a named kernel may be given beside `kernel`.
_SHAPES = ("gamma", "coef0", "degree")


class RBFSampler(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Random Fourier features of the Gaussian kernel exp(-gamma ‖x-z‖²).

    Parameters
    ----------
    gamma : "scale" or float, default=1.0
        Of the kernel; "scale" is 1/(n_features · X.var()).
    n_components : int, default=100
        How many features are made.
    random_state : int, RandomState or None, default=None
        Draws directions and phases; the same as scikit-learn's for the same state.

    Attributes
    ----------
    random_weights_ : ndarray of shape (n_features, n_components)
        Directions, drawn from the spectrum of the kernel.
    random_offset_ : ndarray of shape (n_components,)
        Phases, drawn from 0 to 2π.
    n_features_in_ : int
        Number of columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns; only where the training rows came with names that are texts.

    Notes
    -----
    Time O(m d) a row, for m components and d features. The kernel language has such features, of any shift-invariant
    kernel, as the map `fourier`. Mathematics: docs/maths.md §1.1.

    References
    ----------
    Rahimi and Recht, "Random features for large-scale kernel machines", 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBFSampler
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0]])
    >>> features = RBFSampler(gamma=0.5, n_components=5000, random_state=0).fit_transform(X)
    >>> bool(abs(features[0] @ features[1] - np.exp(-1)) < 0.05)
    True
    """

    _parameter_constraints: dict[str, list[Any]] = {
        "gamma": [StrOptions({"scale"}), Interval(Real, 0.0, None, closed="left")],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self, *, gamma: float | Literal["scale"] = 1.0, n_components: int = 100, random_state: Any = None
    ) -> None:
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw directions and phases.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows; only their number of columns counts, and their variance for `gamma="scale"`.
        y : ignored, default=None
            Present for pipelines.

        Returns
        -------
        self
            The fitted transformer.
        """
        X = validate_data(self, X, accept_sparse="csr")
        random = check_random_state(self.random_state)
        self._gamma = _scale(X) if self.gamma == "scale" else self.gamma
        directions = random.normal(size=(X.shape[1], self.n_components))
        phases = random.uniform(0, 2 * np.pi, size=self.n_components)
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        self.random_weights_ = ((2.0 * self._gamma) ** 0.5 * directions).astype(dtype, copy=False)
        self.random_offset_ = phases.astype(dtype, copy=False)
        self._n_features_out = self.n_components
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Features of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            √(2/n_components) cos(⟨w, x⟩ + b).
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        features = np.asarray(safe_sparse_dot(X, self.random_weights_))
        features += self.random_offset_
        np.cos(features, out=features)
        features *= (2.0 / self.n_components) ** 0.5
        return features

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class Nystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Features from the kernel values with some training rows, drawn at random.

    Maps in the kernel that learn from rows, such as `standardize`, learn from all training rows, and the transformer
    keeps these.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        A name of scikit-learn's pairwise kernels ("linear", "poly", "rbf", "laplacian", "sigmoid", "cosine", "chi2",
        "additive_chi2", with `gamma`, `degree`, `coef0`), an expression of the kernel language such as
        "0.5*rbf(sigma=1) + linear", an object of `mercer.kernels`, a callable k(X, Y) on blocks of rows or k(x, y) on
        two rows, or "precomputed".
    gamma : float, default=None
        Of "rbf", "laplacian", "poly", "sigmoid" and "chi2"; None is 1/n_features, for "chi2" 1.
    coef0 : float, default=None
        Offset of "poly" and "sigmoid"; None is 1.
    degree : float, default=None
        Degree of "poly"; None is 3.
    kernel_params : dict, default=None
        Keyword arguments for a callable, or `gamma`, `degree` and `coef0` of a named kernel.
    n_components : int, default=100
        How many rows are drawn, and features made.
    random_state : int, RandomState or None, default=None
        Draws the rows; the same as scikit-learn's for the same state.
    n_jobs : int, default=None
        Threads; None for all cores, or as OMP_NUM_THREADS says; -1 for all cores, -2 for all but one. Results do not
        depend on it.

    Attributes
    ----------
    components_ : ndarray or sparse matrix of shape (n_components, n_features)
        The rows that were drawn.
    component_indices_ : ndarray of shape (n_components,)
        Numbers of these rows among the training rows.
    normalization_ : ndarray of shape (n_components, n_components)
        Inverse root of the kernel matrix of these rows.
    n_features_in_ : int
        Number of columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns; only where the training rows came with names that are texts.

    Notes
    -----
    Time O(m^3) to fit and O(m d + m^2) a row to transform, for m components and d features. The kernel language has
    such features as the map `nystrom`. Mathematics: docs/maths.md §1.1.

    References
    ----------
    Williams and Seeger, "Using the Nyström method to speed up kernel machines", 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import Nystroem
    >>> X = np.arange(6.0).reshape(3, 2)
    >>> features = Nystroem("0.5*rbf(gamma=0.1) + 0.5*linear", n_components=3).fit_transform(X)
    >>> bool(abs(features[0] @ features[0] - 1.0) < 1e-9)
    True
    """

    _parameter_constraints: dict[str, list[Any]] = {
        "kernel": [str, callable],
        "gamma": [Interval(Real, 0, None, closed="left"), None],
        "coef0": [Interval(Real, None, None, closed="neither"), None],
        "degree": [Interval(Real, 1, None, closed="left"), None],
        "kernel_params": [dict, None],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: float | None = None,
        coef0: float | None = None,
        degree: float | None = None,
        kernel_params: dict[str, Any] | None = None,
        n_components: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw rows and factor their kernel matrix.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; the kernel matrix for `kernel="precomputed"`.
        y : ignored, default=None
            Present for pipelines.

        Returns
        -------
        self
            The fitted transformer.
        """
        X = validate_data(self, X, accept_sparse="csr")
        random = check_random_state(self.random_state)
        rows = X.shape[0]
        if self.n_components > rows:
            warn(
                "n_components > n_samples. This is not possible.\nn_components was set to n_samples, which "
                "results in inefficient evaluation of the full kernel.",
                UserWarning,
            )
        chosen = random.permutation(rows)[: min(rows, self.n_components)]
        basis = X[chosen]
        # Words and maps of the kernel, such as scale and standardize, are those of all rows.
        self._fitted_kernel = fitted(self._expression(X.shape[1]), X, getattr(self, "feature_names_in_", None))
        matrix = self._values(basis)
        left, values, right = np.linalg.svd(np.asarray(matrix, dtype=_floating(matrix)))
        self.normalization_ = left / np.sqrt(np.maximum(values, _SMALLEST)) @ right
        self.components_ = basis
        self.component_indices_ = chosen
        self._n_features_out = len(chosen)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Features of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows; their kernel values with the rows that were drawn for `kernel="precomputed"`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            K(X, components_) times the transpose of `normalization_`.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        values = self._values(X, self.components_)
        return np.asarray(values, dtype=_floating(values)) @ self.normalization_.T

    def _values(self, X: Any, Y: Any = None) -> np.ndarray:
        kernel = self._fitted_kernel
        if isinstance(kernel, BoundKernel):
            return kernel(X, Y, n_jobs=self.n_jobs)
        return gram(kernel, X, Y, threads=threads(self.n_jobs), names=getattr(self, "feature_names_in_", None))

    def _expression(self, n_features: int) -> Expression:
        given = dict(self.kernel_params or {})
        own = {name: getattr(self, name) for name in _SHAPES if getattr(self, name) is not None}
        if isinstance(self.kernel, str) and self.kernel in NAMES:
            told = {name: value for name, value in {**given, **own}.items() if name in _SHAPES}
            return pairwise_expression(self.kernel, n_features, Shape(**told))
        if own:
            raise ValueError(
                "Don't pass gamma, coef0 or degree to Nystroem if using a callable or precomputed kernel, or "
                "an expression, which has them inside"
            )
        return pairwise_expression(self.kernel, n_features, params=given)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _scale(X: Any) -> Any:
    """1/(n_features · variance of X) in the precision of X, and 1 for rows that are all the same number."""
    variance = X.multiply(X).mean() - X.mean() ** 2 if sp.issparse(X) else X.var()
    return 1.0 / (X.shape[1] * variance) if variance != 0 else 1.0


def _floating(values: np.ndarray) -> Any:
    return values.dtype if values.dtype in (np.float32, np.float64) else np.float64
