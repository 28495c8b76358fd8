"""What scikit-learn's own tests ask of pytest, and the skips with their reasons."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from skipped import SKIPPED

HERE = Path(__file__).parent
#: The names of the tests in each file of this directory, before anything is left out.
FOUND = pytest.StashKey[dict[str, set[str]]]()


def pytest_configure(config: pytest.Config) -> None:
    """Marks and warnings of scikit-learn's tests."""
    config.addinivalue_line("markers", "thread_unsafe: not to be run in several threads at the same time")
    config.addinivalue_line("filterwarnings", "ignore:Passing a non-Collection iterable to parametrize")
    config.stash[FOUND] = {}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """scikit-learn's seeds: one, or as many as the variable that it reads itself says (`0-9`, `all`)."""
    if "global_random_seed" in metafunc.fixturenames:
        text = os.environ.get("SKLEARN_TESTS_GLOBAL_RANDOM_SEED", "42")
        first, _, last = ("0-99" if text == "all" else text).partition("-")
        metafunc.parametrize("global_random_seed", range(int(first), int(last or first) + 1))


@pytest.fixture(params=[np.float32, np.float64])
def global_dtype(request: pytest.FixtureRequest) -> type:
    """Both kinds of numbers, for the tests that take either."""
    return request.param


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what the list says, unless the variable `RUN_SKIPPED` is set."""
    for item in items:
        if item.path.parent != HERE:
            continue
        names = (item.name, item.name.partition("[")[0])
        config.stash[FOUND].setdefault(item.path.name, set()).update(names)
        reasons = [SKIPPED[item.path.name][name] for name in names if name in SKIPPED.get(item.path.name, {})]
        if reasons and "RUN_SKIPPED" not in os.environ:
            item.add_marker(pytest.mark.skip(reason=f"justified: {reasons[0]}"))


@pytest.fixture
def found(request: pytest.FixtureRequest) -> dict[str, set[str]]:
    """The names of tests by file, with and without parameters; nothing if only some tests were asked for."""
    partly = any("::" in argument for argument in request.config.args)
    return {} if partly else request.config.stash[FOUND]
