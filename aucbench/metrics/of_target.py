"""The measure that stands for the AUC of each kind of target."""

from __future__ import annotations

from numpy.typing import ArrayLike

from aucbench.aum.loss import roc_auc
from aucbench.data.breakpoints import Breakpoints
from aucbench.data.categories import Categories
from aucbench.data.kinds import Target
from aucbench.data.survival import Survival
from aucbench.data.targets import Labels
from aucbench.metrics.auc import auc
from aucbench.metrics.classes import hand_till
from aucbench.metrics.order import cindex, grade_auc


def auc_of(target: Target, scores: ArrayLike) -> float:
    """Area under the ROC curve of labels or breakpoints, or what stands for it of other targets.

    That of breakpoints is the one of the R function `ROChange`, see `aucbench.aum.roc_auc`. It
    may lie outside [0, 1]. That of three or more classes is Hand and Till's M, of survival times
    Harrell's C, and of grades the share of pairs in order.

    Parameters
    ----------
    target : Labels, Breakpoints, Categories, Survival or Grades
        What was to be predicted, for n rows.
    scores : array of shape (n,), or (n, K) for K classes
        A larger score means more positive, an earlier event, or a higher grade.

    Raises
    ------
    DataError
        As `auc`, `aucbench.aum.roc_auc`, `hand_till`, `cindex` and `grade_auc`.
    """
    if isinstance(target, Labels):
        return auc(target.y, scores, target.weights)
    if isinstance(target, Breakpoints):
        return roc_auc(target, scores)
    if isinstance(target, Categories):
        return hand_till(target.y, scores, target.weights)
    if isinstance(target, Survival):
        return cindex(target.time, target.event, scores, target.weights)
    return grade_auc(target.y, scores, target.weights)
