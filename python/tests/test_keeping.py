"""Fitted machines are copied, pickled, written and read, and used inside scikit-learn's own tools."""

from __future__ import annotations

import copy
import pickle
import shutil
import subprocess
from pathlib import Path
from typing import Any

import joblib
import mercer
import numpy as np
import pandas as pd
import pytest
import sklearn.svm
from problems import data_set
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

MACHINES: list[tuple[str, dict[str, Any], str]] = [
    ("SVC", {}, "iris"),
    ("SVC", {"kernel": "linear", "C": 3.0}, "moons"),
    ("SVC", {"kernel": "poly", "coef0": 1.0}, "wine"),
    ("SVC", {"kernel": "0.5*rbf(gamma=scale) + 0.5*laplacian"}, "moons"),
    ("NuSVC", {"nu": 0.2}, "wine"),
    ("SVR", {"C": 2.0, "epsilon": 0.05}, "friedman"),
    ("NuSVR", {"nu": 0.3}, "friedman"),
    ("OneClassSVM", {"nu": 0.1}, "moons"),
]
MACHINE = pytest.mark.parametrize(("name", "settings", "data"), MACHINES)


def fitted(name: str, settings: dict[str, Any], data: str) -> tuple[Any, np.ndarray]:
    """A machine, and the rows it was fitted to."""
    x, y = data_set(data)
    return getattr(mercer, name)(**settings).fit(x, y), x


def assert_same_answers(first: Any, second: Any, x: Any) -> None:
    """Two machines cannot be told apart by what they predict."""
    np.testing.assert_array_equal(first.predict(x), second.predict(x))
    if hasattr(first, "decision_function"):
        np.testing.assert_array_equal(first.decision_function(x), second.decision_function(x))


