"""Small pictures of kernels, Gram matrices and fitted models for notebooks: HTML without scripts, all text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn import get_config
from sklearn.utils import estimator_html_repr

from mercer import _mercer
from mercer._thumbnail import thumbnail

if TYPE_CHECKING:
    from mercer._gram import Gram
    from mercer._kernel import Kernel

#: Colours are those of the page, mixed with themselves, so that light and dark pages both do.
STYLE = (
    "font-family:system-ui,sans-serif;font-size:13px;line-height:1.5;color:inherit;background:transparent;"
    "border:1px solid rgba(128,128,128,.4);border-radius:6px;padding:8px 12px;margin:6px 0;max-width:760px;"
    "display:inline-block;text-align:left"
)
CELL = "padding:1px 12px 1px 0;vertical-align:top;text-align:left;border:none;background:transparent"
CODE = "font-family:ui-monospace,monospace;font-size:12px"

STATUS = {
    "psd": ("#2e8b57", "positive semi-definite by construction"),
    "conditional": ("#b8860b", "positive semi-definite under conditions"),
    "unknown": ("#b8860b", "not known before it is measured"),
    "not psd": ("#c0392b", "not positive semi-definite in general"),
}


def card(title: str, *parts: str) -> str:
    """Return a frame with a heading around parts that are HTML already."""
    heading = f'<div style="font-weight:600;margin-bottom:4px">{escape(title)}</div>'
    return f'<div class="mercer-card" style="{STYLE}">{heading}{"".join(parts)}</div>'


def rows_table(rows: Iterable[tuple[str, str]]) -> str:
    """Return a table of names and texts, both plain."""
    return _table((escape(name), escape(text)) for name, text in rows)


def _table(rows: Iterable[tuple[str, str]]) -> str:
    lines = "".join(
        f'<tr style="background:transparent"><td style="{CELL};opacity:.7;white-space:nowrap">{name}</td>'
        f'<td style="{CELL}">{text}</td></tr>'
        for name, text in rows
    )
    return f'<table style="border-collapse:collapse;margin:0;color:inherit;font-size:inherit">{lines}</table>'


def _code(text: str) -> str:
    return f'<code style="{CODE};background:transparent;color:inherit;white-space:pre-wrap">{escape(text)}</code>'


def _details(mark: str, summary: str, lines: Sequence[str]) -> str:
    items = "".join(f"<div>{escape(line)}</div>" for line in lines)
    return f'<details><summary style="cursor:pointer">{mark}{escape(summary)}</summary>{items}</details>'


def _status(info: dict[str, Any]) -> str:
    colour, word = STATUS[info["status"]]
    dot = f'<span style="color:{colour}">&#9679;</span> '
    return _details(dot, str(info.get("claim") or word), info["proof"])


def kernel_card(kernel: Kernel) -> str:
    """Return a kernel with its Mercer status and the proof."""
    info = _mercer.kernel_info(repr(kernel))
    rows = [
        ("kernel", _code(repr(kernel))),
        ("Mercer", _status(info)),
        ("on", escape(", ".join(info["domain"]))),
    ]
    if info["uses_data"]:
        rows.append(("from data", escape(", ".join(info["uses_data"]))))
    return card("Kernel", _table(rows))


def gram_card(gram: Gram) -> str:
    """Return a Gram matrix as a small heat map with its numbers."""
    rows, columns = gram.shape
    told = [("shape", escape(f"{rows} x {columns}, {gram.dtype}"))]
    if gram.kernel is not None:
        told.insert(0, ("kernel", _code(repr(gram.kernel))))
        told.append(("Mercer", _status(_mercer.kernel_info(repr(gram.kernel)))))
    values = gram.values
    if values.size:
        told.append(("entries", escape(f"from {values.min():.6g} to {values.max():.6g}, mean {values.mean():.6g}")))
    picture = (
        gram.thumbnail().svg(title="", size=260)
        if rows == columns and values.size and np.isfinite(values).all()
        else ""
    )
    return card("Gram matrix", _side_by_side(_table(told), picture))


def model_card(estimator: Any) -> str:
    """Return scikit-learn's diagram of an estimator and, once it is fitted, what its solution is worth.

    Parameters
    ----------
    estimator : estimator of this package
        Fitted or not.

    Returns
    -------
    str
        HTML without scripts of ours.
    """
    diagram = _diagram(estimator)
    model = estimator.__dict__.get("_model")
    if model is None:
        return diagram
    title = f"{type(estimator).__name__}, fitted"
    parts = [_side_by_side(_table(_told(estimator, model)), thumbnail(estimator, model))]
    return diagram + card(title, *parts)


def _diagram(estimator: Any) -> str:
    """Return scikit-learn's own HTML; the plain text where it is told to make none."""
    if get_config()["display"] != "diagram":
        return f"<pre>{escape(repr(estimator))}</pre>"
    return str(estimator_html_repr(estimator))


def _told(estimator: Any, model: Any) -> list[tuple[str, str]]:
    info = _mercer.kernel_info(model.kernel)
    rows = [("kernel", _code(model.kernel)), ("Mercer", _status(info))]
    statuses = sorted(set(model.statuses))
    iterations = int(np.sum(model.iterations))
    rows.append(("solver", escape(f"{', '.join(statuses)} after {iterations} iterations")))
    certificate = getattr(estimator, "certificate_", None)
    if certificate is not None:
        rows += [(name, escape(text)) for name, text in _certificate(certificate)]
    rows.append(("support", escape(_support(estimator, model))))
    provenance = model.provenance
    rows.append(("fitted on", escape(f"{provenance['rows']} rows in {provenance['seconds']:.3g} s")))
    return rows


def _certificate(found: Any) -> list[tuple[str, str]]:
    """Return the certificate in words."""
    rows = [("objective", f"{found.primal:.8g}")]
    if not found.convex:
        rows.append(("above the optimum by", "not known: a local optimum perhaps, which no gap bounds"))
    elif np.isfinite(found.dual):
        rows.append(("above the optimum by", f"at most {found.gap:.3g} ({found.relative_gap:.1e} of it)"))
    rows.append(("optimality violated by", f"{found.violation:.1e}"))
    kernel = found.convexity["status"]
    if found.convexity.get("evidence"):
        kernel = f"{kernel}: {found.convexity['evidence']}"
    rows.append(("convexity", str(kernel)))
    rows.append(("certified", "yes, to the tolerance asked" if found.holds else "no: not to the tolerance asked"))
    return rows


def _support(estimator: Any, model: Any) -> str:
    rows = int(model.provenance["rows"])
    told = f"{len(model.support)} of {rows} rows"
    counts = getattr(estimator, "n_support_", None)
    classes = getattr(estimator, "classes_", None)
    if counts is not None and classes is not None and len(counts) == len(classes):
        told += ": " + ", ".join(f"{label} {count}" for label, count in zip(classes, counts, strict=True))
    return told


def _side_by_side(left: str, right: str) -> str:
    if not right:
        return left
    box = "display:flex;gap:16px;flex-wrap:wrap;align-items:flex-start"
    return f'<div style="{box}"><div style="flex:1 1 320px">{left}</div><div>{right}</div></div>'
