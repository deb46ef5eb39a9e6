"""Test rows with the scores of a solver, as the statistics and measures take them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.errors import DataError, one_class, require_both_classes
from aucbench.stats.labels import counted, label_vector, plain_signs, several, shown_labels, usual
from aucbench.stats.vectors import Mask, Vector, even, floats, plain, weights_of


class Rows(Protocol):
    """Test rows of one split with the scores of one solver, of any target."""

    @property
    def groups(self) -> Any:
        """The number of the group of each row, or None."""
        ...

    def has_rows_of(self, other: Any) -> bool:
        """Whether these are the rows of the other one, in the same order."""
        ...


def counted_rows(
    scores: ArrayLike, sample_weight: ArrayLike | None, columns: int | None = None, **roles: Any
) -> tuple[Any, ...]:
    """Check what a metric is given, and leave out the rows of weight 0: they are not there.

    Every metric reads its rows here, so that all of them take and refuse the same.

    Parameters
    ----------
    scores : array of shape (n,), or (n, K) where `columns` is K
        Infinite scores are allowed.
    sample_weight : array of shape (n,), or None
        What each row counts for, at least 0.
    columns : int, optional
        How many scores each row has, as of so many classes; None: one.
    **roles : arrays of shape (n,), or None
        What else is known of each row, by name, such as y or groups.

    Returns
    -------
    scores, sample_weight, *roles
        As arrays. Weights that are all equal are None.

    Raises
    ------
    DataError
        When shapes differ, when a score is NaN, when a weight is below 0 or not finite, or when no
        row counts.
    """
    s = floats("scores", scores)
    n = s.shape[0] if s.ndim else 0
    wanted = "(n,)" if columns is None else f"(n, {columns})"
    arrays = {name: None if role is None else plain(name, role) for name, role in roles.items()}
    lengths = {name: x.shape for name, x in arrays.items() if x is not None}
    if s.shape != ((n,) if columns is None else (n, columns)) or {*lengths.values()} - {(n,)}:
        shapes = " and ".join(f"{name} has shape {shape}" for name, shape in lengths.items())
        raise DataError(
            f"{shapes} and scores have shape {s.shape}; give scores of shape {wanted}, and the "
            "rest of shape (n,)"
        )
    if bad := int(np.isnan(s).sum()):
        raise DataError(f"{bad} score(s) are NaN; give numbers, or leave the rows out")
    if sample_weight is None:
        return s, None, *arrays.values()
    weights = weights_of(sample_weight, n, "sample_weight", zeros=True)
    if not (kept := weights > 0.0).all():
        if not kept.any():
            raise DataError("all weights are 0, so that no row counts; give weights above 0")
        s, weights = s[kept], weights[kept]
        arrays = {name: None if x is None else x[kept] for name, x in arrays.items()}
    return s, None if (weights == weights[:1]).all() else weights, *arrays.values()


def positive_rows(y: ArrayLike, pos_label: Any = None) -> Mask:
    """Return which rows are positive; one class alone is allowed.

    Parameters
    ----------
    y : array of shape (n,)
        Labels in {-1, 1}, {0, 1} or booleans, or a pair of words such as no and yes; any two
        labels with `pos_label`.
    pos_label : label, optional
        The label of the positive rows.

    Raises
    ------
    DataError
        When a label is missing, when there are more than two, when it is not clear which one is
        positive, or when `pos_label` is none of them.
    """
    raw = label_vector(y)
    if pos_label is None and (mask := plain_signs(raw)) is not None:
        return mask
    counts = counted(raw)
    labels = sorted(counts, key=str)
    chosen = usual(labels) if pos_label is None else several(pos_label)
    known = f"the labels are {shown_labels(counts, labels)}"
    if len(labels) > 2:
        raise DataError(
            f"{known}, and a metric of a ranking has two; compare y with one of them, as in "
            f"y == {labels[-1]!r}, or take hand_till for more classes"
        )
    if chosen is None and len(labels) == 1:
        raise one_class(raw.size, repr(labels[0]))
    if chosen is None:
        raise DataError(f"{known}; say which is positive, for example pos_label={labels[-1]!r}")
    if labels and chosen and chosen[0] not in labels:
        raise DataError(f"pos_label={pos_label!r} is no label: {known}")
    return np.asarray(np.isin(raw, chosen))


class Fold:
    """Test rows of one split, with the scores of one solver.

    Parameters
    ----------
    y : array of shape (n,)
        Labels in {-1, 1}, {0, 1} or booleans, or others with `pos_label`.
    scores : array of shape (n,)
        A larger score means more positive. Infinite scores are allowed.
    sample_weight : array of shape (n,), optional
        What each row counts for, at least 0. Only their ratios matter: a weight says how many rows
        of the population a row stands for, and not how many rows were seen. Rows of weight 0 are
        left out.
    groups : array of int of shape (n,), optional
        The number of the group of each row, such as a patient. Rows of one group may be alike;
        groups are independent of each other. A number means the same group in all folds.
    pos_label : label, optional
        The label of the positive rows, where y holds others than those above.

    Attributes
    ----------
    positive : bool array of shape (n,)
    scores : array of shape (n,)
    uneven : array of shape (n,), or None
        The weights, divided by a power of two; None where all rows count the same.
    weights : array of shape (n,)
        The same, or ones.
    groups : int array of shape (n,), or None

    Raises
    ------
    DataError
        As `counted_rows` and `positive_rows`, and when a group is no whole number.
    """

    __slots__ = ("groups", "positive", "scores", "uneven", "weights")

    groups: NDArray[np.integer] | None
    positive: Mask
    scores: Vector
    uneven: Vector | None
    weights: Vector

    def __init__(
        self,
        y: ArrayLike,
        scores: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        *,
        pos_label: Any = None,
    ):
        self.scores, self.uneven, self.positive, self.groups = counted_rows(
            scores, sample_weight, y=positive_rows(y, pos_label), groups=groups
        )
        if self.uneven is not None:
            self.uneven = even(self.uneven)
        self.weights = np.ones(self.scores.size) if self.uneven is None else self.uneven
        if self.groups is not None and self.groups.dtype.kind not in "iu":
            raise DataError(
                f"groups have the type {self.groups.dtype}; give a whole number for each row"
            )

    @staticmethod
    def of_both_classes(
        y: ArrayLike,
        scores: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        *,
        pos_label: Any = None,
    ) -> Fold:
        """Return the rows, or raise `DataError` too when there is one class only."""
        fold = Fold(y, scores, sample_weight, groups, pos_label=pos_label)
        require_both_classes(int(np.count_nonzero(fold.positive)), fold.scores.size)
        return fold

    @property
    def has_both_classes(self) -> bool:
        """Whether the fold has an AUC."""
        return bool(0 < np.count_nonzero(self.positive) < self.positive.size)

    def has_rows_of(self, other: Any) -> bool:
        """Whether labels and weights are those of the other fold, row by row."""
        if not isinstance(other, Fold):
            return False
        same = np.array_equal(self.positive, other.positive)
        return same and np.array_equal(self.weights, other.weights)
