"""The list of skipped tests is true."""

import mercer
import pytest
import sklearn.svm
from skipped import SKIPPED
from substitution import REPLACED, scikit_tests


@pytest.mark.parametrize("file", SKIPPED)
def test_every_skipped_test_exists(file: str, found: dict[str, set[str]]) -> None:
    """A name in the list that no test has is a mistake, or a test that scikit-learn has dropped."""
    if file not in found:
        pytest.skip(f"{file} was not looked at as a whole")
    assert set(SKIPPED[file]) <= found[file]


@pytest.mark.parametrize("file", SKIPPED)
def test_every_reason_is_a_sentence(file: str) -> None:
    """A reason begins with a capital letter and ends with a full stop."""
    for test, reason in SKIPPED[file].items():
        assert reason[0].isupper(), test
        assert reason.endswith("."), test


def test_mercer_is_what_is_tested() -> None:
    """Classes that are named and classes in modules are replaced, and scikit-learn stays as it is."""
    namespace = scikit_tests("sklearn.svm.tests.test_svm")["test_svr"].__globals__
    assert namespace["SVR"] is namespace["svm"].SVR is mercer.SVR
    assert namespace["svm"].SVC is mercer.SVC
    assert namespace["LinearSVC"] is sklearn.svm.LinearSVC
    assert not any(getattr(module, name) is getattr(mercer, name) for module in REPLACED for name in REPLACED[module])
