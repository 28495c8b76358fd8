"""The problem of an estimator as a search poses it to the engine: rows once, and what each candidate changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import column_or_1d

from mercer import _mercer
from mercer._engine import KernelMachine, _rows, _text
from mercer._expression import Expression
from mercer._limits import in_bytes, threads
from mercer._weights import sample_weights
from mercer.exceptions import MercerError

#: What candidates may differ in; all of it is in the lines of a specification.
SEARCHED = (
    *("C", "alpha", "kernel", "gamma", "degree", "coef0"),
    *("class_weight", "epsilon", "quantile", "loss", "fit_intercept", "tol"),
)
#: Learners that are others by another name; these go from one strength to the next.
_SAME = {"svr": "smo", "quantile": "smo"}

_NO_MATRIX = (
    "a search needs a kernel of the kernel language on rows, not a callable or a matrix; use "
    "sklearn.model_selection.GridSearchCV for those"
)

Splits = list[tuple[np.ndarray, np.ndarray]]


class Posed:
    """Rows and targets for the engine."""

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> None:
        self.parameter = strength_parameter(estimator)
        self.estimator = clone(estimator)
        self.is_classifier = is_classifier(self.estimator)
        checks: dict[str, Any] = {} if self.is_classifier else {"y_numeric": True}
        self.X, self.y = self.estimator._checked(X, y, **checks)
        self.weights = sample_weights(sample_weight, self.X)
        if self.is_classifier:
            codes = self.estimator._encode(self.y, None)
            self.target: Any = (self.estimator._class_names(), codes)
        else:
            self.target = np.ascontiguousarray(column_or_1d(self.y, warn=True), dtype=np.float64)

    @property
    def strength(self) -> str:
        """What the engine calls the strength of the penalty."""
        return "mu" if self.parameter == "alpha" else "C"

    def candidate(self, parameters: dict[str, Any]) -> Any:
        """The estimator with other parameters, which are checked."""
        made = clone(self.estimator).set_params(**parameters)
        made._validate_params()
        for name in ("classes_", "n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator, name):
                setattr(made, name, getattr(self.estimator, name))
        return made

    def lines(self, candidate: Any) -> dict[str, Any]:
        """The specification, kernel and strength apart."""
        if self.is_classifier:
            lines = candidate._problem()
            asked = getattr(candidate, "class_weight", None)
            if asked is not None:
                lines["class-weights"] = asked if isinstance(asked, str) else self._named(asked)
        else:
            lines = candidate._lines(*_arguments(candidate))
        lines = {key: value for key, value in lines.items() if key != self.strength}
        return {**lines, "learner": _SAME.get(lines["learner"], lines["learner"])}

    def _named(self, weights: dict[Any, float]) -> str:
        names = dict(zip(self.estimator.classes_.tolist(), self.estimator._class_names(), strict=True))
        unknown = [label for label in weights if label not in names]
        if unknown:
            raise ValueError(f"class_weight names {unknown}, which are no classes; there are {list(names)}")
        return ", ".join(f'"{names[label]}"={float(weight)!r}' for label, weight in weights.items())

    def strength_of(self, candidate: Any) -> float:
        """C or alpha."""
        if self.parameter == "alpha":
            return float(candidate._alphas(1)[0])
        return float(candidate._lines(*_arguments(candidate))["C"])

    def kernel(self, candidate: Any) -> str | None:
        """The kernel in the language of the engine; None where it is another on other training rows."""
        found: Expression = candidate._expression(self.X)
        if found.function is not None or found.matrix:
            raise MercerError(_NO_MATRIX)
        if getattr(candidate, "gamma", None) != "scale" or not found.plain or found.text == "linear":
            return found.text
        # The engine works the width out on the training rows of every split, but has no such word for other kernels.
        return "rbf(gamma=scale)" if found.text.startswith("rbf(") else None

    def kernel_on(self, candidate: Any, rows: np.ndarray) -> str:
        """The kernel for some training rows."""
        found: Expression = candidate._expression(_rows(self.X, rows))
        return found.text

    def tune(
        self,
        lines: dict[str, Any],
        kernels: str | Iterable[str],
        strengths: str | Iterable[float],
        *,
        n_jobs: int | None = None,
        memory_limit: int | str | None = None,
        **how: Any,
    ) -> dict[str, Any]:
        """What the engine finds."""
        kernel = kernels if isinstance(kernels, str) else " | ".join(kernels)
        if "precomputed" in kernel:
            raise MercerError(_NO_MATRIX)
        values = strengths if isinstance(strengths, str) else "|".join(repr(float(value)) for value in strengths)
        return _mercer.tune(
            "\n".join(f"{key}: {_text(value)}" for key, value in {"kernel": "linear", **lines}.items()),
            kernel,
            (self.strength, values),
            self.estimator._table(self.X, Expression(kernel), fit=True),
            self.target,
            self.weights,
            threads=threads(n_jobs),
            memory_limit=in_bytes(memory_limit),
            **how,
        )


def strength_parameter(estimator: Any) -> str:
    """The parameter that says how strong the penalty is."""
    if not isinstance(estimator, KernelMachine):
        raise MercerError(
            f"{type(estimator).__name__} is no estimator of mercer that has a kernel; use "
            "sklearn.model_selection.GridSearchCV, which takes any"
        )
    names = estimator.get_params(deep=False)
    for name in ("alpha", "C"):
        if name in names and "kernel" in names:
            return name
    raise MercerError(
        f"{type(estimator).__name__} has no C and no alpha to be searched over; use "
        "sklearn.model_selection.GridSearchCV"
    )


def _arguments(candidate: Any) -> tuple[Any, ...]:
    """What `_lines` wants to be told."""
    from mercer.ridge import KernelRidge
    from mercer.svm._base import SupportVectorMachine

    if isinstance(candidate, KernelRidge):
        return (float(candidate._alphas(1)[0]),)
    return (candidate._learner,) if isinstance(candidate, SupportVectorMachine) else ()


def as_splits(cv: Iterable[tuple[Any, Any]], rows: int) -> Splits:
    """Pairs of rows, by number or by mask, as the engine takes them."""
    splits = []
    for train, test in cv:
        pair = []
        for part in (np.asarray(train), np.asarray(test)):
            chosen = np.flatnonzero(part) if part.dtype == bool else part
            if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
                raise ValueError("a split is a pair of arrays with numbers of rows, or with a truth value for each row")
            pair.append(np.ascontiguousarray(np.where(chosen < 0, chosen + rows, chosen), dtype=np.int64))
        splits.append((pair[0], pair[1]))
    if not splits:
        raise ValueError("cv has no split")
    return splits
