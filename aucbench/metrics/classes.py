"""Measures of more than two classes, from one score for each class."""

from __future__ import annotations

from statistics import fmean

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.data.categories import FEWEST, Categories
from aucbench.data.concordance import weighted_concordance
from aucbench.errors import DataError
from aucbench.kernels.vectors import Vector, floats, plain, row_weights


def hand_till(y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Hand and Till's M: the mean over all pairs of classes of the AUC inside the pair.

    M = 2/(K(K − 1)) Σ_{k<l} ½ (A(k|l) + A(l|k)), where A(k|l) is the share of pairs of a row of k
    and a row of l in which the row of k has the higher score of class k; ties count ½. It equals
    the mean over k of the AUC of class k against the rest with row weights 1/n_y, and is computed
    so, in O(K n log n). It is `roc_auc_score(multi_class="ovo", average="macro")` of scikit-learn,
    for scores of any scale: a column may be shifted and stretched without a change.

    Parameters
    ----------
    y : array of shape (n,)
        The number of the class of each row, from 0 to K − 1; each class has rows.
    scores : array of shape (n, K)
        A larger score in column k means that the row is more like class k.
    weights : array of shape (n,), optional
        What each row counts for, above 0.

    Raises
    ------
    DataError
        When shapes differ, a score is NaN, a class has no row, there are fewer than three, or a
        weight is not above 0.

    References
    ----------
    Hand & Till, "A simple generalisation of the area under the ROC curve for multiple class
    classification problems", Machine Learning 45, 2001.
    """
    return fmean(class_aucs(*checked_classes(y, scores, weights), even=True))


def one_vs_rest(y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Mean over the classes of the AUC of a class against all others.

    Rows count the same, so that large classes make up most of the rest. It is
    `roc_auc_score(multi_class="ovr", average="macro")` of scikit-learn. Parameters and errors are
    those of `hand_till`.
    """
    return fmean(class_aucs(*checked_classes(y, scores, weights), even=False))


def class_aucs(target: Categories, S: Vector, *, even: bool) -> list[float]:
    """Return for each class k the AUC of column k of S (n, K), class k against the rest.

    With `even`, all classes weigh the same, and the mean is Hand and Till's M.
    """
    weights = target.evened if even else target.weights
    columns = np.ascontiguousarray(S.T)
    return [weighted_concordance(target.y == k, s, weights) for k, s in enumerate(columns)]


def checked_classes(
    y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None
) -> tuple[Categories, Vector]:
    """Return the classes and the scores as float64; errors are those of `hand_till`."""
    numbers, S = plain("y", y), floats("scores", scores)
    if S.ndim != 2 or numbers.shape != S.shape[:1] or S.shape[1] < FEWEST:
        raise DataError(
            f"y has shape {numbers.shape} and the scores have {S.shape}; give n numbers of classes "
            f"and n rows of K scores, K at least {FEWEST}"
        )
    if numbers.dtype.kind not in "iu" or numbers.min() < 0 or numbers.max() >= S.shape[1]:
        raise DataError(
            f"y must have the number of the class of each row, from 0 to {S.shape[1] - 1}; number "
            "the labels in their order"
        )
    if bad := int(np.isnan(S).any(axis=1).sum()):
        raise DataError(f"{bad} row(s) have a score that is NaN; give numbers, or leave them out")
    names: NDArray[np.str_] = np.arange(S.shape[1]).astype(np.str_)
    target = Categories(numbers.astype(np.int32), names, row_weights(weights, numbers.size))
    target.require_pairs()
    return target, S