@MACHINE
def test_copies(name: str, settings: dict[str, Any], data: str, tmp_path: Path) -> None:
    """Pickle, copy and joblib give a machine with the same answers and the same certificate."""
    model, x = fitted(name, settings, data)
    joblib.dump(model, tmp_path / "model.joblib")
    copies = [pickle.loads(pickle.dumps(model, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    copies += [copy.copy(model), copy.deepcopy(model), joblib.load(tmp_path / "model.joblib")]
    for other in copies:
        assert_same_answers(model, other, x)
        assert other.get_params() == model.get_params()
        assert other.gap_ == model.gap_
        assert other.converged_
        np.testing.assert_array_equal(other.support_, model.support_)


@MACHINE
def test_files(name: str, settings: dict[str, Any], data: str, tmp_path: Path) -> None:
    """A model file gives the machine back, through its class and without it."""
    model, x = fitted(name, settings, data)
    model.save(tmp_path / "model.mercer")
    for other in (type(model).load(tmp_path / "model.mercer"), mercer.load(tmp_path / "model.mercer")):
        assert type(other) is type(model)
        np.testing.assert_array_equal(model.predict(x), other.predict(x))
        if hasattr(model, "decision_function"):
            np.testing.assert_allclose(other.decision_function(x), model.decision_function(x), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(
            sparse.csr_array(other.dual_coef_).toarray(), sparse.csr_array(model.dual_coef_).toarray()
        )


@MACHINE
def test_files_of_libsvm(name: str, settings: dict[str, Any], data: str, tmp_path: Path) -> None:
    """LIBSVM's model file gives the same scores, in Mercer and in LIBSVM."""
    model, x = fitted(name, settings, data)
    path = tmp_path / "model.svm"
    if "+" in settings.get("kernel", ""):
        with pytest.raises(ValueError, match="LIBSVM"):
            model.to_libsvm(path)
        return
    model.to_libsvm(path)
    other = type(model).from_libsvm(path)
    first, second = (
        m.decision_function(x) if hasattr(m, "decision_function") else m.predict(x) for m in (model, other)
    )
    np.testing.assert_allclose(second, first, rtol=1e-6, atol=1e-6)
    if hasattr(model, "classes_"):
        np.testing.assert_array_equal(other.predict(x), model.predict(x))


def test_a_file_of_another_machine_is_refused(tmp_path: Path) -> None:
    """The class whose `load` is called is the class that comes back."""
    model, _ = fitted(*MACHINES[0])
    model.save(tmp_path / "model.mercer")
    with pytest.raises(ValueError, match="SVC"):
        mercer.SVR.load(tmp_path / "model.mercer")
    with pytest.raises((OSError, ValueError)):
        mercer.SVC.load(tmp_path / "nothing.mercer")


def test_a_damaged_pickle_is_refused() -> None:
    """What was pickled is the model file, which notices a changed byte."""
    model, x = fitted(*MACHINES[0])
    data = bytearray(pickle.dumps(model))
    stored = bytes(model._model.to_bytes())
    place = bytes(data).find(stored)
    assert place >= 0
    data[place + len(stored) // 2] ^= 1
    with pytest.raises(ValueError):
        pickle.loads(bytes(data)).predict(x)


@pytest.mark.parametrize(("name", "settings", "data"), MACHINES)
def test_clones_are_not_fitted(name: str, settings: dict[str, Any], data: str) -> None:
    """A clone has the parameters and nothing else; fitted again it answers the same."""
    model, x = fitted(name, settings, data)
    other = clone(model)
    assert not hasattr(other, "support_")
    assert other.get_params() == model.get_params()
    assert_same_answers(other.fit(*data_set(data)), model, x)


def test_cross_validation_scores_are_scikit_learns() -> None:
    """The same folds give the same scores."""
    for data in ("iris", "wine", "moons"):
        x, y = data_set(data)
        ours, theirs = (cross_val_score(package.SVC(tol=1e-6), x, y, cv=4) for package in (mercer, sklearn.svm))
        np.testing.assert_allclose(ours, theirs)


def test_grid_search_in_a_pipeline() -> None:
    """An import swapped in a usual program gives the usual answer."""
    x, y = data_set("wine")
    grid = {"svc__C": [0.1, 1.0, 10.0], "svc__kernel": ["linear", "rbf"]}
    found = [
        GridSearchCV(make_pipeline(StandardScaler(), package.SVC(tol=1e-6)), grid, cv=3).fit(x, y)
        for package in (mercer, sklearn.svm)
    ]
    np.testing.assert_allclose(found[0].cv_results_["mean_test_score"], found[1].cv_results_["mean_test_score"])
    assert found[0].best_params_ == found[1].best_params_


def test_grid_search_over_expressions() -> None:
    """A kernel is a parameter like any other."""
    x, y = data_set("moons")
    search = GridSearchCV(mercer.SVC(), {"kernel": ["linear", "rbf(gamma=2)", "poly(degree=3)"]}, cv=3).fit(x, y)
    assert search.best_params_ == {"kernel": "rbf(gamma=2)"}


def test_a_file_keeps_the_tolerance(tmp_path: Path) -> None:
    """Few rows are solved to more digits than were asked for; what was asked for is what the file tells."""
    x, y = data_set("iris")
    mercer.SVC(tol=0.01).fit(x, y).save(tmp_path / "model.mercer")
    assert mercer.load(tmp_path / "model.mercer").tol == 0.01


def test_a_model_of_the_command_is_a_model_here(tmp_path: Path) -> None:
    """Columns by name, from a frame or in order, and the penalty however it was told."""
    command = shutil.which("mercer")
    if command is None:
        pytest.skip("the command is not on the path")
    path = tmp_path / "moons.mercer"
    kernel = ["--loss", "hinge", "--kernel", "rbf(sigma=0.3)", "--lambda", "0.01"]
    subprocess.run([command, "fit", "@moons(n=80)", *kernel, "-o", str(path)], check=True, capture_output=True)
    moons = mercer.datasets.load("moons", n=80, as_frame=True)
    model = mercer.load(path)
    assert pytest.approx(1 / (0.01 * 80)) == model.C
    assert list(model.feature_names_in_) == list(moons.data.columns)
    again = clone(model).fit(moons.data, moons.target)
    np.testing.assert_array_equal(model.predict(moons.data), again.predict(moons.data))
    with pytest.warns(UserWarning, match="feature names"):
        np.testing.assert_array_equal(model.predict(moons.data.to_numpy()), model.predict(moons.data))


@pytest.mark.parametrize("labels", [["1", "2"], ["nan", "x"], [2**53, 2**53 + 1]], ids=str)
def test_labels_that_a_file_would_change_are_refused(labels: list[Any], tmp_path: Path) -> None:
    """No other label comes back in silence; a pickle keeps any."""
    x, y = data_set("moons")
    model = mercer.SVC().fit(x, np.array(labels)[(y > 0).astype(int)])
    for write in (model.save, model.to_libsvm):
        with pytest.raises(ValueError, match="choose other labels, or pickle"):
            write(tmp_path / "model")
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(x), model.predict(x))


@pytest.mark.parametrize("labels", [[False, True], ["a", "b"], [-1, 1], [-1.0, 1.0]], ids=str)
def test_labels_come_back(labels: list[Any], tmp_path: Path) -> None:
    """Truth values, texts and numbers are kept."""
    x, y = data_set("moons")
    model = mercer.SVC().fit(x, np.array(labels)[(y > 0).astype(int)])
    model.save(tmp_path / "model.mercer")
    loaded = mercer.load(tmp_path / "model.mercer")
    np.testing.assert_array_equal(loaded.predict(x), model.predict(x))
    assert loaded.classes_.tolist() == labels


def test_a_file_keeps_the_names_of_columns(tmp_path: Path) -> None:
    """Columns in another order are refused after loading, as before."""
    x, y = data_set("iris")
    frame = pd.DataFrame(x, columns=list("abcd"))
    mercer.SVC(kernel="rbf(sigma=1)[a, c]").fit(frame, y).save(tmp_path / "model.mercer")
    loaded = mercer.load(tmp_path / "model.mercer")
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame[list("dcba")])


def test_kernels_of_python_are_not_saved(tmp_path: Path) -> None:
    """A file holds no code, and a matrix is not the kernel it was made by."""
    x, y = data_set("moons")
    for model in (
        mercer.SVC(kernel=lambda a, b: a @ b.T),
        mercer.KernelRidge(kernel="poly", degree=2.5, coef0=9.0),
        mercer.KernelRidge(alpha=0),
    ):
        model.fit(x, y)
        for write in (model.save, model.to_libsvm):
            with pytest.raises(ValueError, match="pickle it"):
                write(tmp_path / "model")


def test_a_subclass_loads_itself(tmp_path: Path) -> None:
    """The class whose `load` is called, where it is a kind of what the file holds."""

    class Mine(mercer.SVC):
        """Nothing new."""

    model, x = fitted(*MACHINES[0])
    model.save(tmp_path / "model.mercer")
    loaded = Mine.load(tmp_path / "model.mercer")
    assert type(loaded) is Mine
    np.testing.assert_array_equal(loaded.predict(x), model.predict(x))


def test_last_columns_of_zeros_in_a_file_of_libsvm(tmp_path: Path) -> None:
    """LIBSVM's files do not tell of them; rows that have them are predicted all the same."""
    x, y = data_set("moons")
    x = np.column_stack([x, np.zeros(len(x))])
    model = mercer.SVC().fit(x, y)
    model.to_libsvm(tmp_path / "model.svm")
    np.testing.assert_array_equal(mercer.SVC.from_libsvm(tmp_path / "model.svm").predict(x), model.predict(x))


def test_no_file(tmp_path: Path) -> None:
    """What is not there is not found."""
    with pytest.raises(FileNotFoundError, match="nothing"):
        mercer.load(tmp_path / "nothing")
