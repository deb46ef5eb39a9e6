"""The lines of a scorecard: what each bin of a number, each level and a missing cell gets.

Bins beside each other with the same points are one line. What is the same in all lines of a column
goes to the base, so that the worst line of each column has 0 points.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.datasets.tables import Column
from aucbench.datasets.tables.parts import Dates, Number, OneHot
from aucbench.errors import UnsupportedError
from aucbench.features import Bins
from aucbench.models.assessment import SMALLEST
from aucbench.models.attribution import cells_of, column_of
from aucbench.models.model import Model
from aucbench.models.scorecard import MISSING, OTHERS, Line

Mask = NDArray[np.bool_]


def lines_of(card: Model, train: Data) -> tuple[int, tuple[Line, ...]]:
    """Return the points of every row, and the lines of all columns.

    Parameters
    ----------
    card : Model
        Of whole weights, the last one for the constant.
    train : Data
        The rows that trained it, of which the lines say how many they are about.

    Raises
    ------
    UnsupportedError
        When a column holds free text.
    """
    bins, weights = card.maps[0], np.asarray(card.weights)
    assert isinstance(bins, Bins)
    base, lines = int(weights[-1]), list[Line]()
    for own in _by_attribute(card, Effects.of(bins, weights[:-1]), train):
        least = min(line.points for line in own)
        base += least
        if any(line.points > least for line in own):
            lines += [replace(line, points=line.points - least) for line in own]
    return base, tuple(lines)


@dataclass(frozen=True, slots=True, eq=False)
class Effects:
    """The points of each feature: whole levels (m + 1,) between edges (m,), ascending."""

    edges: tuple[Vector, ...]
    levels: tuple[Vector, ...]

    @staticmethod
    def of(phi: Bins, points: Vector) -> Effects:
        """Return the effects of the steps of bins."""
        edges, levels, lo = [], [], 0
        for block in phi.blocks or ():
            own = points[lo:lo] if block is None else points[lo : lo + block.width]
            lo += own.size
            start = 0.0 if block is None else -float(own @ block.rest)
            edges.append(own if block is None else block.thresholds)
            levels.append(start + np.concatenate([[0.0], np.cumsum(own)]))
        return Effects(tuple(edges), tuple(levels))

    def at(self, feature: int, x: float) -> int:
        """Return the points of a feature at a value."""
        return int(self.levels[feature][np.searchsorted(self.edges[feature], x, side="right")])

    def runs(self, feature: int) -> Iterator[tuple[int, float | None, float | None]]:
        """Yield points and ends of the bins, those beside each other with equal points as one."""
        edges, levels = self.edges[feature], self.levels[feature]
        turns = np.flatnonzero(np.diff(levels))
        ends = [None, *edges[turns].tolist(), None]
        for k, place in enumerate([*turns.tolist(), levels.size - 1]):
            yield int(levels[place]), ends[k], ends[k + 1]


def _by_attribute(card: Model, effects: Effects, train: Data) -> Iterator[list[Line]]:
    """Yield the lines of each column, or of each part of a date."""
    positive, encoding, first = train.y > 0, card.encoding, 0
    features = train.rows if encoding is None else encoding(train.rows)
    for j in range(card.width):
        column, cells = column_of(card, j), cells_of(train.rows, j)
        part = None if encoding is None else encoding.parts[j]
        named = _Attribute(column.name, effects, positive, first)
        if isinstance(part, OneHot):
            yield [*named.levels(column, part, cells)]
        elif isinstance(part, Dates):
            for k, name in enumerate(part.names(column.name)):
                one = replace(named, name=name, first=first + k)
                yield [*one.bins(cells_of(features, first + k))]
        elif part is None or isinstance(part, Number):
            yield [*named.numbers(column, part, cells)]
        else:
            raise UnsupportedError(
                f"column {column.name!r} holds free text, for which a scorecard has no lines; "
                "leave it out by --text drop"
            )
        first += 1 if part is None else part.width


@dataclass(frozen=True, slots=True, eq=False)
class _Attribute:
    """A column that gets lines."""

    name: str
    effects: Effects
    positive: Mask  # of the training rows
    first: int  # number of its first feature

    def line(self, value: str, points: int, inside: Mask, *ends: float | None) -> Line:
        """Return a line about the rows inside; where they are few it does not tell their number."""
        rows = int(inside.sum())
        told = rows >= SMALLEST
        low, high = ends or (None, None)
        return Line(
            attribute=self.name,
            value=value,
            low=low,
            high=high,
            points=points,
            rows=rows if told else None,
            positives=int((inside & self.positive).sum()) if told else None,
        )

    def bins(self, cells: Vector) -> Iterator[Line]:
        """Yield the lines of the bins of numbers."""
        for points, low, high in self.effects.runs(self.first):
            inside = (cells >= (-np.inf if low is None else low)) & ~np.isnan(cells)
            inside &= cells < (np.inf if high is None else high)
            yield self.line(_range(low, high), points, inside, low, high)

    def numbers(self, column: Column, part: Number | None, cells: Vector) -> Iterator[Line]:
        """Yield the lines of a column of numbers or truth values, and of a missing cell."""
        if part is not None and part.median is None:  # no cell is known, and there is no feature
            return
        at, first = self.effects.at, self.first
        flag = first + 1 if part is not None and part.missing else None
        known = 0 if flag is None else at(flag, 0.0)
        if column.kind == "boolean":
            for value, name in enumerate(("no", "yes")):
                yield self.line(name, at(first, value) + known, cells == value)
        else:
            yield from (replace(one, points=one.points + known) for one in self.bins(cells))
        if part is not None and part.median is not None:
            points = at(first, part.median) + (0 if flag is None else at(flag, 1.0))
            yield self.line(MISSING, points, np.isnan(cells))

    def levels(self, column: Column, part: OneHot, cells: Vector) -> Iterator[Line]:
        """Yield the lines of the levels of a category, of others and of a missing cell."""
        at, first = self.effects.at, self.first
        absent = [at(first + k, 0.0) for k in range(part.width)]
        with_one = [sum(absent) - absent[k] + at(first + k, 1.0) for k in range(part.width)]
        number = {level: k for k, level in enumerate(part.kept)}
        number |= dict.fromkeys(part.rare, len(part.kept))
        lines = [
            self.line(level, with_one[number[level]], cells == code)
            for code, level in enumerate(column.levels)
            if level in number
        ]
        yield from sorted(lines, key=lambda line: line.points)
        yield self.line(OTHERS, sum(absent), cells < 0)
        yield self.line(MISSING, with_one[-1] if part.missing else sum(absent), np.isnan(cells))


def _range(low: float | None, high: float | None) -> str:
    """Return the bin for people: it has its lower end."""
    if low is None:
        return "all" if high is None else f"below {high:.10g}"
    return f"from {low:.10g}" if high is None else f"{low:.10g} to {high:.10g}"
