"""A scorecard: whole points for each bin of a column, which add up to the score of a row.

Design
  a. The model is the card. Its score is still a sum of weights of bins, now whole ones, so that it
     is scored, saved and assessed by the code of all models. The table is for people and for other
     programs.
  b. The calibration says which odds a score stands for, and the scaling how many points these are.
     The points of a bin are those that its effect has above the least one of its column, rounded.
     So the worst bin has 0 points, and an effect that never falls never falls in points.
  c. A threshold at which the points stay the same is left out, so that bins next to each other with
     the same points are one.
  d. The threshold, the reliability and all else come from held-out rows, whose points are their
     held-out scores on the scale of points, with the same error of rounding that the card has for
     these rows. (Rejected: a card for each part of the rows, which needs all fits to parts.)
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, field, replace
from itertools import groupby, pairwise
from math import inf, isfinite, isnan, log, nan
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from aucbench.data import Data
from aucbench.data import scores as weighted_sums
from aucbench.data.arrays import Rows, Vector, rows
from aucbench.data.columns import column_entries
from aucbench.datasets.tables import Column, Schema
from aucbench.datasets.tables.parts import OneHot
from aucbench.errors import DataError, UnsupportedError, require_above, require_at_most
from aucbench.features import AppendOne, Bins
from aucbench.features.bins import Steps
from aucbench.metrics import auc
from aucbench.models.assessment import SMALLEST
from aucbench.models.calibration import Sigmoid, calibrator

if TYPE_CHECKING:
    from pandas import DataFrame

    from aucbench.models.model import Model
    from aucbench.models.score_function import ScoreFunction

BASE = "base points"  # of every row
MISSING, OTHERS = "(missing)", "(others)"  # cells that training rows may lack
MOST = 1e9  # of a number that says what points mean
HEADER = ("attribute", "value", "from", "to", "points", "rows", "positives")
Band = tuple[str, float, float]  # its name, and the cells start ≤ x < end; NaN: a missing cell


@dataclass(frozen=True, kw_only=True, slots=True)
class Scaling:
    """What points mean.

    A row of S points has the odds base_odds · 2^((S − base_score) / pdo) of the positive class.

    Attributes
    ----------
    base_score : float
        Points at the base odds.
    base_odds : float
        Odds of the positive class to the other at `base_score`, above 0: 50 are 50 to 1.
    pdo : float
        Points that double the odds, above 0.

    Raises
    ------
    ParameterError
        When a number is out of its range, or has more than a thousand million in size.

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
        require_above(-MOST, base_score=self.base_score)
        require_at_most(MOST, base_score=self.base_score, base_odds=self.base_odds, pdo=self.pdo)

    @property
    def sigmoid(self) -> Sigmoid:
        """From points to the probability of the positive class."""
        a = -log(2.0) / self.pdo
        return Sigmoid(a, -a * self.base_score - log(self.base_odds))

    def __str__(self) -> str:
        odds = f"{self.base_odds:g} to 1" if self.base_odds >= 1 else f"1 to {1 / self.base_odds:g}"
        return f"{self.base_score:g} points are odds of {odds}, and {self.pdo:g} more double them"


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """The points of a bin, a level, or a missing cell.

    Attributes
    ----------
    attribute : str
        The column.
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
        Points of every row, the fewest that a row can have.
    lines : tuple of Line
        Of each attribute its lines, of which a row gets one; the worst has 0 points.
    auc : float
        The AUC of the points of held-out rows.
    exact : float
        The same before the points were rounded.
    """

    scaling: Scaling = field(default_factory=Scaling)
    base: int
    lines: tuple[Line, ...]
    auc: float
    exact: float

    @property
    def most(self) -> int:
        """The most points that a row can have."""
        groups = groupby(self.lines, key=attrgetter("attribute"))
        return self.base + sum(max(line.points for line in own) for _, own in groups)

    @property
    def quality(self) -> str:
        """What rounding costs, in a sentence."""
        return (
            f"The AUC of the points of held-out rows is {self.auc:.4f}, and {self.exact:.4f} "
            "before they are rounded."
        )

    def frame(self) -> DataFrame:
        """Return the table, a line for each bin, level or missing cell; the first has the base.

        A bin is from ≤ x < to; where one of them is missing it has no end.
        """
        import pandas as pd

        base = (BASE, "", None, None, self.base, None, None)
        table = pd.DataFrame([base, *map(astuple, self.lines)], columns=[*HEADER])
        return table.astype({"rows": "Int64", "positives": "Int64"})


