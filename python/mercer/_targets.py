"""Models of several targets that were fitted one by one, behind the face of one model."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.exceptions import MercerError


class JoinedModel:
    """Models of the same rows and the same kernel with an alpha each."""

    def __init__(self, models: list[Any]) -> None:
        self.models = models
        rows = int(models[0].provenance["rows"])
        coefficients = np.zeros((len(models), rows))
        for values, model in zip(coefficients, models, strict=True):
            values[model.support] = model.coefficients[0]
        self.support = np.flatnonzero(coefficients.any(axis=0))
        self.coefficients = coefficients[:, self.support]
        self.bias = np.concatenate([model.bias for model in models])
        self.iterations = np.concatenate([model.iterations for model in models])
        self.statuses = [status for model in models for status in model.statuses]
        self.certificates = [told for model in models for told in model.certificates]
        self.certified = all(model.certified for model in models)
        self.interrupted = any(model.interrupted for model in models)

    def __getattr__(self, name: str) -> Any:
        """What all of them have in common: the kernel, the task, where they come from."""
        if name.startswith("__") or name == "models":
            raise AttributeError(name)
        return getattr(self.models[0], name)

    def trace(self, machine: int = 0) -> dict[str, np.ndarray]:
        """How the solver of a target went."""
        found: dict[str, np.ndarray] = self.models[machine].trace(0)
        return found

    def scores(self, table: Any, *, threads: int | None = None, decide: bool = False) -> np.ndarray:
        """Rows × targets."""
        return np.hstack([model.scores(table, threads=threads, decide=decide) for model in self.models])

    def save(self, path: Any) -> None:
        """Refuse: a file holds models of one alpha."""
        raise MercerError("a model file has one alpha for all targets; fit one model an alpha, or pickle it")

    write_libsvm = save
