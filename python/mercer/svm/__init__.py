"""Support vector machines with the parameters and attributes of `sklearn.svm`."""

from mercer.svm._classes import SVC, NuSVC
from mercer.svm._novelty import OneClassSVM
from mercer.svm._numbers import SVR, NuSVR

__all__ = ["SVC", "SVR", "NuSVC", "NuSVR", "OneClassSVM"]
