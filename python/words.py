"""What python/generate says of the parameters and attributes of the estimators: each text is written once.

A name has one entry, or several, of which some are for the estimators that they name and the last is for all others.
Attributes are listed in the order of their table. `{losses}` stands for the losses of the engine's table.
"""

from __future__ import annotations

from typing import NamedTuple


class Word(NamedTuple):
    """What a name means: its type, a text, and the estimators that this is for (none named: all others)."""

    kind: str
    text: str
    only: str = ""


def word(table: dict[str, list[Word]], name: str, estimator: str) -> Word:
    """The entry for a name of an estimator."""
    for found in table.get(name, []):
        if not found.only or estimator in found.only.split():
            return found
    raise SystemExit(f"{estimator}.{name} has no text; write one in python/words.py")


SUPPORT_VECTOR = "SVC NuSVC SVR NuSVR OneClassSVM"
GRADIENT = "GradientKernel GradientKernelClassifier"
PEGASOS = "Pegasos KernelPegasos"
PAIRWISE = "KernelRidge KernelPCA Nystroem"

PARAMETERS: dict[str, list[Word]] = {
    "C": [
        Word("float", "Penalty of errors; the larger it is, the more passes are needed.", PEGASOS),
        Word("float", "Penalty of errors; large C fits the training rows closely."),
    ],
    "nu": [
        Word(
            "float",
            "Upper bound on the share of margin errors, lower bound on the share of support vectors; above 0, at most "
            "1. Where the classes leave no room for it, the most that there is room for is used, with a warning.",
            "NuSVC",
        ),
        Word(
            "float",
            "Upper bound on the share of rows outside the tube, lower bound on the share of support vectors; above 0, "
            "at most 1.",
            "NuSVR",
        ),
        Word(
            "float",
            "Upper bound on the share of training rows outside, lower bound on the share of support vectors; above 0, "
            "at most 1.",
            "OneClassSVM",
        ),
    ],
    "epsilon": [Word("float", "Half the width of the tube in which errors are free, in units of y.")],
    "quantile": [Word("float", "The share q of targets below the function, between 0 and 1; 0.5 is the median.")],
    "alpha": [
        Word(
            "float or array-like of shape (n_targets,)",
            "How much the size of the function counts against its errors; an array has one for each target. With 0 "
            "there is nothing to certify: the equations are solved as they are, by least squares where they are "
            "singular.",
            "KernelRidge",
        ),
        Word(
            "float",
            "Penalty of the ridge regression that learns the way back, for `fit_inverse_transform=True`.",
            "KernelPCA",
        ),
    ],
    "loss": [
        Word(
            '{"logistic", "hinge", "squared-hinge"}',
            "What an error costs, with the margin m = y·(f(x) + b):\n\n{losses}\n\n"
            '`predict_proba` is there for "logistic". The hinge has a kink, where gradients decide little: its gap '
            "falls "
            "with the number of steps only, to about 1e-2 or 1e-3.",
            "GradientKernelClassifier",
        ),
        Word(
            "str",
            "What an error costs, with the residual r = f(x) + b - y; a loss without its parameter has the one shown:"
            "\n\n{losses}\n\n"
            'The gap of "epsilon" and "pinball", which have kinks, where gradients decide little, falls with the '
            "number "
            "of steps only, to about 1e-2 or 1e-3.",
            "GradientKernel",
        ),
    ],
    "kernel": [
        Word(
            "str, Kernel or callable",
            'A name of scikit-learn\'s pairwise kernels ("linear", "poly", "rbf", "laplacian", "sigmoid", "cosine", '
            '"chi2", "additive_chi2", with `gamma`, `degree`, `coef0`), an expression of the kernel language such as '
            '"0.5*rbf(sigma=1) + linear", an object of `mercer.kernels`, a callable k(X, Y) on blocks of rows or '
            'k(x, y) on two rows, or "precomputed".',
            PAIRWISE,
        ),
        Word(
            "str or Kernel",
            '"linear", or "linear@map" with a feature map of the kernel language, such as "linear@standardize" or '
            '"linear@fourier(m=200)"; "linear@polynomial(degree=1)" has a constant feature, which makes an intercept.',
            "Pegasos",
        ),
        Word(
            "str, Kernel or callable",
            'A name ("linear", "poly", "rbf", "sigmoid", with the parameters below), an expression such as '
            '"0.5*rbf(sigma=1) + poly(degree=2)", an object of `mercer.kernels`, a callable `k(X, Y) -> matrix`, or '
            '"precomputed". A kernel with a constant, such as "rbf(sigma=1) + 1", has a penalised intercept.',
            "KernelPegasos",
        ),
        Word(
            "str, Kernel or callable",
            'A name ("linear", "poly", "rbf", "sigmoid", with the parameters below), an expression such as '
            '"0.5*rbf(sigma=1) + poly(degree=2)", an object of `mercer.kernels`, a callable `k(X, Y) -> matrix`, or '
            '"precomputed".',
        ),
    ],
    "degree": [
        Word("float", 'Degree of "poly".', "KernelRidge KernelPCA"),
        Word("float", 'Degree of "poly"; None is 3.', "Nystroem"),
        Word("int", 'Degree of "poly".'),
    ],
    "gamma": [
        Word(
            "float",
            'Of "rbf", "laplacian", "poly", "sigmoid" and "chi2"; None is 1/n_features, for "chi2" 1.',
            PAIRWISE,
        ),
        Word('"scale" or float', 'Of the kernel; "scale" is 1/(n_features · X.var()).', "RBFSampler"),
        Word(
            '{"scale", "auto"} or float',
            'Of "rbf", "poly" and "sigmoid": "scale" is 1/(n_features · X.var()), "auto" is 1/n_features. In a stream '
            "both are worked out on the rows of the first call of `partial_fit`.",
            "KernelPerceptron",
        ),
        Word(
            '{"scale", "auto"} or float',
            'Of "rbf", "poly" and "sigmoid": "scale" is 1/(n_features · X.var()), "auto" is 1/n_features.',
        ),
    ],
    "coef0": [
        Word("float", 'Offset of "poly" and "sigmoid"; None is 1.', "Nystroem"),
        Word("float", 'Offset of "poly" and "sigmoid".'),
    ],
    "kernel_params": [
        Word(
            "dict", "Keyword arguments for a callable, or `gamma`, `degree` and `coef0` of a named kernel.", "Nystroem"
        ),
        Word("dict", "Keyword arguments for a callable."),
    ],
    "multi_class": [
        Word(
            '{"ovo", "multinomial"}',
            'For more than two classes: "ovo" is a machine for each pair, "multinomial" one problem of all classes, '
            "whose probabilities are the softmax of the scores. Two classes have one machine in either case.",
        )
    ],
    "fit_intercept": [
        Word("bool", "Whether there is an offset b, which a mistake changes by 1.", "KernelPerceptron"),
        Word(
            "bool",
            "Whether there is an offset b, which is not penalised. Without it the share `quantile` is not kept.",
            "KernelQuantile",
        ),
        Word(
            "bool",
            "Whether there is an offset b, which is not penalised. Without it the squared loss is kernel ridge "
            "regression with alpha = 1/C.",
            "GradientKernel",
        ),
        Word("bool", "Whether there is an offset b, which is not penalised."),
    ],
    "class_weight": [
        Word(
            'dict or "balanced"',
            "What the weight of the rows of each class is multiplied by; "
            '"balanced" is n_samples/(n_classes · rows of the class).',
            "NuSVC",
        ),
        Word(
            'dict or "balanced"',
            'What C is multiplied by for each class; "balanced" is n_samples/(n_classes · rows of the class).',
        ),
    ],
    "average": [
        Word(
            "bool",
            "Whether the answer is the mean of the coefficients over all steps, and not the last ones: better where "
            "the classes overlap.",
            "KernelPerceptron",
        ),
        Word(
            "bool",
            "Whether the answer is the average of all iterates, and not the last one: steadier after few passes, but "
            "slower.",
        ),
    ],
    "keep": [Word("int", "Support vectors at most; the oldest is forgotten. None for no limit.")],
    "step": [
        Word(
            "float",
            "Length of a step, which in step t is divided by √t for a loss with kinks. None for the longest that is "
            "safe for a smooth loss, and for 2/(lambda·(t + 1)), with lambda = 1/(C·n_samples), for a loss with kinks.",
        )
    ],
    "shrinking": [Word("bool", "Accepted for compatibility; the solver decides.")],
    "probability": [
        Word(
            'bool, "platt" or "isotonic"',
            "Whether and how to fit probabilities for `predict_proba` to scores of rows that are left out, by five "
            'more fits: True and "platt" fit a sigmoid, "isotonic" a line that never falls.',
        )
    ],
    "tol": [
        Word("float", "Largest violation of the optimality conditions at which the solver ends.", SUPPORT_VECTOR),
        Word(
            "float",
            "Relative gap between the objective and its lower bound up to which `converged_` is True; the system is "
            "solved directly, so that only rounding can make it larger.",
            "LeastSquaresSVC",
        ),
        Word(
            "float",
            "Relative gap between the objective and its lower bound at which the solver ends. The gap falls like 1/t: "
            "a few hundredths is what this method is for.",
            PEGASOS,
        ),
        Word("float", "Tolerance of arpack; 0 is the precision of the machine.", "KernelPCA"),
        Word("float", "Relative gap between the objective and its lower bound at which the solver ends."),
    ],
    "cache_size": [Word("float", "Accepted for compatibility; see `memory_limit`.")],
    "verbose": [Word("bool", "Whether to print progress.")],
    "max_iter": [
        Word("int", "Newton steps at most.", "KernelLogistic"),
        Word("int", "Steps at most, each a product of K with a vector.", GRADIENT),
        Word("int", "Passes over the rows at most.", PEGASOS),
        Word("int", "Passes over the rows at most, for `fit`.", "KernelPerceptron"),
        Word("int", "Iterations of arpack at most; None is its own choice.", "KernelPCA"),
        Word("int", "Iterations of each machine at most; -1 for ten million, or a hundred a row.", "SVC NuSVC"),
        Word("int", "Iterations at most; -1 for ten million, or a hundred a row."),
    ],
    "decision_function_shape": [
        Word(
            '{"ovr", "ovo"}', "Whether `decision_function` gives a score a class or a pair, for more than two classes."
        )
    ],
    "break_ties": [
        Word("bool", "Accepted for compatibility: `predict` always agrees with `decision_function`."),
    ],
    "n_components": [
        Word("int", "How many components; None keeps all whose eigenvalue is above 0.", "KernelPCA"),
        Word("int", "How many rows are drawn, and features made.", "Nystroem"),
        Word("int", "How many features are made.", "RBFSampler"),
    ],
    "fit_inverse_transform": [Word("bool", "Whether to learn the way back from components to rows.")],
    "eigen_solver": [
        Word(
            '{"auto", "dense", "arpack", "randomized"}',
            'How eigenvectors are found; "auto" is arpack for less than 10 components of more than 200 rows, else '
            "dense.",
        )
    ],
    "iterated_power": [Word('int or "auto"', "Power iterations of the randomized solver.")],
    "remove_zero_eig": [
        Word("bool", "Whether to drop components whose eigenvalue is zero; `n_components=None` always does.")
    ],
    "copy_X": [Word("bool", "Whether to keep a copy of the training rows, and not the rows themselves.")],
    "random_state": [
        Word("int, RandomState or None", "Of the folds that probabilities are calibrated on.", "SVC NuSVC"),
        Word("int, RandomState or None", "Which rows are drawn.", PEGASOS),
        Word("int, RandomState or None", "Start of arpack and of the randomized solver.", "KernelPCA"),
        Word("int, RandomState or None", "Draws the rows; the same as scikit-learn's for the same state.", "Nystroem"),
        Word(
            "int, RandomState or None",
            "Draws directions and phases; the same as scikit-learn's for the same state.",
            "RBFSampler",
        ),
    ],
    "time_limit": [Word("float", "Seconds after which the fit ends with what there is; None for no limit.")],
    "memory_limit": [
        Word("int or str", 'Bytes for matrices, or a text such as "4GB"; None for 60 % of what is free.'),
    ],
    "n_jobs": [
        Word(
            "int",
            "Threads; None for all cores, or as OMP_NUM_THREADS says; -1 for all cores, -2 for all but one. Results do "
            "not depend on it.",
        )
    ],
}

