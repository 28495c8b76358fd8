"""scikit-learn's own tests, taken from the installed package and run with Mercer's estimators.

The source of a test module is read where it is installed and executed in a namespace of its own. After its
imports, every class that Mercer has too is replaced by Mercer's, and so is every such class in the modules
that it imported. Nothing of scikit-learn is copied or changed, and its own modules stay as they are.
"""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import mercer
import sklearn.decomposition
import sklearn.kernel_approximation
import sklearn.kernel_ridge
import sklearn.svm

#: Which of scikit-learn's classes are replaced, by the module that they are imported from.
REPLACED: dict[ModuleType, tuple[str, ...]] = {
    sklearn.svm: ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"),
    sklearn.kernel_ridge: ("KernelRidge",),
    sklearn.decomposition: ("KernelPCA",),
    sklearn.kernel_approximation: ("Nystroem", "RBFSampler"),
}


def scikit_tests(module: str) -> dict[str, Any]:
    """Execute a test module of scikit-learn with Mercer's classes; its tests by name."""
    namespace: dict[str, Any] = {"__name__": f"mercer.{module}", "__file__": str(source(module))}
    namespace["__substitute__"] = lambda: substitute(namespace)
    exec(compile(with_substitution(module), namespace["__file__"], "exec"), namespace)
    return {name: value for name, value in namespace.items() if name.startswith("test_") and callable(value)}


def source(module: str) -> Path:
    """The file of an installed module, which is not imported."""
    specification = importlib.util.find_spec(module)
    if specification is None or specification.origin is None:
        raise ModuleNotFoundError(f"{module} is not part of the installed scikit-learn")
    return Path(specification.origin)


def with_substitution(module: str) -> ast.Module:
    """The syntax tree of a module, with a call of `__substitute__` after its last import."""
    tree = ast.parse(source(module).read_text(encoding="utf-8"))
    last = max(i for i, node in enumerate(tree.body) if isinstance(node, ast.Import | ast.ImportFrom))
    call = ast.parse("__substitute__()").body
    tree.body[last + 1 : last + 1] = [ast.copy_location(node, tree.body[last]) for node in call]
    return ast.fix_missing_locations(tree)


def substitute(namespace: dict[str, Any]) -> None:
    """Put Mercer's classes in the place of scikit-learn's, in a namespace and in the modules it names."""
    classes = {getattr(module, name): getattr(mercer, name) for module, names in REPLACED.items() for name in names}
    for name, value in list(namespace.items()):
        if isinstance(value, type) and value in classes:
            namespace[name] = classes[value]
        elif isinstance(value, ModuleType) and value in REPLACED:
            namespace[name] = stand_in(value)


def stand_in(module: ModuleType) -> ModuleType:
    """A module with everything that another has, and Mercer's classes."""
    copy = ModuleType(module.__name__, module.__doc__)
    copy.__dict__.update(module.__dict__)
    copy.__dict__.update({name: getattr(mercer, name) for name in REPLACED[module]})
    return copy
