"""Kernels as values: algebra, language, values against NumPy and scikit-learn, checks."""

import copy
import inspect
import pickle
import signal
import threading
import time

import mercer
import numpy as np
import pandas as pd
import pytest
from mercer import _mercer, kernels, maps
from mercer.exceptions import KernelError, MemoryBudgetError, MercerError
from sklearn import svm
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.metrics import pairwise

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = RNG.normal(size=(17, 3))
POSITIVE = np.abs(X)

#: Kernels, what scikit-learn or a formula says of them, and points of their domain.
ORACLES = [
    ("linear", pairwise.linear_kernel, X),
    ("rbf(gamma=0.7)", lambda a, b: pairwise.rbf_kernel(a, b, gamma=0.7), X),
    ("rbf(sigma=0.5)", lambda a, b: pairwise.rbf_kernel(a, b, gamma=2.0), X),
    ("poly(degree=4, gamma=0.3, offset=2)", lambda a, b: pairwise.polynomial_kernel(a, b, 4, 0.3, 2), X),
    ("sigmoid(gamma=0.3, offset=-1)", lambda a, b: pairwise.sigmoid_kernel(a, b, 0.3, -1), X),
    ("laplace(scale=2)", lambda a, b: pairwise.laplacian_kernel(a, b, gamma=0.5), X),
    ("cosine", pairwise.cosine_similarity, X),
    ("chi2(gamma=0.4)", lambda a, b: pairwise.chi2_kernel(a, b, gamma=0.4), POSITIVE),
    ("quadratic", lambda a, b: a @ b.T + (a @ b.T) ** 2, X),
    ("intersection", lambda a, b: np.minimum(a[:, None], b[None]).sum(axis=2), POSITIVE),
    ("matern(nu=0.5, scale=2)", lambda a, b: np.exp(-pairwise.euclidean_distances(a, b) / 2), X),
]

EXPRESSIONS = [
    kernels.rbf(sigma=1) + kernels.linear(),
    0.5 * kernels.rbf(gamma=2) * kernels.poly(degree=2),
    (kernels.linear() + 1) ** 3,
    kernels.normalize(kernels.poly(degree=2)),
    kernels.exp(0.1 * kernels.linear()),
    kernels.rbf(sigma=1) @ "standardize",
    kernels.rbf(sigma=1)["a", "b c"] + kernels.delta()['say "hi"\\'],
    kernels.outer(maps.polynomial(degree=2)),
    kernels.linear() @ maps.nystrom(kernel=kernels.laplace(scale=2), m=5),
    kernels.spectrum(k=4) * 2,
]


