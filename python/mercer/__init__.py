"""Kernel machines: exact, composable, certified."""

from mercer._files import load
from mercer._mercer import version as __version__
from mercer.classifiers import GradientKernelClassifier, KernelLogistic, LeastSquaresSVC
from mercer.pegasos import KernelPegasos, Pegasos
from mercer.regressors import GradientKernel, KernelQuantile
from mercer.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

__all__ = [
    "SVC",
    "SVR",
    "GradientKernel",
    "GradientKernelClassifier",
    "KernelLogistic",
    "KernelPegasos",
    "KernelQuantile",
    "LeastSquaresSVC",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "Pegasos",
    "__version__",
    "load",
]
