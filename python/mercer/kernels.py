"""Kernels as values: named ones, their algebra, and what can be asked of them.

A kernel is made of named ones (`rbf`, `poly`, `spectrum`, …), numbers and operators: ``+`` and ``*`` of kernels and of
numbers from 0, ``**`` with a whole number, ``@`` with a feature map, ``[]`` with columns. Its `repr` is its text in the
kernel language, which the command, the model files and `parse` read.

Examples
--------
>>> from mercer import kernels
>>> k = kernels.rbf(sigma=1)["age", "size"] + 2 * kernels.delta()["colour"]
>>> k
rbf(sigma=1)[age, size] + 2*delta[colour]
>>> kernels.parse(repr(k)) == k
True
"""

from __future__ import annotations

from mercer import maps
from mercer._bound import BoundKernel
from mercer._kernel import Kernel, Map
from mercer._leaves import (
    additive_chi2,
    all_subsets,
    chi2,
    constant,
    cosine,
    delta,
    exponential,
    intersection,
    laplace,
    linear,
    matern,
    monomials,
    periodic,
    poly,
    precomputed,
    quadratic,
    rbf,
    rq,
    sigmoid,
    spectrum,
    tanimoto,
    tuples,
    white,
)
from mercer._report import KernelReport

__all__ = [
    "BoundKernel",
    "Kernel",
    "KernelReport",
    "Map",
    "additive_chi2",
    "all_subsets",
    "chi2",
    "constant",
    "cosine",
    "delta",
    "exp",
    "exponential",
    "intersection",
    "laplace",
    "linear",
    "maps",
    "matern",
    "monomials",
    "normalize",
    "outer",
    "parse",
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


def parse(text: str | Kernel) -> Kernel:
    """Read an expression of the kernel language.

    Parameters
    ----------
    text : str or Kernel
        The expression; a kernel is returned as it is.

    Returns
    -------
    Kernel
        The kernel.

    Raises
    ------
    KernelError
        If it cannot be read; the message shows the place.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.parse("rbf(sigma=1)*linear + 0.5")
    rbf(sigma=1)*linear + constant(value=0.5)
    """
    return text if isinstance(text, Kernel) else Kernel(text)


def normalize(kernel: Kernel | str) -> Kernel:
    """Scale a kernel so that every point has length 1: k(x,z)/sqrt(k(x,x)·k(z,z)).

    Parameters
    ----------
    kernel : Kernel or str
        The kernel.

    Returns
    -------
    Kernel
        The normalised one.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.normalize(kernels.spectrum(k=4))
    normalize(spectrum(k=4))
    """
    return Kernel(f"normalize({kernel})")


def exp(kernel: Kernel | str) -> Kernel:
    """Exponential of a kernel: exp(k(x,z)).

    Parameters
    ----------
    kernel : Kernel or str
        The kernel.

    Returns
    -------
    Kernel
        Its exponential.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.exp(kernels.linear())
    exp(linear)
    """
    return Kernel(f"exp({kernel})")


def outer(map: Map | str) -> Kernel:
    """Inner product of the features of a map: <f(x), f(z)>.

    Parameters
    ----------
    map : Map or str
        The feature map.

    Returns
    -------
    Kernel
        The kernel that it induces.

    Examples
    --------
    >>> from mercer import kernels
    >>> kernels.outer(kernels.maps.polynomial(degree=2))
    outer(polynomial(degree=2, offset=1))
    """
    return Kernel(f"outer({map})")
