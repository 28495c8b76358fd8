"""The kernel perceptron, in passes over training rows or on a stream."""

from __future__ import annotations

import json
import re
import signal
import threading
import time
from itertools import combinations
from typing import Any, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Integral, Interval
from sklearn.utils.multiclass import _check_partial_fit_first_call, check_classification_targets
from sklearn.utils.validation import column_or_1d

from mercer import _mercer
from mercer._callbacks import with_callbacks
from mercer._engine import _interrupted, _rows, _text
from mercer._expression import Expression
from mercer._machine import ClassifierMachine, Gamma, Machine
from mercer._warn import warn
from mercer.exceptions import MercerError

#: Rows that a stream sees at once; between such slices it looks at the clock and hears Ctrl-C.
_SLICE = 256


class KernelPerceptron(ClassifierMachine):
    """The kernel perceptron: a row that is on the wrong side is added to the function, until none is.

    `fit` passes over the rows until it makes no mistake. `partial_fit` sees each row once, in order, and keeps only
    those that were mistakes: the online perceptron, for streams that fit in no memory.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        A name ("linear", "poly", "rbf", "sigmoid", with the parameters below), an expression such as
        "0.5*rbf(sigma=1) + poly(degree=2)", an object of `mercer.kernels`, a callable `k(X, Y) -> matrix`, or
        "precomputed".
    degree : int, default=3
        Degree of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Of "rbf", "poly" and "sigmoid": "scale" is 1/(n_features · X.var()), "auto" is 1/n_features. In a stream both
        are worked out on the rows of the first call of `partial_fit`.
    coef0 : float, default=0.0
        Offset of "poly" and "sigmoid".
    fit_intercept : bool, default=True
        Whether there is an offset b, which a mistake changes by 1.
    average : bool, default=False
        Whether the answer is the mean of the coefficients over all steps, and not the last ones: better where the
        classes overlap.
    keep : int, default=None
        Support vectors at most; the oldest is forgotten. None for no limit.
    max_iter : int, default=1000
        Passes over the rows at most, for `fit`.
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
    certificate_ : Certificate or None
        What the solution is worth: `claim` tells mistakes and margin, of the pair of classes with the worst. None after
        `partial_fit`, which does not look back.
    certificates_ : list of Certificate
        One for each pair of classes; none after `partial_fit`.
    gap_ : float
        0 where all training rows are on the right side, else 1; NaN after `partial_fit`.
    converged_ : bool
        Whether all training rows are on the right side; False after `partial_fit`, which does not look back.
    mistakes_ : int
        Mistakes on the way, over all calls of `partial_fit` and all pairs of classes: each row was predicted by a
        machine that had not seen it. Only after `partial_fit`.
    history_ : dict of ndarray or list of dict
        How the solver went: `iteration`, `primal`, `dual`, `gap`, `violation`, `support` and `seconds`, one entry a
        report; a list of such dicts for more than two classes.
    kernel_ : Kernel
        The kernel with all words turned into numbers.
    kernel_report_ : dict
        Whether the kernel is positive semi-definite: `status`, `claim` and `proof` by its form, `measured` on the
        training rows.
    classes_ : ndarray of shape (n_classes,)
        Classes, sorted.
    class_weight_ : ndarray of shape (n_classes,)
        Ones: there is no `class_weight`.
    support_ : ndarray of shape (n_support,)
        Numbers of the rows that were mistakes; in a stream they are counted from its start.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        These rows; of shape (0, 0) for a kernel matrix or a callable.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        Coefficients of these rows; n_machines is 1 for two classes, else the number of pairs of classes: (0,1), (0,2),
        …, (1,2), …. The score of a pair is above 0 for its first class; where there are only two, it is above 0 for the
        second.
    intercept_ : ndarray of shape (n_machines,)
        Offsets b.
    n_iter_ : int
        Passes over the rows, of the pair of classes that took most; 1 after `partial_fit`.
    fit_status_ : int
        0 where `converged_`, else 1.
    shape_fit_ : tuple of int
        Shape of the rows that were seen so far.
    n_features_in_ : int
        Number of columns of the training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns; only where the training rows came with names that are texts.

    Notes
    -----
    Learner `kernel-perceptron`: Kernel perceptron: alpha_i grows by y_i on a mistake; optional averaging. Time O(n) a
    mistake, for n rows. Mathematics: docs/maths.md §4.2. Reference: Freund & Schapire 1999.

    Learner `online-perceptron`: One pass over a stream; support grows with mistakes; optional budget and averaging.
    Time O(s) a row, for s support vectors. Mathematics: docs/maths.md §4.3. Reference: Freund & Schapire 1999; Dekel et
    al. 2008.

    Examples
    --------
    >>> from mercer import KernelPerceptron
    >>> clf = KernelPerceptron().fit([[0, 0], [0, 1], [2, 2], [3, 2]], [0, 0, 1, 1])
    >>> clf.predict([[0.2, 0.3], [2.5, 2.5]])
    array([0, 1])
    >>> stream = KernelPerceptron(gamma=1.0, keep=100)
    >>> for x, y in [([0, 0], "no"), ([2, 2], "yes"), ([0, 1], "no")]:
    ...     stream = stream.partial_fit([x], [y], classes=["no", "yes"])
    >>> stream.predict([[0, 0.5]])
    array(['no'], dtype='<U3')
    >>> stream.mistakes_
    2
    """

    _learner = "kernel-perceptron"
    _usual_lines = {"offset": "false"}
    _parameter_constraints: dict[str, list[Any]] = {
        **{name: rule for name, rule in Machine._parameter_constraints.items() if name not in ("C", "tol")},
        "fit_intercept": ["boolean"],
        "average": ["boolean"],
        "keep": [Interval(Integral, 1, None, closed="left"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        fit_intercept: bool = True,
        average: bool = False,
        keep: int | None = None,
        max_iter: int = 1000,
        verbose: bool = False,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.average = average
        self.keep = keep
        self.max_iter = max_iter
        self.verbose = verbose
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs

    # ---------------------------------------------------------------------------------------------- fitting

    @_fit_context(prefer_skip_nested_validation=True)
    @with_callbacks
    def fit(self, X: Any, y: Any) -> Self:
        """Pass over training rows until none is on the wrong side, or `max_iter` times.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            Training rows; the kernel matrix for `kernel="precomputed"`.
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        self
            The fitted estimator. Ctrl-C ends the fit with what there is.
        """
        for name in ("_streams", "_loaded", "mistakes_"):
            self.__dict__.pop(name, None)
        self._fit_classes(X, y, None)
        return self

    def _lines(self) -> dict[str, Any]:
        learner = self._learner if self.keep is None else "online-perceptron"
        return {"learner": learner, **self._way(), "epochs": int(self.max_iter)}

    def _way(self) -> dict[str, Any]:
        return {"offset": bool(self.fit_intercept), "average": bool(self.average), "keep": self.keep}

    def _warn(self) -> None:
        if self.converged_:
            return
        found = [re.search(r"(\d+) mistake", certificate.claim) for certificate in self.certificates_]
        mistakes = sum(int(match.group(1)) for match in found if match is not None)
        ends = ", ".join(sorted({status for status in self._model.statuses if status != "solved"}))
        left = f"{mistakes} training row{'s' if mistakes != 1 else ''} on the wrong side"
        if len(found) > 1:
            left += f", summed over {len(found)} pairs of classes: a row is in {len(self.classes_) - 1} of them"
        warn(
            f"The perceptron ended ({ends or 'solved'}) after {self.n_iter_} passes with {left}. Cheapest cure: a "
            "kernel that separates the classes, such as rbf with a larger gamma; where they overlap, average=True, "
            "or SVC.",
            ConvergenceWarning,
        )

    # ---------------------------------------------------------------------------------------------- streams

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """See further rows, once and in order; a row that is a mistake becomes a support vector.

        After `fit`, or on a model that was loaded, this goes on from there. With `average=True` it goes on from the
        averaged function of `fit`, and refuses a model that was loaded: a file does not hold the sums of a stream.

        Rows are seen some hundred at a time. After `time_limit` seconds, or at Ctrl-C, the rest is not seen, and a
        warning says how many rows were.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, or list of texts
            Rows.
        y : array-like of shape (n_samples,)
            Their classes.
        classes : array-like, default=None
            All the classes there will be; needed in the first call.

        Returns
        -------
        self
            The estimator, which has seen these rows.
        """
        kernel = self._expression()
        if self.average and getattr(self, "_loaded", False):
            raise MercerError(
                "average=True cannot go on from a model that was loaded, since its file does not hold the sums that "
                "the average is made of; keep the estimator by pickle, or set_params(average=False)"
            )
        if kernel.matrix or kernel.function is not None:
            raise MercerError(
                "partial_fit needs a kernel on points, since rows to come are in no matrix: a name, an expression or "
                "an object of mercer.kernels"
            )
        first = not hasattr(self, "classes_")
        X, y = self._checked(X, y, reset=first)
        labels = column_or_1d(y, warn=True)
        check_classification_targets(labels)
        _check_partial_fit_first_call(self, classes)
        codes = self._codes_of(labels)
        if not hasattr(self, "_streams"):
            self._streams = self._begin(X)
        self._observe(X, codes)
        return self

    def _codes_of(self, labels: np.ndarray) -> np.ndarray:
        if len(self.classes_) < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {len(self.classes_)} class")
        codes = np.searchsorted(self.classes_, labels)
        known = self.classes_[np.minimum(codes, len(self.classes_) - 1)] == labels
        if not np.all(known):
            unknown = np.unique(labels[~known]).tolist()
            raise ValueError(f"y has the classes {unknown}, which are not among classes={self.classes_.tolist()}")
        return codes.astype(np.int64)

    def _begin(self, X: Any) -> list[Any]:
        """Streams of all pairs: new ones, or such as go on from what is there."""
        self.mistakes_ = getattr(self, "mistakes_", 0)
        if "_model" not in self.__dict__:
            self._names, self._spec = self._stream_names(), self._stream_spec(self._expression(X).text)
            self.class_weight_ = np.ones(len(self.classes_))
            return [_mercer.Stream(self._spec, sides) for sides in self._sides()]
        self._names, self._spec = list(self._model.classes), self._stream_spec(self._model.kernel)
        return [_mercer.Stream.resume(self._spec, self._model, machine) for machine in range(len(self._model.bias))]

    def _sides(self) -> list[tuple[str, str]]:
        """The negative and the positive class of each stream."""
        if len(self._names) == 2:
            return [(self._names[0], self._names[1])]
        return [(second, first) for first, second in combinations(self._names, 2)]

    def _stream_spec(self, kernel: str) -> str:
        lines = {"kernel": kernel, "learner": "online-perceptron", **self._way()}
        return "\n".join(f"{key}: {_text(value)}" for key, value in lines.items())

    def _stream_names(self) -> list[str]:
        """Names of the classes as the engine spells them, which for numbers is its own way."""
        names = self._class_names()
        if self.classes_.dtype.kind not in "iuf":
            return names
        names = [name.removesuffix(".0") for name in names]
        plain = all(re.fullmatch(r"-?\d{1,15}(\.\d+)?", name) for name in names)
        return names if plain else [str(code) for code in range(len(names))]

    def _observe(self, X: Any, codes: np.ndarray) -> None:
        """See rows slice by slice, until there are none left, the time is over or somebody presses Ctrl-C."""
        kernel = Expression(self._expression(X).text, self._expression().plain)
        X = self._in_precision(X)
        before, seen, why = getattr(self, "shape_fit_", (0,))[0], 0, ""
        ends = time.monotonic() + (float("inf") if self.time_limit is None else self.time_limit)
        with _Interrupts() as interrupts:
            try:
                while seen < len(codes) and not why:
                    rows = slice(seen, min(seen + _SLICE, len(codes)))
                    self._observe_slice(_rows(X, rows), codes[rows], kernel)
                    seen = rows.stop
                    if interrupts.count:
                        why = "by Ctrl-C"
                    elif time.monotonic() >= ends:
                        why = f"by time_limit={self.time_limit}"
            finally:
                # An error in a later slice does not undo the slices before it.
                if seen:
                    self._take_over(before + seen)
        if seen < len(codes):
            warn(
                f"partial_fit was ended {why} when it had seen {seen} of {len(codes)} rows. Cheapest cure: call it "
                f"again with the rows from {seen} on.",
                ConvergenceWarning,
            )
        if interrupts.count > 1:
            raise KeyboardInterrupt
        if interrupts.count:
            _interrupted()

    def _observe_slice(self, X: Any, codes: np.ndarray, kernel: Expression) -> None:
        if len(self._names) == 2:
            self._show(self._streams[0], X, codes, kernel)
            return
        for stream, (a, b) in zip(self._streams, combinations(range(len(self._names)), 2), strict=True):
            rows = np.flatnonzero((codes == a) | (codes == b))
            if len(rows):
                self._show(stream, _rows(X, rows), codes[rows], kernel)

    def _show(self, stream: Any, X: Any, codes: np.ndarray, kernel: Expression) -> None:
        report = stream.observe(self._table(X, kernel, fit=False), (self._names, codes))
        self.mistakes_ += report["mistakes"]

    def _take_over(self, rows: int) -> None:
        """Make the streams' model that of the estimator, which has seen so many rows."""
        several = len(self._names) > 2
        self._adopt(_mercer.Stream.joined(self._streams, self._names) if several else self._streams[0].model())
        self.shape_fit_ = (rows, getattr(self, "n_features_in_", 0))
        self.n_iter_ = 1

    def _in_precision(self, X: Any) -> Any:
        """Rows in double precision, or in single where the support of the model is: a stream has one of them."""
        if not isinstance(X, np.ndarray) or X.dtype.kind != "f":
            return X
        points = self._model.support_points() if "_model" in self.__dict__ else None
        single = isinstance(points, np.ndarray) and points.dtype == np.float32
        return X.astype(np.float32 if single else np.float64, copy=False)

    @classmethod
    def _of_model(cls, model: Any) -> Self:
        loaded = super()._of_model(model)
        loaded._loaded = True
        return loaded

    # ---------------------------------------------------------------------------------------------- copies

    def __getstate__(self) -> dict[str, Any]:
        """Give the state with models and memories in place of streams."""
        state = dict(super().__getstate__())
        if "_streams" in state:
            state["_streams"] = [(_model_of(stream), stream.memory()) for stream in state["_streams"]]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over a state, with streams that go on where they were."""
        put_away = state.get("_streams")
        super().__setstate__({name: value for name, value in state.items() if name != "_streams"})
        if put_away is not None:
            self._streams = [
                _mercer.Stream(self._spec, sides)
                if model is None
                else _mercer.Stream.resume(self._spec, model, 0, memory)
                for sides, (model, memory) in zip(self._sides(), put_away, strict=True)
            ]


def _model_of(stream: Any) -> Any:
    """The model of a stream; None where it has not seen a row."""
    return stream.model() if json.loads(stream.memory())["seen"] else None


class _Interrupts:
    """Counts Ctrl-C instead of raising it, so that all streams have seen the same rows when it is heard.

    Only where it would raise KeyboardInterrupt: in the main thread, and with no handler of the user's.
    """

    def __init__(self) -> None:
        self.count = 0
        self._heard = False

    def __enter__(self) -> Self:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._hear)
            self._heard = True
        return self

    def __exit__(self, *error: object) -> None:
        if self._heard:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _hear(self, number: int, frame: Any) -> None:
        self.count += 1