@pytest.mark.parametrize(("text", "oracle", "points"), ORACLES, ids=[row[0] for row in ORACLES])
def test_values_are_those_of_the_formula(text, oracle, points):
    kernel = kernels.parse(text)
    other = np.abs(Y) if points is POSITIVE else Y
    np.testing.assert_allclose(kernel(points), oracle(points, points), rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(kernel(points, other), oracle(points, other), rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(kernel.diagonal(points), np.diag(oracle(points, points)), rtol=1e-9)
    single = kernel(points.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, oracle(points, points), rtol=1e-4, atol=1e-5)


def test_the_algebra_is_that_of_matrices():
    a, b = kernels.rbf(sigma=1.5), kernels.poly(degree=2)
    matrix_a, matrix_b = a(X), b(X)
    close = np.testing.assert_allclose
    close((a + b)(X), matrix_a + matrix_b, rtol=1e-12)
    close((a * b)(X), matrix_a * matrix_b, rtol=1e-12)
    close((3 * a)(X), 3 * matrix_a, rtol=1e-12)
    close((a * 3)(X), 3 * matrix_a, rtol=1e-12)
    close((np.float64(3) * a)(X), 3 * matrix_a, rtol=1e-12)
    close((a + 2)(X), matrix_a + 2, rtol=1e-12)
    close((2 + a)(X), matrix_a + 2, rtol=1e-12)
    close((b**3)(X), matrix_b**3, rtol=1e-11)
    close(kernels.exp(0.5 * a)(X), np.exp(0.5 * matrix_a), rtol=1e-12)
    close(
        kernels.normalize(b)(X),
        matrix_b / np.sqrt(np.outer(np.diag(matrix_b), np.diag(matrix_b))),
        rtol=1e-12,
    )
    close(a[0, 2](X), a(X[:, [0, 2]]), rtol=1e-12)
    standardized = (X - X.mean(axis=0)) / X.std(axis=0)
    close((a @ "standardize")(X), a(standardized), rtol=1e-10)
    close(sum([a, b, a])(X), 2 * matrix_a + matrix_b, rtol=1e-12)


def test_a_product_of_sums_keeps_its_parentheses():
    a, b, c = kernels.linear(), kernels.rbf(sigma=1), kernels.poly(degree=2)
    np.testing.assert_allclose(((a + b) * c)(X), (a(X) + b(X)) * c(X), rtol=1e-12)
    np.testing.assert_allclose(((a * b) ** 2)(X), (a(X) * b(X)) ** 2, rtol=1e-11)
    np.testing.assert_allclose((2 * (a + b))(X), 2 * (a(X) + b(X)), rtol=1e-12)


@pytest.mark.parametrize("kernel", EXPRESSIONS, ids=repr)
def test_repr_parses_to_the_same(kernel):
    again = kernels.parse(repr(kernel))
    assert again == kernel
    assert hash(again) == hash(kernel)
    assert repr(again) == repr(kernel) == str(kernel)
    for copied in (
        copy.copy(kernel),
        copy.deepcopy(kernel),
        pickle.loads(pickle.dumps(kernel)),
        clone(kernel, safe=False),
    ):
        assert copied == kernel


def test_random_expressions_print_and_parse():
    leaves = [
        kernels.linear(),
        kernels.rbf(sigma=0.1),
        kernels.matern(nu=2.5),
        kernels.spectrum(k=2),
        kernels.white(),
    ]
    random = np.random.default_rng(7)

    def grow(depth):
        if depth == 0:
            return leaves[random.integers(len(leaves))]
        step = random.integers(6)
        left = grow(depth - 1)
        if step == 0:
            return left + grow(depth - 1)
        if step == 1:
            return left * grow(depth - 1)
        if step == 2:
            return float(random.uniform(0, 1e-3)) * left
        if step == 3:
            return left ** int(random.integers(1, 5))
        return kernels.normalize(left) if step == 4 else kernels.exp(left)

    for depth in [1, 2, 3, 4] * 10:
        kernel = grow(depth)
        assert kernels.parse(repr(kernel)) == kernel


def test_different_kernels_differ():
    assert kernels.rbf(sigma=1) != kernels.rbf(sigma=2)
    assert kernels.rbf(sigma=1) != "rbf(sigma=1)"
    assert kernels.Map("quadratic") != kernels.quadratic()
    assert len({kernels.linear(), kernels.parse("linear"), kernels.rbf()}) == 2


def test_a_kernel_does_not_change():
    with pytest.raises(AttributeError):
        kernels.rbf()._text = "linear"
    with pytest.raises(AttributeError):
        kernels.rbf().anything = 1


def test_every_row_of_the_tables_has_its_function():
    for row in _mercer.kernel_table():
        made = getattr(kernels, row["name"])
        assert repr(made()) == _mercer.kernel_parse(row["name"])
        assert list(inspect.signature(made).parameters) == [p["name"] for p in row["parameters"]]
        assert row["formula"] in made.__doc__
        assert row["name"] in kernels.__all__
    for row in _mercer.map_table():
        made = getattr(maps, row["name"])
        assert repr(made()) == _mercer.map_parse(row["name"])
        assert list(inspect.signature(made).parameters) == [p["name"] for p in row["parameters"]]


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf")])
def test_numbers_that_make_no_kernel_are_refused(value):
    with pytest.raises(KernelError, match="from 0"):
        value * kernels.rbf()


def test_what_is_no_operand_is_a_type_error():
    for wrong in (
        lambda k: k + "linear",
        lambda k: k * None,
        lambda k: k**0.5,
        lambda k: k @ 3,
        lambda k: [] + k,
        list,
    ):
        with pytest.raises(TypeError):
            wrong(kernels.rbf())


def test_errors_show_the_place():
    with pytest.raises(KernelError, match="did you mean 'rbf'") as caught:
        kernels.parse("0.5*rfb + linear")
    assert "^^^" in str(caught.value)
    with pytest.raises(KernelError, match="sigma"):
        kernels.rbf(sigma=-1)
    with pytest.raises(KernelError):
        kernels.rbf(gamma=1, sigma=1)


def test_words_are_resolved_on_the_training_rows():
    gamma = 1 / (X.shape[1] * X.var())
    np.testing.assert_allclose(kernels.rbf()(X), pairwise.rbf_kernel(X, gamma=gamma), rtol=1e-12)
    np.testing.assert_allclose(kernels.rbf()(Y, X), pairwise.rbf_kernel(Y, X, gamma=gamma), rtol=1e-12)
    bound = kernels.rbf().bind(X)
    assert "gamma=" in repr(bound.kernel)
    assert "scale" not in repr(bound.kernel)
    np.testing.assert_allclose(bound(Y), pairwise.rbf_kernel(Y, gamma=gamma), rtol=1e-12)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(bound))(Y), bound(Y))
    standardized = (kernels.linear() @ "standardize").bind(X)
    scaled = (Y - X.mean(axis=0)) / X.std(axis=0)
    np.testing.assert_allclose(standardized(Y), scaled @ scaled.T, rtol=1e-9, atol=1e-12)


