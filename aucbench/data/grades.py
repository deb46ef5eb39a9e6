"""The target of grades: ordered values, of which a higher one is better."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Index, Vector
from aucbench.data.targets import RowTarget
from aucbench.errors import DataError, NoPairsError
from aucbench.stats.vectors import floats, row_weights

FEWEST = 10  # rows of each grade from which grades have the same shares in the parts of a split


@dataclass(frozen=True, eq=False)
class Grades(RowTarget):
    """An ordered value for each row, such as a relevance from 0 to 4.

    A row of a higher grade should have a higher score. Rows of one grade are not compared.

    Attributes
    ----------
    y : array of shape (n,)
        The grade of each row. Only the order of grades counts, except for gains.
    weights : array of shape (n,), or None
        What each row counts for, above 0; None: all count the same. A pair of rows counts for the
        product of their weights.
    """

    what: ClassVar[str] = "grades"

    y: Vector
    weights: Vector | None = None

    @staticmethod
    def of(y: Any, weights: Any = None) -> Grades:
        """Check grades.

        Parameters
        ----------
        y : array of shape (n,)
            The grade of each row, a finite number; a higher one is better.
        weights : array of shape (n,), optional
            What each row counts for, above 0.

        Raises
        ------
        DataError
            When a grade is missing, infinite or no number, when a weight makes no sense, or when
            all rows have one grade.
        """
        grades = floats("grades", y)
        if grades.ndim == 2 and 1 in grades.shape:
            grades = grades.reshape(-1)
        if grades.ndim != 1:
            raise DataError(f"grades have shape {grades.shape}; give one per row, shape (n,)")
        bad = np.flatnonzero(~np.isfinite(grades))
        if bad.size:
            raise DataError(
                f"the grade of row {bad[0]} is {grades[bad[0]]}, and {bad.size} grade(s) in total "
                "are not finite; every row needs a grade"
            )
        checked = Grades(grades, row_weights(weights, grades.size))
        checked.require_pairs()
        return checked

    @property
    def numbers(self) -> dict[str, int]:
        """How much there is of it, by name."""
        return {"grades": self.levels.size}

    @property
    def size(self) -> str:
        """The same for people."""
        return f"{self.levels.size} grades"

    @cached_property
    def levels(self) -> Vector:
        """The grades that occur, ascending, (K,)."""
        return np.unique(self.y)

    @cached_property
    def ranks(self) -> Index:
        """The place of the grade of each row among `levels`, from 0, (n,)."""
        return np.searchsorted(self.levels, self.y).astype(np.int32)

    @property
    def strata(self) -> NDArray[np.int8]:
        """What the parts of a split have in the same shares: the grades.

        If a grade has fewer than `FEWEST` rows, all rows are one stratum.
        """
        few = np.bincount(self.ranks).min() < FEWEST or self.levels.size > 2 * FEWEST
        return np.zeros(self.n, np.int8) if few else self.ranks.astype(np.int8)

    def require_pairs(self) -> None:
        """Raise `NoPairsError` when all rows have one grade."""
        if self.n == 1:
            raise NoPairsError("1 sample makes no pair; give rows of two grades or more")
        if not self.n or (self.y == self.y[0]).all():
            only = f"{self.y[0]:g}" if self.n else "missing"
            raise NoPairsError(f"all {self.n} grades are {only}; give rows of two grades or more")
