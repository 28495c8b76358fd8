"""What a solution is worth, as fitted attributes show it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Certificate:
    """Bounds on how far a solution is from the optimum, computed anew from the coefficients.

    Attributes
    ----------
    primal, dual : float
        The objective of the solution, and a bound that no solution can beat.
    gap, relative_gap : float
        Their difference: the objective is at most so far above the optimum.
    violation : float
        Largest violation of the optimality conditions.
    norm : float
        Norm of f in the space of the kernel.
    offset : float
        The best offset for this f.
    level : float or None
        rho of nu-classification and the one-class machine, epsilon of nu-regression.
    support, bound : int
        Support vectors, and those at their bound.
    projected : float or None
        How far a coefficient was moved to be feasible in the dual.
    basis : str
        Whether the scores were computed again.
    convexity : dict
        What is known of the kernel: proved, measured, sampled, assumed or refuted, with the evidence.
    claim : str
        What is certified.
    holds : bool
        Whether it meets the tolerance that was asked.
    """

    primal: float
    dual: float
    gap: float
    relative_gap: float
    violation: float
    norm: float
    offset: float
    level: float | None
    support: int
    bound: int
    projected: float | None
    basis: str
    convexity: dict[str, str | None]
    claim: str
    holds: bool

    @classmethod
    def of(cls, told: dict[str, Any]) -> Certificate:
        """Read what the engine found.

        Parameters
        ----------
        told : dict
            The answer of the engine.

        Returns
        -------
        Certificate
            The same as a value.
        """
        return cls(**{field.name: told[field.name] for field in fields(cls)})

    @property
    def convex(self) -> bool:
        """Whether the kernel is not refuted; a gap bounds nothing where it is."""
        return self.convexity["status"] != "refuted"

    def __str__(self) -> str:
        kernel = {
            "proved": "the kernel is positive semi-definite by its form",
            "measured": "the kernel is positive semi-definite on the training rows, as measured",
            "sampled": "the kernel was not refuted on a sample of the training rows",
            "assumed": "nobody has measured the kernel",
            "refuted": f"the kernel is NOT positive semi-definite: {self.convexity.get('evidence')}",
        }[str(self.convexity["status"])]
        bound = (
            f"at most {self.gap:.2g} ({self.relative_gap:.1e} of it) above the optimum"
            if self.convex
            else "a local optimum perhaps, which no gap bounds"
        )
        return (
            f"objective {self.primal:.6g}, {bound}; optimality "
            f"conditions violated by at most {self.violation:.1e}; {kernel}"
        )


def worst(certificates: list[Certificate]) -> Certificate | None:
    """The certificate that promises least: no gap at all, or the largest relative one."""
    if not certificates:
        return None
    nothing = [found for found in certificates if not found.convex or found.relative_gap != found.relative_gap]
    return (nothing or [max(certificates, key=lambda found: found.relative_gap)])[0]
