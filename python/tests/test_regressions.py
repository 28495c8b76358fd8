"""What goes wrong elsewhere does not go wrong here; scikit-learn's behaviour is shown beside it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import mercer
import numpy as np
import pytest
import sklearn.svm
from mercer.exceptions import MercerError
from sklearn.datasets import make_blobs, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

#: Seconds that a loaded machine may need for what takes far less than one.
PATIENCE = 5.0
#: Seconds after which scikit-learn counts as hanging; it has been seen to run for hours.
HANGS = 3.0

needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to another process here")


@contextmanager
def program(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """One of the programs of `fits.py`, ended at the end whatever it does."""
    command = [sys.executable, str(Path(__file__).with_name("fits.py")), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert told(process)["ready"]
            yield process
        finally:
            process.kill()


def told(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The next line that a program says."""
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


@pytest.mark.parametrize(
    ("name", "fault", "cure"),
    [
        ("asymmetric", "not symmetric", "(K + K.T)/2"),
        ("indefinite", "not positive semi-definite", "mercer.repair(K, 'clip')"),
    ],
)
def test_bad_matrices_are_refused_at_once(name: str, fault: str, cure: str) -> None:
    """A matrix that no kernel has is refused within a second, and the message has the cure."""
    with program(name, "mercer") as process:
        answer = told(process)
    assert fault in answer["error"]
    assert cure in answer["error"]
    assert answer["seconds"] < 1.0


def test_the_cures_work() -> None:
    """What the messages advise makes the matrices acceptable."""
    draw = np.random.default_rng(0)
    matrix, labels = draw.standard_normal((40, 40)), draw.integers(0, 2, 40)
    symmetric = (matrix + matrix.T) / 2
    with pytest.raises(MercerError, match="positive semi-definite"):
        mercer.SVC(kernel="precomputed").fit(symmetric, labels)
    repaired = mercer.repair(symmetric, "clip")
    repaired = repaired[0] if isinstance(repaired, tuple) else repaired
    assert mercer.SVC(kernel="precomputed").fit(repaired, labels).converged_


def test_scikit_learn_hangs_on_a_matrix_that_is_not_symmetric() -> None:
    """The same matrix, given to scikit-learn."""
    with program("asymmetric", "sklearn.svm") as process:
        try:
            process.wait(HANGS)
        except subprocess.TimeoutExpired:
            return
    pytest.skip(f"scikit-learn {sklearn.__version__} comes to an end on this matrix")


@needs_signals
def test_ctrl_c_leaves_a_fitted_estimator() -> None:
    """Ctrl-C ends the fit soon; what there is predicts, is not called converged, and its gap is told."""
    with program("interrupted", "mercer") as process:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.0)
        process.send_signal(signal.SIGINT)
        answer = told(process)
    assert answer["raised"] is False
    assert answer["seconds"] < PATIENCE
    assert answer["converged"] is False
    assert answer["gap"] > 0
    assert answer["accuracy"] > 0.5
    messages = [text for kind, text in answer["warnings"] if kind == "ConvergenceWarning"]
    assert len(messages) == 1
    assert "gap" in messages[0]


@needs_signals
def test_scikit_learn_does_not_hear_ctrl_c() -> None:
    """The same problem and the same Ctrl-C, given to scikit-learn: the fit goes on."""
    with program("interrupted", "sklearn.svm") as process:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.0)
        process.send_signal(signal.SIGINT)
        try:
            process.wait(HANGS)
        except subprocess.TimeoutExpired:
            return
    pytest.skip(f"scikit-learn {sklearn.__version__} hears Ctrl-C, or is done with this problem")


@needs_signals
def test_a_second_ctrl_c_is_raised() -> None:
    """One Ctrl-C ends a fit, and the loop around it goes on; the next one soon after ends the loop."""
    with program("twice", "mercer") as process:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.0)
        process.send_signal(signal.SIGINT)
        assert told(process) == {"ready": True, "fits": 1}
        process.send_signal(signal.SIGINT)
        assert told(process) == {"raised": True, "fits": 1}


