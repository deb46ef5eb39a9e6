"""The area under the ROC curve of scores."""

from __future__ import annotations

from numpy.typing import ArrayLike

from aucbench.data.concordance import weighted_concordance
from aucbench.errors import DataError
from aucbench.kernels.vectors import Mask, Vector, checked_rows, row_weights


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


def checked_scores(y: ArrayLike, scores: ArrayLike) -> tuple[Mask, Vector]:
    """Return which rows are positive, and the scores as float64; errors are those of `auc`."""
    positive, s = checked_rows(y, scores)
    if positive.all() or not positive.any():
        raise DataError(
            "the labels are not two classes that are coded {-1, 1}, {0, 1} or as booleans; encode "
            "them so, and give both classes"
        )
    return positive, s