def require_card(model: Model) -> None:
    """Raise `UnsupportedError` unless the score of a model is a sum over bins of columns."""
    first, *rest = (*model.maps, *model.function.maps) or (None,)
    others = [phi for phi in rest if not isinstance(phi, AppendOne)]
    if model.function.weights is None or not isinstance(first, Bins) or others:
        raise UnsupportedError(
            "the model has no weight for each bin of a column, so that there is no scorecard of "
            "it; take --features bins and a solver of linear scores"
        )


def require_kinds(schema: Schema | None) -> None:
    """Raise `UnsupportedError` unless each column has numbers, truth values or categories."""
    for column in () if schema is None else schema.columns:
        if column.kind in ("date", "text"):
            raise UnsupportedError(
                f"column {column.name!r} holds a {column.kind}, for which a scorecard has no "
                f"lines; leave it out by --drop {column.name}"
            )


def carded(
    model: Model, y: Vector, scores: Vector, held: Rows, train: Data, scaling: Scaling
) -> tuple[Model, Vector]:
    """Return a model as a scorecard, and the points of held-out rows.

    Parameters
    ----------
    model : Model
        Fitted to all rows.
    y, scores : arrays of shape (n,)
        Labels and held-out scores of rows, on the scale of the model.
    held : Rows
        These rows.
    train : Data
        The rows that trained the model.

    Raises
    ------
    DataError
        When no bin has points.
    """
    line = calibrator("sigmoid", y, scores)
    assert isinstance(line, Sigmoid)
    card = _round(model, line, scaling, train.rows)
    exact = _points(scores, line, scaling)
    rounding = card.scores(held)[:, 0] - _points(model.scores(held)[:, 0], line, scaling)
    points = exact + rounding
    base, lines = _lines_of(card, train)
    table = Scorecard(
        scaling=scaling, base=base, lines=lines, auc=auc(y, points), exact=auc(y, exact)
    )
    return replace(card, scorecard=table), points


def _points(scores: Vector, line: Sigmoid, scaling: Scaling) -> Vector:
    """Return the points of the odds that scores stand for."""
    sigmoid = scaling.sigmoid
    return (line.a * scores + (line.b - sigmoid.b)) / sigmoid.a


def _round(model: Model, line: Sigmoid, scaling: Scaling, train: Rows) -> Model:
    """Return a model of bins with whole weights; `line` leads from its scores to odds.

    Its steps are 0 and 1, or -1 and 0 if sparse rows need a 0.
    """
    function, bins = model.function, (*model.maps, *model.function.maps)[0]
    assert isinstance(bins, Bins)
    slope, weights = line.a / scaling.sigmoid.a, np.asarray(function.weights)
    blocks, steps = list[Steps | None](), list[Vector]()
    for block in bins.blocks or ():
        blocks.append(None)
        if block is None:
            continue
        own, weights = weights[: block.width], weights[block.width :]
        levels = slope * block.scale * np.append(0.0, np.cumsum(own))
        whole = np.diff(np.rint(levels - levels.min()))
        if (kept := whole != 0.0).any():
            rest = np.floor(block.rest[kept])
            blocks[-1] = Steps(block.thresholds[kept], 1.0, rest, block.sign)
            steps.append(whole[kept])
    if not steps:
        raise DataError(
            f"no effect has half a point where {scaling.pdo:g} points double the odds; give other "
            "columns, or a larger --pdo"
        )
    phi, whole = replace(bins, blocks=tuple(blocks)), np.concatenate(steps)
    mapped = phi(train if model.encoding is None else model.encoding(train))
    wanted = _points(model.scores(train)[:, 0], line, scaling)
    base = np.rint((wanted - weighted_sums(mapped, whole)).mean())
    shares = np.abs(np.asarray(mapped.matrix.mean(axis=0))).reshape(-1)  # of rows with the step
    rounded: ScoreFunction = replace(
        function,
        weights=np.append(whole, base),
        maps=(AppendOne(),),
        spread=np.append(np.sqrt(shares * (1.0 - shares)), 0.0),
        calibrator=scaling.sigmoid,
    )
    return replace(model, functions=(rounded,), maps=(phi,))


