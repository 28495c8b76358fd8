"""How much memory and how many threads: what the user says, as the engine counts."""

from __future__ import annotations

import re

from joblib import cpu_count

from mercer.exceptions import MercerError


def in_bytes(limit: int | str | None) -> int | None:
    """A limit of memory in bytes: a number, or a text such as "4GB" or "512 MiB"."""
    if limit is None or isinstance(limit, int):
        return limit
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kMGT]?)(i?)B?\s*", str(limit))
    if found is None:
        raise MercerError(f"memory_limit = {limit!r}; it is a number of bytes, or a text such as '4GB'")
    number, unit, binary = found.groups()
    return int(float(number) * (1024 if binary else 1000) ** " kMGT".index(unit or " "))


def threads(n_jobs: int | None) -> int | None:
    """Threads for `n_jobs` as joblib counts: None for the engine's choice, −1 for all cores, −2 for all but one."""
    if n_jobs is None or n_jobs > 0:
        return n_jobs
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning")
    return max(1, cpu_count() + 1 + n_jobs)
