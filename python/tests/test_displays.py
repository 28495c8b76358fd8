"""Displays: every one as data, as a picture and on axes; of estimators of this package and of others."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from html import unescape
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib
import mercer
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot as plt
from mercer import displays
from mercer._tables import table
from mercer.exceptions import MercerError
from problems import data_set
from sklearn import svm
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

matplotlib.use("Agg")
EVIL = "<script>alert('&')</script>"


@pytest.fixture(autouse=True)
def closed() -> Any:
    """No figure outlives its test."""
    yield
    plt.close("all")


def machine() -> Any:
    x, y = data_set("moons")
    return mercer.SVC(C=10, probability=True).fit(x, y)


def line() -> tuple[np.ndarray, np.ndarray]:
    return mercer.datasets.load("sinc", n=60, return_X_y=True)


def search(maker: Any) -> Any:
    x, y = data_set("moons")
    return maker(mercer.SVC(), {"C": [0.1, 1, 10], "gamma": [0.1, 1]}, cv=3).fit(x, y)


def all_displays() -> dict[str, Callable[[], displays.Display]]:
    """One display of every kind, by a name; made when called."""
    x, y = data_set("moons")
    xs, ys = line()
    return {
        "boundary": lambda: displays.BoundaryDisplay.from_estimator(machine(), x, y),
        "regions": lambda: displays.BoundaryDisplay.from_estimator(
            mercer.SVC().fit(*data_set("iris")), *data_set("iris")
        ),
        "pipeline": lambda: displays.BoundaryDisplay.from_estimator(
            make_pipeline(StandardScaler(), mercer.SVC()).fit(x, y), x, y
        ),
        "novelty": lambda: displays.BoundaryDisplay.from_estimator(mercer.OneClassSVM(nu=0.2).fit(x), x),
        "surface": lambda: displays.BoundaryDisplay.from_estimator(
            mercer.KernelRidge(kernel="rbf").fit(x, x[:, 0]), x, x[:, 0]
        ),
        "sweep": lambda: displays.SweepDisplay.from_estimators(
            {f"gamma = {gamma}": mercer.SVC(gamma=gamma).fit(x, y) for gamma in (0.1, 1.0)}, x, y
        ),
        "curve": lambda: displays.CurveDisplay.from_estimator(mercer.SVR().fit(xs, ys), xs, ys),
        "curve of a pipeline": lambda: displays.CurveDisplay.from_estimator(
            make_pipeline(StandardScaler(), mercer.KernelRidge(kernel="rbf")).fit(xs, ys), xs, ys
        ),
        "trace": lambda: displays.TraceDisplay.from_estimator(machine()),
        "spectrum": lambda: displays.SpectrumDisplay.from_estimator(machine(), x),
        "gram": lambda: displays.GramDisplay.from_estimator(machine(), x, y),
        "tuning": lambda: displays.TuningDisplay.from_search(mercer.tune(x, y, "rbf(sigma=0.5|1)", C=[1, 10], cv=3)),
        "tuning of scikit-learn": lambda: displays.TuningDisplay.from_search(search(GridSearchCV)),
        "tuning of a grid": lambda: displays.TuningDisplay.from_search(search(mercer.GridSearch)),
        "path": lambda: displays.PathDisplay.from_estimator(mercer.SVC(), x, y, points=4, cv=3),
        "roc": lambda: displays.RocDisplay.from_estimator(machine(), x, y),
        "reliability": lambda: displays.ReliabilityDisplay.from_estimator(machine(), x, y),
        "residuals": lambda: displays.ResidualsDisplay.from_estimator(mercer.SVR().fit(xs, ys), xs, ys),
        "losses": lambda: displays.LossesDisplay.from_losses(),
        "geometry": lambda: displays.GeometryDisplay.from_map("quadratic", x, y),
    }


@pytest.mark.parametrize("name", all_displays())
def test_every_display_has_data_pictures_and_axes(name: str, tmp_path: Path) -> None:
    """What a display shows is plain data, well-formed SVG, a PNG, and something on axes."""
    display = all_displays()[name]()
    assert json.dumps(display.data) and isinstance(display.notes, list)
    for dark in (False, True):
        root = ElementTree.fromstring(display.svg(width=400, dark=dark))
        assert float(root.attrib["width"]) <= 440
    assert display._repr_html_().count("<svg") == 1 and display._repr_svg_().startswith("<svg")
    display.save(tmp_path / "picture.png", width=300)
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert display.plot() is display
    assert display.ax_ is display.axes_[0] and display.figure_ is display.ax_.figure
    assert display.axes_[-1].has_data()
    display.figure_.canvas.draw()
    display.plot(dark=True).figure_.canvas.draw()
    assert repr(display).startswith(f"<{type(display).__name__}: ")


@pytest.mark.parametrize("name", ["boundary", "trace", "tuning", "gram"])
def test_axes_that_are_given(name: str) -> None:
    """One for all, which several plots divide, or one for each."""
    display = all_displays()[name]()
    figure, ax = plt.subplots()
    display.plot(ax, legend=name != "trace")
    assert display.figure_ is figure
    count = len(display.axes_)
    figure, several = plt.subplots(1, count + 1)
    assert list(display.plot(several[:count]).axes_) == list(several[:count])
    if count > 1:
        with pytest.raises(ValueError, match="axes were given"):
            display.plot(several)
    figure.canvas.draw()


def test_axes_are_drawn_when_they_are_given_or_asked_for() -> None:
    """from_estimator alone draws on none."""
    before = plt.get_fignums()
    display = displays.LossesDisplay.from_losses(["hinge"])
    assert plt.get_fignums() == before
    assert display.ax_.get_ylabel() == "loss"
    _, ax = plt.subplots()
    assert displays.LossesDisplay.from_losses(["hinge"], ax=ax).ax_ is ax


def test_legends_cover_no_data() -> None:
    """They stand below the axes, in figures that are made and on axes that are given."""
    display = all_displays()["boundary"]()
    display.figure_.canvas.draw()
    (legend,) = display.figure_.legends
    assert legend.get_window_extent().y1 <= display.ax_.get_window_extent().y0
    figure, ax = plt.subplots(layout="constrained")
    display.plot(ax)
    figure.canvas.draw()
    assert ax.get_legend().get_window_extent().y1 <= ax.get_window_extent().y0


# ------------------------------------------------------------------------------------------------------ planes


def test_a_boundary_is_what_the_machine_says() -> None:
    """The response on the grid is the decision function there."""
    x, y = data_set("moons")
    model = machine()
    display = displays.BoundaryDisplay.from_estimator(model, x, y, grid_resolution=23)
    assert display.response.shape == display.xx0.shape == (23, 23)
    grid = np.column_stack([display.xx0.ravel(), display.xx1.ravel()])
    np.testing.assert_allclose(display.response.ravel(), model.decision_function(grid), atol=1e-5)


def test_a_pipeline_is_drawn_as_its_machine_is() -> None:
    """The same answers, and the same support vectors, though it is asked row by row."""
    x, y = data_set("moons")
    x = 3.0 + 5.0 * x
    scaler = StandardScaler().fit(x)
    pipe = make_pipeline(scaler, mercer.SVC(C=10)).fit(x, y)
    whole = displays.BoundaryDisplay.from_estimator(pipe, x, y, grid_resolution=20)
    grid = np.column_stack([whole.xx0.ravel(), whole.xx1.ravel()])
    np.testing.assert_allclose(whole.response.ravel(), pipe.decision_function(grid), atol=1e-9)
    alone = displays.BoundaryDisplay.from_estimator(pipe[-1], scaler.transform(x), y)
    roles = [[spot["support"] for spot in display.data["spots"]] for display in (whole, alone)]
    assert roles[0] == roles[1] and {"None", "Free", "Bound"} == set(roles[0])


@pytest.mark.parametrize("data", ["moons", "iris"])
def test_support_vectors_are_told_apart_by_their_bound(data: str) -> None:
    """As the coefficients say, also of several classes: free is below C in every machine."""
    x, y = data_set(data)
    model = mercer.SVC(C=1.0, tol=1e-6).fit(x, y)
    spots = displays.BoundaryDisplay.from_estimator(model, x, y).data["spots"]
    coefficients = np.abs(model._model.coefficients)
    bound = (coefficients > 1 - 1e-4).any(axis=0)
    for row, is_bound in zip(model._model.support, bound, strict=True):
        assert spots[row]["support"] == ("Bound" if is_bound else "Free"), row
    assert sum(spot["support"] != "None" for spot in spots) == len(model.support_)


def test_slices_say_which() -> None:
    """Of more than two columns a plane is at medians or along components."""
    x, y = data_set("iris")
    frame = pd.DataFrame(x, columns=["a", "b", "c", "d"])
    model = mercer.SVC().fit(frame, y)
    of = displays.BoundaryDisplay.from_estimator
    assert "principal components" in of(model, frame, y).notes[0]
    slice_ = of(model, frame, y, columns=("c", "d"))
    assert "medians" in slice_.notes[0] and (slice_.data["x"], slice_.data["y"]) == ("c", "d")
    plain = mercer.SVC().fit(x, y)
    assert of(plain, x, y, columns=(2, 3)).data["x"] == "x2"
    pipe = make_pipeline(StandardScaler(), mercer.SVC()).fit(frame, y)
    with pytest.raises(MercerError, match="name two of them"):
        of(pipe, frame, y)
    assert "medians" in of(pipe, frame, y, columns=("a", "d")).notes[0]
    polar = pl.DataFrame(x, schema=["a", "b", "c", "d"])
    assert of(make_pipeline(StandardScaler(), mercer.SVC()).fit(polar, y), polar, y, slice="medians").data["y"] == "b"
    with pytest.raises(MercerError, match="'z'"):
        of(model, frame, y, columns=("a", "z"))
    with pytest.raises(MercerError, match="slice = 'diagonal'"):
        of(model, frame, y, slice="diagonal")


def test_kernels_of_python_are_asked_row_by_row() -> None:
    """The engine does not know them."""
    x, y = data_set("moons")
    model = mercer.SVC(kernel=lambda a, b: a @ b.T).fit(x, y)
    display = displays.BoundaryDisplay.from_estimator(model, x, y, grid_resolution=10)
    assert np.isfinite(display.response).all()
    with pytest.raises(MercerError, match="from_gram"):
        displays.GramDisplay.from_estimator(model, x, y)


def test_other_estimators_are_drawn_too() -> None:
    """Any classifier has a boundary and a ranking."""
    x, y = data_set("moons")
    other = LogisticRegression().fit(x, y)
    assert displays.BoundaryDisplay.from_estimator(other, x, y).data["spots"][0]["support"] == "None"
    assert displays.RocDisplay.from_estimator(other, x, y).roc_auc > 0.8
    with pytest.raises(MercerError, match="no machine of mercer"):
        displays.TraceDisplay.from_estimator(other)
    with pytest.raises(MercerError, match="neither classes nor numbers"):
        displays.BoundaryDisplay.from_estimator(StandardScaler().fit(x), x)


def test_curves_of_classes_and_of_several_machines() -> None:
    """Names set machines apart, and rows of classes stand at −1 and 1."""
    x, y = data_set("moons")
    one = x[:, :1]
    display = displays.CurveDisplay.from_estimator(mercer.SVC().fit(one, y), one, y)
    assert {spot["at"][1] for spot in display.data["spots"]} == {-1.0, 1.0}
    with pytest.raises(MercerError, match="draw a boundary"):
        displays.CurveDisplay.from_estimator(mercer.SVC().fit(x, y), x, y)
    with pytest.raises(ValueError, match="no estimator"):
        displays.CurveDisplay.from_estimators({}, x, y)


# ------------------------------------------------------------------------------------------------------ judged


def test_rankings_are_scikit_learns() -> None:
    """The same areas, of scores from an estimator and from anywhere."""
    x, y = data_set("moons")
    noise = np.random.default_rng(0).normal(size=len(y)) + y
    display = displays.RocDisplay.from_predictions(y, noise)
    assert display.roc_auc == pytest.approx(roc_auc_score(y, noise))
    assert display.average_precision == pytest.approx(average_precision_score(y, noise))
    x, y = data_set("blobs")
    for shape in ("ovr", "ovo"):
        model = mercer.SVC(decision_function_shape=shape).fit(x, y)
        assert set(displays.RocDisplay.from_estimator(model, x, y).roc_auc) == {"0", "1", "2", "3"}
    with pytest.raises(ValueError, match="two classes"):
        displays.RocDisplay.from_predictions(y, noise)
    with pytest.raises(ValueError, match="none of the classes"):
        displays.RocDisplay.from_predictions(["a", "b"], [0.1, 0.2], classes=["a", "c"])


@pytest.mark.parametrize("maker", [mercer.SVC, svm.SVC])
def test_scores_of_pairs_are_no_scores_of_classes(maker: Any) -> None:
    """Of three classes there are as many pairs; the shape of the last step tells."""
    x, y = data_set("iris")
    of = displays.RocDisplay.from_estimator
    known = of(maker(decision_function_shape="ovr").fit(x, y), x, y).roc_auc
    pairs = maker(decision_function_shape="ovo")
    chosen = GridSearchCV(make_pipeline("passthrough", pairs), {"svc__C": [1.0]}, cv=3)
    for estimator in (pairs, make_pipeline("passthrough", pairs), chosen):
        found = of(estimator.fit(x, y), x, y).roc_auc
        assert found == pytest.approx(known, abs=1e-3) and min(found.values()) > 0.98


def test_probabilities_and_residuals_from_anywhere() -> None:
    """Values that are none are refused."""
    assert displays.ReliabilityDisplay.from_predictions([0, 1, 1], [[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]]).data["shares"]
    with pytest.raises(ValueError, match="from 0 to 1"):
        displays.ReliabilityDisplay.from_predictions([0, 1], [0.5, 1.5])
    with pytest.raises(MercerError, match="probability=True"):
        displays.ReliabilityDisplay.from_estimator(mercer.SVC().fit(*data_set("moons")), *data_set("moons"))
    series = pd.Series([1.0, 2.0], name="height")
    assert displays.ResidualsDisplay.from_predictions(series, [1.1, 2.0]).axes_[0].get_ylabel() == "true height"
    with pytest.raises(MercerError, match="1 numbers were predicted, 2 are true"):
        displays.ResidualsDisplay.from_predictions([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="one target"):
        displays.ResidualsDisplay.from_predictions(np.ones((3, 2)), np.ones((3, 2)))
    with pytest.raises(MercerError, match="RocDisplay"):
        displays.ResidualsDisplay.from_estimator(machine(), *data_set("moons"))


# ------------------------------------------------------------------------------------------- matrices, searches


def test_matrices_beside_the_ideal_one() -> None:
    """From kernels, from a matrix, and without labels alone."""
    x, y = data_set("iris")
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    display = displays.GramDisplay.from_kernel(["rbf(sigma=1)", mercer.kernels.linear()], x, names)
    assert [panel["title"] for panel in display.data["panels"]] == ["rbf(sigma=1)", "linear", "ideal"]
    assert [text.get_text() for text in display.axes_[0].get_yticklabels()] == sorted(set(names))
    K = mercer.gram("rbf(sigma=1)", x)
    assert len(displays.GramDisplay.from_gram(K).data["panels"]) == 1
    spectrum = displays.SpectrumDisplay.from_gram(K).eigenvalues
    np.testing.assert_allclose(spectrum, K.spectrum(), atol=1e-4)
    with pytest.raises(TypeError, match="expression"):
        displays.SpectrumDisplay.from_kernel(np.dot, x)


def test_searches_by_two_parameters() -> None:
    """Of any two that vary; nothing else is one."""
    found = search(GridSearchCV)
    display = displays.TuningDisplay.from_search(found, rows="C", columns="gamma")
    assert (display.data["parameter"], display.data["strength"]) == ("C", "gamma")
    assert len(display.data["trials"]) == 6
    best = display.data["trials"][display.data["best"]]
    assert best["mean"] == pytest.approx(found.best_score_)
    with pytest.raises(ValueError, match="does not vary"):
        displays.TuningDisplay.from_search(found, rows="degree")
    with pytest.raises(MercerError, match="fit it first"):
        displays.TuningDisplay.from_search(GridSearchCV(mercer.SVC(), {"C": [1]}))
    one = GridSearchCV(mercer.SVC(), {"C": [0.1, 1, 10]}, cv=3).fit(*data_set("moons"))
    assert displays.TuningDisplay.from_search(one).ax_.get_xlabel() == "C"


def test_paths_leave_the_estimator_alone() -> None:
    """Of C, and of alpha for ridge; without rows held out there is one line."""
    x, y = data_set("diabetes")
    ridge = mercer.KernelRidge(kernel="rbf")
    display = displays.PathDisplay.from_estimator(ridge, x, y, values=[0.1, 1.0], cv=None)
    assert display.data["strength"] == "mu" and not hasattr(ridge, "dual_coef_")
    assert all(step["held_out"] is None for step in display.data["steps"])


# ------------------------------------------------------------------------------------------------------ report


def test_a_report_is_one_page(tmp_path: Path) -> None:
    """It says what is proved, has pictures and the code, fetches nothing, and shows names as text."""
    x, y = data_set("moons")
    labels = np.array(["ham", EVIL])[y]
    frame = pd.DataFrame(x, columns=[EVIL, "b"])
    pipe = make_pipeline(StandardScaler().set_output(transform="pandas"), mercer.SVC(C=3)).fit(frame, labels)
    for estimator, rows in ((pipe, frame), (mercer.SVC(C=3).fit(frame, labels), frame)):
        page = mercer.report(estimator, rows, labels, name=EVIL, dark=True)
        assert "What is proved about it" in page.html and page.html.count("<svg") >= 4
        assert "SVC(C=3)" in page.html and "not exactly those" not in page.html
        assert "<script" not in page.html and "http" not in page.html.replace("http://www.w3.org", "")
    page.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page.html
    assert page._repr_html_().startswith("<iframe srcdoc=") and repr(page).startswith("<Report")
    with pytest.raises(MercerError, match="kernel language"):
        mercer.report(mercer.SVC(kernel=lambda a, b: a @ b.T).fit(x, y), x, y)
    assert "like the training rows" in mercer.report(mercer.OneClassSVM().fit(x), x).html


# ------------------------------------------------------------------------------------------------------- edges


def test_names_are_text() -> None:
    """Classes, columns and rows called like markup are shown, not obeyed."""
    x, y = data_set("moons")
    labels = np.array(["ham", EVIL])[y]
    frame = pd.DataFrame(x, columns=[EVIL, "b"])
    model = mercer.SVC().fit(frame, labels)
    display = displays.BoundaryDisplay.from_estimator(model, frame, labels, name=EVIL)
    html = display._repr_html_()
    assert "<script" not in html and "&lt;script" in html
    display.figure_.canvas.draw()


@pytest.mark.parametrize("labels", [[True, False], [-1, 7], ["1", "2"]], ids=str)
def test_classes_have_the_names_of_the_user(labels: list[Any]) -> None:
    """However the engine keeps them."""
    x, y = data_set("moons")
    named = np.array(sorted(labels))[y]
    display = displays.BoundaryDisplay.from_estimator(mercer.SVC().fit(x, named), x, named)
    assert display.data["classes"] == [str(label) for label in sorted(labels)]


@pytest.mark.parametrize("labels", [[True, False], [-1, 7], ["1", "2"], ["10", "9"], ["1", "1.0"], ["a", "7"]], ids=str)
def test_curves_and_reports_have_the_names_of_the_user(labels: list[Any]) -> None:
    """Also where the engine would take them for numbers, or for one number."""
    x, y = data_set("moons")
    first, second = sorted(labels)
    named = np.array([first, second])[y]
    one = x[:, :1]
    curve = displays.CurveDisplay.from_estimator(mercer.SVC().fit(one, named), one, named)
    assert curve.data["curves"][0]["name"].endswith(f"(above 0: {second})")
    assert [spot["at"][1] for spot in curve.data["spots"]] == (2.0 * y - 1).tolist()
    model = mercer.SVC(C=3).fit(x, named)
    page = mercer.report(model, x, named).html
    assert f"tells '{second}' (score above 0) from '{first}'" in unescape(page) and "not exactly those" not in page
    spots = displays.BoundaryDisplay.from_estimator(model, x, named).data["spots"]
    assert [spot["class"] for spot in spots] == y.tolist()
    plain = displays.BoundaryDisplay.from_estimator(mercer.SVC(C=3).fit(x, y), x, y).data["spots"]
    assert [spot["slack"] for spot in spots] == pytest.approx([spot["slack"] for spot in plain], abs=1e-6)


def test_odd_rows_are_drawn() -> None:
    """Constant columns, few rows, rows of one class, many classes."""
    x, y = data_set("moons")
    constant = np.column_stack([x[:, 0], np.full(len(x), 3.0)])
    assert displays.BoundaryDisplay.from_estimator(mercer.SVC().fit(constant, y), constant, y).svg()
    model = machine()
    assert displays.BoundaryDisplay.from_estimator(model, x[y == 1], y[y == 1]).svg()
    assert displays.BoundaryDisplay.from_estimator(model, x[:1], y[:1]).plot().svg()
    roc = displays.RocDisplay.from_estimator(model, x[y == 1], y[y == 1])
    assert roc.svg() and roc.plot().notes
    many = np.arange(200)
    points = np.column_stack([np.cos(many), np.sin(many)])
    crowd = mercer.LeastSquaresSVC().fit(points, many)
    assert displays.BoundaryDisplay.from_estimator(crowd, points, many, grid_resolution=20).plot().svg()
    with pytest.raises(ValueError, match="NaN"):
        displays.BoundaryDisplay.from_estimator(model, np.full((2, 2), np.nan))


def test_without_matplotlib() -> None:
    """Pictures are drawn, axes are refused, and the message says what to install."""
    code = """
