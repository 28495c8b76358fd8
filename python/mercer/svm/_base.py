"""What the five support vector machines have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Integral, Interval, Real, StrOptions

from mercer._callbacks import Progress
from mercer._engine import LIMITS, KernelMachine, _rows
from mercer._expression import is_matrix

#: Up to so many rows are solved to so small a violation, whatever `tol` is, if that takes no more than so many
#: iterations times rows.
_FEW, _DIGITS, _PATIENCE = 200, 1e-10, 20_000_000

#: What C = inf stands for: no error is worth its price.
LARGE = 1e10

Gamma = float | Literal["scale", "auto"]


class SupportVectorMachine(KernelMachine):
    """What the five have in common."""

    _parameter_constraints: dict[str, list[Any]] = {
        "kernel": [str, callable],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "shrinking": ["boolean"],
        "cache_size": [Interval(Real, 0, None, closed="neither")],
        "verbose": ["verbose"],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        **LIMITS,
    }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_matrix(self.kernel)
        tags.input_tags.sparse = not is_matrix(self.kernel)
        return tags

    def _lines(self, learner: str) -> dict[str, Any]:
        return {"learner": learner, "gap": None, "violation": float(self.tol)}

    def _run(
        self,
        lines: Mapping[str, Any],
        table: Any,
        target: Any,
        weights: Any,
        progress: Progress,
        most: int | None = None,
    ) -> Any:
        # Few rows are solved to many digits, since that takes no time; what counts as solved is still `tol`.
        patience = _PATIENCE // self.shape_fit_[0]
        if self.shape_fit_[0] <= _FEW and self.tol > _DIGITS:
            fine = {**lines, "violation": _DIGITS}
            model = super()._run(fine, table, target, weights, progress, patience)
            if "iteration limit" not in model.statuses or 0 <= self.max_iter <= patience:
                return model.with_violation(float(self.tol))
        return super()._run(lines, table, target, weights, progress, most)

    def _holds(self, model: Any) -> bool:
        found = self.certificates_
        proved = all(one.convex and one.violation <= self.tol for one in found)
        return bool(found) and proved and all(status in ("solved", "stalled") for status in model.statuses)

    def _adopt(self, model: Any) -> None:
        super()._adopt(model)
        order, self._n_support, coefficients = self._arranged(model)
        # A file of LIBSVM does not tell which rows the support vectors were.
        known = len(model.support) == len(order)
        self.support_ = model.support.astype(np.int32)[order if known else slice(0)]
        self.intercept_ = np.array(model.bias)
        self.dual_coef_: Any = coefficients
        points = model.support_points()
        if self._expression().matrix or points is None:
            self.support_vectors_: Any = np.empty((0, 0))
        elif isinstance(points, tuple):
            indptr, indices, data, dim = points
            self.support_vectors_ = sp.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, dim))[order]
            self.dual_coef_ = sp.csr_matrix(coefficients)
        else:
            self.support_vectors_ = _rows(points, order)
        self.n_iter_: Any = model.iterations.astype(np.int32)

    def _arranged(self, model: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The order of the support points, how many there are, and the coefficients in that order."""
        count = model.support_count
        return np.arange(count), np.array([count], dtype=np.int32), model.coefficients

    @property
    def n_support_(self) -> np.ndarray:
        """Number of support vectors, by class where there are classes."""
        self._fitted("n_support_")
        return self._n_support

    @property
    def coef_(self) -> Any:
        """Weights of the features, for the linear kernel."""
        if self._expression().text != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        self._fitted("coef_")
        coef = self._linear()
        (coef.data if sp.issparse(coef) else coef).flags.writeable = False
        return coef

    def _linear(self) -> Any:
        return self.dual_coef_ @ self.support_vectors_