def test_a_gram_is_symmetric_to_the_bit_and_the_same_for_any_number_of_threads():
    points = RNG.normal(size=(333, 11))
    kernel = kernels.rbf(sigma=2) + kernels.poly(degree=3)
    for dtype in ("float64", "float32"):
        one, two = kernel(points, dtype=dtype, n_jobs=1), kernel(points, dtype=dtype, n_jobs=3)
        np.testing.assert_array_equal(one, one.T)
        np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(one, kernel(points, points, dtype=dtype))


def test_the_memory_limit_is_asked_first():
    with pytest.raises(MemoryBudgetError, match="raise memory_limit"):
        kernels.rbf()(X, memory_limit=1000)
    with pytest.raises(MemoryError):
        kernels.rbf()(X, memory_limit=1000)


def test_entries_beyond_single_precision_are_an_error():
    points = np.array([[1e12], [2e12]])
    with pytest.raises(KernelError, match="float64"):
        kernels.poly(degree=4, offset=0)(points, dtype="float32")
    assert np.isfinite(kernels.poly(degree=4, offset=0)(points)).all()


@pytest.mark.parametrize(
    "kernel",
    [
        kernels.linear(),
        kernels.quadratic(),
        kernels.poly(degree=3, gamma=0.5, offset=2),
        kernels.monomials(degree=2),
        kernels.tuples(degree=2),
        kernels.all_subsets(),
        kernels.cosine(),
        kernels.linear() @ maps.polynomial(degree=2),
        kernels.poly(degree=2) @ "standardize",
        kernels.quadratic()[0, 1],
    ],
    ids=repr,
)
def test_features_have_the_kernel_as_inner_product(kernel):
    features = kernel.features(X)
    np.testing.assert_allclose(features @ features.T, kernel(X), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("kernel", [kernels.rbf(sigma=1), kernels.linear() + kernels.rbf(), kernels.white()])
def test_kernels_without_features_say_so(kernel):
    with pytest.raises(KernelError, match="nystrom"):
        kernel.features(X)


def test_check_measures_and_shows_a_witness():
    good = kernels.rbf(sigma=1).check(X)
    assert good
    assert good.verdict == "psd"
    assert good.smallest == pytest.approx(np.linalg.eigvalsh(kernels.rbf(sigma=1)(X))[0], abs=1e-10)
    bad = kernels.sigmoid(gamma=1, offset=-1).check(X)
    assert not bad
    assert bad.verdict == "refuted"
    matrix = kernels.sigmoid(gamma=1, offset=-1)(X)[np.ix_(bad.witness_rows, bad.witness_rows)]
    assert bad.witness @ matrix @ bad.witness == pytest.approx(bad.witness_value)
    assert bad.witness_value < 0
    assert "refuted" in repr(bad)


def test_status_and_proof():
    assert kernels.rbf().status == "psd"
    assert kernels.chi2().status == "conditional"
    assert kernels.sigmoid(gamma=1, offset=-1).status == "not psd"
    assert len((kernels.rbf() + kernels.linear()).proof) == 3
    assert (kernels.rbf() @ "standardize").uses_data == ["standardize", "scale"]
    assert kernels.spectrum().domain == ["texts"]


def test_alignment_is_its_definition():
    y = np.where(X[:, 0] > 0, 1, -1)
    matrix, ideal = kernels.rbf(sigma=1)(X), np.outer(y, y)
    plain = (matrix * ideal).sum() / np.linalg.norm(matrix) / np.linalg.norm(ideal)
    assert kernels.rbf(sigma=1).align(X, y, centered=False) == pytest.approx(plain)
    center = np.eye(len(X)) - 1 / len(X)
    matrix, ideal = center @ matrix @ center, center @ ideal @ center
    centered = (matrix * ideal).sum() / np.linalg.norm(matrix) / np.linalg.norm(ideal)
    assert kernels.rbf(sigma=1).align(X, y) == pytest.approx(centered)
    names = np.where(X[:, 0] > 0, "yes", "no")
    assert kernels.rbf(sigma=1).align(X, names) == pytest.approx(centered)
    with pytest.raises(MercerError, match="40 rows, but 3 targets"):
        kernels.rbf().align(X, [0.5, 1.5, 2.5])


def test_a_kernel_is_a_kernel_of_scikit_learn_too():
    points, y = make_classification(120, 5, random_state=0)
    kernel = kernels.rbf(gamma=0.2) + 0.1 * kernels.linear()
    ours = svm.SVC(kernel=kernel).fit(points, y)
    theirs = svm.SVC(kernel=lambda a, b: pairwise.rbf_kernel(a, b, gamma=0.2) + 0.1 * a @ b.T).fit(points, y)
    np.testing.assert_allclose(ours.decision_function(points), theirs.decision_function(points), atol=1e-6)
    assert clone(ours).kernel == kernel


def test_texts_and_sparse_rows():
    texts = ["abab", "baba", "zzz"]
    counts = np.array([[2, 1, 0], [1, 2, 0], [0, 0, 2]], dtype=float)
    np.testing.assert_allclose(kernels.spectrum(k=2)(texts), counts @ counts.T)
    sparse = pytest.importorskip("scipy.sparse")
    points = sparse.random(30, 50, density=0.1, random_state=1, format="coo")
    np.testing.assert_allclose(
        kernels.rbf(gamma=0.5)(points),
        pairwise.rbf_kernel(points.toarray(), gamma=0.5),
        rtol=1e-9,
        atol=1e-12,
    )


def test_names_are_encoded_as_a_fit_does():
    pandas = pytest.importorskip("pandas")
    colours = np.array(["red", "blue", "green", "red"] * 10)
    frame = pandas.DataFrame({"size": X[:, 0], "colour": colours})
    one_hot = (colours[:, None] == np.unique(colours)).astype(float)
    kernel = kernels.rbf(gamma=0.5)
    matrix = kernel(frame)
    np.testing.assert_allclose(matrix, pairwise.rbf_kernel(np.column_stack([X[:, 0], one_hot]), gamma=0.5), rtol=1e-9)
    y = (X[:, 0] > 0) ^ (colours == "red")
    on_frame = mercer.SVC(kernel=kernel, tol=1e-6).fit(frame, y).decision_function(frame)
    on_matrix = mercer.SVC(kernel="precomputed", tol=1e-6).fit(matrix, y).decision_function(matrix)
    np.testing.assert_allclose(on_frame, on_matrix, atol=1e-4)


def test_control_c_ends_a_long_computation():
    points = RNG.normal(size=(4000, 400))
    kernel = kernels.laplace(scale=30) + kernels.exponential(scale=30)
    started = time.perf_counter()
    kernel(points, dtype="float32")
    whole = time.perf_counter() - started
    timer = threading.Timer(whole / 10, signal.raise_signal, [signal.SIGINT])
    timer.start()
    started = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        kernel(points, dtype="float32")
    assert time.perf_counter() - started < 0.8 * whole


@pytest.mark.parametrize(
    "text",
    [
        "normalize(linear)",
        "2*linear",
        "linear + 1",
        "linear^2",
        "linear*linear[a]",
        "constant(value=3)",
        "normalize(2*linear@standardize + 1)",
        "(2*linear@standardize + poly(degree=2))[a, b]",
        "((linear + 1)@standardize)@unit",
        'normalize(linear)[a, b]*(0.5*linear["c + (d]*2"] + 1)^2',
        "2*quadratic + cosine*tuples(degree=2)",
        "(size: normalize(linear))[a, b] + rest: (2*linear)",
    ],
)
def test_features_of_sums_products_and_lengths(text: str) -> None:
    """Features of a kernel that is made of others are made of theirs."""
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((20, 3)), columns=["a", "b", "c + (d]*2"])
    kernel = kernels.parse(text)
    found = kernel.features(frame)
    np.testing.assert_allclose(found @ found.T, kernel(frame), atol=1e-12)


