"""Rows of every form give the same machine, and what cannot be is refused as scikit-learn refuses it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mercer
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.svm
from problems import data_set
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

SUPPORT_VECTOR_MACHINES = ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"]
NAMES = ["length", "width", "petal length", "petal width"]


def rows() -> tuple[np.ndarray, np.ndarray]:
    """Sixty flowers of three kinds."""
    x, y = data_set("iris")
    return np.ascontiguousarray(x[:60]), y[:60]


def scores(model: Any, x: Any) -> np.ndarray:
    """Scores of rows, or predictions where there are none."""
    return model.decision_function(x) if hasattr(model, "decision_function") else model.predict(x)


def read_only(x: np.ndarray) -> np.ndarray:
    """The rows, where nobody can write."""
    x = x.copy()
    x.flags.writeable = False
    return x


FORMS: dict[str, Callable[[np.ndarray], Any]] = {
    "list": np.ndarray.tolist,
    "fortran": np.asfortranarray,
    "read-only": read_only,
    "every other row": lambda x: np.repeat(x, 2, axis=0)[::2],
    "every other column": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "backwards": lambda x: np.ascontiguousarray(x[::-1])[::-1],
    "other byte order": lambda x: x.astype(">f8"),
    "extended precision": lambda x: x.astype(np.longdouble),
    "objects": lambda x: x.astype(object),
    "pandas": lambda x: pd.DataFrame(x),
    "polars": lambda x: pl.DataFrame(x),
    "csr": sparse.csr_array,
    "csr matrix": sparse.csr_matrix,
    "csc": sparse.csc_array,
    "coo": sparse.coo_array,
    "lil": sparse.lil_array,
    "long indices": lambda x: long_indices(sparse.csr_array(x)),
}


def long_indices(x: Any) -> Any:
    """The same sparse rows with indices of 64 bits."""
    x.indices, x.indptr = x.indices.astype(np.int64), x.indptr.astype(np.int64)
    return x


@pytest.mark.parametrize("name", SUPPORT_VECTOR_MACHINES)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_rows_is_the_same_machine(name: str, form: str) -> None:
    """Fit and predict from any form of the same numbers."""
    x, y = rows()
    settings = {"tol": 1e-9, "gamma": 0.3, **({"nu": 0.3} if name.startswith("Nu") else {})}
    plain = getattr(mercer, name)(**settings).fit(x, y)
    other = getattr(mercer, name)(**settings).fit(FORMS[form](x), y)
    np.testing.assert_allclose(scores(other, FORMS[form](x)), scores(plain, x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, np.uint16, bool])
def test_whole_numbers(kind: type) -> None:
    """Rows of whole numbers are read as they are."""
    x = np.random.default_rng(0).integers(0, 2 if kind is bool else 9, (50, 3)).astype(kind)
    y = np.arange(50) % 2
    ours, theirs = (package.SVC(gamma=0.2, tol=1e-8).fit(x, y) for package in (mercer, sklearn.svm))
    np.testing.assert_allclose(ours.decision_function(x), theirs.decision_function(x), atol=1e-5)


def test_rows_are_not_changed() -> None:
    """Neither fit nor predict writes into what it was given."""
    x, y = rows()
    thin = sparse.csr_array(x)
    unsorted = sparse.csr_array((thin.data[::-1].copy(), thin.indices[::-1].copy(), thin.indptr), shape=x.shape)
    for given in (x.copy(), x.astype(np.float32), thin.copy(), unsorted):
        before = given.copy()
        mercer.SVC().fit(given, y).predict(given)
        if sparse.issparse(given):
            np.testing.assert_array_equal(given.indices, before.indices)
            np.testing.assert_array_equal(given.data, before.data)
        else:
            np.testing.assert_array_equal(given, before)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("name", SUPPORT_VECTOR_MACHINES)
def test_names_of_columns(frame: Any, name: str) -> None:
    """Frames give names to the features, and other names in predict are refused."""
    x, y = rows()
    table = frame({column: x[:, i] for i, column in enumerate(NAMES)})
    model = getattr(mercer, name)(**({"nu": 0.3} if name.startswith("Nu") else {})).fit(table, y)
    assert list(model.feature_names_in_) == NAMES
    assert model.n_features_in_ == 4
    model.predict(table)
    wrong = frame({column: x[:, i] for i, column in enumerate(["length", "girth", "petal length", "petal width"])})
    with pytest.raises(ValueError, match="girth"):
        model.predict(wrong)
    with pytest.raises(ValueError, match="order"):
        model.predict(table[NAMES[::-1]])
    with pytest.warns(UserWarning, match="feature names"):
        model.predict(x)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["setosa", "versicolor", "virginica"]),
        np.array(["b", "a", "10"], dtype=object),
        np.array([-1, 0, 7]),
        np.array([2.0, 5.0, 1.0]),
        np.array([10, 9, 100]),
        np.array(["2", "10", "1"]),
        np.array(["é", "ß", "a b: c"]),
        np.array([2**53, 2**53 + 1, 0]),
    ],
    ids=str,
)
def test_classes_of_every_kind(labels: np.ndarray) -> None:
    """Names of classes come back as they were, in NumPy's order, and the scores do not depend on them."""
    x, y = rows()
    named = labels[y]
    model = mercer.SVC().fit(x, named)
    theirs = sklearn.svm.SVC().fit(x, named)
    np.testing.assert_array_equal(model.classes_, theirs.classes_)
    assert model.classes_.dtype == theirs.classes_.dtype
    assert model.predict(x).dtype == named.dtype
    assert np.mean(model.predict(x) == named) > 0.9
    np.testing.assert_allclose(model.decision_function(x), theirs.decision_function(x), atol=0.02)


