"""The kernels that have a name, one function each; written by python/generate from the engine's tables."""

from __future__ import annotations

from typing import Literal

from mercer._kernel import Kernel, leaf

__all__ = [
    "additive_chi2",
    "all_subsets",
    "chi2",
    "constant",
    "cosine",
    "delta",
    "exponential",
    "intersection",
    "laplace",
    "linear",
    "matern",
    "monomials",
    "periodic",
    "poly",
    "precomputed",
    "quadratic",
    "rbf",
    "rq",
    "sigmoid",
    "spectrum",
    "tanimoto",
    "tuples",
    "white",
]


def linear() -> Kernel:
    """The inner product: kernel methods become their linear selves.

    ::

        k(x,z) = <x,z>

    It is evaluated on vectors. It is positive semi-definite.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.linear()
    linear
    """
    return leaf("linear")


def quadratic() -> Kernel:
    """Products of up to two coordinates.

    ::

        k(x,z) = <x,z> + <x,z>^2

    It is evaluated on vectors. It is positive semi-definite.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.quadratic()
    quadratic
    """
    return leaf("quadratic")


def poly(degree: int = 3, gamma: float = 1, offset: float = 1) -> Kernel:
    """Products of up to `degree` coordinates.

    ::

        k(x,z) = (gamma*<x,z> + offset)^degree

    It is evaluated on vectors. It is positive semi-definite.

    Parameters
    ----------
    degree : whole, 1 to 64, default=3
        Highest degree.
    gamma : more than 0, default=1
        Scale of the inner product.
    offset : any number, default=1
        Weight of the lower degrees.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.poly()
    poly(degree=3, gamma=1, offset=1)
    """
    return leaf("poly", degree=degree, gamma=gamma, offset=offset)


def rbf(
    gamma: float | Literal["scale", "median", "q10", "q25", "q75", "q90"] | None = None,
    sigma: float | None = None,
    width: float | None = None,
) -> Kernel:
    """The usual choice: smooth, local, universal.

    ::

        k(x,z) = exp(-gamma*|x-z|^2)

    It is evaluated on vectors. It is positive semi-definite.

    Parameters
    ----------
    gamma : more than 0, or scale or median or q10 or q25 or q75 or q90, default=None
        Rate; `scale` = 1/(d*var), `median` from the median distance, `q10` from its 10 % quantile; give
        this one or sigma and width; scale if none is given.
    sigma : more than 0, default=None
        Standard deviation: gamma = 1/(2*sigma^2); give this one or gamma and width.
    width : more than 0, default=None
        Gamma = 1/width^2; give this one or gamma and sigma.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.rbf()
    rbf(gamma=scale)
    """
    return leaf("rbf", gamma=gamma, sigma=sigma, width=width)


def laplace(scale: float = 1) -> Kernel:
    """Sharp at zero with long tails; robust to single odd coordinates.

    ::

        k(x,z) = exp(-|x-z|_1/scale)

    It is evaluated on vectors. It is positive semi-definite.

    Parameters
    ----------
    scale : more than 0, default=1
        Distance at which it falls to 1/e.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.laplace()
    laplace(scale=1)
    """
    return leaf("laplace", scale=scale)


def exponential(
    scale: float = 1,
    distance: Literal["euclidean", "manhattan", "hamming"] = "euclidean",
) -> Kernel:
    """The exponential of minus a distance.

    ::

        k(x,z) = exp(-distance(x,z)/scale)

    It is evaluated on vectors. It is positive semi-definite.

    Parameters
    ----------
    scale : more than 0, default=1
        Distance at which it falls to 1/e.
    distance : euclidean, manhattan, hamming, default="euclidean"
        Which distance.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.exponential()
    exponential(scale=1, distance=euclidean)
    """
    return leaf("exponential", scale=scale, distance=distance)


def matern(nu: float = 1.5, scale: float = 1) -> Kernel:
    """Smoother than the exponential, rougher than the Gaussian.

    ::

        k(x,z) = matern_nu(|x-z|/scale)

    It is evaluated on vectors. It is positive semi-definite.

    Parameters
    ----------
    nu : 0.5, 1.5, 2.5, default=1.5
        Smoothness.
    scale : more than 0, default=1
        Length scale.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.matern()
    matern(nu=1.5, scale=1)
    """
    return leaf("matern", nu=nu, scale=scale)


def rq(alpha: float = 1, scale: float = 1) -> Kernel:
    """A mixture of Gaussians of many widths.

    ::

        k(x,z) = (1 + |x-z|^2/(2*alpha*scale^2))^(-alpha)

    It is evaluated on vectors. It is positive semi-definite.

    Parameters
    ----------
    alpha : more than 0, default=1
        How heavy the tail is not.
    scale : more than 0, default=1
        Length scale.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.rq()
    rq(alpha=1, scale=1)
    """
    return leaf("rq", alpha=alpha, scale=scale)


