"""Test rows as statistics take them: rows of both classes, and weights whose ratios count."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from aucbench.errors import DataError
from aucbench.kernels.vectors import Mask, Vector, even, weights_of


def checked_weights(weights: ArrayLike | None, size: int) -> Vector:
    """Return weights of rows, of which only ratios count, as `even`; ones if none are given.

    Raises
    ------
    DataError
        As `weights_of`.
    """
    return np.ones(size) if weights is None else even(weights_of(weights, size))


def require_both(positive: Mask) -> None:
    """Raise `DataError` unless there is a positive and a negative row."""
    if positive.all() or not positive.any():
        which = "negative" if positive.all() else "positive"
        raise DataError(f"no row is {which}; the measure needs rows of both classes")