@pytest.mark.parametrize("labels", [np.array([False, True]), np.array(["no", "yes"]), np.array([1, -1])], ids=str)
def test_two_classes_of_every_kind(labels: np.ndarray) -> None:
    """A score above zero is the second class in NumPy's order."""
    x, y = data_set("moons")
    named = labels[y]
    model = mercer.SVC().fit(x, named)
    assert model.predict(x).dtype == named.dtype
    np.testing.assert_array_equal(model.predict(x) == model.classes_[1], model.decision_function(x) > 0)
    assert np.mean(model.predict(x) == named) > 0.8


def with_value(value: float) -> np.ndarray:
    """Rows of which one has a value."""
    x = rows()[0].copy()
    x[3, 1] = value
    return x


GOOD, LABELS = rows()
#: What cannot be fitted: rows and target.
BAD: dict[str, tuple[Any, Any]] = {
    "nan": (with_value(np.nan), LABELS),
    "inf": (with_value(np.inf), LABELS),
    "nan in sparse rows": (sparse.csr_array(with_value(np.nan)), LABELS),
    "no rows": (GOOD[:0], LABELS[:0]),
    "no columns": (GOOD[:, :0], LABELS),
    "one dimension": (GOOD[:, 0], LABELS),
    "three dimensions": (GOOD[:, :, None], LABELS),
    "too few targets": (GOOD, LABELS[:-1]),
    "target missing": (GOOD, None),
    "target with two columns": (GOOD, np.column_stack([LABELS, LABELS])),
    "target with nan": (GOOD, np.where(np.arange(60) == 5, np.nan, LABELS.astype(float))),
    "texts": (np.array([["a", "b"]] * 60), LABELS),
    "complex numbers": (GOOD + 1j, LABELS),
    "rows of different lengths": ([[1.0, 2.0], [3.0]], [0, 1]),
    "a number": (3.0, LABELS),
    "nothing": (None, LABELS),
}


def raised(action: Callable[[], object]) -> BaseException | None:
    """What an action raises."""
    try:
        action()
    except Exception as error:
        return error
    return None


@pytest.mark.parametrize("name", SUPPORT_VECTOR_MACHINES)
@pytest.mark.parametrize("case", BAD)
def test_bad_training_rows_are_refused_as_scikit_learn_does(name: str, case: str) -> None:
    """The same kind of exception, or none where scikit-learn has none."""
    x, y = BAD[case]
    ours, theirs = (
        raised(lambda package=package: getattr(package, name)().fit(x, y)) for package in (mercer, sklearn.svm)
    )
    if theirs is None:
        assert ours is None
        return
    kinds = [kind for kind in (TypeError, ValueError) if isinstance(theirs, kind)]
    assert isinstance(ours, tuple(kinds)), ours
    assert str(ours)


@pytest.mark.parametrize("name", ["SVC", "NuSVC"])
def test_one_class_is_refused(name: str) -> None:
    """There is nothing to tell apart."""
    with pytest.raises(ValueError, match="class"):
        getattr(mercer, name)().fit(GOOD, np.zeros(60))


