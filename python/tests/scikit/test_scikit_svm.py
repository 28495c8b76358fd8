"""The tests of `sklearn.svm.tests.test_svm`, run against Mercer."""

from substitution import scikit_tests

globals().update(scikit_tests("sklearn.svm.tests.test_svm"))
