"""What all estimators that fit through the engine share: input, limits, certificates, files."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Integral, Interval, Real
from sklearn.utils.validation import _check_feature_names, _num_samples, check_is_fitted, validate_data

from mercer import _mercer
from mercer._callbacks import CallbackSupportMixin, Progress
from mercer._certificate import Certificate, worst
from mercer._expression import Expression, expression, is_matrix, kernel_matrix
from mercer._forecast import Forecast, Foreseen
from mercer._limits import in_bytes, threads
from mercer._tables import is_texts, table
from mercer._warn import warn
from mercer.exceptions import KernelWarning, MercerError

#: What every estimator takes on top of scikit-learn's parameters.
LIMITS: dict[str, list[Any]] = {
    "time_limit": [Interval(Real, 0, None, closed="left"), None],
    "memory_limit": [Interval(Integral, 1, None, closed="left"), str, None],
    "n_jobs": [Integral, None],
}


class KernelMachine(CallbackSupportMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator whose model is fitted, certified, applied and stored by the engine."""

    _model: Any

    def _expression(self, X: Any = None, weights: np.ndarray | None = None) -> Expression:
        """The kernel; estimators without scikit-learn's gamma, degree and coef0 take the usual ones."""
        given = {name: getattr(self, name) for name in ("gamma", "degree", "coef0") if hasattr(self, name)}
        return expression(self.kernel, X, weights=weights, **given)

    # ---------------------------------------------------------------------------------------------- input

    def _checked(self, X: Any, y: Any = "no_validation", *, reset: bool = True, **checks: Any) -> Any:
        """X (and y) as scikit-learn would have them; points of other kinds are left as they are."""
        kernel = self._expression()
        several = not (isinstance(y, str) and y == "no_validation")
        if kernel.function is not None or (not kernel.plain and not kernel.matrix and _is_mixed(X)):
            return self._raw(X, y, reset) if several else self._raw_rows(X, reset)
        options = dict(
            dtype=np.float64 if kernel.matrix else [np.float64, np.float32],
            order="C",
            accept_sparse=False if kernel.matrix else "csr",
            accept_large_sparse=True,
            **checks,
        )
        if kernel.matrix and sp.issparse(X):
            raise TypeError("Sparse precomputed kernels are not supported.")
        if several:
            return validate_data(self, X, y, reset=reset, **options)
        return validate_data(self, X, reset=reset, **options)

    def _raw_rows(self, X: Any, reset: bool) -> Any:
        _check_feature_names(self, X, reset=reset)
        if reset:
            self.__dict__.pop("n_features_in_", None)
            if len(_shape(X)) == 2:
                self.n_features_in_ = _shape(X)[1]
        return X

    def _raw(self, X: Any, y: Any, reset: bool) -> Any:
        X = self._raw_rows(X, reset)
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        if _num_samples(X) != _num_samples(y):
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: [{_num_samples(X)}, {_num_samples(y)}]"
            )
        return X, y

    def _table(self, X: Any, kernel: Expression, *, fit: bool) -> Any:
        """The table that the engine reads."""
        if kernel.function is not None:
            matrix = kernel_matrix(kernel.function, X, X if fit else self._points_fit)
            return _mercer.Table.matrix(self._square(matrix, fit))
        if kernel.matrix:
            return _mercer.Table.matrix(self._square(X, fit))
        return table(X, kernel_text=kernel.text, names=self._columns())

    def _columns(self) -> list[str] | None:
        """Names of the columns that the training rows had."""
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]

    def _square(self, matrix: np.ndarray, fit: bool) -> np.ndarray:
        if not fit:
            if matrix.shape[1] != self.shape_fit_[0]:
                raise ValueError(
                    f"X.shape[1] = {matrix.shape[1]} should be equal to {self.shape_fit_[0]}, "
                    "the number of samples at training time"
                )
            return matrix
        if matrix.shape[0] != matrix.shape[1]:
            raise ValueError(
                f"Precomputed matrix must be a square matrix. Input is a {matrix.shape[0]}x{matrix.shape[1]} matrix."
            )
        found = _mercer.check_matrix(matrix)
        faults = {"not symmetric": "symmetric", "refuted": "positive semi-definite"}
        if found["verdict"] in faults:
            # The reason says where, and ends with the cure.
            raise MercerError(f"the kernel matrix is not {faults[found['verdict']]}: {found['reason']}")
        # What is left is rounding of whoever made the matrix; the engine wants both halves to agree.
        return matrix if found["asymmetry"] == 0 else (matrix + matrix.T) / 2

    # ---------------------------------------------------------------------------------------------- fitting

    def _solve(
        self,
        X: Any,
        target: Any,
        weights: np.ndarray | None,
        lines: Mapping[str, Any],
        y: Any = None,
    ) -> None:
        """Fit the model that the lines of a specification describe, and say what it is worth."""
        kernel = self._expression(X, weights)
        self.shape_fit_ = _shape(X)
        table = self._table(X, kernel, fit=True)
        progress = Progress(self, X, y)
        try:
            model = self._run({"kernel": kernel.text, **lines}, table, target, weights, progress)
        except BaseException:
            progress.close("failed")
            raise
        self._adopt(model)
        self.__dict__.pop("_points_fit", None)
        if kernel.function is not None:
            self._points_fit = X
        progress.close(self._summary())
        self._warn()
        if model.interrupted:
            _interrupted()

    def _run(
        self,
        lines: Mapping[str, Any],
        table: Any,
        target: Any,
        weights: Any,
        progress: Progress,
        most: int | None = None,
    ) -> Any:
        """The model that the engine finds, in `most` iterations if there are not fewer allowed."""
        limits = [limit for limit in (getattr(self, "max_iter", None), most) if limit is not None and limit >= 0]
        spec = "\n".join(f"{key}: {_text(value)}" for key, value in lines.items())
        how: dict[str, Any] = {
            "time_limit": self.time_limit,
            "max_iter": min(limits, default=None),
            "memory_limit": in_bytes(self.memory_limit),
            "threads": threads(self.n_jobs),
        }
        if "_is_foreseen" in self.__dict__:
            raise Foreseen(Forecast.of(_mercer.forecast(spec, table, target, weights, **how)))
        return _mercer.fit(spec, table, target, weights, **how, progress=progress.wanted)

    def forecast(self, X: Any, y: Any = None, **fit_params: Any) -> Forecast:
        """Say what `fit` would take, without fitting more than a few of the rows.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            Training rows, as for `fit`.
        y : array-like, default=None
            Targets, as for `fit`.
        **fit_params : dict
            What else `fit` takes, such as `sample_weight`.

        Returns
        -------
        Forecast
            With `seconds`, `peak_bytes` (on top of the rows), `plan` (how kernel entries are held, in words) and
            `refused`. The estimator is left as it is.
        """
        probe = clone(self)
        probe._is_foreseen = True
        try:
            probe.fit(X, y, **fit_params)
        except Foreseen as found:
            return found.forecast
        raise MercerError(f"{type(self).__name__} has nothing to forecast: these rows are fitted without the engine")

    def _adopt(self, model: Any) -> None:
        """Take over a model: the attributes that every estimator has."""
        self._model = model
        self.certificates_ = [Certificate.of(told) for told in model.certificates if told is not None]
        self.certificate_ = worst(self.certificates_)
        found = self.certificate_
        self.gap_ = found.relative_gap if found is not None and found.convex else float("nan")
        self.converged_ = bool(model.certified) or self._holds(model)
        self.fit_status_ = int(any(status != "solved" for status in self._ends(model)))

    def _holds(self, model: Any) -> bool:
        """Whether the certificates meet the tolerance that the user gave, where the engine was asked for more."""
        return False

    def _ends(self, model: Any) -> list[str]:
        """How the solvers ended; one that has what the user asked for has solved it."""
        return ["solved"] * len(model.statuses) if self.converged_ else list(model.statuses)

    def _summary(self) -> str:
        statuses = sorted(set(self._model.statuses))
        return f"{', '.join(statuses)} after {int(self._model.iterations.sum())} iterations: {self.certificate_}"

    def _warn(self) -> None:
        refuted = [found for found in self.certificates_ if not found.convex]
        if refuted:
            warn(
                f"the kernel is not positive semi-definite on these rows ({refuted[0].convexity['evidence']}), so the "
                "solution may be a local one and no gap bounds it; rbf and poly with coef0 >= 0 always are",
                KernelWarning,
            )
        ends = [status for status in self._ends(self._model) if status != "solved"]
        if not ends:
            return
        most, scale = getattr(self, "max_iter", None), "scale the columns with StandardScaler or MinMaxScaler"
        why, cure = {
            "iteration limit": (
                (f"terminated early (max_iter={most})", f"raise max_iter, or {scale}")
                if most is not None and most >= 0
                else (f"gave up after {int(self._model.iterations.max())} iterations", f"{scale}, or lower C")
            ),
            "time limit": (
                f"terminated early (time_limit={self.time_limit})",
                "raise time_limit, or lower C",
            ),
            "stopped": ("was stopped" + " by Ctrl-C" * self._model.interrupted, "fit again to the end"),
            "stalled": ("makes no progress in floating point", "scale the columns, or lower C"),
        }[ends[0]]
        violation = max((found.violation for found in self.certificates_), default=float("nan"))
        warn(
            f"Solver {why}: the objective is within {self.gap_:.1e} (relative gap) of the optimum, the optimality "
            f"conditions are violated by {violation:.1e}. Cheapest cure: {cure}.",
            ConvergenceWarning,
        )

    # ---------------------------------------------------------------------------------------------- answers

    def _scores(self, X: Any, decide: bool = False) -> np.ndarray:
        """Scores of new points, rows × machines; accurate only where the answer hangs on it, if they are to decide."""
        check_is_fitted(self, "_model")
        kernel = self._fitted_expression()
        X = self._checked(X, reset=False)
        if kernel.function is not None and len(self._model.support):
            return self._callable_scores(X, kernel)
        table = self._table(X, kernel, fit=False)
        return np.asarray(self._model.scores(table, threads=threads(self.n_jobs), decide=decide))

    def _fitted_expression(self) -> Expression:
        kernel = self._expression()
        return Expression(self._model.kernel, kernel.plain, kernel.matrix, kernel.function)

    def _callable_scores(self, X: Any, kernel: Expression) -> np.ndarray:
        # Only columns of support vectors count; a block of rows at a time, so that no matrix of all rows is held.
        assert kernel.function is not None
        support = _rows(self._points_fit, self._model.support)
        coefficients, bias = self._model.coefficients, self._model.bias
        rows = max(1, (1 << 26) // (8 * max(1, len(self._model.support))))
        blocks = [
            kernel_matrix(kernel.function, _rows(X, slice(start, start + rows)), support) @ coefficients.T + bias
            for start in range(0, _num_samples(X), rows)
        ]
        return np.concatenate(blocks) if blocks else np.empty((0, len(bias)))

    def explain(self, X: Any, k: int = 5) -> list[dict[str, Any]]:
        """Find the training rows that made the score of each row of `X`.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            The rows to be explained; K(X, training rows) for `kernel="precomputed"`.
        k : int, default=5
            How many terms of each score to give.

        Returns
        -------
        list of dict
            For each row: `score`, `bias`, `rows` (numbers of training rows), `coefficients`, `kernel` values and
            `contributions` (their products), largest first, and `rest`, what all other terms sum to. Where there are
            more than two classes the score is that of the best class against the second best, which are `classes`.
        """
        check_is_fitted(self, "_model")
        if k < 0:
            raise ValueError(f"k = {k}; it is a number of terms from 0")
        kernel = self._fitted_expression()
        X = self._checked(X, reset=False)
        return self._explained(X, self._table(X, kernel, fit=False), k)

    def _explained(self, X: Any, table: Any, k: int) -> list[dict[str, Any]]:
        return list(self._model.explain(table, k, 0))

    @property
    def history_(self) -> Any:
        """How the solver went: a dict of arrays, or a list of them where there are several machines."""
        model = self._fitted("history_")
        traces = [model.trace(machine) for machine in range(len(model.bias))]
        return traces[0] if len(traces) == 1 else traces

    @property
    def kernel_(self) -> Any:
        """The kernel with all words turned into numbers."""
        from mercer import kernels

        return kernels.parse(self._fitted("kernel_").kernel)

    @property
    def kernel_report_(self) -> dict[str, Any]:
        """What is known of the kernel: its Mercer status, the proof, and what was measured on the training rows."""
        model = self._fitted("kernel_report_")
        measured = self.certificate_.convexity if self.certificate_ is not None else None
        return {**_mercer.kernel_info(model.kernel), "measured": measured}

    def _fitted(self, name: str) -> Any:
        if "_model" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__} has no {name} before it is fitted")
        return self._model

    # ---------------------------------------------------------------------------------------------- files

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model to a file that holds no code, which `mercer.load` and the command read.

        Parameters
        ----------
        path : str or path-like
            Where to; what is there is replaced as a whole or not at all.
        """
        self._kept().save(path)

    def _kept(self) -> Any:
        """The model, if a file can hold all that matters of it."""
        check_is_fitted(self)
        model = getattr(self, "_model", None)
        if model is None or (model.kernel == "precomputed" and not is_matrix(self.kernel)):
            raise MercerError(
                "this model has a kernel that is computed in Python, and cannot be saved without code; pickle it, or "
                "use an expression of the kernel language"
            )
        return model

    def to_libsvm(self, path: str | PathLike[str]) -> None:
        """Write the fitted model as LIBSVM would, or say what LIBSVM has no word for.

        Parameters
        ----------
        path : str or path-like
            Where to.
        """
        self._kept().write_libsvm(path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model file into an estimator of this class.

        Parameters
        ----------
        path : str or path-like
            A file that `save` or the command has written.

        Returns
        -------
        estimator
            Fitted, with the parameters that the file tells. A file of another estimator is an error, which names it.
        """
        return cls._of_model(_mercer.Model.load(path))

    @classmethod
    def from_libsvm(cls, path: str | PathLike[str]) -> Self:
        """Read a model file of LIBSVM into an estimator of this class.

        Parameters
        ----------
        path : str or path-like
            The model file.

        Returns
        -------
        estimator
            Fitted, with the parameters that the file tells. A file of another estimator is an error, which names it.
        """
        loaded = cls._of_model(_mercer.Model.read_libsvm(path))
        # LIBSVM's file ends with the last column that is not zero; there may have been more.
        loaded.__dict__.pop("n_features_in_", None)
        return loaded

    @classmethod
    def _of_model(cls, model: Any) -> Self:
        from mercer._files import estimator_class, parameters

        meant = estimator_class(model)
        if not issubclass(meant, cls) and not issubclass(cls, meant):
            raise MercerError(
                f"the file holds a model of {meant.__name__}, not of {cls.__name__}; mercer.load reads any"
            )
        made = cls if issubclass(cls, meant) else meant
        loaded = made(**parameters(made, model))
        columns = model.n_features
        if columns is not None:
            loaded.n_features_in_ = columns
        if model.feature_names is not None:
            loaded.feature_names_in_ = np.array(model.feature_names, dtype=object)
        loaded.shape_fit_ = (int(model.provenance["rows"]), columns or 0)
        loaded._adopt(model)
        return loaded

    def _repr_html_(self) -> str:
        from mercer._html import model_card

        return model_card(self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


_last_interrupt = float("-inf")


def _interrupted() -> None:
    """Raise a Ctrl-C that follows another at once: somebody wants out of a loop of fits."""
    global _last_interrupt
    now = time.monotonic()
    before, _last_interrupt = _last_interrupt, now
    if now - before < 2.0:
        raise KeyboardInterrupt


def _text(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).lower()
    if isinstance(value, float | np.floating):
        return repr(float(value))
    return "none" if value is None else str(value)


def _is_mixed(X: Any) -> bool:
    """Whether rows are not plain vectors: texts, or a frame with a column that is no number."""
    if hasattr(X, "dtypes") and hasattr(X, "columns"):
        dtypes = X.dtypes
        return any(not _is_number(dtype) for dtype in (dtypes if isinstance(dtypes, Sequence) else list(dtypes)))
    if sp.issparse(X):
        return False
    return is_texts(X)


def _is_number(dtype: Any) -> bool:
    if hasattr(dtype, "is_numeric"):  # polars
        return bool(dtype.is_numeric() or str(dtype) == "Boolean")
    return getattr(dtype, "kind", "O") in "fiub"


def _shape(X: Any) -> tuple[int, ...]:
    return X.shape if hasattr(X, "shape") else (_num_samples(X),)


def _rows(X: Any, rows: Any) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "shape"):
        return X[rows]
    if isinstance(rows, slice):
        return X[rows]
    return [X[int(row)] for row in rows]
