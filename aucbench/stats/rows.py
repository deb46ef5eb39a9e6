"""Test rows with the scores of a solver, as the statistics and measures take them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from aucbench.errors import DataError
from aucbench.kernels.vectors import checked_rows, even, weights_of


class Rows(Protocol):
    """Test rows of one split with the scores of one solver, of any target."""

    @property
    def groups(self) -> Any:
        """The number of the group of each row, or None."""
        ...

    def has_rows_of(self, other: Any) -> bool:
        """Whether these are the rows of the other one, in the same order."""
        ...


class Fold:
    """Test rows of one split, with the scores of one solver.

    Parameters
    ----------
    y : array of shape (n,)
        Labels in {-1, 1}, {0, 1} or booleans.
    scores : array of shape (n,)
        A larger score means more positive. Infinite scores are allowed.
    weights : array of shape (n,), optional
        What each row counts for, above 0. Only their ratios matter: a weight says how many rows
        of the population a row stands for, and not how many rows were seen.
    groups : array of int of shape (n,), optional
        The number of the group of each row, such as a patient. Rows of one group may be alike;
        groups are independent of each other. A number means the same group in all folds.

    Raises
    ------
    DataError
        When shapes differ, labels are coded otherwise, a score is NaN, or a weight is not above 0.
    """

    __slots__ = ("groups", "positive", "scores", "weights")

    def __init__(
        self,
        y: ArrayLike,
        scores: ArrayLike,
        weights: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ):
        self.positive, self.scores = checked_rows(y, scores)
        n = self.scores.size
        self.weights = np.ones(n) if weights is None else even(weights_of(weights, n))
        self.groups = None if groups is None else np.asarray(groups)
        if self.groups is not None and (
            self.groups.shape != (n,) or self.groups.dtype.kind not in "iu"
        ):
            raise DataError(
                f"groups have the shape {self.groups.shape} and the type {self.groups.dtype}; give "
                f"a whole number for each of the {n} rows"
            )

    @staticmethod
    def of_both_classes(y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> Fold:
        """Return the rows, or raise `DataError` too when there is one class only."""
        fold = Fold(y, scores, weights)
        if not fold.has_both_classes:
            which = "negative" if fold.positive.all() else "positive"
            raise DataError(f"no row is {which}; the measure needs rows of both classes")
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
