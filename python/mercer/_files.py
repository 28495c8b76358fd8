"""From a model file to the estimator that it is a model of."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from os import PathLike
from typing import Any

from mercer import _mercer
from mercer._engine import KernelMachine
from mercer.exceptions import MercerError


def load(path: str | PathLike[str]) -> KernelMachine:
    """Read a model file into the estimator that it is a model of.

    Parameters
    ----------
    path : str or path-like
        A file that `save` or the command has written.

    Returns
    -------
    estimator
        Fitted, with the parameters that the file tells.

    Examples
    --------
    >>> import tempfile, os, mercer
    >>> X, y = mercer.datasets.load("moons", return_X_y=True)
    >>> path = os.path.join(tempfile.mkdtemp(), "moons.mercer")
    >>> mercer.SVC(C=10).fit(X, y).save(path)
    >>> bool((mercer.load(path).predict(X) == y).mean() > 0.9)
    True
    """
    model = _mercer.Model.load(path)
    return estimator_class(model)._of_model(model)


def lines(model: Any) -> dict[str, str]:
    """The lines of a model's specification."""
    pairs = (line.partition(": ") for line in model.spec.splitlines())
    return {key: value for key, _, value in pairs}


def estimator_class(model: Any) -> type[KernelMachine]:
    """The class whose fit makes such models."""
    import mercer

    learner = lines(model)["learner"]
    loss = lines(model).get("loss", "").partition("(")[0]
    on_classes = loss in ("logistic", "hinge", "squared-hinge")
    name = {
        "smo": {"epsilon": "SVR", "pinball": "KernelQuantile"}.get(loss, "SVC"),
        "svr": "SVR",
        "quantile": "KernelQuantile",
        "nu-svc": "NuSVC",
        "nu-svr": "NuSVR",
        "one-class": "OneClassSVM",
        "newton": {"": "KernelLogistic", "logistic": "KernelLogistic"}.get(loss),
        "kernel-perceptron": "KernelPerceptron",
        "online-perceptron": "KernelPerceptron",
        "pegasos": "Pegasos",
        "kernel-pegasos": "KernelPegasos",
        "ls-svm": "LeastSquaresSVC",
        "gradient": "GradientKernelClassifier" if on_classes else "GradientKernel",
        "cholesky": "KernelRidge",
        "eigen": "KernelRidge",
        "cg": "KernelRidge",
    }.get(learner)
    if name is None:
        raise MercerError(f"a model of {learner} has no estimator in Python; use the mercer command")
    found: type[KernelMachine] = getattr(mercer, name)
    return found


def parameters(cls: type[KernelMachine], model: Any) -> dict[str, Any]:
    """Constructor arguments that a model file tells of."""
    known, usual = signature(cls).parameters, getattr(cls, "_usual_lines", {})
    told = {**usual, **lines(model)}
    if "gap" not in usual:
        # The tolerance of these is a violation.
        told.pop("gap", None)
    found: dict[str, Any] = {"kernel": model.kernel}
    # However the command was told how much to regularise, it is one of these two here.
    rows = int(model.provenance["rows"])
    if rows and not {"C", "mu"} & told.keys():
        told |= {"C": repr(1.0 / (model.lambda_ * rows)), "mu": repr(model.lambda_ * rows)}
    readers: list[tuple[str, str, Callable[[str], Any]]] = [
        ("C", "C", float),
        ("nu", "nu", float),
        ("mu", "alpha", float),
        ("gap", "tol", float),
        ("violation", "tol", float),
        ("offset", "fit_intercept", lambda text: text == "true"),
        ("seed", "random_state", int),
        ("epochs", "max_iter", int),
        ("step", "step", float),
        ("average", "average", lambda text: text == "true"),
        ("keep", "keep", int),
        ("loss", "loss", str),
        ("multiclass", "multi_class", lambda text: "multinomial" if text == "softmax" else "ovo"),
        ("probabilities", "probability", str),
    ]
    for key, name, read in readers:
        if name in known and told.get(key, "none") != "none":
            found[name] = read(told[key])
    loss = told.get("loss", "")
    if "(" in loss:
        for pair in loss.partition("(")[2].rstrip(")").split(","):
            name, _, value = pair.partition("=")
            name = {"tau": "quantile"}.get(name.strip(), name.strip())
            if name in known:
                found[name] = float(value)
    return found