import sys
sys.modules["matplotlib"] = None
from mercer.displays import LossesDisplay
display = LossesDisplay.from_losses(["hinge"])
assert display.svg().startswith("<svg") and display.png()
try:
    display.plot()
except ImportError as error:
    assert "pip install matplotlib" in str(error), error
else:
    raise SystemExit("it was drawn")
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_unfitted_and_unknown() -> None:
    """Errors say what is wrong."""
    x, y = data_set("moons")
    with pytest.raises(ValueError, match="not fitted"):
        displays.BoundaryDisplay.from_estimator(mercer.SVC(), x, y)
    with pytest.raises(MercerError, match=r"\.svg or \.png"):
        displays.LossesDisplay.from_losses(["hinge"]).save("picture.gif")
    with pytest.raises(ValueError, match="at least two points"):
        displays.BoundaryDisplay.from_estimator(machine(), x, y, grid_resolution=1)


# ------------------------------------------------------------------------------------------------- what is asked


def test_rows_and_targets_of_different_lengths() -> None:
    """Every display says so, and the report."""
    x, y = data_set("moons")
    xs, ys = line()
    few, model = y[:10], machine()
    pipe = make_pipeline(StandardScaler(), mercer.SVC()).fit(x, y)
    one = make_pipeline(StandardScaler(), mercer.SVR()).fit(xs, ys)
    asked: list[Callable[[], Any]] = [
        lambda: displays.BoundaryDisplay.from_estimator(model, x, few),
        lambda: displays.BoundaryDisplay.from_estimator(pipe, x, few),
        lambda: displays.BoundaryDisplay.from_estimator(LogisticRegression().fit(x, y), x, few),
        lambda: displays.SweepDisplay.from_estimators({"a": model}, x, few),
        lambda: displays.CurveDisplay.from_estimator(mercer.SVR().fit(xs, ys), xs, ys[:10]),
        lambda: displays.CurveDisplay.from_estimator(one, xs, ys[:10]),
        lambda: displays.GramDisplay.from_estimator(model, x, few),
        lambda: displays.GramDisplay.from_kernel("linear", x, few),
        lambda: displays.GramDisplay.from_gram(mercer.gram("linear", x), few),
        lambda: displays.GeometryDisplay.from_map("quadratic", x, few),
        lambda: displays.RocDisplay.from_estimator(model, x, few),
        lambda: displays.ReliabilityDisplay.from_estimator(model, x, few),
        lambda: displays.ResidualsDisplay.from_estimator(mercer.SVR().fit(xs, ys), xs, ys[:10]),
        lambda: mercer.report(model, x, few),
        lambda: mercer.report(pipe, x, few),
    ]
    for ask in asked:
        with pytest.raises(ValueError, match="inconsistent numbers of samples|values for|numbers were predicted"):
            ask()


