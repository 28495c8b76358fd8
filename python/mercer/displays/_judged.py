"""What answers are worth on rows whose truth is known."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils import assert_all_finite

from mercer import _mercer
from mercer._pairs import ovr_scores
from mercer.displays import _rows
from mercer.displays._display import Display
from mercer.exceptions import MercerError


class RocDisplay(Display):
    """How well scores rank: true against false positives, and precision against recall.

    Of two classes the second is to come first; of several each is ranked before all others.

    Parameters
    ----------
    view : View
        What is to be seen, from the engine.

    Attributes
    ----------
    roc_auc : float or dict
        The area under the curve; of several classes one for each.
    average_precision : float or dict
        The mean precision over the rows of the class; of several classes one for each.

    Examples
    --------
    >>> from mercer.displays import RocDisplay
    >>> RocDisplay.from_predictions(["ham", "ham", "spam", "spam"], [0.1, 0.6, 0.5, 0.9]).roc_auc
    0.75
    """

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, name: str | None = None, ax: Any = None) -> Self:
        """Rank rows by the scores of a classifier.

        Parameters
        ----------
        estimator : classifier
            Fitted, with `decision_function` or `predict_proba`.
        X : array-like, sparse matrix, data frame, or list of texts
            Rows.
        y : array-like of shape (n_samples,)
            Their classes.
        name : str, default=None
            What the rows are called in the picture.
        ax : Axes or array of Axes, default=None
            Axes of matplotlib to draw on; None draws on none yet.

        Returns
        -------
        RocDisplay
            The display.
        """
        _classifier(estimator, "scores are ranked")
        known = _rows.classes(estimator)
        if hasattr(estimator, "decision_function"):
            scores = np.asarray(estimator.decision_function(X), dtype=np.float64)
        elif hasattr(estimator, "predict_proba"):
            scores = np.asarray(estimator.predict_proba(X), dtype=np.float64)
        else:
            raise MercerError(f"{type(estimator).__name__} has neither decision_function nor predict_proba")
        if _of_pairs(estimator, scores, len(known)):
            scores = ovr_scores(scores, len(known))
        return cls._ranked(y, scores, known, _rows.subtitle(estimator, X, name), ax)

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_score: Any, *, classes: Any = None, name: str | None = None, ax: Any = None
    ) -> Self:
        """Rank rows by scores from anywhere.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Classes.
        y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
            Scores: the larger, the more they speak for the second of two classes, or for the class of their column.
        classes : array-like of shape (n_classes,), default=None
            The classes in the order of the columns; None is those of `y_true`, sorted.
        name : str, default=None
            What the rows are called in the picture.
        ax : Axes or array of Axes, default=None
            Axes of matplotlib to draw on; None draws on none yet.

        Returns
        -------
        RocDisplay
            The display.
        """
        known = np.unique(np.asarray(y_true)) if classes is None else np.asarray(classes)
        scores = np.asarray(y_score, dtype=np.float64)
        return cls._ranked(y_true, scores, known, f"on {_rows.data_name(scores, name)}", ax)

    @classmethod
    def _ranked(cls, y: Any, scores: np.ndarray, known: np.ndarray, subtitle: str, ax: Any) -> Self:
        assert_all_finite(scores, input_name="y_score")
        table = _by_class(scores, known, lambda second: (-second, second))
        names = [str(label) for label in known.tolist()]
        return cls._made(_mercer.View.roc(table, _rows.codes(y, known), names, subtitle), ax)

    def _each(self, what: str) -> Any:
        found = {ranking["name"]: ranking[what] for ranking in self.data["rankings"]}
        return next(iter(found.values())) if len(found) == 1 else found

    @property
    def roc_auc(self) -> Any:
        """The area under the curve."""
        return self._each("area")

    @property
    def average_precision(self) -> Any:
        """The mean precision over the rows of the class."""
        return self._each("average")


class ReliabilityDisplay(Display):
    """Whether probabilities come true: how often answers are right, against how sure they are.

    Parameters
    ----------
    view : View
        What is to be seen, from the engine.

    Examples
    --------
    >>> from mercer.displays import ReliabilityDisplay
    >>> ReliabilityDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.7, 0.4]).notes
    ['expected calibration error 0.25 on 4 rows']
    """

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, name: str | None = None, ax: Any = None) -> Self:
        """Compare the probabilities of a classifier with what is true.

        Parameters
        ----------
        estimator : classifier
            Fitted, with `predict_proba`.
        X : array-like, sparse matrix, data frame, or list of texts
            Rows, better not those of the training.
        y : array-like of shape (n_samples,)
            Their classes.
        name : str, default=None
            What the rows are called in the picture.
        ax : Axes or array of Axes, default=None
            Axes of matplotlib to draw on; None draws on none yet.

        Returns
        -------
        ReliabilityDisplay
            The display.
        """
        _classifier(estimator, "probabilities are compared")
        if not hasattr(estimator, "predict_proba"):
            raise MercerError(f"{type(estimator).__name__} has no probabilities; fit it with them (probability=True)")
        found = np.asarray(estimator.predict_proba(X), dtype=np.float64)
        return cls._compared(y, found, _rows.classes(estimator), _rows.subtitle(estimator, X, name), ax)

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_prob: Any, *, classes: Any = None, name: str | None = None, ax: Any = None
    ) -> Self:
        """Compare probabilities from anywhere with what is true.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Classes.
        y_prob : array-like of shape (n_samples,) or (n_samples, n_classes)
            Probabilities of the second of two classes, or of each class.
        classes : array-like of shape (n_classes,), default=None
            The classes in the order of the columns; None is those of `y_true`, sorted.
        name : str, default=None
            What the rows are called in the picture.
        ax : Axes or array of Axes, default=None
            Axes of matplotlib to draw on; None draws on none yet.

        Returns
        -------
        ReliabilityDisplay
            The display.
        """
        known = np.unique(np.asarray(y_true)) if classes is None else np.asarray(classes)
        found = np.asarray(y_prob, dtype=np.float64)
        return cls._compared(y_true, found, known, f"on {_rows.data_name(found, name)}", ax)

    @classmethod
    def _compared(cls, y: Any, found: np.ndarray, known: np.ndarray, subtitle: str, ax: Any) -> Self:
        if found.size and (not np.isfinite(found).all() or found.min() < 0.0 or found.max() > 1.0):
            raise ValueError("probabilities are from 0 to 1")
        table = _by_class(found, known, lambda second: (1.0 - second, second))
        return cls._made(_mercer.View.reliability(table, _rows.codes(y, known), subtitle), ax)


class ResidualsDisplay(Display):
    """Numbers that were predicted against those that are true, and what is left over.

    Parameters
    ----------
    view : View
        What is to be seen, from the engine.

    Examples
    --------
    >>> from mercer.displays import ResidualsDisplay
    >>> ResidualsDisplay.from_predictions([1.0, 2.0, 4.0], [1.5, 2.0, 3.5]).notes
    ['rmse 0.4082, mae 0.3333, r2 0.8929 on 3 rows']
    """

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, name: str | None = None, ax: Any = None) -> Self:
        """Compare the numbers of a regressor with the truth.

        Parameters
        ----------
        estimator : regressor
            Fitted on one target.
        X : array-like, sparse matrix, data frame, or list of texts
            Rows.
        y : array-like of shape (n_samples,)
            Their targets.
        name : str, default=None
            What the rows are called in the picture.
        ax : Axes or array of Axes, default=None
            Axes of matplotlib to draw on; None draws on none yet.

        Returns
        -------
        ResidualsDisplay
            The display.
        """
        if _rows.kind(estimator) != "numbers":
            raise MercerError("residuals are of numbers; classes are ranked (RocDisplay)")
        return cls._compared(y, estimator.predict(X), _rows.subtitle(estimator, X, name), ax)

    @classmethod
    def from_predictions(cls, y_true: Any, y_pred: Any, *, name: str | None = None, ax: Any = None) -> Self:
        """Compare numbers from anywhere with the truth.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            What is true.
        y_pred : array-like of shape (n_samples,)
            What was predicted.
        name : str, default=None
            What the rows are called in the picture.
        ax : Axes or array of Axes, default=None
            Axes of matplotlib to draw on; None draws on none yet.

        Returns
        -------
        ResidualsDisplay
            The display.
        """
        return cls._compared(y_true, y_pred, f"on {_rows.data_name(np.asarray(y_pred), name)}", ax)

    @classmethod
    def _compared(cls, y: Any, predicted: Any, subtitle: str, ax: Any) -> Self:
        truth, found = _rows.numbers(y), _rows.numbers(predicted)
        return cls._made(_mercer.View.residuals(found, truth, _rows.target_name(y), subtitle), ax)


def _classifier(estimator: Any, what: str) -> None:
    if _rows.kind(estimator) != "classes":
        raise MercerError(f"{what} of classes; {type(estimator).__name__} has none (ResidualsDisplay is for numbers)")


def _of_pairs(estimator: Any, scores: np.ndarray, classes: int) -> bool:
    """Whether scores are of pairs of classes; of three classes, of which there are three pairs, the estimator tells."""
    if scores.ndim != 2 or scores.shape[1] != classes * (classes - 1) // 2:
        return False
    return classes > 3 or getattr(_rows.last(estimator), "decision_function_shape", None) == "ovo"


def _by_class(found: np.ndarray, known: np.ndarray, both: Any) -> np.ndarray:
    """A column for each class; what is given of two classes by one column speaks for the second."""
    if found.ndim == 2 and found.shape[1] == 1:
        found = found.ravel()
    if found.ndim == 1:
        if len(known) != 2:
            raise ValueError(f"one score a row is for two classes, and there are {len(known)}: {known.tolist()}")
        found = np.column_stack(both(found))
    return np.ascontiguousarray(found, dtype=np.float64)
