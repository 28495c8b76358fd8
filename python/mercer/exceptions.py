"""What can go wrong in the engine."""

from __future__ import annotations


class MercerError(ValueError):
    """What the engine says when it cannot do what was asked."""


class KernelError(MercerError):
    """A kernel expression that cannot be read, or that does not fit the points."""


class MemoryBudgetError(MercerError, MemoryError):
    """What was asked needs more memory than the budget allows; the message says what to do instead."""


class KernelWarning(UserWarning):
    """A kernel that is not positive semi-definite where it is used."""
