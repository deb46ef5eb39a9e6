"""Measures of more than two classes, from one score for each class."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.data.categories import FEWEST, Categories, ordered_labels
from aucbench.data.concordance import weighted_concordance
from aucbench.errors import DataError, ParameterError
from aucbench.stats.labels import counted, label_vector, several
from aucbench.stats.rows import counted_rows
from aucbench.stats.vectors import Vector, floats

Average: TypeAlias = Literal["macro", "weighted"]
AVERAGES = ("macro", "weighted", None)


@overload
def hand_till(
    y: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    labels: Sequence[Any] | None = None,
    average: Average = "macro",
) -> float: ...


@overload
def hand_till(
    y: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    labels: Sequence[Any] | None = None,
    average: None,
) -> Vector: ...


def hand_till(
    y: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    labels: Sequence[Any] | None = None,
    average: Average | None = "macro",
) -> float | Vector:
    """Hand and Till's M: the mean over all pairs of classes of the AUC inside the pair.

    M = 2/(K(K − 1)) Σ_{k<l} ½ (A(k|l) + A(l|k)), where A(k|l) is the share of pairs of a row of k
    and a row of l in which the row of k has the higher score of class k; ties count ½. It equals
    the mean over k of the AUC of class k against the rest with row weights 1/n_y, and is computed
    so, in O(K n log n). It is `roc_auc_score(multi_class="ovo")` of scikit-learn, for scores of any
    scale: a column may be shifted and stretched without a change.

    Parameters
    ----------
    y : array of shape (n,)
        The class of each row: its label.
    scores : array of shape (n, K)
        A larger score in column k means that the row is more like class k.
    sample_weight : array of shape (n,), optional
        What each row counts for, at least 0; a row of weight 0 is not there.
    labels : sequence of K labels, optional
        The classes in the order of the columns. None: the labels in their order, or the numbers
        from 0 to K − 1.
    average : {"macro", "weighted", None}
        macro: each pair of classes counts the same. weighted: it counts for its rows, the weight
        V_k + V_l, as in scikit-learn. None: the value of each class, the mean over l of A(k|l),
        whose mean is M.

    Returns
    -------
    float, or array of shape (K,) with `average=None`

    Raises
    ------
    DataError
        When shapes differ, a score is NaN, a label is none of the classes, a class has no row,
        there are fewer than three, or a weight is below 0 or not finite.
    ParameterError
        When `average` is something else.

    References
    ----------
    Hand & Till, "A simple generalisation of the area under the ROC curve for multiple class
    classification problems", Machine Learning 45, 2001.
    """
    target, S = checked_classes(y, scores, sample_weight, labels)
    if average != "weighted":
        return _averaged(class_aucs(target, S, target.evened), np.ones(target.k), average)
    masses = np.bincount(target.y, target.weights, target.k)
    each = np.empty(target.k)
    for k in range(target.k):
        v = target.evened * (masses[k] + masses)[target.y]  # the weight of a pair of classes
        v[target.y == k] = target.evened[target.y == k]
        each[k] = weighted_concordance(target.y == k, S[:, k].copy(), v)
    return _averaged(each, masses.sum() + (target.k - 2) * masses, average)


@overload
def one_vs_rest(
    y: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    labels: Sequence[Any] | None = None,
    average: Average = "macro",
) -> float: ...


@overload
def one_vs_rest(
    y: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    labels: Sequence[Any] | None = None,
    average: None,
) -> Vector: ...


def one_vs_rest(
    y: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    labels: Sequence[Any] | None = None,
    average: Average | None = "macro",
) -> float | Vector:
    """Mean over the classes of the AUC of a class against all others.

    Rows count the same, so that large classes make up most of the rest. It is
    `roc_auc_score(multi_class="ovr")` of scikit-learn. Parameters and errors are those of
    `hand_till`; with `average="weighted"` a class counts for its rows, and with None the value of
    each class is returned.
    """
    target, S = checked_classes(y, scores, sample_weight, labels)
    masses = np.bincount(target.y, target.weights, target.k).astype(np.float64)
    return _averaged(class_aucs(target, S, target.weights), masses, average)


def class_aucs(target: Categories, S: Vector, weights: Vector | None) -> Vector:
    """Return for each class k the AUC of column k of S (n, K), class k against the rest.

    With weights by which all classes weigh the same, the mean is Hand and Till's M.
    """
    columns = np.ascontiguousarray(S.T)
    return np.array(
        [weighted_concordance(target.y == k, s, weights) for k, s in enumerate(columns)]
    )


def _averaged(each: Vector, masses: Vector, average: Average | None) -> float | Vector:
    """Return the values of the classes, or their mean."""
    if average not in AVERAGES:
        raise ParameterError(f"average is {average!r}; give 'macro', 'weighted' or None")
    if average is None:
        return each
    mean = fmean(each.tolist(), masses.tolist() if average == "weighted" else None)
    return min(mean, 1.0)  # it may be rounded up


def checked_classes(
    y: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    labels: Sequence[Any] | None = None,
) -> tuple[Categories, Vector]:
    """Return the classes and the scores as float64; errors are those of `hand_till`."""
    S = floats("scores", scores)
    K = S.shape[-1] if S.ndim == 2 else 0
    if K < FEWEST:
        raise DataError(
            f"the scores have shape {S.shape}; give a row of K scores for each row, K at least "
            f"{FEWEST}, or take auc for two classes"
        )
    S, weights, raw = counted_rows(S, sample_weight, K, y=label_vector(y))
    counts = counted(raw)
    numbered = raw.dtype.kind in "iu" and {*counts} <= {*range(K)}
    known = [*range(K)] if numbered else ordered_labels(counts)
    classes = several(labels) or known
    if len(classes) != K or len({*classes}) != K:
        raise DataError(
            f"there are {len({*classes})} classes and {K} columns of scores; name the class of "
            "each column by labels="
        )
    place = {label: number for number, label in enumerate(classes)}
    if strange := [label for label in ordered_labels(counts) if label not in place]:
        raise DataError(
            f"y has the label {strange[0]!r}, which is no class; the columns of scores are those "
            f"of {', '.join(map(repr, classes[:FEWEST]))}{' ...' if K > FEWEST else ''}"
        )
    numbers = np.array([place[label] for label in raw.tolist()], np.int32)
    names: NDArray[np.str_] = np.array([*map(str, classes)])
    target = Categories(numbers, names, weights)
    target.require_pairs()
    return target, S
