"""Thresholds on scores, which the AUC does not determine."""

from __future__ import annotations

from math import inf, nextafter

import numpy as np
from numpy.typing import ArrayLike

from aucbench.data.arrays import Vector
from aucbench.errors import DataError, ParameterError
from aucbench.metrics.auc import checked_scores


def intercept_at(
    y: ArrayLike,
    scores: ArrayLike,
    *,
    sensitivity: float | None = None,
    specificity: float | None = None,
) -> float:
    """Threshold t: a row with `score >= t` is predicted positive.

    As an intercept this is -t: `score + intercept >= 0`. The AUC does not determine it. t lies
    halfway between two scores. If all rows are predicted positive, t is the smallest score. If
    none is, t is the next float above the largest score. Time: O(n log n).

    Parameters
    ----------
    y, scores : arrays of shape (n,)
        As in `auc`.
    sensitivity : float, optional
        Share of the positives, in (0, 1], that must be predicted positive. t is the largest
        threshold with this property.
    specificity : float, optional
        Share of the negatives, in (0, 1], that must be predicted negative. t is the smallest
        threshold with this property. Without either share, t maximises their sum (Youden's J);
        of equally good thresholds it is the largest.

    Raises
    ------
    ParameterError
        When both shares are given, or when a share is not in (0, 1].
    DataError
        As `auc`, and when a negative that must be predicted negative has an infinite score.
    """
    require_one_share(sensitivity, specificity)
    positive, s = checked_scores(y, scores)
    order = np.argsort(-s, kind="stable")
    s, positive = s[order], positive[order]
    # Entry k of each array: the cuts[k] rows of highest score are positive. No cut splits a tie.
    cuts = np.r_[0, 1 + np.flatnonzero(np.append(s[1:] < s[:-1], True))]
    found = np.r_[0, np.cumsum(positive)][cuts]
    left = s.size - found[-1] - (cuts - found)
    if sensitivity is not None:
        best = int(np.argmax(found / found[-1] >= sensitivity))
    elif specificity is not None:
        best = int(np.flatnonzero(left / left[0] >= specificity)[-1])
    else:  # in whole numbers, so that equally good cuts compare as equal
        best = 1 + int(np.argmax((found * left[0] + left * found[-1])[1:]))
    return _above(s, int(cuts[best]))


def require_one_share(sensitivity: float | None, specificity: float | None) -> None:
    """Raise `ParameterError` when both shares are given, or one is not in (0, 1]."""
    if sensitivity is not None and specificity is not None:
        raise ParameterError(
            f"sensitivity {sensitivity} and specificity {specificity} are both given, but one "
            "threshold decides both; give one of them"
        )
    for name, share in (("sensitivity", sensitivity), ("specificity", specificity)):
        if share is not None and not 0 < share <= 1:
            raise ParameterError(f"{name} is {share}; give a share of the rows in (0, 1]")


def _above(s: Vector, count: int) -> float:
    """Return a threshold that exactly the first `count` of the descending scores reach."""
    if count == s.size:
        return float(s[-1])
    low, high = float(s[count]), float(s[count - 1]) if count else inf
    if np.isinf(low) and low > 0:
        raise DataError(
            "a negative row has an infinite score, and no threshold is above that; scale the "
            "weights down"
        )
    middle = low / 2 + high / 2 if count else nextafter(low, inf)
    return middle if low < middle <= high else high  # no float lies between, or a score is infinite
