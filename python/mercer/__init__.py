"""Kernel machines: exact, composable, certified."""

from mercer._files import load
from mercer._mercer import version as __version__
from mercer.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

__all__ = ["SVC", "SVR", "NuSVC", "NuSVR", "OneClassSVM", "__version__", "load"]