def small_problems() -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Rows, classes and new rows of many small problems with two and three classes."""
    for seed in range(30):
        draw = np.random.default_rng(seed)
        if seed % 2:
            x, y = make_blobs(40, centers=3, cluster_std=4.0, random_state=seed)
        else:
            x, y = make_classification(40, 4, n_informative=2, flip_y=0.2, random_state=seed)
        yield x, y, x[draw.integers(0, len(x), 200)] + draw.standard_normal((200, x.shape[1]))


def contradictions(estimator: type) -> int:
    """How many new rows have a class that is not the one with the largest probability."""
    count = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        for x, y, new in small_problems():
            model = estimator(probability=True, random_state=0).fit(x, y)
            likely = model.classes_[model.predict_proba(new).argmax(axis=1)]
            count += int(np.sum(model.predict(new) != likely))
    return count


def test_probabilities_do_not_contradict_predictions() -> None:
    """The class that is predicted is the most likely one; scikit-learn's often is not."""
    assert contradictions(mercer.SVC) == 0
    assert contradictions(sklearn.svm.SVC) > 0


@pytest.mark.parametrize("estimator", [mercer.SVC, mercer.NuSVC], ids=["SVC", "NuSVC"])
def test_predictions_do_not_contradict_scores(estimator: type) -> None:
    """The class that is predicted has the largest score, whatever the shape of the scores."""
    for x, y, new in small_problems():
        model = estimator(**({"nu": 0.2} if estimator is mercer.NuSVC else {})).fit(x, y)
        scores = model.decision_function(new)
        best = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        np.testing.assert_array_equal(model.predict(new), model.classes_[best])
        model.set_params(decision_function_shape="ovo")
        np.testing.assert_array_equal(model.predict(new), model.classes_[best])


def test_scikit_learns_predictions_contradict_its_scores() -> None:
    """Where votes are equal, scikit-learn takes the first class and not the one with the largest score."""
    x, y = make_blobs(20, random_state=42)
    new = np.random.default_rng(0).uniform(x.min(), x.max(), (500, 2))
    disagree = {}
    for package in (mercer, sklearn.svm):
        model = package.SVC(gamma=1e6).fit(x, y)
        disagree[package] = int(np.sum(model.predict(new) != model.decision_function(new).argmax(axis=1)))
    assert disagree[mercer] == 0
    assert disagree[sklearn.svm] > 0


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no fork here")
def test_a_fork_after_a_fit_can_fit() -> None:
    """Threads do not survive a fork; the child gets new ones."""
    command = [sys.executable, str(Path(__file__).with_name("fits.py")), "forked", "mercer"]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=90, check=True).stdout)
    assert answer["ended"]
    assert len(answer["predictions"]) == 5


def test_grid_search_in_two_processes() -> None:
    """Workers of joblib find what one process finds."""
    x, y = make_blobs(80, centers=3, cluster_std=3.0, random_state=0)
    grid = {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1]}
    alone, together = (GridSearchCV(mercer.SVC(), grid, cv=3, n_jobs=jobs).fit(x, y) for jobs in (1, 2))
    np.testing.assert_array_equal(alone.cv_results_["mean_test_score"], together.cv_results_["mean_test_score"])
    assert together.best_estimator_.converged_


def test_a_matrix_is_not_measured_for_long() -> None:
    """A time limit and the check of a matrix of two thousand rows go together."""
    draw = np.random.default_rng(0)
    points = draw.standard_normal((2000, 5))
    labels = (points[:, 0] > 0).astype(int)
    started = time.perf_counter()
    mercer.SVC(kernel="precomputed").fit(points @ points.T + 1, labels)
    assert time.perf_counter() - started < PATIENCE


def test_a_time_limit_holds_for_probabilities() -> None:
    """The fits for the calibration end with it."""
    draw = np.random.default_rng(0)
    points, labels = draw.standard_normal((3000, 5)), draw.integers(0, 2, 3000)
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = mercer.SVC(C=1e4, gamma=1.0, probability=True, time_limit=0.4).fit(points, labels)
    assert time.perf_counter() - started < PATIENCE
    with pytest.raises(NotFittedError, match="stopped before probabilities"):
        model.predict_proba(points[:5])


def test_rows_in_single_precision_under_a_kernel_of_large_values() -> None:
    """Inner products of 1e8 in single precision would be off by more than the margin."""
    X = (1000 + np.random.default_rng(0).standard_normal((200, 100))).astype(np.float32)
    model = mercer.SVC(kernel="linear", C=1).fit(X, X[:, 0] > 1000)
    assert np.allclose(model.decision_function(X), model.decision_function(X.astype(np.float64)), atol=1e-6)


def test_a_matrix_that_was_in_single_precision_is_a_gram_matrix() -> None:
    """Rounding alone makes its smallest eigenvalues negative."""
    X = np.random.default_rng(0).standard_normal((300, 5))
    K = (X @ X.T).astype(np.float32).astype(np.float64)
    assert np.linalg.eigvalsh(K)[0] < 0
    assert mercer.SVC(kernel="precomputed").fit(K, X[:, 0] > 0).certificate_.convex
