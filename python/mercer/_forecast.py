"""What a fit is expected to take, before it begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Forecast:
    """What a fit is expected to take: seconds, memory, and how it goes about the kernel entries."""

    #: How kernel entries are held, in words; begins with "refused" where there is no room for them.
    plan: str
    #: Seconds; None where the fit would be refused, or where no pilot came to an end.
    seconds: float | None
    #: Bytes at the peak, on top of the rows.
    peak_bytes: int
    #: What these bytes are, largest first.
    parts: dict[str, int]
    #: Whether there is no room for the fit.
    refused: bool
    #: Rows, and machines that are solved on them.
    rows: int
    machines: int
    #: Rows that are expected to have a coefficient.
    support: int | None
    #: Rows of the largest pilot, and seconds that the forecast itself took.
    pilot: int
    spent: float

    @classmethod
    def of(cls, told: dict[str, Any]) -> Forecast:
        """What the engine says."""
        return cls(**{**told, "parts": dict(told["parts"])})

    def __repr__(self) -> str:
        if self.refused:
            return f"Forecast({self.plan})"
        time = "an unknown time" if self.seconds is None else f"about {self.seconds:.2g} s"
        return f"Forecast({time} and {_size(self.peak_bytes)}; {self.plan})"


class Foreseen(Exception):
    """Ends a fit where the engine would begin."""

    def __init__(self, forecast: Forecast) -> None:
        super().__init__("the fit was only forecast")
        self.forecast = forecast


def _size(count: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 999.5:
            return f"{count:.{int(unit != 'bytes' and count < 9.95)}f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"
