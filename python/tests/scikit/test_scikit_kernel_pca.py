"""The tests of `sklearn.decomposition.tests.test_kernel_pca`, run against Mercer."""

from substitution import scikit_tests

globals().update(scikit_tests("sklearn.decomposition.tests.test_kernel_pca"))