@pytest.mark.parametrize("name", SUPPORT_VECTOR_MACHINES)
def test_one_row(name: str) -> None:
    """One row is refused or fitted as scikit-learn does."""
    ours, theirs = (
        raised(lambda package=package: getattr(package, name)().fit(GOOD[:1], LABELS[:1]).predict(GOOD))
        for package in (mercer, sklearn.svm)
    )
    assert (ours is None) == (theirs is None), (ours, theirs)
    assert theirs is None or isinstance(ours, ValueError)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("C", -1.0),
        ("C", 0.0),
        ("C", "1"),
        ("kernel", 3),
        ("kernel", "gauss?"),
        ("gamma", -0.5),
        ("gamma", "automatic"),
        ("degree", -1),
        ("tol", -1e-3),
        ("max_iter", -7),
        ("class_weight", "even"),
        ("decision_function_shape", "all"),
        ("coef0", None),
    ],
)
def test_bad_parameters_are_refused(setting: str, value: Any) -> None:
    """In fit, with a `ValueError` that names the parameter, as scikit-learn does."""
    assert isinstance(raised(lambda: sklearn.svm.SVC(**{setting: value}).fit(GOOD, LABELS)), ValueError)
    with pytest.raises(ValueError, match=f"{setting}|gauss"):
        mercer.SVC(**{setting: value}).fit(GOOD, LABELS)


@pytest.mark.parametrize("name", SUPPORT_VECTOR_MACHINES)
@pytest.mark.parametrize(
    "case", ["nan", "inf", "no rows", "no columns", "one dimension", "three dimensions", "texts", "nothing"]
)
def test_bad_new_rows_are_refused_as_scikit_learn_does(name: str, case: str) -> None:
    """The same kind of exception in predict."""
    found = []
    for package in (mercer, sklearn.svm):
        model = getattr(package, name)(**({"nu": 0.3} if name.startswith("Nu") else {})).fit(GOOD, LABELS)
        found.append(raised(lambda model=model: model.predict(BAD[case][0])))
    ours, theirs = found
    assert isinstance(theirs, TypeError | ValueError)
    assert isinstance(ours, TypeError if isinstance(theirs, TypeError) else ValueError), ours


@pytest.mark.parametrize("name", SUPPORT_VECTOR_MACHINES)
def test_other_number_of_columns(name: str) -> None:
    """New rows have as many columns as the training rows."""
    model = getattr(mercer, name)(**({"nu": 0.3} if name.startswith("Nu") else {})).fit(GOOD, LABELS)
    with pytest.raises(ValueError, match=r"3 features.*4 features"):
        model.predict(GOOD[:, :3])


@pytest.mark.parametrize("name", SUPPORT_VECTOR_MACHINES)
def test_nothing_is_predicted_before_fit(name: str) -> None:
    """scikit-learn's exception, which is a `ValueError` and an `AttributeError`."""
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        getattr(mercer, name)().predict(GOOD)


@pytest.mark.parametrize("weight", [[1.0], np.ones(59), np.ones((60, 2)), np.full(60, np.nan), "many"], ids=str)
def test_bad_weights(weight: Any) -> None:
    """Weights that do not fit the rows raise what scikit-learn raises."""
    ours, theirs = (
        raised(lambda package=package: package.SVC().fit(GOOD, LABELS, sample_weight=weight))
        for package in (mercer, sklearn.svm)
    )
    assert isinstance(theirs, ValueError | TypeError)
    assert isinstance(ours, TypeError if isinstance(theirs, TypeError) else ValueError), ours


def test_a_mixed_frame_with_an_expression() -> None:
    """Columns of texts and categories have kernels of their own, by name."""
    x, y = data_set("moons")
    frame = pd.DataFrame({"size": x[:, 0], "weight": x[:, 1], "colour": np.where(y == 1, "red", "blue")})
    model = mercer.SVC(kernel="rbf[size, weight] + delta[colour]").fit(frame, y)
    assert is_classifier(model)
    np.testing.assert_array_equal(model.predict(frame), y)


def test_an_unknown_column_is_told_with_those_there_are() -> None:
    """The message names the columns of the frame."""
    x, y = rows()
    with pytest.raises(ValueError, match=r"no column 'widht'; did you mean 'width'"):
        mercer.SVC(kernel="rbf[widht]").fit(pd.DataFrame(x, columns=NAMES), y)


def test_weights_of_the_linear_kernel() -> None:
    """A kernel object and a text that are linear have `coef_`, as the name has."""
    x, y = rows()
    named = mercer.SVC(kernel="linear").fit(x, y).coef_
    np.testing.assert_array_equal(mercer.SVC(kernel=mercer.kernels.linear()).fit(x, y).coef_, named)
    with pytest.raises(AttributeError, match="linear kernel"):
        _ = mercer.SVC(kernel="2*linear").fit(x, y).coef_


