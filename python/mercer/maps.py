"""The feature maps that have a name, one function each; written by python/generate from the engine's tables.

A map goes behind a kernel: ``kernels.linear() @ maps.polynomial(degree=2)``.
"""

from __future__ import annotations

from mercer._kernel import Kernel, Map, map_leaf

__all__ = [
    "buckets",
    "deviation",
    "empirical",
    "fourier",
    "homogeneous",
    "identity",
    "log",
    "minmax",
    "monomials",
    "nystrom",
    "polynomial",
    "quadratic",
    "standardize",
    "subsets",
    "tuples",
    "unit",
]


def identity() -> Map:
    """The coordinates as they are.

    ::

        f(x) = x

    Features: d. Kernel: linear.

    Returns
    -------
    Map
        The map.

    Examples
    --------
    >>> from mercer import maps
    >>> maps.identity()
    identity
    """
    return map_leaf("identity")


def quadratic() -> Map:
    """Coordinates and products of two.

    ::

        f(x) = x_i, x_i^2, sqrt(2)*x_i*x_j (i<j)

    Features: 2d + d(d-1)/2. Kernel: quadratic.

    Returns
    -------
    Map
        The map.

    Examples
    --------
    >>> from mercer import maps
    >>> maps.quadratic()
    quadratic
    """
    return map_leaf("quadratic")


def polynomial(degree: int = 3, offset: float = 1) -> Map:
    """Products of up to p coordinates.

    ::

        f(x) = all monomials of degree <= p, multinomial weights

    Features: C(d+p, p). Kernel: poly(degree=p, offset=c).

    Parameters
    ----------
    degree : whole, 1 to 1000, default=3
        Highest degree.
    offset : 0 or more, default=1
        Weight of the lower degrees.

    Returns
    -------
    Map
        The map.

    Examples
    --------
    >>> from mercer import maps
    >>> maps.polynomial()
    polynomial(degree=3, offset=1)
    """
    return map_leaf("polynomial", degree=degree, offset=offset)


def homogeneous(degree: int = 3) -> Map:
    """Products of exactly p coordinates.

    ::

        f(x) = all monomials of degree p, multinomial weights

    Features: C(d+p-1, p). Kernel: poly(degree=p, offset=0).

    Parameters
    ----------
    degree : whole, 1 to 1000, default=3
        Highest degree.

    Returns
    -------
    Map
        The map.

    Examples
    --------
    >>> from mercer import maps
    >>> maps.homogeneous()
    homogeneous(degree=3)
    """
    return map_leaf("homogeneous", degree=degree)


def tuples(degree: int = 3) -> Map:
    """One feature for every ordered tuple of columns.

    ::

        f(x) = prod x_{J_i} for every ordered tuple J of length r <= p

    Features: sum_{r<=p} d^r. Kernel: tuples(degree=p).

    Parameters
    ----------
    degree : whole, 1 to 1000, default=3
        Highest degree.

    Returns
    -------
    Map
        The map.

    Examples
    --------
    >>> from mercer import maps
    >>> maps.tuples()
    tuples(degree=3)
    """
    return map_leaf("tuples", degree=degree)


def monomials(degree: int = 3) -> Map:
    """Products of up to p coordinates, unweighted.

    ::

        f(x) = x^J for every multi-index of degree <= p, weight 1

    Features: C(d+p, p). Kernel: monomials(degree=p).

    Parameters
    ----------
    degree : whole, 1 to 1000, default=3
        Highest degree.

    Returns
    -------
    Map
        The map.

    Examples
    --------
    >>> from mercer import maps
    >>> maps.monomials()
    monomials(degree=3)
    """
    return map_leaf("monomials", degree=degree)


def subsets() -> Map:
    """One feature for every set of columns.

    ::

        f(x) = prod_{i in S} x_i for every set S of columns

    Features: 2^d. Kernel: all_subsets.

    Returns
    -------
    Map
        The map.

    Examples
    --------
    >>> from mercer import maps
    >>> maps.subsets()
    subsets
    """
    return map_leaf("subsets")


def deviation() -> Map:
    """Squared distance from the mean of the training rows.

    ::

        f(x) = (x_j - mean_j)^2

    Features: d. Kernel: by recursion.

    Returns
    -------
    Map
        The map.

    Examples
    --------
    >>> from mercer import maps
    >>> maps.deviation()
    deviation
    """
    return map_leaf("deviation")


