"""Any rows that Python knows, as the table that the engine reads."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.multiclass import type_of_target

from mercer import _mercer
from mercer.exceptions import MercerError

#: What is copied for float32 input: nothing; all other numbers become float64.
FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


def table(X: Any, *, kernel_text: str | None = None, names: Sequence[str] | None = None) -> _mercer.Table:
    """Turn rows of any form into a table of the engine, without a copy where that is possible.

    Parameters
    ----------
    X : array-like, sparse matrix, data frame, sequence of str, or Table
        Two-dimensional numbers (float32 stays float32), SciPy sparse rows, a pandas, polars or pyarrow table with
        columns of any kind, or one text a row. A table of the engine is returned as it is.
    kernel_text : str, optional
        The kernel that will look at the rows. One with ``precomputed`` in it makes `X` a matrix of kernel values.
    names : sequence of str, optional
        Names of the columns of an array.

    Returns
    -------
    Table
        What the compiled half reads.

    Raises
    ------
    MercerError
        If a value is missing or infinite, or a column is neither numbers nor text.

    Examples
    --------
    >>> from mercer._tables import table
    >>> len(table([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    3
    >>> table(["ACGT", "ACGA"]).n_columns
    1
    """
    if isinstance(X, _mercer.Table):
        return X
    if kernel_text is not None and "precomputed" in kernel_text:
        return _mercer.Table.matrix(dense_rows(X, None, dtypes=FLOATS[:1]))
    if sparse.issparse(X):
        return sparse_rows(X)
    if _module(X) == "polars" and type(X).__name__ == "LazyFrame":
        raise MercerError("a LazyFrame has no rows before it is collected; pass X.collect()")
    if _is_frame(X):
        return frame_rows(X)
    if is_texts(X):
        return _mercer.Table.texts(texts(X))
    given = None if names is None else [str(name) for name in names]
    return _mercer.Table.dense(dense_rows(X, given), given)


def dense_rows(X: Any, names: Sequence[str] | None = None, *, dtypes: Sequence[np.dtype[Any]] = FLOATS) -> np.ndarray:
    """Return numbers in C order, float32 or float64, finite; the array itself where it is so already."""
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype not in dtypes:
        X = check_array(X, dtype=list(dtypes), ensure_all_finite=False, ensure_min_samples=0, ensure_min_features=0)
    rows: np.ndarray = np.require(X, requirements=["C", "A"])
    with np.errstate(over="ignore"):
        # A sum says in one pass that all is well; only if it does not is every value looked at.
        plain = not rows.size or np.isfinite(rows.sum())
    if not plain and not np.isfinite(rows).all():
        _refuse_missing(rows, names)
    return rows


def sparse_rows(X: Any) -> _mercer.Table:
    """Return compressed rows with ascending indices and no index twice."""
    if X.ndim != 2:
        raise MercerError(f"sparse rows have two dimensions, not {X.ndim}; reshape(1, -1) makes one row")
    if np.issubdtype(X.dtype, np.complexfloating):
        raise ValueError(f"Complex data not supported\n{X!r}\n")
    rows = X.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    data = np.ascontiguousarray(rows.data, dtype=np.float64)
    if data.size and not np.isfinite(data).all():
        at = int(np.flatnonzero(~np.isfinite(data))[0])
        row = int(np.searchsorted(rows.indptr, at, side="right")) - 1
        _refuse(data[at], row, f"column {int(rows.indices[at])}")
    indptr = np.ascontiguousarray(rows.indptr, dtype=np.int64)
    indices = np.ascontiguousarray(rows.indices, dtype=np.int64)
    return _mercer.Table.sparse(indptr, indices, data, rows.shape[1])


def frame_rows(X: Any) -> _mercer.Table:
    """Return one block of numbers where all columns are numbers, and else columns of their kinds.

    Columns have names where these are all texts; else they are counted.
    """
    frame = X.to_pandas() if _module(X) == "pyarrow" else X
    given = list(frame.columns)
    names = given if all(isinstance(name, str) for name in given) else None
    if names is not None and len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise MercerError(f"two columns are called '{twice}'; give every column a name of its own")
    columns = [frame.iloc[:, at] if hasattr(frame, "iloc") else frame[name] for at, name in enumerate(given)]
    kinds = [_kind(column) for column in columns]
    if columns and all(kind == "numbers" for kind in kinds):
        single = all(str(column.dtype) in ("float32", "Float32") for column in columns)
        block = _block(columns, np.float32 if single else np.float64)
        return _mercer.Table.dense(dense_rows(block, names), names)
    parts: list[tuple[str, str, Any]] = []
    for at, (column, kind) in enumerate(zip(columns, kinds, strict=True)):
        told = f"column {at}" if names is None else f"column '{names[at]}'"
        if kind == "other":
            raise MercerError(f"{told} holds {column.dtype}, neither numbers nor text; convert it, or leave it out")
        # The kernel language counts columns from 1.
        name = str(at + 1) if names is None else names[at]
        if kind == "numbers":
            parts.append((name, kind, _finite(_numbers(column, np.float64), told)))
        else:
            parts.append((name, kind, _strings(column, told)))
    return _mercer.Table.columns(parts)


def is_texts(X: Any) -> bool:
    """Whether X is one text a row: a list, an array or a Series whose first value that is there is a text."""
    if isinstance(X, str | bytes):
        raise MercerError("one text is not a collection of rows; put it in a list")
    if isinstance(X, np.ndarray):
        if X.ndim != 1 or X.dtype.kind not in "UOT":
            return False
    elif not isinstance(X, list | tuple) and not (_module(X) in ("pandas", "polars") and hasattr(X, "to_list")):
        return False
    return isinstance(next((value for value in X if not _is_missing(value)), None), str)


def texts(X: Any) -> list[str]:
    """Return the texts of rows that are texts; an error names the first row that is none."""
    values = X.tolist() if isinstance(X, np.ndarray) else list(X)
    for row, value in enumerate(values):
        if not isinstance(value, str):
            what = "NaN" if _is_missing(value) else f"a {type(value).__name__}"
            raise MercerError(f"Input X contains {what} in row {row} (counted from 0), where other rows are texts")
    return [str(value) for value in values]


def target(y: Any) -> np.ndarray | tuple[list[str], np.ndarray]:
    """Return numbers, or the names of classes in order and the class of each row."""
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values.ravel()
    if values.ndim != 1:
        raise MercerError(f"a target has one value a row; this one has the shape {values.shape}")
    kind = type_of_target(values, input_name="y")
    if kind in ("binary", "multiclass"):
        names, codes = np.unique(values, return_inverse=True)
        return [str(name) for name in names.tolist()], codes.astype(np.int64)
    return np.ascontiguousarray(values, dtype=np.float64)


def is_single(X: Any) -> bool:
    """Whether X is an array, or sparse rows, of float32."""
    return getattr(X, "dtype", None) == np.float32


def _is_frame(X: Any) -> bool:
    return _module(X) in ("pandas", "polars", "pyarrow") and (hasattr(X, "columns") and hasattr(X, "shape"))


def _module(X: Any) -> str:
    return type(X).__module__.partition(".")[0]


def _is_missing(value: Any) -> bool:
    """Whether a value stands for none: None, NaN, or what pandas calls NA and NaT."""
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def _kind(column: Any) -> str:
    dtype = column.dtype
    if _module(column) == "polars":
        if dtype.is_numeric() or str(dtype) == "Boolean":
            return "numbers"
        if str(dtype).startswith(("Categorical", "Enum")):
            return "categories"
        return "strings" if str(dtype) == "String" else "other"
    if str(dtype) == "category":
        return "categories"
    if getattr(dtype, "kind", "") in "biuf":
        return "numbers"
    if str(dtype) in ("object", "string", "str") or str(dtype).startswith("string"):
        return "numbers" if _all_numbers(column) else "strings"
    return "other"


def _all_numbers(column: Any) -> bool:
    """Whether a column of objects holds numbers, or nothing at all."""
    return str(column.dtype) == "object" and all(
        isinstance(value, int | float | np.number | np.bool_ | None) for value in column
    )


def _numbers(column: Any, dtype: Any) -> np.ndarray:
    if _module(column) == "polars":
        return np.asarray(column.cast(_polars_float(column, dtype)).to_numpy(), dtype=dtype)
    return np.ascontiguousarray(column.to_numpy(dtype=dtype, na_value=np.nan))


def _polars_float(column: Any, dtype: Any) -> Any:
    polars = sys.modules["polars"]
    return polars.Float32 if dtype is np.float32 else polars.Float64


def _block(columns: list[Any], dtype: Any) -> np.ndarray:
    block = np.empty((len(columns[0]), len(columns)), dtype=dtype)
    for at, column in enumerate(columns):
        block[:, at] = _numbers(column, dtype)
    return block


def _finite(numbers: np.ndarray, told: str) -> np.ndarray:
    """Return the numbers of one column, which are told by its name where one is not finite."""
    there = np.isfinite(numbers)
    if not there.all():
        row = int(np.flatnonzero(~there)[0])
        _refuse(float(numbers[row]), row, told)
    return numbers


def _strings(column: Any, told: str) -> list[str]:
    values = column.to_list()
    for row, value in enumerate(values):
        if _is_missing(value):
            _refuse(np.nan, row, told)
    return [str(value) for value in values]


def _refuse_missing(X: np.ndarray, names: Sequence[str] | None) -> None:
    """Raise for the first value that is not finite."""
    row, column = (int(place) for place in np.argwhere(~np.isfinite(X))[0])
    _refuse(float(X[row, column]), row, f"column {column}" if names is None else f"column '{names[column]}'")


def _refuse(value: float, row: int, column: str) -> None:
    if np.isnan(value):
        raise MercerError(
            f"Input X contains NaN in row {row}, {column} (counted from 0); drop such rows, or put a value there "
            "(sklearn.impute.SimpleImputer)"
        )
    raise MercerError(
        f"Input X contains infinity or a value too large for dtype('float64') in row {row}, {column} (counted from 0)"
    )