def periodic(period: float = 1, scale: float = 1) -> Kernel:
    """What repeats: hours, seasons, angles.

    ::

        k(x,z) = exp(-2*sum sin^2(pi*(x-z)/period)/scale^2)

    It is evaluated on vectors. It is positive semi-definite.

    Parameters
    ----------
    period : more than 0, default=1
        Length of one turn.
    scale : more than 0, default=1
        Length scale.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.periodic()
    periodic(period=1, scale=1)
    """
    return leaf("periodic", period=period, scale=scale)


def cosine() -> Kernel:
    """The angle alone; lengths do not count.

    ::

        k(x,z) = <x,z>/(|x|*|z|)

    It is evaluated on vectors. It is positive semi-definite.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.cosine()
    cosine
    """
    return leaf("cosine")


def tanimoto() -> Kernel:
    """Sets and molecular fingerprints.

    ::

        k(x,z) = <x,z>/(|x|^2 + |z|^2 - <x,z>)

    It is evaluated on non-negative vectors. It is positive semi-definite where it is defined.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.tanimoto()
    tanimoto
    """
    return leaf("tanimoto")


def sigmoid(gamma: float = 1, offset: float = 0) -> Kernel:
    """For comparison with older work; not a Mercer kernel.

    ::

        k(x,z) = tanh(gamma*<x,z> + offset)

    It is evaluated on vectors. It is not positive semi-definite in general.

    Parameters
    ----------
    gamma : more than 0, default=1
        Scale of the inner product.
    offset : any number, default=0
        Shift.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.sigmoid()
    sigmoid(gamma=1, offset=0)
    """
    return leaf("sigmoid", gamma=gamma, offset=offset)


def chi2(gamma: float = 1) -> Kernel:
    """Histograms and counts.

    ::

        k(x,z) = exp(-gamma*sum (x-z)^2/(x+z))

    It is evaluated on non-negative vectors. It is positive semi-definite where it is defined.

    Parameters
    ----------
    gamma : more than 0, default=1
        How fast it falls.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.chi2()
    chi2(gamma=1)
    """
    return leaf("chi2", gamma=gamma)


def additive_chi2() -> Kernel:
    """Histograms, without a width to choose.

    ::

        k(x,z) = sum 2xz/(x+z)

    It is evaluated on non-negative vectors. It is positive semi-definite where it is defined.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.additive_chi2()
    additive_chi2
    """
    return leaf("additive_chi2")


def intersection() -> Kernel:
    """What two histograms have in common.

    ::

        k(x,z) = sum min(x,z)

    It is evaluated on non-negative vectors. It is positive semi-definite where it is defined.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.intersection()
    intersection
    """
    return leaf("intersection")


def all_subsets() -> Kernel:
    """Products over every subset of the columns.

    ::

        k(x,z) = prod (1 + x*z)

    It is evaluated on vectors. It is positive semi-definite.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.all_subsets()
    all_subsets
    """
    return leaf("all_subsets")


def monomials(degree: int = 3) -> Kernel:
    """Products of up to `degree` coordinates, all of equal weight.

    ::

        k(x,z) = sum_{r<=degree} h_r(x_1*z_1, ..., x_d*z_d)

    It is evaluated on vectors. It is positive semi-definite.

    Parameters
    ----------
    degree : whole, 1 to 32, default=3
        Highest degree.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.monomials()
    monomials(degree=3)
    """
    return leaf("monomials", degree=degree)


def tuples(degree: int = 3) -> Kernel:
    """A geometric sum of powers of the inner product.

    ::

        k(x,z) = sum_{r<=degree} <x,z>^r

    It is evaluated on vectors. It is positive semi-definite.

    Parameters
    ----------
    degree : whole, 1 to 64, default=3
        Highest degree.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.tuples()
    tuples(degree=3)
    """
    return leaf("tuples", degree=degree)


def constant(value: float = 1) -> Kernel:
    """The same for every pair; adds an offset to what a model can say.

    ::

        k(x,z) = value

    It is evaluated on anything. It is positive semi-definite.

    Parameters
    ----------
    value : 0 or more, default=1
        The value.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.constant()
    constant(value=1)
    """
    return leaf("constant", value=value)


def white() -> Kernel:
    """Noise that equal points alone share; makes a Gram matrix better conditioned.

    ::

        k(x,z) = [x = z]

    It is evaluated on anything. It is positive semi-definite.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.white()
    white
    """
    return leaf("white")


def delta() -> Kernel:
    """Whether two categories are the same.

    ::

        k(x,z) = [x = z]

    It is evaluated on categories. It is positive semi-definite.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.delta()
    delta
    """
    return leaf("delta")


def spectrum(k: int = 3) -> Kernel:
    """DNA, proteins, words: the substrings of length k that two texts share.

    ::

        k(x,z) = sum_u count_u(x)*count_u(z), |u| = k

    It is evaluated on texts. It is positive semi-definite.

    Parameters
    ----------
    k : whole, 1 to 1000000, default=3
        Length of the substrings.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.spectrum()
    spectrum(k=3)
    """
    return leaf("spectrum", k=k)


def precomputed() -> Kernel:
    """A Gram matrix that was computed elsewhere.

    ::

        k(x,z) = K[i,j]

    It is evaluated on a precomputed matrix. Whether it is positive semi-definite is measured on the data.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.precomputed()
    precomputed
    """
    return leaf("precomputed")
