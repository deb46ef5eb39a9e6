"""What the columns of a model are worth, and the shape of their effects.

Design
  a. Importance is the fall of the AUC when the cells of a column are dealt out anew among rows that
     the model has not seen. The mean placements of `DEALS` deals are compared with those of the
     rows as they are, as `auc_difference` does. Where other pairs of rows count, it is
     the fall of their measure, and influences take the place of placements. If they are within
     groups, cells are dealt out within groups: so a column that is constant there is worth nothing.
  b. The AUC compares classes, so that each class is drawn from by itself: a rare class stays whole.
  c. With many columns, those are judged that count most in the model: by |weight| × spread, by the
     splits of trees, or by the correlation of features and scores for a kernel.
  d. A model whose score is a sum of effects needs no deals: its importance is the fall of the AUC
     when an effect is taken out of the score, which is exact.
  e. An effect is the mean of what the final model says when a column is set to a value. It has no
     label in it, so that no optimism is in it either; beside it stands the share that was seen.
  f. A column of a table becomes a block of features, which depends on this column alone. So
     shuffling the cells of a column moves a block, and no row is encoded again.
  g. The terms of an additive score are those of the maps, see `aucbench.protocols.terms`. What an
     encoding makes of one column of the table, such as the levels of a category or the flag of a
     missing cell, is one effect. Removing it from a score takes one product with the mapped rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from aucbench.data import Data, Grades, Labels, Target
from aucbench.data.arrays import Index, Rows, Vector, rows
from aucbench.datasets.tables import Column, Encoding
from aucbench.metrics.pairs import AUC, PAIRED, measure_of, measured_by
from aucbench.metrics.rows import TargetRows, bare
from aucbench.models.assessment import (
    DEALT,
    SMALLEST,
    TAKEN_OUT,
    Assessment,
    Effect,
    Importance,
    Place,
)
from aucbench.models.explain import raw_weights
from aucbench.models.model import Model
from aucbench.models.recipe import spread_of
from aucbench.models.shape import TIMES
from aucbench.pairs import pairs_of
from aucbench.protocols import MAPPED_ROWS
from aucbench.report.findings import titled
from aucbench.stats import Difference, Fold, Influence, Influences, Interval
from aucbench.stats.delong import Placements
from aucbench.stats.measures import MEASURES, Measure, parts_of

DEALS = 5  # times that the cells of a column are dealt out
MOST_JUDGED = 20  # columns
MOST_OF_CLASS = 1000  # rows of a class by which importance is measured
MOST_EFFECTS, BINS = 12, 8
MOST_LEVELS = 10  # of a category; the others are one place
MOST_HELD = 200_000  # rows held out that tell the shape of an effect
SET_ROWS = 200  # rows whose cells are set to each value
MISSING, OTHERS = "(missing)", "(others)"
Numbers = NDArray[np.intp]
Columns = tuple[int, ...]
NO_EFFECT = -1  # of an intercept


def importances(part: Model, data: Data, unseen: Index, rng: np.random.Generator) -> Assessment:
    """Return what rows say that a model has not seen: what its columns are worth, or its effects.

    Parameters
    ----------
    part : Model
        Fitted to other rows.
    unseen : array
        Numbers of rows that it has not seen, of both classes.

    Returns
    -------
    Assessment
        All of it where the model ranks rows; else without cuts, effects and groups.
    """
    measure, groups = judged_by(data), data.groups
    grouped = _within_groups(data) and measure.name != AUC
    drawn = _of_whole_groups if grouped else _of_each_class
    chosen = drawn(data, unseen, rng)
    table, target = data.rows.take(chosen), data.target.take(chosen)
    own = None if groups is None else groups[chosen]
    additive = Additive.of(part)
    if additive is not None:
        without = _without_effects(additive, table)
    else:
        without = _with_deals(part, table, own if grouped else None, rng)
    base = _rows(target, part.scores(table)[:, 0], own)
    told = []
    for name, scores in without:
        drop = _fall(measure, base, [_rows(target, s, own) for s in scores])
        interval = Interval(drop.estimate, drop.low, drop.high, drop.level, drop.method, drop.note)
        told.append(Importance(column=name, drop=interval))
    return Assessment(
        rows=int(unseen.size),
        positives=0,
        cuts=(),
        flags=(),
        judged=int(chosen.size),
        importance=tuple(sorted(told, key=lambda one: -one.drop.estimate)),
        columns=part.width if additive is None else len(additive.columns),
        effects=(),
        groups=(),
        measure=titled(measure.name),
        how=DEALT if additive is None else TAKEN_OUT,
    )


def _without_effects(additive: Additive, table: Rows) -> Iterator[tuple[str, list[Vector]]]:
    """Yield the name of each effect that counts most, and the scores without it."""
    numbers = additive.largest(MOST_JUDGED)
    scores, parts = additive.model.scores(table)[:, 0], additive.effects(table, numbers)
    for number, effect in zip(numbers, parts.T, strict=True):
        yield additive.name(number), [scores - effect]


def _with_deals(
    part: Model, rows: Rows, groups: Index | None, rng: np.random.Generator
) -> Iterator[tuple[str, list[Vector]]]:
    """Yield the name of each column that counts most, and the scores of deals of its cells."""
    encoded = Encoded.of(part)
    table = encoded.features(rows)
    for j in judged_columns(encoded, table, encoded.model.scores(table)[:, 0]):
        deals = [encoded.dealt(table, j, _order(table.n, groups, rng)) for _ in range(DEALS)]
        yield column_name(part, j), [*map(encoded.model.scores, deals)]


def _within_groups(data: Data) -> bool:
    """Whether pairs are of two rows of one group."""
    if isinstance(data.target, Grades):
        pairs: Any = pairs_of(data)
        return data.groups is not None and not getattr(pairs, "across", False)
    return data.pairs is not None and data.pairs.kind == "group"


def _rows(target: Target, scores: Vector, groups: Index | None) -> Fold | TargetRows:
    if isinstance(target, Labels):  # rows count the same
        return Fold(target.y, scores, groups=groups)
    return TargetRows(bare(target, groups), scores)


def judged_by(data: Data) -> Measure:
    """Return the measure of the pairs that count, if aucbench has it; or else the AUC."""
    pairs = data.pairs if isinstance(data.target, Labels) else pairs_of(data)
    spec = measured_by(pairs)
    known = pairs is not None and parts_of(spec)[0] in (*PAIRED, *MEASURES)
    return measure_of(spec if known else AUC)


def _order(n: int, groups: Index | None, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return a random order of rows; within groups, where there are some."""
    if groups is None:
        return rng.permutation(n)
    order = np.empty(n, np.intp)
    order[np.argsort(groups, kind="stable")] = np.lexsort((rng.random(n), groups))
    return order


