"""Every test of scikit-learn that is not run against Mercer, and why not.

Keys are the name of the file here and the name of a test, with its parameters where only that case is meant.
A name that no test has fails the run (`test_skipped.py`), so that the list stays true. With the variable
`RUN_SKIPPED` set they are run all the same.
"""

LINEAR = "Tests only LinearSVC or LinearSVR, which Mercer does not replace."
OTHER_ARRAYS = "Tests arrays of libraries other than NumPy, which Mercer does not take."
PRIVATE = "Reads or writes a private array of scikit-learn's; Mercer's models are kept in the engine."
SOLVED = "Mercer solves this problem within the limit, so that there is nothing to warn of."
AGREE = "Asks that `predict` contradicts `decision_function` unless `break_ties` is set; in Mercer they agree always."
NOT_DEPRECATED = (
    "Tests the end of `probability` in scikit-learn; Mercer's is calibrated, agrees with `predict`, and stays."
)
SPARSE_TOO = "Asks that a model of dense rows refuses sparse ones; Mercer predicts them."
EARLIER = "A callable that returns a matrix of the wrong shape is refused by `fit` already, not first by `predict`."
SQUARE = (
    "Its callable is right for the whole training set only; Mercer calls a kernel on blocks, rows by support vectors."
)
LAST_BITS = (
    "Asks that dense and sparse rows lead to coefficients within 1e-7 of each other. Their entries differ by rounding, "
    "so that the solver takes other steps to the same optimum, and the coefficients differ by a little more than that."
)
SAMPLER = "Tests only a sampler that Mercer does not replace."

SKIPPED: dict[str, dict[str, str]] = {
    "test_scikit_svm.py": {
        "test_bad_input": SPARSE_TOO,
        "test_crammer_singer_binary": LINEAR,
        "test_custom_kernel_not_array_input[SVC]": SQUARE,
        "test_dense_liblinear_intercept_handling": LINEAR,
        "test_dual_auto": LINEAR,
        "test_dual_auto_edge_cases": LINEAR,
        "test_gamma_scale": PRIVATE,
        "test_liblinear_set_coef": LINEAR,
        "test_libsvm_convergence_warnings": SOLVED,
        "test_linear_svm_convergence_warnings": LINEAR,
        "test_linearsvc": LINEAR,
        "test_linearsvc_crammer_singer": LINEAR,
        "test_linearsvc_fit_sampleweight": LINEAR,
        "test_linearsvc_iris": LINEAR,
        "test_linearsvc_parameters": LINEAR,
        "test_linearsvc_verbose": LINEAR,
        "test_linearsvm_liblinear_sample_weight": LINEAR,
        "test_linearsvr_fit_sampleweight": LINEAR,
        "test_lsvc_intercept_scaling_zero": LINEAR,
        "test_probability_raises_futurewarning": NOT_DEPRECATED,
        "test_svc_nusvc_probA_probB_deprecated": NOT_DEPRECATED,
        "test_svc_ovr_tie_breaking": AGREE,
        "test_svc_raises_error_internal_representation": PRIVATE,
        "test_svr_errors": EARLIER,
        "test_tweak_params": PRIVATE,
    },
    "test_scikit_svm_sparse.py": {
        "test_linearsvc": LINEAR,
        "test_linearsvc_iris": LINEAR,
        "test_sparse_liblinear_intercept_handling": LINEAR,
        "test_sparse_oneclasssvm[csr_matrix-rbf-X_train2-None-X_test2]": LAST_BITS,
        "test_sparse_oneclasssvm[csr_matrix-rbf-X_train3-None-X_test3]": LAST_BITS,
        "test_sparse_oneclasssvm[csr_array-rbf-X_train2-None-X_test2]": LAST_BITS,
        "test_sparse_oneclasssvm[csr_array-rbf-X_train3-None-X_test3]": LAST_BITS,
        "test_sparse_oneclasssvm[lil_matrix-rbf-X_train2-None-X_test2]": LAST_BITS,
        "test_sparse_oneclasssvm[lil_matrix-rbf-X_train3-None-X_test3]": LAST_BITS,
        "test_sparse_oneclasssvm[lil_array-rbf-X_train2-None-X_test2]": LAST_BITS,
        "test_sparse_oneclasssvm[lil_array-rbf-X_train3-None-X_test3]": LAST_BITS,
        "test_timeout": SOLVED,
    },
    "test_scikit_kernel_ridge.py": {},
    "test_scikit_kernel_pca.py": {},
    "test_scikit_kernel_approximation.py": {
        "test_additive_chi2_sampler": SAMPLER,
        "test_additive_chi2_sampler_exceptions": SAMPLER,
        "test_additive_chi2_sampler_sample_steps": SAMPLER,
        "test_additive_chi2_sampler_wrong_sample_steps": SAMPLER,
        "test_additivechi2sampler_get_feature_names_out": SAMPLER,
        "test_get_feature_names_out[PolynomialCountSketch]": SAMPLER,
        "test_get_feature_names_out[SkewedChi2Sampler]": SAMPLER,
        "test_nystroem_approximation_array_api": OTHER_ARRAYS,
        "test_polynomial_count_sketch": SAMPLER,
        "test_polynomial_count_sketch_dense_sparse": SAMPLER,
        "test_skewed_chi2_sampler": SAMPLER,
        "test_skewed_chi2_sampler_dtype_equivalence": SAMPLER,
        "test_skewed_chi2_sampler_fitted_attributes_dtype": SAMPLER,
    },
}
