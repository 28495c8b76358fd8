"""How much each row counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight

from mercer._engine import _shape


def sample_weights(sample_weight: Any, X: Any) -> np.ndarray | None:
    """Weights of the rows of `X` as the engine takes them: finite, none below zero, one above it."""
    if sample_weight is None:
        return None
    count = _shape(X)[0]
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 1 and weights.shape[0] not in (0, count):
        raise ValueError(
            f"sample_weight and X have incompatible shapes: {weights.shape!r} vs {np.shape(X)!r}\n"
            "Note: Sparse matrices cannot be indexed w/boolean masks (use `indices=True` in CV)."
        )
    if weights.size == 0:
        return None
    if np.isfinite(weights).all() and not (weights > 0).any():
        raise ValueError("Invalid input - all samples have zero or negative weights.")
    weights = _check_sample_weight(sample_weight, np.empty((count, 1)), dtype=np.float64)
    # A row that counts less than nothing counts nothing.
    return np.maximum(weights, 0.0)
