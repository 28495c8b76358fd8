"""What a check of a kernel or of a matrix found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True, repr=False, eq=False)
class KernelReport:
    """Whether a kernel, or a matrix, is positive semi-definite on some rows.

    It is true where nothing was found against the kernel.

    Attributes
    ----------
    verdict : str
        "psd", "not refuted" (not everything was looked at), "refuted", "not symmetric" or "not finite".
    reason : str
        The verdict in words, with numbers.
    kernel : str or None
        The expression, its words resolved.
    smallest, largest : float or None
        Ends of the spectrum, where they were computed.
    witness_rows, witness : ndarray or None
        Rows, and the vector v on them with v'Kv < 0.
    witness_value : float or None
        v'Kv.
    details : dict
        Everything that was measured.

    Examples
    --------
    >>> from mercer import kernels
    >>> report = kernels.sigmoid(gamma=1, offset=-1).check([[0.0], [1.0], [2.0]])
    >>> report.verdict, report.witness_value < 0
    ('refuted', True)
    """

    verdict: str
    reason: str
    kernel: str | None = None
    smallest: float | None = None
    largest: float | None = None
    witness_rows: np.ndarray | None = None
    witness: np.ndarray | None = None
    witness_value: float | None = None
    details: dict[str, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, found: dict[str, Any]) -> KernelReport:
        """Read what the engine found.

        Parameters
        ----------
        found : dict
            The answer of the engine.

        Returns
        -------
        KernelReport
            The same as a value.
        """
        named = ("kernel", "smallest", "largest", "witness_rows", "witness", "witness_value")
        reason = found.get("reason") or _in_words(found)
        return cls(found["verdict"], reason, **{name: found.get(name) for name in named}, details=found)

    @property
    def holds(self) -> bool:
        """Whether nothing was found against the kernel."""
        return self.verdict in ("psd", "not refuted")

    def __bool__(self) -> bool:
        return self.holds

    def lines(self) -> list[tuple[str, str]]:
        """Return what there is to say.

        Returns
        -------
        list of (str, str)
            Pairs of a name and a text.
        """
        told = [("kernel", self.kernel), ("verdict", f"{self.verdict}: {self.reason}")]
        if "claim" in self.details:
            told.append(("by its form", self.details["claim"]))
        if self.details.get("measured") is not None:
            told.append(("rows", f"{self.details['measured']} of {self.details['rows']}"))
        if self.smallest is not None:
            ends = f"smallest {self.smallest:.6g}"
            told.append(("eigenvalues", ends if self.largest is None else f"{ends}, largest {self.largest:.6g}"))
        if self.holds and self.details.get("rank") is not None:
            why = self.details.get("deficiency")
            told.append(("rank", f"{self.details['rank']}" + (f" ({why})" if why else "")))
        return [(name, text) for name, text in told if text is not None]

    def __repr__(self) -> str:
        return "\n".join(f"{name:<12}{text}" for name, text in self.lines())

    def _repr_html_(self) -> str:
        from mercer._html import card, rows_table

        return card("Mercer check", rows_table(self.lines()))


def _in_words(found: dict[str, Any]) -> str:
    verdict = found["verdict"]
    if verdict == "not symmetric":
        row, column = found["row"], found["column"]
        return f"k is not symmetric for rows {row} and {column}, by {found['asymmetry']:.3g}"
    if verdict == "refuted":
        count = len(found["witness_rows"])
        return (
            f"v'Kv = {found['witness_value']:.6g} < 0 (rounding at most {found['witness_bound']:.1e}) for a vector v "
            f"on {count} row{'s' if count > 1 else ''}"
        )
    if verdict == "psd":
        return "no eigenvalue is below zero by more than the error"
    return "no eigenvalue below zero was found"