def _lines_of(card: Model, train: Data) -> tuple[int, tuple[Line, ...]]:
    """Return the points of every row, and the lines of all columns that have points.

    Parameters
    ----------
    card : Model
        Of whole weights, the last one for the constant.
    train : Data
        The rows that trained it, of which the lines say how many they are about.
    """
    row = np.full((1, card.width), 0.0 if card.encoding is None else nan)
    base = start = card.scores(rows(row))[0, 0]
    bins, lines = card.maps[0], list[Line]()
    assert isinstance(bins, Bins)
    blocks = bins.blocks or ()
    parts = [None] * card.width if card.encoding is None else card.encoding.parts
    for j, (column, part) in enumerate(zip(card.schema.columns, parts, strict=True)):
        width = 1 if part is None else part.width
        own, blocks = blocks[:width], blocks[width:]
        if not any(own):
            continue
        bands = _bands(column, part, own[0])
        table = np.repeat(row, len(bands), axis=0)
        table[:, j] = [low for _, low, _ in bands]
        points = card.scores(rows(table))[:, 0]
        base += points.min() - start
        of_column = [
            _line(column, band, int(more), column_entries(train.rows, j), train.y)
            for band, more in zip(bands, points - points.min(), strict=True)
        ]
        if column.kind == "category":  # its levels have no order of their own
            of_column[:-2] = sorted(of_column[:-2], key=attrgetter("points"))
        lines += of_column
    return int(base), tuple(lines)


def _bands(column: Column, part: Any, block: Steps | None) -> list[Band]:
    """Return the bins of a number, the truth values or the levels, and a missing cell."""
    bands: list[Band]
    if isinstance(part, OneHot):
        known = {*part.kept, *part.rare}
        bands = [(name, k, k + 1) for k, name in enumerate(column.levels) if name in known]
        bands.append((OTHERS, -1, 0))
    elif column.kind == "boolean":
        bands = [("no", 0, 1), ("yes", 1, 2)]
    else:
        ends = [-inf, *(block.thresholds.tolist() if block else ()), inf]
        bands = [(_range(*both), *both) for both in pairwise(ends)]
    return bands if part is None else [*bands, (MISSING, nan, nan)]


def _range(low: float, high: float) -> str:
    """Return the bin for people: it has its lower end."""
    if low == -inf:
        return "all" if high == inf else f"below {high:.10g}"
    return f"from {low:.10g}" if high == inf else f"{low:.10g} to {high:.10g}"


def _line(column: Column, band: Band, points: int, cells: Vector, y: Vector) -> Line:
    """Return the line of a band; without numbers of rows if they are few."""
    value, start, end = band
    inside = np.isnan(cells) if isnan(start) else (cells >= start) & (cells < end)
    enough, number = inside.sum() >= SMALLEST, column.kind == "numeric"
    return Line(
        attribute=column.name,
        value=value,
        low=start if number and isfinite(start) else None,
        high=end if number and isfinite(end) else None,
        points=points,
        rows=int(inside.sum()) if enough else None,
        positives=int((inside & (y > 0)).sum()) if enough else None,
    )
