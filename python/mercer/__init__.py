"""Kernel machines: exact, composable, certified."""

from mercer import datasets, kernels, maps
from mercer._files import load
from mercer._gram import Gram, gram, repair
from mercer._mercer import version as __version__
from mercer.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

__all__ = [
    "SVC",
    "SVR",
    "Gram",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "__version__",
    "datasets",
    "gram",
    "kernels",
    "load",
    "maps",
    "repair",
]
