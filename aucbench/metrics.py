"""Measures of quality: arrays in, float out. Only the harness calls them."""

from __future__ import annotations

from math import inf, nextafter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.aum.loss import roc_auc
from aucbench.concordance import concordance
from aucbench.data.arrays import Vector
from aucbench.data.breakpoints import Breakpoints
from aucbench.data.targets import Labels
from aucbench.errors import DataError, ParameterError


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
    return concordance(positive, s, int(np.count_nonzero(positive)))


def auc_of(target: Labels | Breakpoints, scores: ArrayLike) -> float:
    """Area under the ROC curve of labels, or of error functions that breakpoints describe.

    Raises
    ------
    DataError
        As `auc` and as `aucbench.aum.roc_auc`, whose value may lie outside [0, 1].
    """
    return auc(target.y, scores) if isinstance(target, Labels) else roc_auc(target, scores)


def youden(y: ArrayLike, scores: ArrayLike) -> float:
    """Threshold t that maximises sensitivity + specificity of `score >= t` (Youden's J).

    Ties go to the largest threshold. The value lies halfway between two scores, so that
    rounding of a score does not change its side.
    """
    return intercept_at(y, scores)


def intercept_at(
    y: ArrayLike,
    scores: ArrayLike,
    *,
    sensitivity: float | None = None,
    specificity: float | None = None,
) -> float:
    """Threshold t of `score >= t`, which is the intercept -t of `score + intercept >= 0`.

    The AUC leaves it open. The value lies halfway between two scores; where every row is to be
    positive it is the smallest score, where none is the next number above the largest.
    O(n log n).

    Parameters
    ----------
    y, scores : arrays of shape (n,)
        As in `auc`.
    sensitivity : float, optional
        Share of the positives that must be found, in (0, 1]; t is the largest that does.
    specificity : float, optional
        Share of the negatives that must be left out, in (0, 1]; t is the smallest that does.
        With neither share t maximises their sum (Youden's J), the largest of equals.

    Raises
    ------
    ParameterError
        When both shares are given, or one is not in (0, 1].
    DataError
        As `auc`; when the negatives to be left out have an infinite score.
    """
    require_one_share(sensitivity, specificity)
    positive, s = _check(y, scores)
    order = np.argsort(-s, kind="stable")
    s, positive = s[order], positive[order]
    # Entry k of each array: the cuts[k] rows of highest score are positive; no cut parts a tie.
    cuts = np.r_[0, 1 + np.flatnonzero(np.append(s[1:] < s[:-1], True))]
    found = np.r_[0, np.cumsum(positive)][cuts]
    left = s.size - found[-1] - (cuts - found)
    if sensitivity is not None:
        best = int(np.argmax(found / found[-1] >= sensitivity))
    elif specificity is not None:
        best = int(np.flatnonzero(left / left[0] >= specificity)[-1])
    else:  # in whole numbers, so that equals are equal
        best = 1 + int(np.argmax((found * left[0] + left * found[-1])[1:]))
    return _above(s, int(cuts[best]))


def require_one_share(sensitivity: float | None, specificity: float | None) -> None:
    """Raise `ParameterError` unless at most one of them is given, in (0, 1]."""
    if sensitivity is not None and specificity is not None:
        raise ParameterError(
            f"sensitivity {sensitivity} and specificity {specificity} cannot both be prescribed: "
            "one threshold decides both; give one of them"
        )
    for name, share in (("sensitivity", sensitivity), ("specificity", specificity)):
        if share is not None and not 0 < share <= 1:
            raise ParameterError(f"{name} must be a share of the rows in (0, 1], got {share}")


def _above(s: Vector, count: int) -> float:
    """Return a number that the first `count` of the descending scores reach and no other."""
    if count == s.size:
        return float(s[-1])
    low, high = float(s[count]), float(s[count - 1]) if count else inf
    if np.isinf(low) and low > 0:
        raise DataError(
            "a negative row has an infinite score, which no threshold exceeds; scale the weights"
        )
    middle = low / 2 + high / 2 if count else nextafter(low, inf)
    return middle if low < middle <= high else high  # no number lies between, or one is infinite


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
    s = np.ascontiguousarray(scores, dtype=np.float64)
    if labels.ndim != 1 or labels.shape != s.shape:
        raise DataError(f"y has shape {labels.shape} and scores {s.shape}; both must be (n,)")
    if labels.dtype.kind not in "biuf":
        raise DataError(f"labels of type {labels.dtype}; encode them as -1 and 1 first")
    if np.isnan(s).any():
        raise DataError(f"{np.isnan(s).sum()} score(s) are NaN; an AUC of them means nothing")
    positive = np.asarray(labels == 1)
    count = np.count_nonzero(positive)
    coded = any(np.count_nonzero(labels == low) == s.size - count for low in (-1, 0))
    if not 0 < count < s.size or not coded:
        raise DataError("labels must hold both classes, coded {-1, 1}, {0, 1} or as booleans")
    return positive, s