def test_no_gap_is_promised_where_none_is_known() -> None:
    """A kernel that is refuted on the rows has no gap, and the certificate says why."""
    x, y = rows()
    with pytest.warns(mercer.exceptions.KernelWarning, match="not positive semi-definite"):
        model = mercer.SVC(kernel="sigmoid", gamma=0.5, coef0=-1.0).fit(x, y)
    assert np.isnan(model.gap_)
    assert not model.converged_
    assert "no gap bounds" in str(model.certificate_)


@pytest.mark.parametrize("count", [-1, 1, 2])
def test_threads_and_memory_of_gram(count: int) -> None:
    """Threads as joblib counts and memory as a text, as everywhere."""
    x, _ = rows()
    matrix = mercer.gram("rbf", x, memory_limit="1MB", n_jobs=count)
    assert matrix.check(n_jobs=count).verdict == "psd"
    with pytest.raises(MemoryError, match="memory_limit"):
        mercer.gram("rbf", x, memory_limit="1kB")
    with pytest.raises(ValueError, match="no meaning"):
        mercer.SVC(n_jobs=0).fit(*rows())


def test_terms_of_an_explanation_make_the_score() -> None:
    """For two classes, for the best two of several, for numbers and for novelty, in the units of the scores."""
    x, y = data_set("iris")
    new = x[::10]
    for name, settings, target in [
        ("SVC", {}, y > 0),
        ("SVC", {}, y),
        ("SVR", {"C": 3.0}, y),
        ("OneClassSVM", {"nu": 0.2}, None),
        ("KernelLogistic", {}, y),
    ]:
        model = getattr(mercer, name)(**settings).fit(x, target)
        for k, told in enumerate(model.explain(new, 4)):
            assert told["bias"] + told["contributions"].sum() + told["rest"] == pytest.approx(told["score"], abs=1e-8)
            np.testing.assert_allclose(told["coefficients"] * told["kernel"], told["contributions"])
            if "classes" in told:
                assert told["classes"][0] == model.predict(new)[k]
            else:
                assert told["score"] == pytest.approx(scores(model, new)[k], abs=1e-8)
    with pytest.raises(ValueError, match="k = -1"):
        model.explain(new, -1)


def test_series_of_texts() -> None:
    """Texts in a list, an array or a series of either library are rows."""
    texts, y = ["aab", "abab", "bbb", "ba"] * 5, [0, 1, 0, 1] * 5
    wanted = mercer.SVC(kernel="spectrum(k=2)").fit(texts, y).decision_function(texts)
    for form in (np.array(texts), np.array(texts, dtype=object), pd.Series(texts), pl.Series(texts)):
        found = mercer.SVC(kernel="spectrum(k=2)").fit(form, y).decision_function(form)
        np.testing.assert_array_equal(found, wanted)
    with pytest.raises(ValueError, match="requires y to be passed"):
        mercer.SVC(kernel="spectrum(k=2)").fit(texts, None)


@pytest.mark.parametrize("settings", [{"kernel": "poly"}, {"kernel": "sigmoid", "coef0": -1.0}, {"kernel": "rbf"}])
def test_gamma_may_be_zero(settings: dict[str, Any]) -> None:
    """The kernel is then a constant, as in scikit-learn."""
    x, y = rows()
    ours, theirs = (package.SVC(gamma=0, **settings).fit(x, y) for package in (mercer, sklearn.svm))
    np.testing.assert_array_equal(ours.predict(x), theirs.predict(x))


def test_the_object_for_a_matrix_is_the_word() -> None:
    """`kernels.precomputed()` is checked, split and predicted as "precomputed" is."""
    x, y = rows()
    matrix = x @ x.T
    word, thing = (mercer.SVC(kernel=kernel) for kernel in ("precomputed", mercer.kernels.precomputed()))
    for one, two in zip(cross_val_score(word, matrix, y), cross_val_score(thing, matrix, y), strict=True):
        assert one == two
    with pytest.raises(ValueError, match="not positive semi-definite"):
        thing.fit(matrix - 100 * np.eye(len(x)), y)


def test_nothing_is_left_of_an_earlier_fit() -> None:
    """A refit forgets probabilities, points of callables and numbers of columns."""
    x, y = rows()
    model = mercer.SVC(probability=True).fit(x, y).set_params(probability=False).fit(x, y)
    with pytest.raises(NotFittedError):
        model.set_params(probability=True).predict_proba(x)
    model = mercer.SVC(kernel=lambda a, b: a @ b.T).fit(x, y).set_params(kernel="rbf").fit(x, y)
    assert not hasattr(model, "_points_fit")
    model = mercer.SVC().fit(x, y).set_params(kernel="spectrum(k=2)").fit(["aab", "abab"] * 3, [0, 1] * 3)
    assert not hasattr(model, "n_features_in_")