def test_machines_without_one_model_of_the_engine() -> None:
    """Equations solved alone are asked row by row; what only a model can tell is refused, with the reason."""
    x, y = data_set("moons")
    direct = mercer.KernelRidge(kernel="rbf", alpha=0).fit(x[:20], y[:20])
    shown = displays.BoundaryDisplay.from_estimator(direct, x, y, grid_resolution=10)
    assert np.isfinite(shown.response).all()
    both = np.column_stack([y, -y])
    joined = mercer.KernelRidge(kernel="rbf", alpha=[0.1, 1.0]).fit(x, both)
    with pytest.raises(ValueError, match="one target"):
        displays.BoundaryDisplay.from_estimator(joined, x)
    asked: list[Callable[[Any], Any]] = [
        lambda estimator: mercer.report(estimator, x, y),
        lambda estimator: displays.TraceDisplay.from_estimator(estimator),
        lambda estimator: displays.SpectrumDisplay.from_estimator(estimator, x),
        lambda estimator: displays.GramDisplay.from_estimator(estimator, x),
    ]
    for ask, estimator in product(asked, (direct, joined)):
        with pytest.raises(MercerError, match="alpha"):
            ask(estimator)


def test_missing_values() -> None:
    """Estimators that know what to do with them are drawn; a row without a place is not."""
    x, y = data_set("moons")
    x = x.copy()
    x[::10, 0], x[3, 1] = np.nan, np.nan
    without = np.isfinite(x).all(axis=1).sum()
    for estimator in (make_pipeline(SimpleImputer(), mercer.SVC()), HistGradientBoostingClassifier(max_iter=3)):
        display = displays.BoundaryDisplay.from_estimator(estimator.fit(x, y), x, y, grid_resolution=10)
        assert np.isfinite(display.response).all() and np.isfinite(display.xx0).all()
        assert len(display.data["spots"]) == without
        assert f"{len(x) - without} rows without a place are not shown" in display.notes
        assert display.svg() and display.plot()
    wide = np.column_stack([x, x])
    forest = HistGradientBoostingRegressor(max_iter=3).fit(wide, y)
    assert np.ptp(displays.BoundaryDisplay.from_estimator(forest, wide, y, columns=(0, 1)).response) > 0
    one = x[:, :1]
    curve = displays.CurveDisplay.from_estimator(make_pipeline(SimpleImputer(), mercer.SVR()).fit(one, y), one, y)
    assert len(curve.data["spots"]) == np.isfinite(one).sum() and curve.svg()
    with pytest.raises(MercerError, match="not one finite value"):
        displays.BoundaryDisplay.from_estimator(forest, np.full((3, 4), np.nan), columns=(0, 1))


