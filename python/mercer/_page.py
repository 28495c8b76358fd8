"""One page about a fitted machine."""

from __future__ import annotations

from html import escape
from os import PathLike, fspath
from typing import Any

from mercer import _mercer
from mercer.displays import _rows
from mercer.exceptions import MercerError


class Report:
    """A page about a fitted machine: HTML that fetches nothing and runs nothing; `mercer.report` makes it.

    Parameters
    ----------
    html : str
        The page.

    Attributes
    ----------
    html : str
        The page.

    Examples
    --------
    >>> import mercer
    >>> X, y = mercer.datasets.load("moons", return_X_y=True)
    >>> page = mercer.report(mercer.SVC(C=10).fit(X, y), X, y)
    >>> "What is proved about it" in page.html
    True
    """

    def __init__(self, html: str) -> None:
        self.html = html

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file.

        Parameters
        ----------
        path : str or path-like
            Where to, such as "report.html".
        """
        with open(fspath(path), "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        # In a frame, so that the page and the notebook keep their styles to themselves.
        box = "width:100%;height:640px;border:1px solid #7d869055"
        return f'<iframe srcdoc="{escape(self.html)}" sandbox="" title="report" style="{box}"></iframe>'

    def __repr__(self) -> str:
        return f"<Report: {len(self.html) // 1000} kB of HTML; save(path) writes it>"


def report(estimator: Any, X: Any, y: Any = None, *, name: str | None = None, dark: bool = False) -> Report:
    """Put what there is to say about a fitted machine on one page.

    Data, problem, certificate in words, pictures, the training rows that count most, warnings. Of many rows the
    pictures show a sample, and the page says so. It is the page of the command `mercer report`.

    Parameters
    ----------
    estimator : estimator of mercer, or a pipeline that ends with one
        Fitted, with a kernel of the kernel language.
    X : array-like, sparse matrix, data frame, or list of texts
        Rows, best those of the training.
    y : array-like of shape (n_samples,), default=None
        Their targets.
    name : str, default=None
        What the rows are called.
    dark : bool, default=False
        Whether the page is dark.

    Returns
    -------
    Report
        The page, which a notebook shows and `save` writes.

    Examples
    --------
    >>> import mercer, os, tempfile
    >>> X, y = mercer.datasets.load("moons", return_X_y=True)
    >>> path = os.path.join(tempfile.mkdtemp(), "moons.html")
    >>> mercer.report(mercer.SVC(C=10).fit(X, y), X, y, name="two moons").save(path)
    """
    last = _rows.machine(estimator)
    told = _rows.asked(last, _rows.prepared(estimator, X), y)
    if told is None:
        raise MercerError("the kernel is computed in Python, and the engine cannot ask it; use the kernel language")
    fit = "fit(X)" if told.model.task == "novelty" else "fit(X, y)"
    code = f"model = {estimator!r}\nmodel.{fit}"
    called = _rows.data_name(X, name)
    return Report(_mercer.report(told.model, told.table, told.target, name=called, code=code, dark=dark))
