"""Columns of new rows that have changed: they lack values, or have others than training rows have.

A new level has no feature and a missing number is filled, so that a column which has died costs
accuracy and raises no error. Cells are counted piece by piece, and judged at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, betaincinv

from aucbench.data.arrays import Rows, Vector, rows
from aucbench.datasets.tables.columns import UNSEEN, Column

TOLERANCE = 0.05  # of the rows: a share that has grown by less is no change
CHANCE = 1e-3  # probability that rows like those of training have a column that is named, at most
SLACK = 1e-6  # of the largest number: what files round off the ends of a range
EMPTY = (1.0, 0.0)  # the range of a column without a number
Counts = NDArray[np.int64]
Mask = NDArray[np.bool_]


def ranges_of(rows: Rows) -> Vector:
    """Return the smallest and the largest number of each column of rows (n, d) -> (2, d).

    Missing cells do not count; a column without a number has the range (1, 0).
    """
    if rows.is_sparse:
        return np.stack([getattr(rows.matrix, end)(axis=0).toarray() for end in ("min", "max")])
    ends = [end.reduce(rows.matrix, axis=0).astype(np.float64) for end in (np.fmin, np.fmax)]
    return np.where(np.isnan(ends), np.array(EMPTY)[:, None], ends)


def changes_of_test_rows(columns: Sequence[Column], coded: Rows, test: Mask) -> Iterator[str]:
    """Yield a sentence on each column of test rows that is unlike that of the training rows.

    Parameters
    ----------
    columns : sequence of d Column
        Of both.
    coded : Rows of shape (n, d)
        Codes of both.
    test : array of shape (n,)
        Which rows are test rows.
    """
    codes = np.asarray(coded.matrix)
    train, codes = codes[~test], codes[test].astype(np.float64)
    examples: dict[int, str] = {}
    trained = []
    for j, column in enumerate(columns):
        known, own = train[:, j], codes[:, j]
        trained.append(replace(column, missing=float(np.mean(np.isnan(known)))))
        if column.kind == "category":
            alone = np.unique(known[known >= 0], return_counts=True)[1] == 1
            trained[j] = replace(trained[j], single=float(np.count_nonzero(alone) / known.size))
            new = ~np.isnan(own) & ~np.isin(own, known)
            examples |= {j: column.levels[int(own[new][0])]} if new.any() else {}
            own[new] = UNSEEN
    ranges = ranges_of(rows(train))
    cells = replace(UnusualCells.of(trained, ranges, codes), examples=examples)
    for change in cells.describe_changes(trained, ranges, len(train)):
        yield f"test rows: {change}"


@dataclass(frozen=True, slots=True, eq=False)
class UnusualCells:
    """How many cells of each column of n new rows are unlike those of the training rows.

    Attributes
    ----------
    n : int
    missing, unseen, outside : arrays of shape (d,)
        Cells without a value, with a level that no training row has, and with a number outside of
        the range of the training rows, or a date before it: new rows come later.
    examples : mapping of int to str
        A level that no training row has, of the columns with one.
    """

    n: int
    missing: Counts
    unseen: Counts
    outside: Counts
    examples: Mapping[int, str] = field(default_factory=dict)

    @staticmethod
    def of(
        columns: Sequence[Column], ranges: Vector | None, codes: Vector, frame: Any = None
    ) -> UnusualCells:
        """Count the cells of rows.

        Parameters
        ----------
        columns : sequence of d Column
        ranges : array of shape (2, d), or None
            As `ranges_of` returns them for the codes of the training rows; None: not known.
        codes : array of shape (n, d)
            See `Schema.codes`.
        frame : DataFrame, optional
            The cells, of which a new level is an example.
        """
        levels = np.array([column.kind == "category" for column in columns])
        dates = np.array([column.kind == "date" for column in columns])
        ordered = dates | [column.kind in ("numeric", "boolean") for column in columns]
        unseen, outside = levels & (codes == UNSEEN), np.zeros_like(codes, np.bool_)
        if ranges is not None:
            low, high = ranges
            slack = SLACK * np.maximum(np.abs(low), np.abs(high))
            above = ~dates & (codes > high + slack)
            outside = ordered & (low <= high) & ((codes < low - slack) | above)
        new = [] if frame is None else np.flatnonzero(unseen.any(axis=0)).tolist()
        return UnusualCells(
            n=len(codes),
            missing=np.count_nonzero(np.isnan(codes), axis=0),
            unseen=np.count_nonzero(unseen, axis=0),
            outside=np.count_nonzero(outside, axis=0),
            examples={j: str(frame.iloc[int(unseen[:, j].argmax()), j]).strip() for j in new},
        )

    def __add__(self, other: UnusualCells) -> UnusualCells:
        """Return the counts of both."""
        return UnusualCells(
            self.n + other.n,
            self.missing + other.missing,
            self.unseen + other.unseen,
            self.outside + other.outside,
            {**other.examples, **self.examples},
        )

    def describe_changes(
        self, columns: Sequence[Column], ranges: Vector | None, trained: int | None
    ) -> Iterator[str]:
        """Yield a sentence with the share of rows for each way in which a column has changed.

        With k such cells in n rows, p is the largest share that the training rows leave plausible
        (Clopper & Pearson), plus `TOLERANCE`. The column has changed if P(Bin(n, p) ≥ k) is below
        `CHANCE`, divided by the number of questions (Bonferroni).

        Parameters
        ----------
        columns, ranges :
            As of `of`.
        trained : int or None
            The number of training rows; None: not known, taken as large.
        """
        shares = np.array([(column.missing, column.single, 0.0) for column in columns]).T
        grown = np.stack([self.missing, self.unseen, self.outside]) - self.n * shares
        for j in np.flatnonzero(np.max(grown, axis=0) > TOLERANCE * self.n).tolist():
            column, examples = columns[j], self.examples
            example = f", such as {examples[j]!r}" if j in examples else ""
            before, span = _percent(column.missing), _range(column, ranges, j)
            for count, share, what in (
                (self.missing[j], column.missing, f"have no value, of the training rows {before}"),
                (self.unseen[j], column.single, f"have a level that no training row has{example}"),
                (self.outside[j], 0.0, f"are outside of {span}, the range of the training rows"),
            ):
                if self._is_change(int(count), share, trained, 3 * len(columns)):
                    yield f"column {column.name!r}: {_percent(count / self.n)} of the rows {what}"

    def _is_change(self, count: int, share: float, trained: int | None, questions: int) -> bool:
        if trained is not None:
            before = share * trained
            share = float(betaincinv(before + 1, max(trained - before, 1.0), 1.0 - CHANCE))
        return bool(bdtrc(count - 1, self.n, min(share + TOLERANCE, 1.0)) < CHANCE / questions)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _range(column: Column, ranges: Vector | None, j: int) -> str:
    if ranges is None:
        return ""
    ends = ranges[:, j].tolist()
    if column.kind == "date":
        return " to ".join(str(np.datetime64(int(end), "s")).replace("T", " ") for end in ends)
    return " to ".join(f"{end:g}" for end in ends)