MACHINES = "n_machines is 1 for two classes, else the number of pairs of classes"
SPARSE = "ndarray or sparse matrix of shape (n_support, n_features)"
COEFFICIENTS = "ndarray or sparse matrix of shape"

ATTRIBUTES: dict[str, list[Word]] = {
    # Transformers.
    "eigenvalues_": [Word("ndarray of shape (n_components,)", "Of the centred kernel matrix, the largest first.")],
    "eigenvectors_": [
        Word("ndarray of shape (n_samples, n_components)", "Eigenvectors of the centred kernel matrix, of length 1.")
    ],
    "components_": [
        Word(
            "ndarray or sparse matrix of shape (n_components, n_features)",
            "The rows that were drawn.",
        )
    ],
    "component_indices_": [Word("ndarray of shape (n_components,)", "Numbers of these rows among the training rows.")],
    "normalization_": [
        Word("ndarray of shape (n_components, n_components)", "Inverse root of the kernel matrix of these rows.")
    ],
    "random_weights_": [
        Word("ndarray of shape (n_features, n_components)", "Directions, drawn from the spectrum of the kernel.")
    ],
    "random_offset_": [Word("ndarray of shape (n_components,)", "Phases, drawn from 0 to 2π.")],
    "gamma_": [Word("float", "The value that `gamma` stands for.")],
    # What the solution is worth.
    "certificate_": [
        Word(
            "Certificate or None",
            "What the solution is worth: `claim` tells mistakes and margin, of the pair of classes with the worst. "
            "None after `partial_fit`, which does not look back.",
            "KernelPerceptron",
        ),
        Word(
            "Certificate or None",
            "What the solution is worth: objective, lower bound, gap, violation, and what is known of the kernel; of "
            "several targets the worst. None with `alpha=0`, or where K + alpha I has no Cholesky factor.",
            "KernelRidge",
        ),
        Word(
            "Certificate",
            "What the solution is worth: objective, lower bound, gap, violation, and what is known of the kernel.",
            "SVR NuSVR OneClassSVM GradientKernel KernelQuantile",
        ),
        Word(
            "Certificate",
            "What the solution is worth: objective, lower bound, gap, violation, and what is known of the kernel; of "
            "several machines the worst.",
        ),
    ],
    "certificates_": [
        Word("list of Certificate", "One for each target; none with `alpha=0`.", "KernelRidge"),
        Word("list of Certificate", "One for each pair of classes; none after `partial_fit`.", "KernelPerceptron"),
        Word("list of Certificate", "The one certificate.", "SVR NuSVR OneClassSVM GradientKernel KernelQuantile"),
        Word(
            "list of Certificate",
            'One for each machine; with `multi_class="multinomial"` all are that of the one problem.',
            "KernelLogistic",
        ),
        Word("list of Certificate", "One for each machine."),
    ],
    "gap_": [
        Word(
            "float",
            "0 where all training rows are on the right side, else 1; NaN after `partial_fit`.",
            "KernelPerceptron",
        ),
        Word(
            "float",
            "Relative gap of the worst target: the objective is at most this share of itself above the optimum. NaN "
            "with `alpha=0`.",
            "KernelRidge",
        ),
        Word(
            "float",
            "Relative gap of `certificate_`: the objective is at most this share of itself above the optimum.",
        ),
    ],
    "converged_": [
        Word(
            "bool",
            "Whether all training rows are on the right side; False after `partial_fit`, which does not look back.",
            "KernelPerceptron",
        ),
        Word("bool", "Whether every target is certified to a relative gap of 1e-6.", "KernelRidge"),
        Word(
            "bool",
            "Whether every certificate has a violation of at most `tol`, and nothing speaks against the kernel.",
            SUPPORT_VECTOR,
        ),
        Word("bool", "Whether every certificate has a gap of at most `tol`, and nothing speaks against the kernel."),
    ],
    "mistakes_": [
        Word(
            "int",
            "Mistakes on the way, over all calls of `partial_fit` and all pairs of classes: each row was predicted by "
            "a machine that had not seen it. Only after `partial_fit`.",
        )
    ],
    "history_": [
        Word(
            "dict of ndarray or list of dict",
            "How the solver went: `iteration`, `primal`, `dual`, `gap`, `violation`, `support` and `seconds`, one "
            "entry a report; a list of such dicts for more than two classes.",
            "SVC NuSVC KernelLogistic LeastSquaresSVC GradientKernelClassifier KernelPerceptron Pegasos KernelPegasos",
        ),
        Word(
            "dict of ndarray or list of dict",
            "How the solver went: `iteration`, `primal`, `dual`, `gap`, `violation`, `support` and `seconds`, one "
            "entry a report; a list of such dicts for several targets. Not with `alpha=0`.",
            "KernelRidge",
        ),
        Word(
            "dict of ndarray",
            "How the solver went: `iteration`, `primal`, `dual`, `gap`, `violation`, `support` and `seconds`, one "
            "entry a report.",
        ),
    ],
    "kernel_": [
        Word("Kernel", "The kernel with all words turned into numbers. Not with `alpha=0`.", "KernelRidge"),
        Word("Kernel", "The kernel with all words turned into numbers."),
    ],
    "kernel_report_": [
        Word(
            "dict",
            "Whether the kernel is positive semi-definite: `status`, `claim` and `proof` by its form, `measured` on "
            "the training rows. Not with `alpha=0`.",
            "KernelRidge",
        ),
        Word(
            "dict",
            "Whether the kernel is positive semi-definite: `status`, `claim` and `proof` by its form, `measured` on "
            "the training rows.",
        ),
    ],
    # The function.
    "classes_": [Word("ndarray of shape (n_classes,)", "Classes, sorted.")],
    "class_weight_": [
        Word("ndarray of shape (n_classes,)", "Ones: there is no `class_weight`.", "KernelPerceptron Pegasos"),
        Word("ndarray of shape (n_classes,)", "What the weight of the rows of each class was multiplied by.", "NuSVC"),
        Word("ndarray of shape (n_classes,)", "What C was multiplied by for each class."),
    ],
    "support_": [
        Word(
            "ndarray of shape (n_support,)",
            "Numbers of the training rows that are support vectors, by class.",
            "SVC NuSVC",
        ),
        Word("ndarray of shape (n_support,)", "Numbers of the training rows that are support vectors.", SUPPORT_VECTOR),
        Word(
            "ndarray of shape (n_support,)",
            "Numbers of the rows that were mistakes; in a stream they are counted from its start.",
            "KernelPerceptron",
        ),
        Word(
            "ndarray of shape (n_support,)",
            "Numbers of the training rows with a coefficient: here nearly all.",
            "KernelLogistic LeastSquaresSVC GradientKernel GradientKernelClassifier",
        ),
        Word("ndarray of shape (n_support,)", "Numbers of the training rows with a coefficient."),
    ],
    "support_vectors_": [Word(SPARSE, "These rows; of shape (0, 0) for a kernel matrix or a callable.")],
    "n_support_": [
        Word("ndarray of shape (n_classes,)", "Number of support vectors of each class.", "SVC NuSVC"),
        Word("ndarray of shape (1,)", "Number of support vectors."),
    ],
    "dual_coef_": [
        Word(
            "ndarray of shape (n_samples,) or (n_samples, n_targets)",
            "Coefficients of the training rows.",
            "KernelRidge",
        ),
        Word(
            "ndarray of shape (n_samples, n_features)",
            "Coefficients of the way back; only with `fit_inverse_transform=True`.",
            "KernelPCA",
        ),
        Word(
            f"{COEFFICIENTS} (n_classes - 1, n_support)",
            "Coefficients of the support vectors, in the order of scikit-learn: each is in one machine for each of the "
            "other classes.",
            "SVC NuSVC",
        ),
        Word(f"{COEFFICIENTS} (1, n_support)", "Coefficients of the support vectors.", "SVR NuSVR OneClassSVM"),
        Word(
            "ndarray of shape (1, n_support)",
            "Coefficients of these rows.",
            "GradientKernel KernelQuantile",
        ),
        Word(
            "ndarray of shape (n_machines, n_support)",
            f"Coefficients of these rows; {MACHINES}: (0,1), (0,2), …, (1,2), …, or of classes with "
            '`multi_class="multinomial"`. The score of a pair is above 0 for its first class; where there are only two '
            "classes, it is above 0 for the second.",
            "KernelLogistic",
        ),
        Word(
            "ndarray of shape (n_machines, n_support)",
            f"Coefficients of these rows; {MACHINES}: (0,1), (0,2), …, (1,2), …. The score of a pair is above 0 for "
            "its first class; where there are only two, it is above 0 for the second.",
        ),
    ],
    "intercept_": [
        Word("ndarray of shape (1,)", "The offset b.", "SVR NuSVR GradientKernel KernelQuantile"),
        Word("ndarray of shape (1,)", "Minus `offset_`.", "OneClassSVM"),
        Word("ndarray of shape (n_machines,)", "Zeros: this method has no intercept.", PEGASOS),
        Word("ndarray of shape (n_machines,)", f"Offsets b; {MACHINES}.", "SVC NuSVC"),
        Word("ndarray of shape (n_machines,)", "Offsets b."),
    ],
    "offset_": [Word("ndarray of shape (1,)", "What `score_samples` is compared with: from it up is inside.")],
    "coef_": [
        Word(
            "ndarray or sparse matrix of shape (n_machines, n_features)",
            'Weights of the features; only for `kernel="linear"`.',
            "SVC NuSVC",
        ),
        Word(
            "ndarray of shape (n_machines, n_features)",
            'Weights of the features; only for `kernel="linear"`.',
            "Pegasos",
        ),
        Word(
            "ndarray or sparse matrix of shape (1, n_features)", 'Weights of the features; only for `kernel="linear"`.'
        ),
    ],
    "X_fit_": [
        Word(
            "ndarray or sparse matrix of shape (n_samples, n_features)",
            'The training rows; the kernel matrix for `kernel="precomputed"`.',
        )
    ],
    "X_transformed_fit_": [
        Word(
            "ndarray of shape (n_samples, n_components)",
            "Coordinates of the training rows; only with `fit_inverse_transform=True`.",
        )
    ],
    # How it came about.
    "n_iter_": [
        Word("ndarray of shape (n_machines,)", "Iterations of each machine.", "SVC NuSVC"),
        Word("int", "Newton steps of the machine that took most.", "KernelLogistic"),
        Word("int", "1: the system is solved directly.", "LeastSquaresSVC"),
        Word("int", "Passes over the rows, of the machine that took most.", PEGASOS),
        Word(
            "int",
            "Passes over the rows, of the pair of classes that took most; 1 after `partial_fit`.",
            "KernelPerceptron",
        ),
        Word("int", "Steps of the machine that took most.", "GradientKernelClassifier"),
        Word("int", "Steps.", "GradientKernel"),
        Word("int", "Iterations of the solver."),
    ],
    "fit_status_": [
        Word(
            "int",
            "0 where the solver came to its end; 1 where a limit, Ctrl-C or rounding ended it before.",
            SUPPORT_VECTOR,
        ),
        Word(
            "int",
            "0 where the equations were solved; 1 where `time_limit` or Ctrl-C ended the fit before.",
            "KernelRidge",
        ),
        Word("int", "0 where `converged_`, else 1."),
    ],
    "shape_fit_": [
        Word("tuple of int", "Shape of the training rows. Not with `alpha=0`.", "KernelRidge"),
        Word("tuple of int", "Shape of the rows that were seen so far.", "KernelPerceptron"),
        Word("tuple of int", "Shape of the training rows."),
    ],
    "n_features_in_": [Word("int", "Number of columns of the training rows.")],
    "feature_names_in_": [
        Word(
            "ndarray of shape (n_features_in_,)",
            "Names of the columns; only where the training rows came with names that are texts.",
        )
    ],
}

#: Notes on estimators that no learner of the table is behind.
NOTES = {
    "KernelPCA": (
        "Time O(n^3) with the dense solver, O(n^2) a component and iteration with the others, for n rows; the kernel "
        "matrix is held. Kernels: docs/maths.md §1.2."
    ),
    "Nystroem": (
        "Time O(m^3) to fit and O(m d + m^2) a row to transform, for m components and d features. The kernel language "
        "has such features as the map `nystrom`. Mathematics: docs/maths.md §1.1."
    ),
    "RBFSampler": (
        "Time O(m d) a row, for m components and d features. The kernel language has such features, of any "
        "shift-invariant kernel, as the map `fourier`. Mathematics: docs/maths.md §1.1."
    ),
}

#: What the letters in the times of learners stand for.
LETTERS = {"n": "rows", "s": "support vectors", "d": "features"}
