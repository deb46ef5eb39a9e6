"""A scorecard: whole points for each bin of a column, which add up to the score of a row.

It is a table for people and for other programs; the model that has it scores by the same points.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import StringIO
from itertools import groupby
from math import inf, isinf, log
from operator import attrgetter
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aucbench.bench.text import aligned, cell_text
from aucbench.errors import ParameterError, require_above
from aucbench.models.calibration import Sigmoid
from aucbench.store import own_file

if TYPE_CHECKING:
    from pandas import DataFrame

BASE = "base points"  # of every row
MISSING, OTHERS = UNSEEN = "(missing)", "(others)"  # cells that training rows may lack
MOST_POINTS, MOST_PDO = 1e9, 1e6
HEADER = ("attribute", "value", "from", "to", "points", "rows", "positives")


@dataclass(frozen=True, kw_only=True, slots=True)
class Scaling:
    """What points mean.

    A row of S points has the odds base_odds · 2^((S − base_score) / pdo) of the positive class.

    Attributes
    ----------
    base_score : float
        Points at the base odds, at most a thousand million.
    base_odds : float
        Odds of the positive class to the other at `base_score`, above 0: 50 are 50 to 1.
    pdo : float
        Points that double the odds, above 0 and at most a million.

    Raises
    ------
    ParameterError
        When a number is out of its range.

    References
    ----------
    Siddiqi, "Credit Risk Scorecards: Developing and Implementing Intelligent Credit Scoring",
    Wiley, 2006.
    """

    base_score: float = 600.0
    base_odds: float = 50.0
    pdo: float = 20.0

    def __post_init__(self) -> None:
        require_above(0, base_odds=self.base_odds, pdo=self.pdo)
        most = {"base_score": MOST_POINTS, "base_odds": inf, "pdo": MOST_PDO}
        for name, limit in most.items():
            value = getattr(self, name)
            if not abs(value) <= limit or isinf(value):
                raise ParameterError(
                    f"{name} is {value:g}, wanted a number of at most {limit:g}; whole points are "
                    "to be added up by hand"
                )

    @property
    def factor(self) -> float:
        """Points for each unit of the logarithm of the odds."""
        return self.pdo / log(2.0)

    @property
    def offset(self) -> float:
        """Points at odds of 1 to 1."""
        return self.base_score - self.factor * log(self.base_odds)

    @property
    def sigmoid(self) -> Sigmoid:
        """From points to the probability of the positive class."""
        return Sigmoid(-1.0 / self.factor, self.offset / self.factor)

    def __str__(self) -> str:
        odds = f"{self.base_odds:g} to 1" if self.base_odds >= 1 else f"1 to {1 / self.base_odds:g}"
        return f"{self.base_score:g} points are odds of {odds}, and {self.pdo:g} more double them"


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """The points of a bin, a level, or a missing cell.

    Attributes
    ----------
    attribute : str
        The column, or a part of a date.
    value : str
        What the line is about, for people.
    low, high : float or None
        Of a bin of numbers: low ≤ x < high; None: without an end.
    points : int
    rows, positives : int or None
        Training rows, and those of the positive class; None where they are few.
    """

    attribute: str
    value: str
    low: float | None = None
    high: float | None = None
    points: int
    rows: int | None
    positives: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Scorecard:
    """Whole points that add up to the score of a row.

    Attributes
    ----------
    scaling : Scaling
    base : int
        Points of every row.
    lines : tuple of Line
        Of each attribute its lines, of which a row gets one; the worst has 0 points.
    auc : float
        The AUC of the points, on rows that did not train what scored them: the mean over the parts
        of the rows, each of which has a card of its own.
    exact : float
        The same before the points were rounded.
    judged : str
        Which rows these are.
    """

    scaling: Scaling = field(default_factory=Scaling)
    base: int
    lines: tuple[Line, ...]
    auc: float
    exact: float
    judged: str

    @property
    def attributes(self) -> list[tuple[str, list[Line]]]:
        """Each attribute with its lines."""
        groups = groupby(self.lines, key=attrgetter("attribute"))
        return [(name, [*lines]) for name, lines in groups]

    @property
    def least(self) -> int:
        """The fewest points that a row can have."""
        return self.base + sum(min(each.points for each in own) for _, own in self.attributes)

    @property
    def most(self) -> int:
        """The most points that a row can have."""
        return self.base + sum(max(each.points for each in own) for _, own in self.attributes)

    def frame(self) -> DataFrame:
        """Return the table, a line for each bin, level or missing cell; the first has the base."""
        import pandas as pd

        return pd.DataFrame([*self._rows()], columns=[*HEADER])

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write the table to a file in UTF-8: a bin is from ≤ x < to, an empty end is none.

        A text that a spreadsheet would run as a formula gets an apostrophe in front.

        Raises
        ------
        ParameterError
            When the file cannot be written.
        """
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(HEADER)
        for attribute, value, *numbers in self._rows():
            writer.writerow([cell_text(attribute), cell_text(value), *numbers])
        with own_file(Path(path)) as file:
            file.write(text.getvalue().encode())

    def _rows(self) -> Iterator[Sequence[Any]]:
        yield BASE, "", None, None, self.base, None, None
        for one in self.lines:
            yield (
                one.attribute,
                one.value,
                one.low,
                one.high,
                one.points,
                one.rows,
                one.positives,
            )

    def text(self) -> Iterator[str]:
        """Yield the card for people, a line at a time, without cells that no row had."""
        yield f"scorecard: {self.said}"
        yield f"  {self.judgement}"
        table = [(BASE, "", str(self.base))]
        for name, own in self.attributes:
            seen = [one for one in own if one.value not in UNSEEN or one.rows is not None]
            table += [("" if k else name, one.value, str(one.points)) for k, one in enumerate(seen)]
        yield from (f"  {line}" for line in aligned(table, right=[2]).splitlines())
        yield "  cells that few rows had, or none, have points too: --json has all"

    @property
    def said(self) -> str:
        """What points mean, and how many a row can have."""
        return f"{self.scaling}; a row has {self.least} to {self.most} points"

    @property
    def judgement(self) -> str:
        """What rounding costs, in a sentence."""
        return (
            f"The AUC of the points is {self.auc:.4f}, and {self.exact:.4f} before they were "
            f"rounded, on {self.judged}."
        )
