"""Small data sets that ship with the package: generated ones and real ones, for examples and tests.

Examples
--------
>>> from mercer import datasets
>>> X, y = datasets.load("iris", return_X_y=True)
>>> X.shape
(150, 4)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from mercer import _mercer

__all__ = ["catalogue", "load", "names"]


def names() -> list[str]:
    """Names of all data sets, generated ones first.

    Returns
    -------
    list of str
        What `load` takes.

    Examples
    --------
    >>> from mercer import datasets
    >>> "moons" in datasets.names()
    True
    """
    return [row["name"] for row in _mercer.dataset_table()]


def catalogue() -> list[dict[str, Any]]:
    """What there is to know of every data set.

    Returns
    -------
    list of dict
        `name`, `about`, `rows`, `task`, `generated`, `source` and `terms` of each.

    Examples
    --------
    >>> from mercer import datasets
    >>> datasets.catalogue()[0]["about"]
    'two interleaved half circles'
    """
    return _mercer.dataset_table()


def load(name: str, *, return_X_y: bool = False, as_frame: bool = False, **parameters: float) -> Any:
    """Load a data set.

    Parameters
    ----------
    name : str
        One of `names()`.
    return_X_y : bool, default=False
        Whether the rows and the target alone are returned.
    as_frame : bool, default=False
        Whether the rows are a pandas DataFrame and the target a Series.
    **parameters : float
        Of generated sets: `n` rows, `noise` and `seed`.

    Returns
    -------
    Bunch or (data, target)
        `data` (numbers, or an array of texts), `target` (numbers, ±1, or the number of a class in `target_names`),
        `feature_names`, `target_names`, `frame` and `DESCR`, with the source and the terms of use.

    Raises
    ------
    MercerError
        If there is no such set, or it has no such parameter.

    Examples
    --------
    >>> from mercer import datasets
    >>> moons = datasets.load("moons", n=100, noise=0.1, seed=3)
    >>> moons.data.shape, sorted(set(moons.target.tolist()))
    ((100, 2), [-1, 1])
    >>> datasets.load("promoter").data[0][:10]
    'gccttctcca'
    """
    plain = {key: value.item() if isinstance(value, np.generic) else value for key, value in parameters.items()}
    given = ", ".join(f"{key}={value!r}" for key, value in plain.items())
    found = _mercer.dataset(f"{name}({given})" if given else name)
    row = next(row for row in _mercer.dataset_table() if row["name"] == found["name"])
    columns = [(column, values) for column, _, values in found["columns"] if column != found["target"]]
    labels = next(values for column, _, values in found["columns"] if column == found["target"])
    data: Any = _rows([values for _, values in columns])
    target: Any
    target, target_names = _target(labels, regression=row["task"] == "regression")
    feature_names = [column for column, _ in columns]
    frame = None
    if as_frame:
        import pandas as pd

        data = pd.DataFrame(dict(columns))
        target = pd.Series(target, name=found["target"])
        frame = pd.concat([data, target], axis=1)
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        frame=frame,
        feature_names=feature_names,
        target_names=target_names,
        DESCR=_description(row),
    )


def _rows(columns: list[Any]) -> np.ndarray:
    if len(columns) == 1 and not isinstance(columns[0], np.ndarray):
        return np.array(columns[0], dtype=object)
    return np.column_stack(columns)


def _target(labels: Any, *, regression: bool) -> tuple[np.ndarray, list[str]]:
    if regression:
        return np.asarray(labels, dtype=np.float64), []
    values = np.asarray(labels)
    classes = np.unique(values)
    if values.dtype.kind == "f":
        return values.astype(np.int64), [str(int(label)) for label in classes]
    return np.searchsorted(classes, values).astype(np.int64), [str(label) for label in classes]


def _description(row: dict[str, Any]) -> str:
    made = "Generated; takes n, noise and seed." if row["generated"] else f"Source: {row['source']}."
    return (
        f"{row['name']}: {row['about']}\n\n"
        f"Rows: {row['rows']}{' unless said' if row['generated'] else ''}. Target: {row['task']}.\n"
        f"{made}\nTerms: {row['terms']}.\n"
    )
