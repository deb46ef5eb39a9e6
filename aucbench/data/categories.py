"""The target of more than two classes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Index, Vector
from aucbench.data.targets import Labels, RowTarget
from aucbench.errors import DataError
from aucbench.stats.labels import MOST_SHOWN, counted, label_vector
from aucbench.stats.vectors import row_weights

FEWEST, MOST = 3, 1000  # classes


@dataclass(frozen=True, eq=False)
class Categories(RowTarget):
    """The class of each row, one of three or more, without an order.

    A solver learns one score for each class, by which rows of this class should be above all
    others. Scores of n rows have the shape (n, K).

    Attributes
    ----------
    y : array of shape (n,), int32
        The number of the class of each row, from 0 to K - 1. Each class has rows.
    names : array of shape (K,)
        The labels of the classes as text, in the order of their numbers.
    weights : array of shape (n,), or None
        What each row counts for, above 0; None: all count the same.
    """

    what: ClassVar[str] = "more than two classes"

    y: Index
    names: NDArray[np.str_]
    weights: Vector | None = None

    @staticmethod
    def of(y: Any, weights: Any = None) -> Categories:
        """Check labels, and number the classes in the order of their labels.

        Parameters
        ----------
        y : array of shape (n,)
            The labels: numbers, text or truth values. Text loses the spaces around it.
        weights : array of shape (n,), optional
            What each row counts for, above 0.

        Raises
        ------
        DataError
            When a label is missing, when there are fewer than three or more than 1000 classes, or
            when a weight makes no sense.
        """
        raw = label_vector(y)
        labels = ordered_labels(counted(raw))
        if len(labels) < FEWEST:
            raise DataError(
                f"there are {len(labels)} classes, and three are the fewest; give two classes as "
                "labels, without naming this target"
            )
        if len(labels) > MOST:
            raise DataError(
                f"there are {len(labels)} different labels, and at most {MOST} can be classes; "
                "give grades, or another column of labels"
            )
        place = {label: number for number, label in enumerate(labels)}
        numbers = np.array([place[label] for label in raw.tolist()], np.int32)
        names = np.array([*map(str, labels)])
        return Categories(numbers, names, row_weights(weights, raw.size))

    @property
    def k(self) -> int:
        """K, the number of classes."""
        return self.names.size

    @property
    def size(self) -> str:
        """How much there is of it, for people."""
        return f"{self.k} classes"

    @property
    def numbers(self) -> dict[str, int]:
        """What is known of it by name, as plain numbers."""
        return {"classes": self.k}

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """The number of rows of each class, (K,)."""
        return np.bincount(self.y, minlength=self.k)

    @property
    def strata(self) -> Index:
        """What the parts of a split have in the same shares: the classes."""
        return self.y

    def require_pairs(self) -> None:
        """Raise `DataError` when a class has no row."""
        if lacking := [*self.names[self.counts == 0].tolist()]:
            more = f" and {len(lacking) - MOST_SHOWN} more" if len(lacking) > MOST_SHOWN else ""
            raise DataError(
                f"{self.n} rows have no row of class {', '.join(lacking[:MOST_SHOWN])}{more}; each "
                "part needs rows of all classes"
            )

    @cached_property
    def evened(self) -> Vector:
        """Weights by which all classes weigh the same, v_i = (n/K) u_i / U_{y_i}, shape (n,).

        u_i is the weight of a row, and U_k the sum over class k. Their mean is 1.
        """
        u = np.ones(self.n) if self.weights is None else self.weights / self.weights.max()
        masses = np.bincount(self.y, u, self.k)
        return np.asarray(u / masses[self.y] * (self.n / self.k))

    def against_rest(self, k: int, *, even: bool) -> Labels:
        """Return the labels by which class k is positive and all others are negative.

        Parameters
        ----------
        k : int
            The number of the class.
        even : bool
            Whether the classes weigh the same, see `evened`. Then the mean over k of the loss of
            these pairs is that of Hand and Till: each pair of classes counts the same.
        """
        mask = self.y == k
        return Labels.of_mask(mask, self.evened if even else self.weights)


def ordered_labels(counts: Any) -> list[Any]:
    """Return labels in the order in which classes are numbered."""
    return sorted(counts, key=lambda label: (str(type(label)), label))
