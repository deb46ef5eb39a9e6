"""The area under the ROC curve of scores."""

from __future__ import annotations

from numpy.typing import ArrayLike

from aucbench.aum.loss import roc_auc
from aucbench.data.breakpoints import Breakpoints
from aucbench.data.categories import Categories
from aucbench.data.concordance import weighted_concordance
from aucbench.data.kinds import Target
from aucbench.data.targets import Labels
from aucbench.errors import DataError, UnsupportedError
from aucbench.kernels.vectors import Mask, Vector, checked_rows, row_weights
from aucbench.metrics.classes import hand_till


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


def auc_of(target: Target, scores: ArrayLike) -> float:
    """Area under the ROC curve of labels, with their weights, or of breakpoints; M of classes.

    That of breakpoints is the one of the R function `ROChange`, see `aucbench.aum.roc_auc`. It
    may lie outside [0, 1]. That of three or more classes is Hand and Till's M.

    Parameters
    ----------
    target : Labels, Breakpoints or Categories
        What was to be predicted, for n rows.
    scores : array of shape (n,), or (n, K) for K classes
        A larger score means more positive.

    Raises
    ------
    DataError
        As `auc` for labels, as `aucbench.aum.roc_auc` for breakpoints.
    """
    if isinstance(target, Labels):
        return auc(target.y, scores, target.weights)
    if isinstance(target, Breakpoints):
        return roc_auc(target, scores)
    if isinstance(target, Categories):
        return hand_till(target.y, scores, target.weights)
    raise UnsupportedError(
        f"the AUC is a measure of two classes, but the rows have {target.what}; take the "
        "concordance of their pairs"
    )


def checked_scores(y: ArrayLike, scores: ArrayLike) -> tuple[Mask, Vector]:
    """Return which rows are positive, and the scores as float64; errors are those of `auc`."""
    positive, s = checked_rows(y, scores)
    if positive.all() or not positive.any():
        raise DataError(
            "the labels are not two classes that are coded {-1, 1}, {0, 1} or as booleans; encode "
            "them so, and give both classes"
        )
    return positive, s