def test_answers_that_are_no_numbers() -> None:
    """They have no colour, and no curve."""
    x, y = data_set("moons")
    for of, rows in ((displays.BoundaryDisplay, x), (displays.CurveDisplay, x[:, :1])):
        model = DummyRegressor().fit(rows, y)
        model.constant_ = np.array([[np.nan]])
        with pytest.raises(MercerError, match="not finite"):
            of.from_estimator(model, rows, y)


def test_the_engine_checks_lengths_too() -> None:
    """It refuses what it would have to read beyond its end."""
    x, y = data_set("moons")
    model = machine()
    with pytest.raises(MercerError, match="10 values for"):
        mercer._mercer.View.boundary(model._model, table(x), (["0", "1"], y[:10].astype(np.int64)), name="")


def test_nothing_to_draw() -> None:
    """No estimator, no kernel, no such column, scores that are no numbers."""
    x, y = data_set("iris")
    with pytest.raises(MercerError, match="no estimator"):
        displays.SweepDisplay.from_estimators({}, x)
    for none in ([], {}):
        with pytest.raises(MercerError, match="no kernel"):
            displays.GramDisplay.from_kernel(none, x)
    for model in (mercer.SVC().fit(x, y), make_pipeline(StandardScaler(), mercer.SVC()).fit(x, y)):
        for columns in ((-1, 0), (0, 4)):
            with pytest.raises(MercerError, match=f"no column {columns[0] or columns[1]}; "):
                displays.BoundaryDisplay.from_estimator(model, x, y, columns=columns)
    with pytest.raises(ValueError, match="y_score contains NaN"):
        displays.RocDisplay.from_predictions([0, 1, 1], [0.1, np.nan, 0.2])