@pytest.mark.parametrize("text", ["linear + rbf(sigma=1)", "exp(linear)", "2*rbf(sigma=1)", "poly(offset=-1)"])
def test_kernels_without_features_say_which_part_has_none(text: str) -> None:
    """The message names the part, and a map that imitates it."""
    with pytest.raises(KernelError, match=r"has no finite feature map that is known; imitate it by linear@nystrom"):
        kernels.parse(text).features(np.ones((3, 2)))


def test_features_that_fit_in_no_memory_are_refused() -> None:
    """A power of linear has a column for each tuple of columns."""
    with pytest.raises(KernelError, match="over a gigabyte"):
        (kernels.linear() ** 60).features(np.ones((3, 3)))


def test_columns_without_names_are_counted() -> None:
    """A frame whose column names are not all texts has none, as in scikit-learn."""
    x = np.random.default_rng(0).standard_normal((20, 3))
    kernel = kernels.rbf(sigma=1)[0]
    np.testing.assert_array_equal(kernel(pd.DataFrame(x)), kernel(x))
    np.testing.assert_array_equal(kernel(pd.DataFrame(x, columns=["a", 1, 2])), kernel(x))
    mixed = pd.DataFrame({7: x[:, 0], 5: ["red", "blue"] * 10})
    both = kernels.rbf(sigma=1)[0] + kernels.delta()[1]
    np.testing.assert_allclose(both(mixed), kernel(x) + np.equal.outer(mixed[5].to_numpy(), mixed[5].to_numpy()))


def test_a_check_of_no_rows_is_refused():
    """It would tell nothing."""
    with pytest.raises(MercerError, match="rows = 0; a check needs one row or more"):
        kernels.rbf().check(X, rows=0)
