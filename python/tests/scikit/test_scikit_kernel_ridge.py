"""The tests of `sklearn.tests.test_kernel_ridge`, run against Mercer."""

from substitution import scikit_tests

globals().update(scikit_tests("sklearn.tests.test_kernel_ridge"))