def _fall(
    measure: Measure, base: Fold | TargetRows, dealt: Sequence[Fold | TargetRows]
) -> Difference:
    """Return a measure on rows, less its mean over deals of a column."""
    if measure.name == AUC and isinstance(base, Fold):
        placed = Placements.of([base])
        falls = [Placements.of([fold]).values for fold in dealt if isinstance(fold, Fold)]
        return placed.difference(replace(placed, values=np.mean(falls, axis=0)))
    own, *others = (measure.influence(fold) for fold in (base, *dealt))
    told = [*filter(None, others)]  # of the same rows all have pairs, or none
    mean = Influence.mean(told) if told else None
    grouped = base.groups is not None
    whole, dealt_out = (Influences.joined([one], grouped=grouped) for one in (own, mean))
    return whole.difference(dealt_out)


def effects(
    model: Model, data: Data, held: Index, names: Sequence[str], rng: np.random.Generator
) -> tuple[Effect, ...]:
    """Return the shape of the effects of some columns; one with a single place has none.

    Of many rows that were held out, some tell it.
    """
    if held.size > MOST_HELD:
        held = np.sort(rng.choice(held, MOST_HELD, replace=False)).astype(np.int32)
    some = rng.choice(held, min(SET_ROWS, held.size), replace=False).astype(np.int32)
    table, y, encoded = data.rows.take(np.sort(some)), data.y[held], Encoded.of(model)
    features = encoded.features(table)
    number = {column_name(model, j): j for j in range(model.width)}
    told = []
    for j in [number[name] for name in names if name in number][:MOST_EFFECTS]:
        column = column_of(model, j)
        places = [*places_of(column, data.rows.column(j)[held], BINS)]
        if len(places) > 1:
            blocks = encoded.blocks(table, j, np.array([value for _, value, _ in places]))
            said = [_said(encoded, encoded.set_to(features, j, block)) for block in blocks]
            each = zip(places, said, strict=True)
            shown = tuple(_shown(*place, y, predicted) for place, predicted in each)
            told.append(Effect(column=column.name, kind=column.kind, places=shown))
    return tuple(told)


