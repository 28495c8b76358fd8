"""Principal components in the space of a kernel, as in `sklearn.decomposition`."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from scipy import linalg
from scipy.sparse.linalg import eigsh
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import KernelCenterer
from sklearn.utils._arpack import _init_arpack_v0
from sklearn.utils._param_validation import Integral, Interval, Real, StrOptions
from sklearn.utils.extmath import _randomized_eigsh, svd_flip
from sklearn.utils.validation import _check_psd_eigenvalues, check_is_fitted, validate_data

from mercer._expression import Expression
from mercer._limits import threads
from mercer._pairwise import Shape, gram, pairwise_expression

EigenSolver = Literal["auto", "dense", "arpack", "randomized"]


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Principal components of rows in the space of a kernel.

    Parameters
    ----------
    n_components : int, default=None
        How many components; None keeps all whose eigenvalue is above 0.
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
    alpha : float, default=1.0
        Penalty of the ridge regression that learns the way back, for `fit_inverse_transform=True`.
    fit_inverse_transform : bool, default=False
        Whether to learn the way back from components to rows.
    eigen_solver : {"auto", "dense", "arpack", "randomized"}, default="auto"
        How eigenvectors are found; "auto" is arpack for less than 10 components of more than 200 rows, else dense.
    tol : float, default=0
        Tolerance of arpack; 0 is the precision of the machine.
    max_iter : int, default=None
        Iterations of arpack at most; None is its own choice.
    iterated_power : int or "auto", default="auto"
        Power iterations of the randomized solver.
    remove_zero_eig : bool, default=False
        Whether to drop components whose eigenvalue is zero; `n_components=None` always does.
    random_state : int, RandomState or None, default=None
        Start of arpack and of the randomized solver.
    copy_X : bool, default=True
        Whether to keep a copy of the training rows, and not the rows themselves.
    n_jobs : int, default=None
        Threads; None for all cores, or as OMP_NUM_THREADS says; -1 for all cores, -2 for all but one. Results do not
        depend on it.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Of the centred kernel matrix, the largest first.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Eigenvectors of the centred kernel matrix, of length 1.
    gamma_ : float
        The value that `gamma` stands for.
    dual_coef_ : ndarray of shape (n_samples, n_features)
        Coefficients of the way back; only with `fit_inverse_transform=True`.
    X_fit_ : ndarray or sparse matrix of shape (n_samples, n_features)
        The training rows; the kernel matrix for `kernel="precomputed"`.
    X_transformed_fit_ : ndarray of shape (n_samples, n_components)
        Coordinates of the training rows; only with `fit_inverse_transform=True`.
    n_features_in_ : int
        Number of columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns; only where the training rows came with names that are texts.

    Notes
    -----
    Time O(n^3) with the dense solver, O(n^2) a component and iteration with the others, for n rows; the kernel matrix
    is held. Kernels: docs/maths.md §1.2.

    References
    ----------
    Schölkopf, Smola and Müller, "Kernel principal component analysis", 1997; Bakır, Weston and Schölkopf,
    "Learning to find pre-images", 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelPCA
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [4.0, 4.0]])
    >>> KernelPCA(n_components=1).fit_transform(X).ravel().round(3)
    array([-2.475, -1.061,  0.354,  3.182])
    """

    _parameter_constraints: dict[str, list[Any]] = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "kernel": [str, callable],
        "gamma": [Interval(Real, 0, None, closed="left"), None],
        "degree": [Interval(Real, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "kernel_params": [dict, None],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "fit_inverse_transform": ["boolean"],
        "eigen_solver": [StrOptions({"auto", "dense", "arpack", "randomized"})],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "iterated_power": [Interval(Integral, 0, None, closed="left"), StrOptions({"auto"})],
        "remove_zero_eig": ["boolean"],
        "random_state": ["random_state"],
        "copy_X": ["boolean"],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: Any = "linear",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        alpha: float = 1.0,
        fit_inverse_transform: bool = False,
        eigen_solver: EigenSolver = "auto",
        tol: float = 0,
        max_iter: int | None = None,
        iterated_power: int | Literal["auto"] = "auto",
        remove_zero_eig: bool = False,
        random_state: Any = None,
        copy_X: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the components of training rows.

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
        if self.fit_inverse_transform and self.kernel == "precomputed":
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")
        X = validate_data(self, X, accept_sparse="csr", copy=self.copy_X)
        self.gamma_ = 1 / X.shape[1] if self.gamma is None else self.gamma
        self._centerer = KernelCenterer().set_output(transform="default")
        matrix = self._gram(X, named=True)
        # A matrix of the user's is centred in place unless a copy was asked for.
        self._decompose(self._centerer.fit(matrix).transform(matrix, copy=False))
        self.X_fit_ = X
        if self.fit_inverse_transform:
            self._learn_inverse(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> np.ndarray:
        """Find the components of training rows, and the coordinates of these rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : ignored, default=None
            Present for pipelines.
        **params : dict
            Passed to `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Coordinates.
        """
        self.fit(X, **params)
        return self._coordinates()

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of rows along the components.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows; K(X, training rows) for `kernel="precomputed"`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Coordinates.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        matrix = self._centerer.transform(self._gram(X, self.X_fit_, named=True))
        # Components without an eigenvalue are directions without extent.
        there = np.flatnonzero(self.eigenvalues_)
        scaled = np.zeros_like(self.eigenvectors_)
        scaled[:, there] = self.eigenvectors_[:, there] / np.sqrt(self.eigenvalues_[there])
        return np.asarray(matrix @ scaled)

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Rows whose components are near to those given, as a ridge regression learned them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Coordinates.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Rows.
        """
        if not self.fit_inverse_transform:
            raise NotFittedError(
                "The fit_inverse_transform parameter was not set to True when instantiating and hence the "
                "inverse transform is not available."
            )
        check_is_fitted(self)
        return np.asarray(self._gram(_rows(X), self.X_transformed_fit_) @ self.dual_coef_)

    # ---------------------------------------------------------------------------------------------- how

    def _gram(self, X: Any, Y: Any = None, *, named: bool = False) -> np.ndarray:
        """K(X, Y) of rows, whose columns may have names, or of coordinates, which have none."""
        names = getattr(self, "feature_names_in_", None) if named else None
        return gram(self._expression(), X, Y, threads=threads(self.n_jobs), names=names)

    def _expression(self) -> Expression:
        shape = Shape(self.gamma_, self.degree, self.coef0)
        if self.kernel == "chi2" and self.gamma is None:
            shape = Shape(None)
        return pairwise_expression(self.kernel, self.n_features_in_, shape, self.kernel_params)

    def _decompose(self, matrix: np.ndarray) -> None:
        rows = matrix.shape[0]
        count = rows if self.n_components is None else min(rows, self.n_components)
        solver = self.eigen_solver
        if solver == "auto":
            solver = "arpack" if rows > 200 and count < 10 else "dense"
        values, vectors = self._eigen(solver, matrix, count)
        values = _check_psd_eigenvalues(values, enable_warnings=False)
        vectors, _ = svd_flip(u=vectors, v=None)
        order = values.argsort()[::-1]
        if self.remove_zero_eig or self.n_components is None:
            order = order[values[order] > 0]
        self.eigenvalues_, self.eigenvectors_ = values[order], vectors[:, order]

    def _eigen(self, solver: str, matrix: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        if solver == "dense":
            found = linalg.eigh(matrix, subset_by_index=(len(matrix) - count, len(matrix) - 1))
        elif solver == "arpack":
            start = _init_arpack_v0(len(matrix), self.random_state)
            found = eigsh(matrix, count, which="LA", tol=self.tol, maxiter=self.max_iter, v0=start)
        else:
            found = _randomized_eigsh(
                matrix,
                n_components=count,
                n_iter=self.iterated_power,
                random_state=self.random_state,
                selection="module",
            )
        return np.asarray(found[0]), np.asarray(found[1])

    def _coordinates(self) -> np.ndarray:
        return np.asarray(self.eigenvectors_ * np.sqrt(self.eigenvalues_))

    def _learn_inverse(self, X: Any) -> None:
        if sp.issparse(X):
            raise NotImplementedError("Inverse transform not implemented for sparse matrices!")
        self.X_transformed_fit_ = self._coordinates()
        matrix = self._gram(self.X_transformed_fit_)
        matrix.flat[:: len(matrix) + 1] += self.alpha
        self.dual_coef_ = linalg.solve(matrix, X, assume_a="pos", overwrite_a=True)

    @property
    def _n_features_out(self) -> int:
        return int(self.eigenvalues_.shape[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def _rows(X: Any) -> Any:
    return X.tocsr() if sp.issparse(X) else np.asarray(X)
