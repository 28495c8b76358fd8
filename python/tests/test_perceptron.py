"""Streams of the perceptron: precision, interrupts, names of classes, models that were loaded."""

from __future__ import annotations

import pickle
import signal
import threading
import warnings
from pathlib import Path
from typing import Any

import mercer
import numpy as np
import pandas as pd
import pytest
from mercer import KernelPerceptron, _mercer
from mercer.exceptions import MercerError
from sklearn.exceptions import ConvergenceWarning


def rows(count: int = 60, classes: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows and classes that have little to do with each other."""
    draw = np.random.default_rng(seed)
    return draw.standard_normal((count, 3)), draw.integers(0, classes, count)


@pytest.mark.parametrize("classes", [2, 3])
def test_a_stream_takes_both_precisions(classes: int) -> None:
    """Rows of float32 after rows of float64, the other way round, and after a fit of either."""
    x, y = rows(classes=classes)
    new, other = rows(classes=classes, seed=1)
    names = list(range(classes))
    double, single = np.float64, np.float32
    for first, second in [(double, single), (single, double)]:
        stream = KernelPerceptron(gamma=1.0).partial_fit(x.astype(first), y, classes=names)
        stream.partial_fit(new.astype(second), other).partial_fit(x, y)
        assert stream.shape_fit_ == (180, 3)
        assert stream.predict(new.astype(second)).shape == (60,)
        fitted = KernelPerceptron(gamma=1.0, max_iter=2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            fitted.fit(x.astype(first), y)
        fitted.partial_fit(new.astype(second), other)
        assert fitted.shape_fit_ == (120, 3)
        again = pickle.loads(pickle.dumps(fitted)).partial_fit(x.astype(second), y)
        assert np.array_equal(again.dual_coef_, fitted.partial_fit(x.astype(second), y).dual_coef_)


@pytest.mark.parametrize("classes", [2, 3])
def test_slices_change_nothing(classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream that sees its rows in slices is the one that sees them at once."""
    x, y = rows(700, classes)
    whole = KernelPerceptron(gamma=1.0)
    with monkeypatch.context() as patched:
        patched.setattr("mercer.perceptron._SLICE", 10_000)
        whole.partial_fit(x, y, classes=list(range(classes)))
    sliced = KernelPerceptron(gamma=1.0).partial_fit(x, y, classes=list(range(classes)))
    assert sliced.mistakes_ == whole.mistakes_
    np.testing.assert_array_equal(sliced.dual_coef_, whole.dual_coef_)


@pytest.mark.parametrize("classes", [2, 3])
def test_a_time_limit_ends_a_stream_between_slices(classes: int) -> None:
    """Rows that were seen are counted and learned; the warning tells how many, and the rest may come later."""
    x, y = rows(700, classes)
    names = list(range(classes))
    stream = KernelPerceptron(gamma=1.0, time_limit=0)
    with pytest.warns(ConvergenceWarning, match=r"time_limit=0 .*256 of 700 rows"):
        stream.partial_fit(x, y, classes=names)
    assert stream.shape_fit_ == (256, 3)
    stream.set_params(time_limit=None).partial_fit(x[256:], y[256:])
    whole = KernelPerceptron(gamma=1.0).partial_fit(x, y, classes=names)
    assert stream.shape_fit_ == whole.shape_fit_ == (700, 3)
    np.testing.assert_array_equal(stream.dual_coef_, whole.dual_coef_)


class Pressed:
    """A stream during whose first table somebody presses Ctrl-C."""

    times = 1

    def __init__(self, *given: Any) -> None:
        self.stream = _mercer.Stream(*given)
        self.pressed = False

    def observe(self, table: Any, target: Any) -> Any:
        """What the stream says."""
        report = self.stream.observe(table, target)
        for _ in range(0 if self.pressed else self.times):
            signal.raise_signal(signal.SIGINT)
        self.pressed = True
        return report

    def __getattr__(self, name: str) -> Any:
        """What the stream has."""
        return getattr(self.stream, name)


@pytest.fixture
def ctrl_c(monkeypatch: pytest.MonkeyPatch) -> type[Pressed]:
    """Streams that are interrupted, after nobody has been for long."""

    class Module:
        Stream = Pressed

        def __getattr__(self, name: str) -> Any:
            return getattr(_mercer, name)

    monkeypatch.setattr("mercer.perceptron._mercer", Module())
    monkeypatch.setattr("mercer._engine._last_interrupt", float("-inf"))
    monkeypatch.setattr(Pressed, "joined", staticmethod(joined), raising=False)
    monkeypatch.setattr(Pressed, "times", 1)
    return Pressed


def joined(streams: list[Any], names: list[str]) -> Any:
    """The model of all pairs."""
    return _mercer.Stream.joined([stream.stream for stream in streams], names)


def test_ctrl_c_ends_a_stream_between_slices(ctrl_c: type[Pressed]) -> None:
    """One Ctrl-C leaves a fitted estimator that knows how many rows it has seen."""
    x, y = rows(700)
    stream = KernelPerceptron(gamma=1.0)
    with pytest.warns(ConvergenceWarning, match=r"Ctrl-C .*256 of 700 rows"):
        stream.partial_fit(x, y, classes=[0, 1])
    assert stream.shape_fit_ == (256, 3)
    assert stream.predict(x).shape == (700,)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    stream.partial_fit(x[256:], y[256:])
    assert stream.shape_fit_ == (700, 3)


def test_after_ctrl_c_all_pairs_have_seen_the_same_rows(ctrl_c: type[Pressed]) -> None:
    """Even where a slice goes to three streams and each is interrupted."""
    ctrl_c.times = 0
    x, y = rows(700, 3)
    whole = KernelPerceptron(gamma=1.0).partial_fit(x, y, classes=[0, 1, 2])
    stream = KernelPerceptron(gamma=1.0)
    ctrl_c.times = 1
    with pytest.warns(ConvergenceWarning, match="256 of 700 rows"), pytest.raises(KeyboardInterrupt):
        stream.partial_fit(x, y, classes=[0, 1, 2])
    stream.partial_fit(x[256:], y[256:])
    np.testing.assert_array_equal(stream.dual_coef_, whole.dual_coef_)


def test_a_second_ctrl_c_is_raised_by_a_stream(ctrl_c: type[Pressed]) -> None:
    """At once, or soon after another one in a loop; what was seen is kept."""
    x, y = rows(700)
    ctrl_c.times = 2
    stream = KernelPerceptron(gamma=1.0)
    with pytest.warns(ConvergenceWarning), pytest.raises(KeyboardInterrupt):
        stream.partial_fit(x, y, classes=[0, 1])
    assert stream.shape_fit_ == (256, 3)
    ctrl_c.times = 1
    with pytest.warns(ConvergenceWarning, match="256 of 700"):
        KernelPerceptron(gamma=1.0).partial_fit(x, y, classes=[0, 1])
    with pytest.warns(ConvergenceWarning), pytest.raises(KeyboardInterrupt):
        KernelPerceptron(gamma=1.0).partial_fit(x, y, classes=[0, 1])


def test_a_stream_in_another_thread_leaves_signals_alone() -> None:
    """Only the main thread may handle them."""
    x, y = rows()
    stream = KernelPerceptron()
    thread = threading.Thread(target=stream.partial_fit, args=(x, y), kwargs={"classes": [0, 1]})
    thread.start()
    thread.join()
    assert stream.shape_fit_ == (60, 3)


def test_an_error_in_a_later_slice_keeps_the_slices_before() -> None:
    """What was seen is counted."""
    x, y = rows(700)
    x = np.abs(x)
    x[600, 0] = -1.0
    stream = KernelPerceptron(kernel="chi2(gamma=1)")
    with pytest.raises(MercerError, match="chi2"):
        stream.partial_fit(x, y, classes=[0, 1])
    assert stream.shape_fit_ == (512, 3)


def test_a_stream_of_a_frame_with_many_names() -> None:
    """Names that repeat are names in every slice, as they are in the whole frame."""
    draw = np.random.default_rng(0)
    frame = pd.DataFrame({"town": [f"town {n}" for n in draw.integers(0, 60, 2000)], "size": draw.random(2000)})
    y = draw.integers(0, 2, 2000)
    stream = KernelPerceptron(kernel="delta[town] + rbf(sigma=1)[size]").partial_fit(frame, y, classes=[0, 1])
    assert stream.shape_fit_[0] == 2000


def test_classes_that_are_texts_keep_their_names() -> None:
    """Only numbers are respelled: v1 and v1.0 are two classes."""
    x, y = rows()
    labels = np.array(["v1", "v1.0"])[y]
    stream = KernelPerceptron(gamma=1.0).partial_fit(x, labels, classes=["v1", "v1.0"])
    codes = KernelPerceptron(gamma=1.0).partial_fit(x, y, classes=[0, 1])
    assert stream.mistakes_ == codes.mistakes_
    assert set(stream.predict(x)) == {"v1", "v1.0"}
    numbers = KernelPerceptron(gamma=1.0).partial_fit(x, y.astype(float), classes=[0.0, 1.0])
    assert numbers.mistakes_ == codes.mistakes_


def test_a_loaded_average_does_not_go_on(tmp_path: Path) -> None:
    """The sums that the average is made of are in no file."""
    x, y = rows()
    path = tmp_path / "stream.mercer"
    for average in (False, True):
        stream = KernelPerceptron(average=average, gamma=1.0).partial_fit(x, y, classes=[0, 1])
        stream.save(path)
        loaded: Any = mercer.load(path)
        assert loaded.average is average
        if not average:
            loaded.partial_fit(x, y)
            np.testing.assert_array_equal(loaded.dual_coef_, stream.partial_fit(x, y).dual_coef_)
            continue
        with pytest.raises(MercerError, match="average=True cannot go on"):
            loaded.partial_fit(x, y)
        assert loaded.set_params(average=False).partial_fit(x, y).shape_fit_ == (120, 3)


def test_the_warning_counts_truthfully() -> None:
    """Rows of two classes are counted once; of more, over pairs, and the warning says so."""
    x, y = rows()
    with pytest.warns(ConvergenceWarning, match=r"with \d+ training rows? on the wrong side\. "):
        KernelPerceptron(kernel="linear", max_iter=2).fit(x, y)
    x, y = rows(classes=3)
    with pytest.warns(ConvergenceWarning, match="summed over 3 pairs of classes: a row is in 2 of them"):
        KernelPerceptron(kernel="linear", max_iter=2).fit(x, y)