def log() -> Map:
    """Saturating counts and amounts.

    ::

        f(x) = log(1 + x_j)

    Features: d. Kernel: by recursion.

    Returns
    -------
    Map
        The map.

    Examples
    --------
    >>> from mercer import maps
    >>> maps.log()
    log
    """
    return map_leaf("log")


def buckets(count: int = 10) -> Map:
    """Indicators of quantile ranges.

    ::

        f(x) = [x_j in bucket b]

    Features: d*count. Kernel: by recursion.

    Parameters
    ----------
    count : whole, 2 to 1000, default=10
        Buckets a column, between quantiles.

    Returns
    -------
    Map
        The map.

    Examples
    --------
    >>> from mercer import maps
    >>> maps.buckets()
    buckets(count=10)
    """
    return map_leaf("buckets", count=count)


def standardize() -> Map:
    """Mean 0 and variance 1 on the training rows.

    ::

        f(x) = (x_j - mean_j)/sd_j

    Features: d. Kernel: by recursion.

    Returns
    -------
    Map
        The map.

    Examples
    --------
    >>> from mercer import maps
    >>> maps.standardize()
    standardize
    """
    return map_leaf("standardize")


def minmax(low: float = 0, high: float = 1) -> Map:
    """A fixed range on the training rows.

    ::

        f(x) = low + (high-low)*(x_j - min_j)/(max_j - min_j)

    Features: d. Kernel: by recursion.

    Parameters
    ----------
    low : any number, default=0
        Smallest value on the training rows.
    high : any number, default=1
        Largest value on the training rows.

    Returns
    -------
    Map
        The map.

    Examples
    --------
    >>> from mercer import maps
    >>> maps.minmax()
    minmax(low=0, high=1)
    """
    return map_leaf("minmax", low=low, high=high)


def unit() -> Map:
    """Every row to length 1.

    ::

        f(x) = x/|x|

    Features: d. Kernel: cosine.

    Returns
    -------
    Map
        The map.

    Examples
    --------
    >>> from mercer import maps
    >>> maps.unit()
    unit
    """
    return map_leaf("unit")


def fourier(kernel: Kernel | str = "rbf", m: int = 100, seed: int = 0) -> Map:
    """Random Fourier features of a shift-invariant kernel.

    ::

        f(x) = sqrt(2/m)*cos(<w_l,x> + b_l)

    Features: m. Kernel: the kernel, in expectation.

    Parameters
    ----------
    kernel : a kernel, default="rbf"
        The kernel to imitate.
    m : whole, 1 to 1000000, default=100
        How many features.
    seed : whole, 0 to 9007199254740991, default=0
        Seed of the random choice.

    Returns
    -------
    Map
        The map.

    Examples
    --------
    >>> from mercer import maps
    >>> maps.fourier()
    fourier(kernel=rbf(gamma=scale), m=100, seed=0)
    """
    return map_leaf("fourier", kernel=kernel, m=m, seed=seed)


def nystrom(kernel: Kernel | str = "rbf", m: int = 100, seed: int = 0) -> Map:
    """Features from m landmark rows.

    ::

        f(x) = K_mm^(-1/2) k_m(x)

    Features: m. Kernel: the kernel, projected on m training rows.

    Parameters
    ----------
    kernel : a kernel, default="rbf"
        The kernel to imitate.
    m : whole, 1 to 100000, default=100
        How many landmarks.
    seed : whole, 0 to 9007199254740991, default=0
        Seed of the random choice.

    Returns
    -------
    Map
        The map.

    Examples
    --------
    >>> from mercer import maps
    >>> maps.nystrom()
    nystrom(kernel=rbf(gamma=scale), m=100, seed=0)
    """
    return map_leaf("nystrom", kernel=kernel, m=m, seed=seed)


def empirical(kernel: Kernel | str = "rbf", rank: int = 1000) -> Map:
    """Coordinates that reproduce the Gram matrix of the training rows.

    ::

        f(x) = rows of R with K = R*R^T (pivoted Cholesky)

    Features: rank. Kernel: the kernel itself on the training rows, when their Gram matrix has no higher rank.

    Parameters
    ----------
    kernel : a kernel, default="rbf"
        The kernel to imitate.
    rank : whole, 1 to 100000, default=1000
        At most so many features.

    Returns
    -------
    Map
        The map.

    Examples
    --------
    >>> from mercer import maps
    >>> maps.empirical()
    empirical(kernel=rbf(gamma=scale), rank=1000)
    """
    return map_leaf("empirical", kernel=kernel, rank=rank)