def _shown(
    name: str, value: float, inside: NDArray[np.bool_], y: Vector, predicted: float
) -> Place:
    return Place(
        name=name,
        value=None if name else value,
        rows=int(inside.sum()),
        positives=int((inside & (y > 0)).sum()),
        predicted=predicted,
    )


def column_of(model: Model, j: int) -> Column:
    """Return what a column of the table is; a plain number where the model has no encoding."""
    if model.encoding is not None:
        return model.encoding.schema.columns[j]
    return Column(column_name(model, j), "numeric")


def column_name(model: Model, j: int) -> str:
    """Return the name of a column of the table."""
    return model.columns[j] if model.columns is not None else f"column {j}"


def levels_of(column: Column, cells: Vector) -> Iterator[tuple[str, float, NDArray[np.bool_]]]:
    """Yield name, code and rows of each level with enough rows, most frequent first; then others.

    The code of the others is that of the most frequent one among them.
    """
    names = ("no", "yes") if column.kind == "boolean" else column.levels
    codes, counts = np.unique(cells[cells >= 0], return_counts=True)
    order = codes[np.argsort(-counts, kind="stable")]
    often = [code for code in order if (cells == code).sum() >= SMALLEST]
    kept = often[:MOST_LEVELS] if len(order) > MOST_LEVELS else often
    for code in kept:
        yield names[int(code)], float(code), cells == code
    rest = (cells >= 0) & ~np.isin(cells, kept)
    if rest.sum() >= SMALLEST:
        yield OTHERS, float(next(code for code in order if code not in kept)), rest


