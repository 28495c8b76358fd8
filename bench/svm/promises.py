"""What the project promises of its speed, each with the figure of this run."""

from __future__ import annotations


class Promises:
    """Promises whose figures were measured, in the order in which they were."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, float, bool]] = []

    def at_least(self, what: str, wanted: float, measured: float) -> None:
        """The more the better."""
        self.rows.append((what, f"≥ {wanted:g}", measured, measured >= wanted))

    def at_most(self, what: str, wanted: float, measured: float) -> None:
        """The less the better."""
        self.rows.append((what, f"≤ {wanted:g}", measured, measured <= wanted))

    def table(self) -> list[str]:
        """What was promised, what was measured, whether it holds; nothing if nothing was measured."""
        if not self.rows:
            return []
        lines = ["## What is promised, and what holds", ""]
        lines += ["| promise | wanted | measured | holds |", "|---|---|---|---|"]
        for what, wanted, measured, holds in self.rows:
            lines.append(f"| {what} | {wanted} | {measured:.3g} | {'yes' if holds else '**no**'} |")
        return [*lines, ""]
