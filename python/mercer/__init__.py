"""Kernel machines: exact, composable, certified."""

from mercer._mercer import version as __version__

__all__ = ["__version__"]
