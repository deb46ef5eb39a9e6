"""The area under the ROC curve of scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.aum.loss import roc_auc
from aucbench.data.arrays import Vector
from aucbench.data.breakpoints import Breakpoints
from aucbench.data.concordance import weighted_concordance
from aucbench.data.targets import Labels
from aucbench.data.ties import row_weights
from aucbench.errors import DataError


def auc(y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Area under the ROC curve: P(s_+ > s_-) + P(s_+ = s_-) / 2.

    Without weights the pairs are counted exactly, in 64-bit integers. With weights v, a pair counts
    v_i v_j, as in `sklearn.metrics.roc_auc_score` with `sample_weight`. Time: O(n log n).

    Parameters
    ----------
    y : array of shape (n,)
        Labels in {-1, 1}, {0, 1} or booleans.
    scores : array of shape (n,)
        A larger score means more positive. Infinite scores are allowed.
    weights : array of shape (n,), optional
        What each row counts for, above 0.

    Raises
    ------
    DataError
        When shapes differ, when a score is NaN, when the labels do not hold both classes, or when
        a weight is not above 0.
    """
    positive, s = checked_scores(y, scores)
    return weighted_concordance(positive, s, row_weights(weights, s.size))


def auc_of(target: Labels | Breakpoints, scores: ArrayLike) -> float:
    """Area under the ROC curve of labels, with their weights, or of breakpoints.

    That of breakpoints is the one of the R function `ROChange`, see `aucbench.aum.roc_auc`. It
    may lie outside [0, 1].

    Parameters
    ----------
    target : Labels or Breakpoints
        What was to be predicted, for n rows.
    scores : array of shape (n,)
        A larger score means more positive.

    Raises
    ------
    DataError
        As `auc` for labels, as `aucbench.aum.roc_auc` for breakpoints.
    """
    if isinstance(target, Labels):
        return auc(target.y, scores, target.weights)
    return roc_auc(target, scores)


def checked_scores(y: ArrayLike, scores: ArrayLike) -> tuple[NDArray[np.bool_], Vector]:
    """Return which rows are positive, and the scores as float64; errors are those of `auc`."""
    labels: NDArray[Any] = np.asarray(y)
    s = np.ascontiguousarray(scores, dtype=np.float64)
    if labels.ndim != 1 or labels.shape != s.shape:
        raise DataError(
            f"y has shape {labels.shape} and scores have shape {s.shape}; both must be (n,)"
        )
    if labels.dtype.kind not in "biuf":
        raise DataError(f"labels have the type {labels.dtype}; encode them as -1 and 1 first")
    if np.isnan(s).any():
        raise DataError(
            f"{np.isnan(s).sum()} score(s) are NaN; give numbers, or leave the rows out"
        )
    positive = np.asarray(labels == 1)
    count = np.count_nonzero(positive)
    coded = any(np.count_nonzero(labels == low) == s.size - count for low in (-1, 0))
    if not 0 < count < s.size or not coded:
        raise DataError(
            "the labels are not two classes that are coded {-1, 1}, {0, 1} or as booleans; encode "
            "them so, and give both classes"
        )
    return positive, s
