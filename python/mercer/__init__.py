"""Kernel machines: exact, composable, certified."""

from mercer import datasets, displays, kernels, maps
from mercer._files import load
from mercer._gram import Gram, gram, repair
from mercer._mercer import version as __version__
from mercer._page import Report, report
from mercer.approximation import Nystroem, RBFSampler
from mercer.classifiers import GradientKernelClassifier, KernelLogistic, LeastSquaresSVC
from mercer.decomposition import KernelPCA
from mercer.grid import GridSearch
from mercer.pegasos import KernelPegasos, Pegasos
from mercer.perceptron import KernelPerceptron
from mercer.regressors import GradientKernel, KernelQuantile
from mercer.ridge import KernelRidge
from mercer.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from mercer.tuning import Found, tune

__all__ = [
    "SVC",
    "SVR",
    "Found",
    "GradientKernel",
    "GradientKernelClassifier",
    "Gram",
    "GridSearch",
    "KernelLogistic",
    "KernelPCA",
    "KernelPegasos",
    "KernelPerceptron",
    "KernelQuantile",
    "KernelRidge",
    "LeastSquaresSVC",
    "NuSVC",
    "NuSVR",
    "Nystroem",
    "OneClassSVM",
    "Pegasos",
    "RBFSampler",
    "Report",
    "__version__",
    "datasets",
    "displays",
    "gram",
    "kernels",
    "load",
    "maps",
    "repair",
    "report",
    "tune",
]
