"""From a model of bins to a scorecard of whole points.

Design
  a. The calibration says which odds a score stands for, and the scaling how many points these are.
     The points of a bin are the part of its column, rounded: the score is still a sum of weights of
     bins, now whole ones, so that a card is a model as others are. It is scored, saved and judged
     by the same code.
  b. A column may be shifted by a constant before it is rounded, because the base takes up
     constants. The shift is the one by which the errors vary least over the training rows. A bin
     also makes up for what its rows have lost in other columns. (Rejected: to round each difference
     of two bins, whose errors add up along a column. Rejected: each column by itself. With few
     points many small effects become 0 together: on the german credit table, with one point that
     doubles the odds, the AUC fell by .07, and falls by .03 now.)
  c. Rounding keeps order: an effect that never falls never falls in points.
  d. Bins next to each other with the same points are one line. What is the same in all lines of a
     column goes to the base, so that the worst line of each column has 0 points.
  e. The threshold, the reliability and all else is judged by the points, on rows held out: the fit
     to each part becomes a card of its own. Beside the AUC of the points stands that of the fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Data, scores
from aucbench.data.arrays import Index, Rows, Vector
from aucbench.datasets.tables import Column
from aucbench.datasets.tables.parts import Dates, Number, OneHot
from aucbench.errors import DataError, UnsupportedError
from aucbench.features import AppendOne, Bins
from aucbench.features.by_column import Steps, columns_of
from aucbench.metrics import auc
from aucbench.models.assessment import SMALLEST
from aucbench.models.attribution import column_of
from aucbench.models.calibration import Sigmoid, calibrator
from aucbench.models.held_out import HeldOut, Part
from aucbench.models.model import Model
from aucbench.models.recipe import spread_of
from aucbench.models.scorecard import MISSING, OTHERS, Line, Scaling, Scorecard

Whole = NDArray[np.int64]
SWEEPS = 3  # over the columns
FEW = 10.0  # rows of a bin, fewer than which say little of what is lost in it
Mask = NDArray[np.bool_]


def require_card(model: Model) -> None:
    """Raise `UnsupportedError` unless the score of a model is a sum over bins of columns."""
    first, *rest = model.maps or (None,)
    others = [phi for phi in rest if not isinstance(phi, AppendOne)]
    if model.weights is None or not isinstance(first, Bins) or others:
        raise UnsupportedError(
            "the model has no weight for each bin of a column, so that there is no scorecard of "
            "it; take --features bins and a linear solver, such as svm-or, rank-svm or logistic"
        )


def carded(
    model: Model, held: HeldOut, data: Data, learnt: Index, scaling: Scaling
) -> tuple[Model, HeldOut]:
    """Return a model as a scorecard, and the rows that were held out with the points of cards.

    Parameters
    ----------
    model : Model
        The last fit.
    held : HeldOut
        On its scale.
    learnt : array
        Numbers of the rows that trained it.

    Raises
    ------
    UnsupportedError
        As `require_card`, or when a column holds free text.
    DataError
        When scores do not tell the classes apart.
    """
    require_card(model)
    line = calibrator("sigmoid", held.y, held.scores)
    assert isinstance(line, Sigmoid)
    if line.a == 0.0:
        raise DataError(
            "scores do not tell the classes of the rows held out apart, so that no points can; "
            "give other columns, or leave --scorecard out"
        )
    train = data.take(learnt)
    card = _whole(model, line, scaling, train.rows)
    points = held.by([_card_of_part(part, line, scaling, data) for part in held.parts], data)
    base, lines = lines_of(card, train)
    if not lines:
        raise DataError(
            f"no effect has half a point where {scaling.pdo:g} points double the odds; give a "
            "larger --pdo"
        )
    known = Scorecard(
        scaling=scaling,
        base=base,
        lines=lines,
        auc=_auc_of_parts(points),
        exact=_auc_of_parts(held),
        judged=held.what,
    )
    return replace(card, scorecard=known, calibrator=scaling.sigmoid), points


def _auc_of_parts(held: HeldOut) -> float:
    """Return the mean AUC of the parts, since equal points of two cards say different things."""
    ends = np.cumsum([part.rows.size for part in reversed(held.parts)])
    both = zip(np.split(held.y, ends[:-1]), np.split(held.scores, ends[:-1]), strict=True)
    known = [auc(y, s) for y, s in both if np.unique(y).size == 2]
    return float(np.mean(known or [auc(held.y, held.scores)]))


def _card_of_part(part: Part, line: Sigmoid, scaling: Scaling, data: Data) -> Part:
    """Return the card of a fit to a part of the rows; points need no other scale."""
    own = Sigmoid(line.a * part.slope, line.b + line.a * part.shift)
    card = _whole(part.model, own, scaling, data.rows.take(part.learnt))
    return replace(part, model=card, slope=1.0, shift=0.0)


def _whole(model: Model, line: Sigmoid, scaling: Scaling, rows: Rows) -> Model:
    """Return a model of bins with whole weights; `line` leads from its scores to odds.

    Parameters
    ----------
    rows : Rows
        Those that trained it.
    """
    features = rows if model.encoding is None else model.encoding(rows)
    slope = -line.a * scaling.factor
    bins = model.maps[0]
    assert isinstance(bins, Bins)
    phi, scales = unscaled(bins)
    exact = slope * scales * np.asarray(model.weights)[: scales.size]
    points = whole_steps(phi, features, exact)
    steps = phi(features)
    wanted = slope * model.scores(rows) + scaling.offset - scaling.factor * line.b
    base = np.rint((wanted - scores(steps, points)).mean())
    maps: tuple[Any, ...] = (phi, AppendOne())
    card = replace(model, weights=np.append(points, base), maps=maps)
    return replace(card, spread=np.append(spread_of(steps), 0.0))


def unscaled(bins: Bins) -> tuple[Bins, Vector]:
    """Return bins whose steps are 0 and 1, or -1 and 0 where sparse rows need a 0; and the scales.

    Of sparse rows `rest` is whole already; of dense ones it is between 0 and 1.
    """
    known = [(block, block.scale if block else 0.0) for block in bins.blocks or ()]
    plain = [block and replace(block, scale=1.0, rest=np.floor(block.rest)) for block, _ in known]
    scales = np.repeat([s for _, s in known], [b.width if b else 0 for b, _ in known])
    return replace(bins, blocks=tuple(plain)), scales


def whole_steps(phi: Bins, features: Rows, exact: Vector) -> Vector:
    """Return whole weights of steps in place of exact ones.

    Column by column, a bin makes up for what the others have lost by rounding in its rows; in the
    first round for those before it, then for all.
    """
    blocks = phi.blocks or ()
    levels = _levels(blocks, exact)
    whole = [np.zeros(each.size, np.int64) for each in levels]
    error = np.zeros(features.n)
    for sweep in range(SWEEPS):
        for j, (block, x) in enumerate(zip(blocks, columns_of(features), strict=True)):
            if block is None:
                continue
            bins = np.searchsorted(block.thresholds, x, side="right")
            counts = np.bincount(bins, minlength=levels[j].size)
            if sweep:
                error -= (whole[j] - levels[j])[bins]
            error -= error.mean()
            lost = np.bincount(bins, error, counts.size) / (counts + FEW)
            wanted = _rising(levels[j] - lost, block.sign)
            whole[j] = rounded(wanted, counts)
            error += (whole[j] - levels[j])[bins]
    return np.concatenate([np.diff(each) for each in whole]).astype(np.float64)


def _levels(blocks: Sequence[Steps | None], exact: Vector) -> list[Vector]:
    """Return the exact points of the bins of each column, 0 in the first one."""
    levels, lo = [], 0
    for block in blocks:
        width = 0 if block is None else block.width
        levels.append(np.concatenate([[0.0], np.cumsum(exact[lo : lo + width])]))
        lo += width
    return levels


def _rising(levels: Vector, sign: int) -> Vector:
    """Return levels that never fall, or never rise, where the effect must not."""
    risen: Vector = sign * np.maximum.accumulate(sign * levels) if sign else levels
    return risen


def rounded(levels: Vector, counts: NDArray[Any]) -> Whole:
    """Return whole numbers in place of levels (m,), but for a constant that all have in common.

    Of all constants that may be added before rounding it is the one by which the errors vary least
    over rows, of which `counts` (m,) have each level.
    """
    turns = np.unique((0.5 - levels) % 1.0)  # constants at which a level is rounded otherwise
    tried = (turns + np.append(turns[1:], turns[0] + 1.0)) / 2
    whole = np.floor(levels + tried[:, None] + 0.5)
    errors = whole - levels
    shares = counts / counts.sum()
    centred = errors - (errors @ shares)[:, None]
    best: Whole = whole[np.argmin(centred**2 @ shares)].astype(np.int64)
    return best


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
        column, cells = column_of(card, j), train.rows.column(j)
        part = None if encoding is None else encoding.parts[j]
        named = _Attribute(column.name, effects, positive, first)
        if isinstance(part, OneHot):
            yield [*named.levels(column, part, cells)]
        elif isinstance(part, Dates):
            for k, name in enumerate(part.names(column.name)):
                one = replace(named, name=name, first=first + k)
                yield [*one.bins(features.column(first + k))]
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