def test_axes_outside_a_grid() -> None:
    """A picture of two plots divides the place that axes have."""
    x, y = data_set("moons")
    figure = plt.figure()
    whole = figure.add_axes((0.1, 0.2, 0.8, 0.6))
    left, right = displays.RocDisplay.from_estimator(machine(), x, y, ax=whole).axes_
    assert left.get_position().x0 == pytest.approx(0.1) and right.get_position().x1 == pytest.approx(0.9)
    assert left.get_position().x1 < right.get_position().x0
    figure.canvas.draw()


def test_searches_of_several_metrics() -> None:
    """The one that the best is chosen by; where none is, the metrics are named."""
    x, y = data_set("moons")

    def found(refit: Any) -> Any:
        metrics = ["accuracy", "f1"]
        return GridSearchCV(mercer.SVC(), {"C": [0.1, 1]}, cv=3, scoring=metrics, refit=refit).fit(x, y)

    assert len(displays.TuningDisplay.from_search(found("f1")).data["trials"]) == 2
    for refit in (False, lambda results: 0):
        with pytest.raises(MercerError, match="accuracy, f1"):
            displays.TuningDisplay.from_search(found(refit))


def test_dollars_are_no_formula() -> None:
    """Names are shown on axes as they are."""
    x, y = data_set("moons")
    price, labels = r"$\price$ in US$", np.array(["$^$", "b"])[y]
    frame = pd.DataFrame(x, columns=[price, "b"])
    model = mercer.SVC().fit(frame, labels)
    display = displays.BoundaryDisplay.from_estimator(model, frame, labels)
    assert display.ax_.get_xlabel().splitlines()[0].replace(r"\$", "$") == price
    display.figure_.canvas.draw()
    displays.GramDisplay.from_estimator(model, frame, labels).figure_.canvas.draw()
