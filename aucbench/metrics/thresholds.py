"""Thresholds on scores: what the AUC leaves open."""

from __future__ import annotations

from math import inf, nextafter

import numpy as np
from numpy.typing import ArrayLike

from aucbench.data.arrays import Vector
from aucbench.errors import DataError, ParameterError
from aucbench.metrics.auc import checked


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
    positive, s = checked(y, scores)
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
