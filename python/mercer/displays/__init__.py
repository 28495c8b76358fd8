"""Pictures of estimators, searches, kernels and losses: as SVG by themselves, and on axes of matplotlib.

A display holds a view: what is to be seen, as plain data. The command draws the same views. In a notebook a display
shows itself; `plot` draws it on axes of matplotlib, which is needed for nothing else.
"""

from mercer.displays._display import Display
from mercer.displays._judged import ReliabilityDisplay, ResidualsDisplay, RocDisplay
from mercer.displays._machines import GeometryDisplay, LossesDisplay, TraceDisplay
from mercer.displays._matrices import GramDisplay, SpectrumDisplay
from mercer.displays._planes import BoundaryDisplay, CurveDisplay, SweepDisplay
from mercer.displays._searched import PathDisplay, TuningDisplay

__all__ = [
    "BoundaryDisplay",
    "CurveDisplay",
    "Display",
    "GeometryDisplay",
    "GramDisplay",
    "LossesDisplay",
    "PathDisplay",
    "ReliabilityDisplay",
    "ResidualsDisplay",
    "RocDisplay",
    "SpectrumDisplay",
    "SweepDisplay",
    "TraceDisplay",
    "TuningDisplay",
]
