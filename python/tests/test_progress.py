"""What a fit tells while it runs: lines of `verbose`, and the callbacks of scikit-learn 1.9."""

from __future__ import annotations

import re
import warnings
from typing import Any

import mercer
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

callback = pytest.importorskip("sklearn.callback", reason="callbacks are new in scikit-learn 1.9")


def hard_problem(rows: int = 1500) -> tuple[np.ndarray, np.ndarray]:
    """Labels that have nothing to do with the rows: a fit of them takes some time."""
    draw = np.random.default_rng(0)
    return draw.standard_normal((rows, 5)), draw.integers(0, 2, rows)


class Listener:
    """Counts what it is told; asks to stop after so many iterations."""

    def __init__(self, stop_after: float = float("inf")) -> None:
        self.begun = self.ended = self.iterations = 0
        self.stop_after = stop_after

    def setup(self, estimator: Any, context: Any) -> None:
        """Nothing to prepare."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """Nothing to put away."""

    def on_fit_task_begin(self, estimator: Any, context: Any, **_: Any) -> None:
        """A task begins."""
        self.begun += 1

    def on_fit_task_end(self, estimator: Any, context: Any, **_: Any) -> bool:
        """A task has ended."""
        self.ended += 1
        self.iterations += context.task_name == "iteration"
        return self.iterations >= self.stop_after


def test_callbacks_hear_of_every_step() -> None:
    """Each task that begins ends, and there are iterations among them; the answer is the same."""
    x, y = hard_problem(8000)
    listener = Listener()
    told = mercer.SVC(C=10, gamma=0.5).set_callbacks(listener).fit(x, y)
    assert listener.begun == listener.ended
    assert listener.iterations > 0
    np.testing.assert_array_equal(told.dual_coef_, mercer.SVC(C=10, gamma=0.5).fit(x, y).dual_coef_)


def test_a_callback_can_stop_a_fit() -> None:
    """What there is when a callback asks to stop predicts, and is not called converged."""
    x, y = hard_problem()
    model = mercer.SVC(C=1e5, gamma=0.5).set_callbacks(Listener(stop_after=1))
    with pytest.warns(ConvergenceWarning, match="was stopped"):
        model.fit(x, y)
    assert not model.converged_
    assert model.gap_ > 0
    assert set(model.predict(x)) <= {0, 1}


def test_progress_bar_of_a_grid_search() -> None:
    """scikit-learn's own progress bar goes down into our fits."""
    pytest.importorskip("rich")
    x, y = hard_problem(200)
    search = GridSearchCV(mercer.SVC(), {"C": [1, 10]}, cv=2).set_callbacks(callback.ProgressBar())
    assert search.fit(x, y).best_params_["C"] in (1, 10)


@pytest.mark.parametrize("name", ["SVC", "SVR", "KernelLogistic", "KernelQuantile"])
def test_lines_of_verbose(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """The last line says how it ended, with the gap; without `verbose` nothing is said."""
    x, y = hard_problem(300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        getattr(mercer, name)(verbose=True).fit(x, y)
        lines = capfd.readouterr().out.splitlines()
        assert lines and all(line.startswith(f"[{name}] ") for line in lines)
        assert re.search(r"after \d+ iterations: objective .* above the optimum", lines[-1])
        getattr(mercer, name)().fit(x, y)
    assert capfd.readouterr() == ("", "")
