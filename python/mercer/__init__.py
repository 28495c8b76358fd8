"""Kernel machines: exact, composable, certified."""

from mercer import datasets, kernels, maps
from mercer._files import load
from mercer._gram import Gram, gram, repair
from mercer._mercer import version as __version__
from mercer.approximation import Nystroem, RBFSampler
from mercer.decomposition import KernelPCA
from mercer.ridge import KernelRidge
from mercer.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

__all__ = [
    "SVC",
    "SVR",
    "Gram",
    "KernelPCA",
    "KernelRidge",
    "NuSVC",
    "NuSVR",
    "Nystroem",
    "OneClassSVM",
    "RBFSampler",
    "__version__",
    "datasets",
    "gram",
    "kernels",
    "load",
    "maps",
    "repair",
]
