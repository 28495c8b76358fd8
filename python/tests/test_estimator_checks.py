"""scikit-learn's checks of the conventions, on every estimator of the package. No failure is expected."""

from __future__ import annotations

from typing import Any

import mercer
import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks


def exported_estimators() -> list[type[BaseEstimator]]:
    """Every estimator that the package exports and that needs no other."""
    exported = (getattr(mercer, name) for name in mercer.__all__)
    classes = (value for value in exported if isinstance(value, type) and issubclass(value, BaseEstimator))
    return [value for value in classes if value is not mercer.GridSearch]


#: Other settings that go through the checks, beside the defaults of every class.
SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("SVC", {"kernel": "precomputed"}),
    ("SVC", {"kernel": "0.5*rbf(gamma=0.5) + 0.5*linear"}),
    ("NuSVC", {"kernel": "laplacian"}),
    ("SVR", {"kernel": "precomputed"}),
    ("SVR", {"kernel": "matern(nu=2.5)"}),
    ("NuSVR", {"kernel": "poly", "degree": 3}),
    ("OneClassSVM", {"kernel": "rq"}),
    ("KernelRidge", {"kernel": "rbf(gamma=0.5) * (linear + 1)"}),
    ("KernelLogistic", {"multi_class": "multinomial"}),
    ("KernelPCA", {"kernel": "rbf", "n_components": 2}),
    ("Nystroem", {"kernel": "laplacian", "n_components": 5}),
]


def instances() -> list[BaseEstimator]:
    """One of each class with its defaults, then the other settings."""
    defaults = [estimator() for estimator in exported_estimators()]
    searches = [
        mercer.GridSearch(mercer.SVC(), {"C": [0.1, 1.0], "gamma": ["scale", 1.0]}, cv=2),
        mercer.GridSearch(mercer.KernelRidge(), {"alpha": [0.1, 1.0]}, cv=2),
    ]
    return defaults + searches + [getattr(mercer, name)(**setting) for name, setting in SETTINGS]


#: Checks that change entries of a kernel matrix until it is none; Mercer refuses what is not positive semi-definite.
NOT_A_KERNEL = ("check_positive_only_tag_during_fit", "check_estimators_dtypes")


@parametrize_with_checks(instances())
def test_conventions(estimator: BaseEstimator, check: Any) -> None:
    """One check on one estimator."""
    if getattr(estimator, "kernel", None) == "precomputed" and check.func.__name__ in NOT_A_KERNEL:
        with pytest.raises(Exception, match="not positive semi-definite|raised MercerError unexpectedly"):
            check(estimator)
        return
    check(estimator)


@pytest.mark.parametrize("estimator", exported_estimators(), ids=lambda estimator: estimator.__name__)
def test_parameters_are_kept_as_given(estimator: type[BaseEstimator]) -> None:
    """What the constructor was given comes back as the same objects, whatever it is."""
    given = {name: object() for name in estimator().get_params()}
    assert estimator(**given).get_params(deep=False) == given


@pytest.mark.parametrize("estimator", exported_estimators(), ids=lambda estimator: estimator.__name__)
def test_defaults_are_scikit_learns(estimator: type[BaseEstimator]) -> None:
    """A parameter that scikit-learn's class of the same name has is here too, with the same default."""
    import sklearn.decomposition
    import sklearn.kernel_approximation
    import sklearn.kernel_ridge
    import sklearn.svm

    places = (sklearn.svm, sklearn.kernel_ridge, sklearn.decomposition, sklearn.kernel_approximation)
    peers = [getattr(place, estimator.__name__) for place in places if hasattr(place, estimator.__name__)]
    if not peers:
        pytest.skip("scikit-learn has no class of this name")
    ours, theirs = estimator().get_params(), peers[0]().get_params()
    # scikit-learn's word for "off, and about to be removed"; here the parameter is not deprecated, and off.
    theirs = {name: False if default == "deprecated" else default for name, default in theirs.items()}
    assert {name: ours[name] for name in theirs if name in ours} == theirs
