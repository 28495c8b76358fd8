"""Limits of memory and threads as users write them, and where warnings point."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import mercer
import numpy as np
import pytest
from joblib import cpu_count
from mercer._limits import in_bytes, threads
from mercer._warn import warn
from mercer.exceptions import MercerError


@pytest.mark.parametrize(
    ("limit", "count"),
    [
        ("4gb", 4 * 10**9),
        ("4GB", 4 * 10**9),
        ("512KB", 512_000),
        ("512 kib", 512 * 1024),
        ("1.5MiB", 3 << 19),
        (1 << 60, 1 << 60),
        (np.int64(5), 5),
        (0, 0),
        (None, None),
    ],
)
def test_memory_in_bytes(limit: Any, count: int | None) -> None:
    """Units in capitals or not."""
    assert in_bytes(limit) == count


@pytest.mark.parametrize("limit", [-1, "-4GB", np.int64(-5), "many", "4 GBs"])
def test_no_memory(limit: Any) -> None:
    """What is no number of bytes is refused by us, not by the engine."""
    with pytest.raises(MercerError, match="memory_limit"):
        mercer.gram("linear", np.eye(3), memory_limit=limit)


def test_threads_are_at_most_the_cores() -> None:
    """More would only wait for each other."""
    assert threads(None) is None
    assert threads(1) == threads(-10_000) == 1
    assert threads(5000) == threads(-1) == cpu_count()
    with pytest.raises(ValueError, match="n_jobs == 0"):
        threads(0)


def test_a_package_whose_name_begins_like_ours_is_the_users() -> None:
    """A warning points at its line, and not at a line of its caller."""
    path = Path(mercer.__file__).parent.parent / "mercer_app" / "work.py"
    namespace: dict[str, Any] = {"warn": warn}
    exec(compile("def work():\n    warn('so', UserWarning)\n", str(path), "exec"), namespace)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        namespace["work"]()
    assert caught[0].filename == str(path)