def bins_of(cells: Vector, most: int) -> Iterator[tuple[float, NDArray[np.bool_]]]:
    """Yield the mean and the rows of bins of about equal size; equal values are in one bin."""
    known = cells[np.isfinite(cells)]
    if not known.size:
        return
    distinct, counts = np.unique(known, return_counts=True)
    if distinct.size <= most and counts.min() >= SMALLEST:
        edges = distinct
    else:
        count = int(np.clip(known.size // SMALLEST, 1, most))
        edges = np.unique(np.quantile(known, np.arange(count) / count, method="lower"))
    number = np.searchsorted(edges, cells, side="right")
    for k in range(1, edges.size + 1):
        inside = (number == k) & np.isfinite(cells)
        if inside.sum() >= SMALLEST:
            yield float(cells[inside].mean()), inside


def places_of(
    column: Column, cells: Vector, most: int
) -> Iterator[tuple[str, float, NDArray[np.bool_]]]:
    """Yield name, value and rows of each place; the name of a number is empty.

    Numbers have about `most` places.
    """
    if column.kind in ("category", "boolean"):
        yield from levels_of(column, cells)
    elif column.kind != "text":  # its codes are numbers of texts
        for value, inside in bins_of(cells, most):
            yield date_of(value) if column.kind == "date" else "", value, inside
    gaps = np.isnan(cells)
    if gaps.sum() >= SMALLEST:
        yield MISSING, np.nan, gaps


def date_of(seconds: float) -> str:
    """Return a date for people."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"


def _said(encoded: Encoded, features: Rows) -> float:
    scores, calibrator = encoded.model.scores(features)[:, 0], encoded.model.function.calibrator
    return float(np.mean(scores if calibrator is None else calibrator(scores)))


def _of_whole_groups(data: Data, numbers: Index, rng: np.random.Generator) -> Index:
    """Return the rows of groups that are drawn until there are enough rows."""
    assert data.groups is not None
    own = data.groups[numbers]
    known, sizes = np.unique(own, return_counts=True)
    order = rng.permutation(known.size)
    enough = 1 + int(np.searchsorted(np.cumsum(sizes[order]), 2 * MOST_OF_CLASS))
    return np.sort(numbers[np.isin(own, known[order[:enough]])]).astype(np.int32)


def _of_each_class(data: Data, numbers: Index, rng: np.random.Generator) -> Index:
    y = data.strata
    parts = [numbers[y[numbers] > 0], numbers[y[numbers] <= 0]]
    drawn = [
        part if part.size <= MOST_OF_CLASS else rng.choice(part, MOST_OF_CLASS, replace=False)
        for part in parts
    ]
    return np.sort(np.concatenate(drawn)).astype(np.int32)


def judged_columns(encoded: Encoded, features: Rows, scores: Vector) -> list[int]:
    """Return the numbers of the columns that count most in a model."""
    owner, width = encoded.owner, int(encoded.owner.max(initial=0)) + 1
    if width <= MOST_JUDGED:
        return [*np.unique(owner).tolist()]
    weights = raw_weights(encoded.model)
    if weights is None:
        weights = _correlations(features, scores)
    by_column = np.zeros(width)
    np.maximum.at(by_column, owner, weights[: owner.size])  # an intercept has no column
    return [int(j) for j in np.argsort(-by_column, kind="stable")[:MOST_JUDGED]]


def _correlations(features: Rows, scores: Vector) -> Vector:
    """Return how strongly each feature goes with the scores, from 0 to 1."""
    centred = scores - scores.mean()
    spread = spread_of(features) * float(np.linalg.norm(centred)) * np.sqrt(max(1, features.n))
    along = np.abs(np.asarray(features.matrix.T @ centred)).reshape(-1)
    shares: Vector = np.divide(along, spread, out=np.zeros_like(along), where=spread > 0)
    return shares


@dataclass(frozen=True, eq=False)
class Encoded:
    """A model without its encoding.

    Attributes
    ----------
    model : Model
        It scores features.
    encoding : Encoding or None
        Makes them of the codes of a table; None: they are the numbers of the table.
    owner : array
        The number of the column to which each feature belongs.
    """

    model: Model
    encoding: Encoding | None
    owner: Numbers

    @staticmethod
    def of(model: Model) -> Encoded:
        """Take the encoding off a model."""
        if model.encoding is None:
            return Encoded(model, None, np.arange(model.width))
        owner = np.repeat(np.arange(model.width), [part.width for part in model.encoding.parts])
        bare = replace(model, encoding=None, columns=None, width=model.encoding.d)
        return Encoded(bare, model.encoding, owner)

    def features(self, table: Rows) -> Rows:
        """Return the features of rows (n, columns) of a table."""
        return table if self.encoding is None else self.encoding(table)

    def dealt(self, features: Rows, j: int, order: Numbers) -> Rows:
        """Return features in which the cells of a column are those of the rows in another order."""
        block = np.flatnonzero(self.owner == j)
        if not features.is_sparse:
            matrix = np.array(features.matrix)
            matrix[:, block] = matrix[np.ix_(order, block)]
            return rows(matrix)
        matrix, place = features.matrix.tocsc(copy=True), np.argsort(order)
        for k in block:
            own = slice(*matrix.indptr[k : k + 2])
            matrix.indices[own] = place[matrix.indices[own]]
        return rows(matrix.tocsr())

    def blocks(self, table: Rows, j: int, values: Vector) -> Vector:
        """Return the features of a column for each value, (values, features of the column)."""
        if self.encoding is None:
            return values[:, None]
        codes = np.repeat(np.asarray(table.take(slice(0, 1)).matrix, float), values.size, axis=0)
        codes[:, j] = values
        matrix: Any = self.encoding(rows(codes)).matrix
        own = matrix[:, np.flatnonzero(self.owner == j)]
        block: Vector = own.toarray() if self.encoding.sparse else np.asarray(own)
        return block

    def set_to(self, features: Rows, j: int, block: Vector) -> Rows:
        """Return features in which a column has one value, whose features are given."""
        matrix: Any = features.matrix.tolil(copy=True) if features.is_sparse else None
        matrix = np.array(features.matrix) if matrix is None else matrix
        matrix[:, np.flatnonzero(self.owner == j)] = np.tile(block, (features.n, 1))
        return rows(matrix.tocsr() if features.is_sparse else matrix)


@dataclass(frozen=True, eq=False)
class Additive:
    """A model whose score is a sum of effects, and a constant.

    Attributes
    ----------
    model : Model
    columns : tuple of tuple of int
        The column of the table of each effect, or its two, in ascending order.
    owner : array of shape (p,)
        The effect of each weight; -1: of none.
    """

    model: Model
    columns: tuple[Columns, ...]
    owner: Index

    @staticmethod
    def of(model: Model) -> Additive | None:
        """Return the effects of a model; None where its score is no such sum."""
        encoding, known = model.encoding, None if model.function.weights is None else model.terms()
        if known is None:
            return None
        of_feature = np.arange(model.width)
        if encoding is not None:
            of_feature = np.repeat(of_feature, [part.width for part in encoding.parts])
        named = [tuple(sorted({*of_feature[[*one]].tolist()})) for one in known.columns]
        place = {columns: number for number, columns in enumerate(dict.fromkeys(named))}
        owner = np.full(np.asarray(model.function.weights).size, NO_EFFECT, np.int32)
        owner[: known.owner.size] = np.array([place[one] for one in named], np.int32)[known.owner]
        return Additive(model, tuple(place), owner)

    def name(self, number: int) -> str:
        """Return the name of an effect: that of its column, or those of both."""
        names = self.model.columns
        return TIMES.join(names[j] if names else f"column {j}" for j in self.columns[number])

    def largest(self, most: int) -> list[int]:
        """Return the numbers of the effects that move the score most, the largest first.

        How much they move it is about the root of Σ (w_j s_j)² over their features, s_j the spread
        of the feature.
        """
        spread = (
            1.0
            if self.model.function.spread is None
            else np.nan_to_num(self.model.function.spread, nan=1.0)
        )
        squares = (np.asarray(self.model.function.weights) * spread) ** 2
        owned = self.owner != NO_EFFECT
        moved = np.bincount(self.owner[owned], squares[owned], len(self.columns))
        return [int(number) for number in np.argsort(-moved, kind="stable")[:most]]

    def effects(self, table: Rows, numbers: Sequence[int]) -> Vector:
        """Return some effects of rows (n, columns of the table) -> (n, len(numbers))."""
        place = np.full(len(self.columns) + 1, -1)
        place[[*numbers]] = np.arange(len(numbers))
        column = place[self.owner]  # the last place is that of no effect
        own = np.flatnonzero(column >= 0)
        weights = np.asarray(self.model.function.weights)
        parts = csr_array((weights[own], (own, column[own])), shape=(weights.size, len(numbers)))
        lows = range(0, table.n, MAPPED_ROWS)
        pieces = (self._mapped(table.take(slice(lo, lo + MAPPED_ROWS))) for lo in lows)
        sums = [np.zeros((0, len(numbers))), *(_dense(one.matrix @ parts) for one in pieces)]
        return np.concatenate(sums)

    def _mapped(self, table: Rows) -> Rows:
        return self.model.function.mapped(self.model.mapped(table))


def _dense(product: object) -> Vector:
    dense: Vector = product.toarray() if hasattr(product, "toarray") else np.asarray(product)
    return dense
