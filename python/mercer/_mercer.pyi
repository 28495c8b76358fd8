"""The compiled half: tables of arrays, fits, models, kernels bound to points, Gram matrices."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Final, Literal, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Kernel",
    "Model",
    "Stream",
    "Table",
    "View",
    "align",
    "check",
    "check_matrix",
    "dataset",
    "dataset_table",
    "eigh",
    "fit",
    "forecast",
    "heatmap",
    "kernel_info",
    "kernel_parse",
    "kernel_table",
    "learner_table",
    "loss_table",
    "map_parse",
    "map_table",
    "path",
    "repair",
    "report",
    "roles",
    "spectrum",
    "tally",
    "tune",
    "version",
]

_Floats = NDArray[np.float64]
_Integers = NDArray[np.int64]
_Points = NDArray[np.float64] | NDArray[np.float32]
_Target = _Floats | tuple[list[str], _Integers]

version: Final[str]

@final
class Table:
    """Rows for the engine: vectors, sparse vectors, texts, a precomputed matrix, or columns of any kind."""

    @staticmethod
    def dense(x: _Points, names: Sequence[str] | None = None) -> Table: ...
    @staticmethod
    def sparse(indptr: _Integers, indices: _Integers, data: _Floats, dim: int) -> Table: ...
    @staticmethod
    def texts(values: Sequence[str], name: str = "text") -> Table: ...
    @staticmethod
    def matrix(k: _Floats) -> Table: ...
    @staticmethod
    def columns(columns: Sequence[tuple[str, str, Any]]) -> Table: ...
    def __len__(self) -> int: ...
    @property
    def n_columns(self) -> int: ...

@final
class Model:
    """A fitted model; it does not change."""

    @property
    def spec(self) -> str: ...
    @property
    def kernel(self) -> str: ...
    @property
    def lambda_(self) -> float: ...
    @property
    def task(self) -> Literal["classes", "numbers", "novelty"]: ...
    @property
    def classes(self) -> list[str]: ...
    def named(self, classes: Sequence[str], table: Table, codes: _Integers | None = None) -> Model: ...
    @property
    def certified(self) -> bool: ...
    @property
    def interrupted(self) -> bool: ...
    @property
    def support(self) -> _Integers: ...
    @property
    def support_count(self) -> int: ...
    @property
    def coefficients(self) -> _Floats: ...
    def used(self) -> tuple[_Integers, _Integers, _Floats]: ...
    @property
    def bias(self) -> _Floats: ...
    @property
    def iterations(self) -> _Integers: ...
    @property
    def statuses(self) -> list[str]: ...
    @property
    def certificates(self) -> list[dict[str, Any] | None]: ...
    @property
    def n_features(self) -> int | None: ...
    @property
    def feature_names(self) -> list[str] | None: ...
    @property
    def provenance(self) -> dict[str, Any]: ...
    def trace(self, machine: int = 0) -> dict[str, _Floats]: ...
    def support_points(self) -> Any: ...
    def scores(self, table: Table, *, threads: int | None = None, decide: bool = False) -> _Floats: ...
    @property
    def calibrated(self) -> bool: ...
    def probabilities(self, scores: _Floats) -> _Floats: ...
    def explain(self, table: Table, count: int, machine: int) -> list[dict[str, Any]]: ...
    def with_constant(self, machine: int, value: float) -> Model: ...
    def with_violation(self, violation: float) -> Model: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Model: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    @staticmethod
    def load(path: str | PathLike[str]) -> Model: ...
    def write_libsvm(self, path: str | PathLike[str]) -> None: ...
    @staticmethod
    def read_libsvm(path: str | PathLike[str]) -> Model: ...
    def __reduce__(self) -> tuple[Any, tuple[bytes]]: ...

@final
class Kernel:
    """An expression bound to training points: columns found, maps fitted, words turned into numbers."""

    def __new__(cls, text: str, table: Table) -> Kernel: ...
    @property
    def text(self) -> str: ...
    def gram(
        self,
        x: Table,
        y: Table | None = None,
        *,
        dtype: str = "float64",
        memory_limit: int | None = None,
        threads: int | None = None,
    ) -> NDArray[Any]: ...
    def diagonal(self, x: Table) -> _Floats: ...
    def features(self, x: Table, *, memory_limit: int | None = None) -> _Floats | None: ...

@final
class Stream:
    """An online perceptron of two classes that sees rows as they come."""

    def __new__(cls, spec: str, classes: tuple[str, str] | None = None) -> Stream: ...
    @staticmethod
    def resume(spec: str, model: Model, machine: int = 0, memory: str | None = None) -> Stream: ...
    @staticmethod
    def joined(streams: list[Stream], classes: list[str]) -> Model: ...
    def memory(self) -> str: ...
    def observe(self, table: Table, target: _Target) -> dict[str, int]: ...
    def model(self) -> Model: ...

@final
class View:
    """What is to be seen; it does not change."""

    @staticmethod
    def of(text: str) -> View: ...
    @staticmethod
    def boundary(
        model: Model,
        table: Table,
        target: _Target | None = None,
        *,
        name: str,
        classes: Sequence[str] | None = None,
        counted: bool = False,
        slice: str = "usual",
        columns: tuple[str, str] | None = None,
        side: int = ...,
    ) -> View: ...
    @staticmethod
    def sweep(title: str, panels: Sequence[tuple[str, View]]) -> View: ...
    @staticmethod
    def curves(
        models: Sequence[tuple[str, Model]],
        table: Table,
        target: _Target | None = None,
        *,
        name: str,
        classes: Sequence[str] | None = None,
        counted: bool = False,
    ) -> View: ...
    @staticmethod
    def trace(model: Model, machine: int = 0, *, name: str) -> View: ...
    @staticmethod
    def spectrum(kernel: str, table: Table, *, name: str) -> View: ...
    @staticmethod
    def gram(
        kernels: Sequence[tuple[str, str]],
        table: Table,
        target: _Target | None = None,
        *,
        title: str,
        subtitle: str,
        memory_limit: int | None = None,
    ) -> View: ...
    @staticmethod
    def roc(scores: _Floats, codes: _Integers, classes: Sequence[str], subtitle: str) -> View: ...
    @staticmethod
    def reliability(probabilities: _Floats, codes: _Integers, subtitle: str) -> View: ...
    @staticmethod
    def residuals(predicted: _Floats, truth: _Floats, target: str, subtitle: str) -> View: ...
    @staticmethod
    def losses(names: Sequence[str]) -> View: ...
    @staticmethod
    def geometry(map: str, table: Table, target: _Target | None = None, *, name: str) -> View: ...
    def json(self) -> str: ...
    def svg(self, width: float = 640.0, dark: bool = False) -> str: ...
    def png(self, width: float = 640.0, dark: bool = False) -> bytes: ...
    def figure(self, width: float = 640.0, dark: bool = False) -> dict[str, Any]: ...

def fit(
    spec: str,
    table: Table,
    target: _Target | None = None,
    weights: _Floats | None = None,
    *,
    time_limit: float | None = None,
    max_iter: int | None = None,
    memory_limit: int | None = None,
    threads: int | None = None,
    progress: Callable[[dict[str, Any]], Any] | None = None,
) -> Model: ...
def forecast(
    spec: str,
    table: Table,
    target: _Target | None = None,
    weights: _Floats | None = None,
    *,
    time_limit: float | None = None,
    max_iter: int | None = None,
    memory_limit: int | None = None,
    threads: int | None = None,
) -> dict[str, Any]: ...
def tune(
    spec: str,
    kernel: str,
    strength: tuple[str, str],
    table: Table,
    target: _Target,
    weights: _Floats | None = None,
    *,
    search: tuple[str, int, int],
    validation: dict[str, Any],
    metric: str | None = None,
    journal: str | PathLike[str] | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    threads: int | None = None,
    progress: Callable[[dict[str, Any]], Any] | None = None,
) -> dict[str, Any]: ...
def path(
    spec: str,
    strength: tuple[str, str],
    points: int,
    table: Table,
    target: _Target,
    weights: _Floats | None = None,
    *,
    validation: dict[str, Any] | None = None,
    metric: str | None = None,
    name: str,
    threads: int | None = None,
) -> View: ...
def report(
    model: Model, table: Table, target: _Target | None = None, *, name: str, code: str, dark: bool = False
) -> str: ...
def roles(model: Model, table: Table, target: _Target | None = None) -> tuple[_Integers, _Floats]: ...
def kernel_parse(text: str) -> str: ...
def map_parse(text: str) -> str: ...
def kernel_info(text: str) -> dict[str, Any]: ...
def kernel_table() -> list[dict[str, Any]]: ...
def map_table() -> list[dict[str, Any]]: ...
def learner_table() -> list[dict[str, Any]]: ...
def loss_table() -> list[dict[str, Any]]: ...
def dataset_table() -> list[dict[str, Any]]: ...
def check(
    kernel: str,
    table: Table,
    *,
    rows: int | None = None,
    seed: int = 0,
    memory_limit: int | None = None,
) -> dict[str, Any]: ...
def check_matrix(k: _Floats, *, threads: int | None = None) -> dict[str, Any]: ...
def align(kernel: str, table: Table, target: _Target, *, centered: bool = True) -> float: ...
def spectrum(k: _Floats) -> _Floats: ...
def tally(scores: _Floats, classes: int) -> tuple[_Floats, _Floats]: ...
def eigh(k: _Floats) -> tuple[_Floats, _Floats]: ...
def repair(k: _Floats, how: str, *, memory_limit: int | None = None) -> tuple[_Floats, float]: ...
def heatmap(
    k: _Floats,
    labels: Sequence[str] | None = None,
    *,
    title: str | None = None,
    dark: bool = False,
    size: int | None = None,
) -> str: ...
def dataset(text: str) -> dict[str, Any]: ...
