"""Warnings that point at the line of the user's, whatever lies between."""

from __future__ import annotations

import os
import sys
import warnings

import sklearn

#: What is not the user's.
_OURS = tuple(os.path.join(os.path.dirname(module), "") for module in (__file__, sklearn.__file__))


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the nearest caller outside this package and scikit-learn."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OURS):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
