"""From an estimator and rows to what the engine is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier, is_outlier_detector, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import _num_samples, check_is_fitted

from mercer import _mercer
from mercer._engine import KernelMachine
from mercer.exceptions import MercerError


@dataclass(frozen=True)
class Asked:
    """A model of the engine, rows as it reads them, and their targets."""

    model: _mercer.Model
    table: _mercer.Table
    target: Any
    #: Names of the classes as the user has them; None for numbers.
    classes: list[str] | None


def asked(estimator: Any, X: Any, y: Any = None) -> Asked | None:
    """What the engine can be asked; None where it does not know the kernel, or the estimator is no machine of it."""
    check_consistent_length(X, y)
    if not isinstance(estimator, KernelMachine):
        return None
    check_is_fitted(estimator)
    model = estimator.__dict__.get("_model")
    if not isinstance(model, _mercer.Model):
        return None
    kernel = estimator._fitted_expression()
    if kernel.function is not None or kernel.matrix:
        return None
    rows = estimator._checked(X, reset=False)
    table = estimator._table(rows, kernel, fit=False)
    if model.task == "classes":
        called = [str(label) for label in classes(estimator).tolist()]
        names = called if len(set(called)) == len(called) else estimator._class_names()
        found = None if y is None else codes(y, classes(estimator))
        named = model if model.classes == names else model.named(names, table, found)
        return Asked(named, table, None if found is None else (names, found), called)
    return Asked(model, table, None if y is None or model.task == "novelty" else numbers(y), None)


def machine(estimator: Any) -> KernelMachine:
    """The fitted machine of the engine that an estimator is, or ends with."""
    last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    if not isinstance(last, KernelMachine):
        raise MercerError(f"{type(last).__name__} is no machine of mercer, of which this could be told")
    check_is_fitted(last, "_model")
    if last._model is None:
        raise MercerError(
            f"{type(last).__name__} solved its equations alone, as for alpha = 0, and no model of the engine can tell "
            "this; take a larger alpha"
        )
    if not isinstance(last._model, _mercer.Model):
        raise MercerError(
            f"{type(last).__name__} has a model for each target, as every one has its own alpha; fit one target, or "
            "take one alpha"
        )
    return last


def last(estimator: Any) -> Any:
    """What answers in the end: the last step of a pipeline, the best estimator of a search."""
    while True:
        if isinstance(estimator, Pipeline):
            estimator = estimator[-1]
        elif hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        else:
            return estimator


def prepared(estimator: Any, X: Any) -> Any:
    """Rows as the last step of a pipeline sees them."""
    return estimator[:-1].transform(X) if isinstance(estimator, Pipeline) and len(estimator) > 1 else X


def classes(estimator: Any) -> np.ndarray:
    """The classes that an estimator knows."""
    return np.asarray(estimator.classes_)


def codes(y: Any, known: np.ndarray) -> np.ndarray:
    """The place of each label among the known ones."""
    labels = np.asarray(y).ravel()
    order = {label: place for place, label in enumerate(known.tolist())}
    unknown = [label for label in labels.tolist() if label not in order]
    if unknown:
        raise ValueError(f"y holds {unknown[0]!r}, which is none of the classes {known.tolist()}")
    return np.array([order[label] for label in labels.tolist()], dtype=np.int64)


def numbers(y: Any) -> np.ndarray:
    """A target of numbers, one a row."""
    found = np.asarray(y, dtype=np.float64)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found.ravel()
    if found.ndim != 1:
        raise ValueError(
            f"a picture is of one target, and y has the shape {found.shape}; draw its columns by themselves"
        )
    return np.ascontiguousarray(found)


def kind(estimator: Any) -> str:
    """What an estimator answers with: classes, numbers, or whether rows are like those it knows."""
    for word, test in (("classes", is_classifier), ("numbers", is_regressor), ("novelty", is_outlier_detector)):
        if test(estimator):
            return word
    raise MercerError(f"{type(estimator).__name__} answers with neither classes nor numbers; there is nothing to draw")


def data_name(X: Any, name: str | None) -> str:
    """What rows are called in a picture."""
    if name is not None:
        return name
    rows = _num_samples(X)
    return "1 row" if rows == 1 else f"{rows} rows"


def column_names(X: Any) -> list[str] | None:
    """Names for the columns of an array, as scikit-learn has them; None where they have names, or are none."""
    if hasattr(X, "columns") or sparse.issparse(X):
        return None
    width = np.asarray(X).shape[1:]
    return [f"x{place}" for place in range(width[0])] if width else None


def target_name(y: Any) -> str:
    """What a target is called."""
    name = getattr(y, "name", None)
    return str(name) if name is not None else "target"


def subtitle(estimator: Any, X: Any, name: str | None) -> str:
    """What was asked, and of which rows."""
    last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    model = getattr(last, "__dict__", {}).get("_model")
    kernel = f", {model.kernel}" if model is not None else ""
    return f"{type(last).__name__}{kernel}, on {data_name(X, name)}"
