"""Docstrings of everything public: complete, true of the code, and their examples run."""

from __future__ import annotations

import ast
import dataclasses
import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mercer
import pandas as pd
import pytest
from mercer import datasets, displays, exceptions, kernels, maps
from sklearn.base import BaseEstimator, is_classifier

ROOT = Path(__file__).resolve().parents[1]


def public() -> dict[str, Any]:
    """Classes and functions that `__all__` of a public module names, by the name that the user writes."""
    found = {}
    for module in (mercer, kernels, maps, datasets, displays):
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                found[f"{module.__name__}.{name}"] = thing
    return found


PUBLIC = public()
CLASSES = {name: thing for name, thing in PUBLIC.items() if inspect.isclass(thing)}
ESTIMATORS = {name: thing for name, thing in CLASSES.items() if issubclass(thing, BaseEstimator)}
FUNCTIONS = {name: thing for name, thing in PUBLIC.items() if not inspect.isclass(thing)}


def methods() -> Iterator[tuple[str, Any]]:
    """Public methods of public classes that are ours."""
    for name, thing in CLASSES.items():
        for method in dir(thing):
            found = inspect.getattr_static(thing, method)
            # Methods that are there for some parameters only are wrapped once more.
            function = getattr(found, "fn", getattr(found, "__func__", found))
            if (
                (not method.startswith("_") or method == "__call__")
                and inspect.isfunction(function)
                and is_ours(function)
            ):
                yield f"{name}.{method}", function


def is_ours(function: Any) -> bool:
    return str(inspect.unwrap(function).__module__).startswith("mercer")


def properties() -> Iterator[tuple[str, property]]:
    """Public properties of public classes."""
    for name, thing in CLASSES.items():
        for attribute in dir(thing):
            found = inspect.getattr_static(thing, attribute)
            if not attribute.startswith("_") and isinstance(found, property):
                yield f"{name}.{attribute}", found


METHODS = dict(methods())
PROPERTIES = dict(properties())


# -------------------------------------------------------------------------------------------------- reading


def sections(thing: Any) -> dict[str, list[str]]:
    """The lines of each section of a docstring; those before the first have no title."""
    found: dict[str, list[str]] = {"": []}
    title = ""
    lines = (inspect.getdoc(thing) or "").splitlines()
    for place, line in enumerate(lines):
        if line and lines[place + 1 : place + 2] == ["-" * len(line)]:
            title = line
            found[title] = []
        elif set(line) != {"-"}:
            found[title].append(line)
    return found


def entries(lines: list[str]) -> dict[str, tuple[str, str]]:
    """The type and the text of each name of a section."""
    found: dict[str, tuple[str, str]] = {}
    names: list[str] = []
    for line in lines:
        if line and not line.startswith(" "):
            head, _, kind = line.partition(" : ")
            names = [name.strip().lstrip("*") for name in head.split(",")]
            found.update({name: (kind, "") for name in names})
        else:
            found.update({name: (found[name][0], f"{found[name][1]} {line.strip()}".strip()) for name in names})
    return found


def default(kind: str) -> Any:
    """The default that the type of a parameter tells, or that it tells none."""
    told = re.search(r"default=(.*)$", kind)
    return inspect.Parameter.empty if told is None else ast.literal_eval(told[1])


def parameters(function: Any) -> dict[str, inspect.Parameter]:
    given = inspect.signature(inspect.unwrap(function)).parameters
    return {name: parameter for name, parameter in given.items() if name not in ("self", "cls")}


