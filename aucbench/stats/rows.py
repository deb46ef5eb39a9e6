"""Test rows as statistics take them: which are positive, their scores, their weights."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.errors import DataError

Vector: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]


def checked_rows(y: ArrayLike, scores: ArrayLike) -> tuple[Mask, Vector]:
    """Return which rows are positive, and the scores as float64; one class alone is allowed.

    Raises
    ------
    DataError
        When shapes differ, when labels are not coded {-1, 1}, {0, 1} or as booleans, or when a
        score is NaN.
    """
    labels: NDArray[Any] = np.asarray(y)
    s = np.asarray(scores, dtype=np.float64)
    if labels.ndim != 1 or labels.shape != s.shape:
        raise DataError(
            f"y has shape {labels.shape} and scores have shape {s.shape}; both must be (n,)"
        )
    positive = np.asarray(labels == 1)
    count = np.count_nonzero(positive)
    if not any(np.count_nonzero(labels == low) == s.size - count for low in (-1, 0)):
        raise DataError("the labels are not coded {-1, 1}, {0, 1} or as booleans; encode them so")
    if np.isnan(s).any():
        raise DataError(
            f"{np.isnan(s).sum()} score(s) are NaN; give numbers, or leave the rows out"
        )
    return positive, s


def checked_weights(weights: ArrayLike | None, size: int) -> Vector:
    """Return weights of rows as float64, ones if none are given.

    Raises
    ------
    DataError
        When the shape is not (size,), or when a weight is not finite and above 0.
    """
    if weights is None:
        return np.ones(size)
    w = np.asarray(weights, dtype=np.float64)
    if w.shape != (size,):
        raise DataError(f"weights have shape {w.shape}; they must be ({size},), one for each row")
    if not (np.isfinite(w) & (w > 0)).all():
        raise DataError("a weight is not finite and above 0; leave rows of weight 0 out")
    return w


def require_both(positive: Mask) -> None:
    """Raise `DataError` unless there is a positive and a negative row."""
    if positive.all() or not positive.any():
        which = "negative" if positive.all() else "positive"
        raise DataError(f"no row is {which}; the measure needs rows of both classes")
