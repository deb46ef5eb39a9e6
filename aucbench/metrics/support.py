"""Measures of the support: how well the non-zeros of w agree with those of the true w*."""

from __future__ import annotations

import numpy as np

from aucbench.data.arrays import Vector
from aucbench.errors import DataError


def support_recall(w: Vector, w_true: Vector) -> float:
    """Recall |supp w ∩ supp w*| / |supp w*|.

    Parameters
    ----------
    w, w_true : arrays of shape (d,)
        Weights, and the true weights w*, of which at least one is not 0.

    Raises
    ------
    DataError
        When shapes differ, or all true weights are 0.
    """
    return _overlap(w, w_true) / np.count_nonzero(w_true)


def support_precision(w: Vector, w_true: Vector) -> float:
    """Precision |supp w ∩ supp w*| / |supp w|, 0 for w = 0; arguments as `support_recall`."""
    return _overlap(w, w_true) / max(1, int(np.count_nonzero(w)))


def support_f1(w: Vector, w_true: Vector) -> float:
    """F1 = 2 |supp w ∩ supp w*| / (|supp w| + |supp w*|); arguments as `support_recall`."""
    return 2 * _overlap(w, w_true) / (np.count_nonzero(w) + np.count_nonzero(w_true))


def support_jaccard(w: Vector, w_true: Vector) -> float:
    """Jaccard index |supp w ∩ supp w*| / |supp w ∪ supp w*|; arguments as `support_recall`."""
    return _overlap(w, w_true) / np.count_nonzero((w != 0) | (w_true != 0))


def _overlap(w: Vector, w_true: Vector) -> int:
    if np.shape(w) != np.shape(w_true) or not np.any(w_true):
        raise DataError(
            f"w has shape {np.shape(w)} and w_true has shape {np.shape(w_true)} and "
            f"{np.count_nonzero(w_true)} non-zeros; give equal shapes and at least one non-zero"
        )
    return int(np.count_nonzero((w != 0) & (w_true != 0)))