def fitted(estimator: type) -> Any:
    """An estimator that has every attribute it can have."""
    known = inspect.signature(estimator).parameters
    options = {"kernel": "linear", "fit_inverse_transform": True, "n_components": 2}
    options |= {"estimator": mercer.SVC(kernel="linear"), "param_grid": {"C": [1.0, 10.0]}, "cv": 2}
    made = estimator(**{name: value for name, value in options.items() if name in known})
    X = pd.DataFrame({"a": [0.0, 1.0, 4.0, 3.0, 1.0, 6.0], "b": [0.0, 1.0, 2.0, 2.0, 3.0, 1.0]})
    y = [0, 0, 1, 1, 2, 2] if is_classifier(made) else [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.fit(X, y)
        return made.partial_fit(X, y) if hasattr(made, "partial_fit") else made


# ---------------------------------------------------------------------------------------------------- tests


def test_there_is_something_to_test() -> None:
    assert len(ESTIMATORS) >= 16
    assert {"mercer.SVC.predict_proba", "mercer.SVC.load", "mercer.KernelPerceptron.partial_fit"} <= set(METHODS)
    assert "mercer.SVC.coef_" in PROPERTIES


@pytest.mark.parametrize("name", CLASSES)
def test_parameters_of_a_class_are_those_of_its_signature(name: str) -> None:
    told = sections(CLASSES[name])
    given = parameters(CLASSES[name].__init__)
    if dataclasses.is_dataclass(CLASSES[name]):
        assert list(given) == list(entries(told["Attributes"]))
        return
    found = entries(told["Parameters"])
    assert list(found) == list(given)
    for parameter in given.values():
        kind, text = found[parameter.name]
        assert default(kind) == parameter.default or default(kind) is parameter.default, parameter.name
        assert text.endswith("."), parameter.name


@pytest.mark.parametrize("name", ESTIMATORS)
def test_attributes_are_those_of_a_fitted_estimator(name: str) -> None:
    found = entries(sections(ESTIMATORS[name])["Attributes"])
    model = fitted(ESTIMATORS[name])
    there = {one for one in dir(model) if one.endswith("_") and not one.startswith("_") and hasattr(model, one)}
    assert set(found) == there
    for one, (kind, text) in found.items():
        assert kind and text.endswith("."), one


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_estimator_has_notes_and_examples(name: str) -> None:
    found = sections(ESTIMATORS[name])
    assert "docs/maths.md §" in " ".join(found["Notes"])
    assert any(line.startswith(">>> ") for line in found["Examples"])
    order = ["", "Parameters", "Attributes", "See Also", "Notes", "References", "Examples"]
    assert list(found) == [title for title in order if title in found]


@pytest.mark.parametrize("name", FUNCTIONS | METHODS)
def test_functions_and_methods_tell_what_they_take_and_return(name: str) -> None:
    function = (FUNCTIONS | METHODS)[name]
    told = sections(function)
    assert told[""] and told[""][0].endswith("."), "a first line that is a sentence"
    given = parameters(function)
    found = entries(told.get("Parameters", []))
    assert list(found) == list(given)
    for parameter in given.values():
        kind, text = found[parameter.name]
        assert kind and text.endswith("."), parameter.name
        usual = inspect.Parameter.empty if parameter.kind is parameter.VAR_KEYWORD else parameter.default
        assert default(kind) == usual or default(kind) is usual, parameter.name
    returned = inspect.signature(inspect.unwrap(function)).return_annotation
    assert ("Returns" in told) == (returned not in (None, "None"))


@pytest.mark.parametrize("name", PROPERTIES)
def test_properties_are_described(name: str) -> None:
    assert (inspect.getdoc(PROPERTIES[name]) or "").endswith(".")


@pytest.mark.parametrize("name", PUBLIC | METHODS)
def test_no_docstring_sends_the_reader_elsewhere(name: str) -> None:
    assert "As in" not in (inspect.getdoc((PUBLIC | METHODS)[name]) or "")


@pytest.mark.parametrize("name", [name for name in vars(exceptions) if isinstance(vars(exceptions)[name], type)])
def test_errors_are_described(name: str) -> None:
    assert inspect.getdoc(getattr(exceptions, name))


MODULES = [module.name for module in pkgutil.walk_packages(mercer.__path__, "mercer.") if "_mercer" not in module.name]


@pytest.mark.parametrize("name", ["mercer", *MODULES])
def test_examples_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_docstrings_are_what_the_tables_say() -> None:
    if Path(mercer.__file__).parents[1] != ROOT:
        pytest.skip("the package that is tested is not the one beside python/generate")
    check = [sys.executable, str(ROOT / "generate"), "--check"]
    done = subprocess.run(check, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
