"""Rows of any form become the same table."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from mercer import _mercer, kernels
from mercer._tables import dense_rows, is_texts, table
from mercer.exceptions import MercerError
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

X = np.random.default_rng(0).normal(size=(12, 3))
KERNEL = kernels.rbf(gamma=0.5)
WANTED = rbf_kernel(X, gamma=0.5)


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    "rows",
    [
        X.tolist(),
        np.asfortranarray(X),
        read_only(X),
        X[::-1][::-1],
        np.repeat(X, 2, axis=1)[:, ::2],
        X.astype(np.longdouble),
        X.astype(object),
        sparse.csr_matrix(X),
        sparse.csc_array(X),
        sparse.coo_array(X),
    ],
    ids=["list", "fortran", "read-only", "reversed", "strided", "long", "object", "csr", "csc", "coo"],
)
def test_every_form_gives_the_same_kernel(rows):
    np.testing.assert_allclose(KERNEL(rows), WANTED, rtol=1e-9)


def test_arrays_that_fit_are_not_copied():
    for dtype in (np.float64, np.float32):
        array = read_only(X.astype(dtype))
        assert dense_rows(array) is array
    assert dense_rows(X.astype(np.float32)).dtype == np.float32
    assert dense_rows(np.arange(6).reshape(3, 2)).dtype == np.float64
    assert dense_rows(np.eye(2, dtype=bool)).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_sparse_duplicates_are_summed_and_indices_sorted():
    rows = sparse.csr_matrix((3, 4))
    rows.indptr, rows.indices, rows.data = (
        np.array([0, 3, 3, 5]),
        np.array([2, 0, 2, 3, 1]),
        np.arange(1.0, 6.0),
    )
    before = rows.indices.copy()
    dense = np.array([[2.0, 0, 4, 0], [0, 0, 0, 0], [0, 5, 0, 4]])
    np.testing.assert_allclose(kernels.linear()(rows), dense @ dense.T)
    np.testing.assert_array_equal(rows.indices, before)
    wide = sparse.csr_array(dense)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    np.testing.assert_allclose(kernels.linear()(wide), dense @ dense.T)


def test_a_table_is_taken_as_it_is():
    made = table(X)
    assert table(made) is made
    assert len(made) == 12
    assert table(["a", "b"]).n_columns == 1
    assert len(table(np.eye(3), kernel_text="precomputed")) == 3


@pytest.mark.parametrize(("value", "said"), [(np.nan, "Input X contains NaN"), (np.inf, "Input X contains infinity")])
def test_missing_values_are_named(value, said):
    bad = X.copy()
    bad[4, 2] = value
    for rows in (bad, bad.astype(np.float32), bad.tolist(), sparse.csr_matrix(bad)):
        with pytest.raises(ValueError, match=f"{said}.* row 4, column 2"):
            table(rows)
    with pytest.raises(ValueError, match=f"{said}.* row 4, column 'c'"):
        table(bad, names=["a", "b", "c"])


def test_large_finite_values_are_fine():
    assert len(table(np.array([[1e308, 1e308], [1.0, 2.0]]))) == 2


@pytest.mark.parametrize("rows", [X[0], 3.0, np.zeros((2, 2, 2)), [["a", "b"]], X + 1j], ids=str)
def test_what_is_no_table_is_a_value_error(rows):
    with pytest.raises(ValueError):
        table(rows)
    with pytest.raises(MercerError, match="put it in a list"):
        table("one text")


def test_texts_are_texts_in_every_form():
    texts = ["abc", "bcd", "xyz"]
    wanted = kernels.spectrum(k=2)(texts)
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for rows in (
        tuple(texts),
        np.array(texts),
        np.array(texts, dtype=object),
        pandas.Series(texts),
        polars.Series(texts),
    ):
        np.testing.assert_array_equal(kernels.spectrum(k=2)(rows), wanted)
    with pytest.raises(ValueError, match="Input X contains NaN in row 1"):
        table(["abc", None, "x"])


@pytest.fixture(params=["pandas", "polars", "pyarrow"])
def frame(request):
    module = pytest.importorskip(request.param)
    if request.param == "polars":
        return lambda data, **schema: module.DataFrame(data)
    return module.DataFrame if request.param == "pandas" else module.table


def test_frames_of_numbers_keep_their_names(frame):
    rows = frame({"a": X[:, 0], "b c": X[:, 1], "d": np.arange(12)})
    numbers = np.column_stack([X[:, :2], np.arange(12.0)])
    np.testing.assert_allclose(KERNEL(rows), rbf_kernel(numbers, gamma=0.5), rtol=1e-9)
    np.testing.assert_allclose(KERNEL["a", "d"](rows), rbf_kernel(numbers[:, [0, 2]], gamma=0.5), rtol=1e-9)
    with pytest.raises(ValueError, match="no column|unknown|'zz'"):
        KERNEL["zz"](rows)


def test_frames_of_several_kinds(frame):
    colours = ["red", "blue", "red", "green"] * 3
    rows = frame({"size": X[:, 0], "colour": colours, "ok": [True, False] * 6})
    same = np.equal.outer(colours, colours).astype(float)
    np.testing.assert_array_equal(kernels.delta()["colour"](rows), same)
    both = KERNEL["size", "ok"] + 2 * kernels.delta()["colour"]
    numbers = np.column_stack([X[:, 0], [1.0, 0.0] * 6])
    np.testing.assert_allclose(both(rows), rbf_kernel(numbers, gamma=0.5) + 2 * same, rtol=1e-9)


def test_new_rows_with_fewer_names_are_read_like_the_training_rows():
    pandas = pytest.importorskip("pandas")
    train = pandas.DataFrame({"text": ["aab", "abb", "bbb", "aaa"] * 10, "x": np.arange(40.0)})
    new = train.iloc[:2]
    kernel = kernels.spectrum(k=2)["text"]
    np.testing.assert_array_equal(kernel(new, train), kernel(train)[:2])


def test_pandas_categories_and_nullable_numbers():
    pandas = pytest.importorskip("pandas")
    rows = pandas.DataFrame({"c": pandas.Categorical([3, 1, 3]), "n": pandas.array([1, 2, 3], dtype="Int64")})
    np.testing.assert_array_equal(kernels.delta()["c"](rows), [[1, 0, 1], [0, 1, 0], [1, 0, 1]])
    np.testing.assert_allclose(kernels.linear()["n"](rows), np.outer([1, 2, 3], [1, 2, 3]))
    single = pandas.DataFrame({"a": X[:, 0].astype(np.float32)})
    assert len(table(single)) == 12
    rows.loc[1, "n"] = pandas.NA
    with pytest.raises(ValueError, match="Input X contains NaN in row 1, column 'n'"):
        table(rows)


def test_frames_that_cannot_be_read_say_which_column():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(MercerError, match="column 't' holds datetime64"):
        table(pandas.DataFrame({"t": pandas.date_range("2020", periods=3), "x": ["a", "b", "c"]}))
    with pytest.raises(ValueError, match="Input X contains NaN in row 1, column 's'"):
        table(pandas.DataFrame({"s": ["a", None, "c"]}))
    doubled = pandas.DataFrame(X[:, :2], columns=["a", "a"])
    with pytest.raises(MercerError, match="two columns are called 'a'"):
        table(doubled)


def test_names_are_as_many_as_columns():
    with pytest.raises(MercerError, match="3 columns, but 1 names"):
        table(X, names=["a"])


def test_a_precomputed_matrix_is_looked_up():
    matrix = X @ X.T
    made = _mercer.Kernel("precomputed", table(matrix, kernel_text="precomputed"))
    assert made.text == "precomputed"
    np.testing.assert_array_equal(kernels.precomputed()(matrix), matrix)


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        lambda v: np.array(v, dtype=object),
        pd.Series,
        pd.Index,
        pl.Series,
        lambda v: pd.Series(v, dtype="string"),
    ],
)
def test_texts_of_any_form(make: Any) -> None:
    """Lists, arrays and Series of texts are texts, also where the first is missing, which is then told by its row."""
    assert is_texts(make(["ab", "bc"]))
    assert len(table(make(["ab", "bc"]))) == 2
    assert is_texts(make([None, "bc"]))
    with pytest.raises(MercerError, match="NaN in row 0 "):
        table(make([None, "bc"]))


@pytest.mark.parametrize(
    "rows", [[], [[1.0], [2.0]], [1.0, 2.0], np.ones((2, 2)), pd.Series([1.0]), pd.DataFrame({"a": ["b"]}), [None]]
)
def test_what_is_no_text(rows: Any) -> None:
    """Numbers and frames are none."""
    assert not is_texts(rows)


def test_a_lazy_frame_is_refused_with_the_cure() -> None:
    """It has no rows."""
    with pytest.raises(MercerError, match=r"X\.collect\(\)"):
        table(pl.LazyFrame({"a": [1.0, 2.0]}))


def test_a_missing_value_in_a_frame_without_names_is_told_by_number() -> None:
    """Columns are counted from 0 there, as in arrays."""
    with pytest.raises(MercerError, match="row 1, column 1 "):
        table(pd.DataFrame({3: [1.0, 2.0], 4: ["a", None]}))
