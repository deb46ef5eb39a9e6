"""How well the non-zeros of some weights agree with those of the true ones."""

from __future__ import annotations

import numpy as np

from aucbench.data.arrays import Vector
from aucbench.errors import DataError


def support_recall(w: Vector, w_true: Vector) -> float:
    """|supp w ∩ supp w*| / |supp w*|."""
    return _overlap(w, w_true) / np.count_nonzero(w_true)


def support_f1(w: Vector, w_true: Vector) -> float:
    """2 |supp w ∩ supp w*| / (|supp w| + |supp w*|): harmonic mean of precision and recall."""
    return 2 * _overlap(w, w_true) / (np.count_nonzero(w) + np.count_nonzero(w_true))


def support_jaccard(w: Vector, w_true: Vector) -> float:
    """|supp w ∩ supp w*| / |supp w ∪ supp w*|."""
    return _overlap(w, w_true) / np.count_nonzero((w != 0) | (w_true != 0))


def _overlap(w: Vector, w_true: Vector) -> int:
    if np.shape(w) != np.shape(w_true) or not np.any(w_true):
        raise DataError("supports are compared between equal shapes, and w_true is not all zero")
    return int(np.count_nonzero((w != 0) & (w_true != 0)))
