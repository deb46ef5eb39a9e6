"""Measures of the support: how well the non-zeros of w agree with those of the true w*."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from aucbench.errors import DataError
from aucbench.kernels.vectors import floats


def support_recall(w: ArrayLike, w_true: ArrayLike) -> float:
    """Recall |supp w ∩ supp w*| / |supp w*|.

    Parameters
    ----------
    w, w_true : arrays of shape (d,)
        Weights, and the true weights w*, of which at least one is not 0.

    Raises
    ------
    DataError
        When shapes differ, when all true weights are 0, or a weight is masked.
    """
    both, _, true = _sizes(w, w_true)
    return both / true


def support_precision(w: ArrayLike, w_true: ArrayLike) -> float:
    """Precision |supp w ∩ supp w*| / |supp w|, 0 for w = 0; arguments as `support_recall`."""
    both, size, _ = _sizes(w, w_true)
    return both / max(1, size)


def support_f1(w: ArrayLike, w_true: ArrayLike) -> float:
    """F1 = 2 |supp w ∩ supp w*| / (|supp w| + |supp w*|); arguments as `support_recall`."""
    both, size, true = _sizes(w, w_true)
    return 2 * both / (size + true)


def support_jaccard(w: ArrayLike, w_true: ArrayLike) -> float:
    """Jaccard index |supp w ∩ supp w*| / |supp w ∪ supp w*|; arguments as `support_recall`."""
    both, size, true = _sizes(w, w_true)
    return both / (size + true - both)


def _sizes(w: ArrayLike, w_true: ArrayLike) -> tuple[int, int, int]:
    """Return the sizes of supp w ∩ supp w*, of supp w and of supp w*."""
    own, true = (floats(name, values) != 0 for name, values in (("w", w), ("w_true", w_true)))
    if own.shape != true.shape or not true.any():
        raise DataError(
            f"w has shape {own.shape} and w_true has shape {true.shape} and "
            f"{np.count_nonzero(true)} non-zeros; give equal shapes and at least one non-zero"
        )
    both, of_w, of_true = map(np.count_nonzero, (own & true, own, true))
    return int(both), int(of_w), int(of_true)
