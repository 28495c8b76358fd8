"""How much memory and how many threads: what the user says, as the engine counts."""

from __future__ import annotations

import re

from joblib import cpu_count

from mercer.exceptions import MercerError


def in_bytes(limit: int | str | None) -> int | None:
    """A limit of memory in bytes: a number, or a text such as "4GB" or "512 MiB", in capitals or not."""
    if limit is None:
        return None
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", str(limit).lower())
    if found is None:
        raise MercerError(f"memory_limit = {limit!r}; it is a number of bytes from 0, or a text such as '4GB'")
    number, unit, binary = found.groups()
    if not unit and number.isdigit():
        return int(number)
    return int(float(number) * (1024 if binary else 1000) ** " kmgt".index(unit or " "))


def threads(n_jobs: int | None) -> int | None:
    """Threads for `n_jobs` as joblib counts: None for the engine's choice, −1 for all cores, −2 for all but one.

    At most as many as there are cores: more gain nothing, and results do not depend on their number.
    """
    if n_jobs is None:
        return None
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning")
    cores = int(cpu_count())
    return min(n_jobs, cores) if n_jobs > 0 else max(1, cores + 1 + n_jobs)
