"""`forecast`: what a fit would take, for every estimator, without fitting it."""

from __future__ import annotations

import mercer
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

X, y = mercer.datasets.load("moons", return_X_y=True)
ESTIMATORS = [
    (mercer.SVC(C=10), y),
    (mercer.NuSVC(nu=0.3), y),
    (mercer.SVR(), X[:, 0]),
    (mercer.NuSVR(), X[:, 0]),
    (mercer.OneClassSVM(nu=0.1), None),
    (mercer.KernelRidge(kernel="rbf"), X[:, 0]),
    (mercer.KernelRidge(kernel="rbf"), X),
    (mercer.KernelLogistic(), y),
    (mercer.LeastSquaresSVC(), y),
    (mercer.KernelQuantile(quantile=0.9), X[:, 0]),
    (mercer.GradientKernel(max_iter=20), X[:, 0]),
    (mercer.KernelPegasos(max_iter=5), y),
]


@pytest.mark.parametrize(("estimator", "target"), ESTIMATORS, ids=lambda value: type(value).__name__)
def test_every_machine_is_forecast(estimator: mercer.SVC, target: np.ndarray | None) -> None:
    """Seconds, bytes and a plan; the estimator is not fitted by it."""
    found = estimator.forecast(X, target)
    assert found.seconds is not None
    assert 0 < found.seconds < 60
    assert found.peak_bytes > 0
    assert found.rows == len(X)
    assert not found.refused
    assert sum(found.parts.values()) == found.peak_bytes
    assert repr(found).startswith("Forecast(about ")
    with pytest.raises((NotFittedError, AttributeError)):
        estimator.predict(X)


def test_weights_classes_and_matrices_are_those_of_the_fit() -> None:
    """What `fit` takes is taken, and what it refuses is refused alike."""
    weights = np.linspace(0.1, 1, len(X))
    assert mercer.SVC().forecast(X, y, sample_weight=weights).machines == 1
    iris = mercer.datasets.load("iris", return_X_y=True)
    assert mercer.SVC(probability=True).forecast(*iris).machines == 3
    assert mercer.SVC(kernel="precomputed").forecast(X @ X.T + 1, y).rows == len(X)
    with pytest.raises(ValueError, match="greater than one"):
        mercer.SVC().forecast(X, np.zeros(len(X)))


def test_what_has_no_room_is_said() -> None:
    """A plan that begins with the word, and no seconds; the fit is refused as well."""
    rows = np.random.default_rng(0).standard_normal((1500, 2))
    model = mercer.KernelRidge(kernel="rbf", memory_limit="1MB")
    found = clone(model).forecast(rows, rows[:, 0])
    assert found.refused
    assert found.seconds is None
    assert found.plan == "refused: needs 18 MB, the budget is 1.0 MB"
    assert repr(found) == f"Forecast({found.plan})"
    with pytest.raises(mercer.exceptions.MemoryBudgetError):
        model.fit(rows, rows[:, 0])
