"""Measures of quality: arrays in, float out. Only the harness calls them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.arrays import Vector
from aucbench.errors import DataError
from aucbench.kernels import ranks

MAX_PAIRS = 2**62


def auc(y: ArrayLike, scores: ArrayLike) -> float:
    """Area under the ROC curve, P(s_+ > s_-) + P(s_+ = s_-) / 2, exactly rounded counts.

    O(n log n): one sort per class and one merge in 64-bit integers.

    Parameters
    ----------
    y : array of shape (n,)
        Labels in {-1, 1}, {0, 1} or booleans.
    scores : array of shape (n,)
        Real scores; larger means more positive. Infinite scores are allowed.

    Raises
    ------
    DataError
        When shapes differ, a score is NaN, or the labels are not two known classes.
    """
    positive, s = _check(y, scores)
    pos, neg = np.sort(s[positive]), np.sort(s[~positive])
    if pos.size * neg.size > MAX_PAIRS:
        raise DataError(f"{pos.size} x {neg.size} pairs exceed 2**62; score a sample of the rows")
    return ranks.concordant_twice(pos, neg) / (2 * pos.size * neg.size)


def youden(y: ArrayLike, scores: ArrayLike) -> float:
    """Threshold t that maximises sensitivity + specificity of `score >= t` (Youden's J).

    Ties go to the largest threshold. The value lies halfway between two scores, so that
    rounding of a score does not change its side.
    """
    positive, s = _check(y, scores)
    order = np.argsort(-s, kind="stable")
    s, positive = s[order], positive[order]
    gain = np.cumsum(np.where(positive, 1 / positive.sum(), -1 / (~positive).sum()))
    ends = np.flatnonzero(np.append(s[1:] < s[:-1], True))
    best = int(ends[np.argmax(gain[ends])])
    if best + 1 == s.size:
        return float(s[best])
    return float(s[best + 1] + (s[best] - s[best + 1]) / 2)


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


def _check(y: ArrayLike, scores: ArrayLike) -> tuple[NDArray[np.bool_], Vector]:
    labels: NDArray[Any] = np.asarray(y)
    s = np.asarray(scores, dtype=np.float64)
    if labels.ndim != 1 or labels.shape != s.shape:
        raise DataError(f"y has shape {labels.shape} and scores {s.shape}; both must be (n,)")
    if labels.dtype.kind not in "biuf":
        raise DataError(f"labels of type {labels.dtype}; encode them as -1 and 1 first")
    if np.isnan(s).any():
        raise DataError(f"{np.isnan(s).sum()} score(s) are NaN; an AUC of them means nothing")
    positive = labels == 1
    count = int(positive.sum())
    others = labels[~positive]
    if not 0 < count < s.size or not ((others == others[0]).all() and others[0] in (-1, 0)):
        raise DataError("labels must hold both classes, coded {-1, 1}, {0, 1} or as booleans")
    return positive, s
