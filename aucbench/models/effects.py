"""The effects of columns on the score of a model, and their shapes.

Design
  a. The score of an additive model is a sum of effects. What an encoding makes of one column of the
     table, such as the levels of a category or the flag of a missing cell, is one effect. Its
     terms are those of the maps, see `aucbench.contract.terms`.
  b. An effect looks at its own column alone, so that its curve is that of one row in which the
     column is set to each place. A ranking has no constant: each effect of a sum is 0 in the mean
     over the rows.
  c. The effect of a column of any other model is the mean prediction if the column has one value in
     all rows. It has no label in it, so that no optimism is in it either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from aucbench.data import Data, Labels
from aucbench.data.arrays import Index, Rows, Vector, rows
from aucbench.data.columns import column_entries
from aucbench.datasets.tables import Column
from aucbench.models.assessment import SMALLEST
from aucbench.models.model import Model
from aucbench.models.shape import TIMES, Axis, EffectShape
from aucbench.solving.scoring import MAPPED_ROWS

MOST_LEVELS = 10  # of a category; the others are one place
MOST_SHAPES, MOST_DEPENDENCES = 30, 12  # effects of a sum, those that move the score most; others
PLACES, FEW_PLACES = 40, 8  # of a number; of each of two columns, and if predictions are averaged
MOST_PLACED = 200_000  # rows that decide the places
SET_ROWS = 100  # rows whose cells are set to each value
DIGITS = 6  # significant ones of an effect
MISSING, OTHERS = "(missing)", "(others)"
NO_EFFECT = -1  # of an intercept
Mask = NDArray[np.bool_]
Columns = tuple[int, ...]
Numbers = NDArray[np.integer[Any]]


def shapes(
    model: Model, data: Data, learnt: Index, names: Sequence[str] = ()
) -> tuple[EffectShape, ...]:
    """Return the shapes of the effects that move the score most; a column with one place has none.

    Parameters
    ----------
    model : Model
        Of one score function, with its calibrator.
    data : Data
    learnt : array
        Numbers of the training rows.
    names : sequence of str
        Columns whose effects are wanted if the score is no sum of effects.
    """
    places = Places.of(model, data, learnt)
    additive = Additive.of(model)
    if additive is not None:
        return tuple(_sums(additive, places))
    return tuple(_dependences(model, places, names[:MOST_DEPENDENCES]))


@dataclass(frozen=True, eq=False)
class Places:
    """The places of columns, by training rows, or by some of many.

    Attributes
    ----------
    model : Model
    rows : Rows
    positive : array of shape (n,), or None
        Which of the rows are positive; None if rows are ranked.
    each : float
        Training rows that each row stands for.
    """

    model: Model
    rows: Rows
    positive: Mask | None
    each: float

    @staticmethod
    def of(model: Model, data: Data, learnt: Index) -> Places:
        """Take the training rows of a table."""
        some = learnt
        if learnt.size > MOST_PLACED:
            some = np.random.default_rng(0).choice(learnt, MOST_PLACED, replace=False)
        some = np.sort(some)
        every = some.size == data.n and np.array_equal(some, np.arange(data.n))
        positive = data.y[some] > 0 if isinstance(data.target, Labels) else None
        table = data.rows if every else data.rows.take(some)
        return Places(model, table, positive, learnt.size / max(1, some.size))

    def axis(self, j: int, most: int) -> tuple[Axis, Vector, list[Mask]]:
        """Return the places of a column, their cells, and the rows of each."""
        column = column_of(self.model, j)
        found = [*places_of(column, column_entries(self.rows, j), most)]
        inside = [mask for _, _, mask in found]
        positive = self.positive
        axis = Axis(
            column=column.name,
            kind=column.kind,
            names=tuple(name for name, _, _ in found),
            values=tuple(value if _is_number(column, name) else None for name, value, _ in found),
            rows=tuple(self._count(mask) for mask in inside),
            positives=()
            if positive is None
            else tuple(self._count(mask & positive) for mask in inside),
        )
        return axis, np.array([value for _, value, _ in found]), inside

    def _count(self, mask: Mask) -> int:
        return round(self.each * int(mask.sum()))


def _is_number(column: Column, name: str) -> bool:
    return not name or (column.kind == "date" and name != MISSING)


def _sums(additive: Additive, places: Places) -> Iterator[EffectShape]:
    """Yield the shapes of the effects of a sum, each 0 in the mean over the rows."""
    for number in additive.largest(MOST_SHAPES):
        own = additive.columns[number]
        found = [places.axis(j, PLACES if len(own) == 1 else FEW_PLACES) for j in own]
        if min(values.size for _, values, _ in found) < 2:
            continue
        grid = np.meshgrid(*(values for _, values, _ in found), indexing="ij")
        cells = np.column_stack([values.ravel() for values in grid])
        table = places.rows.take(np.zeros(cells.shape[0], np.int32))
        effect = additive.effects(replaced(table, np.array(own), cells), [number])[:, 0]
        inside = [np.array(masks, float) for _, _, masks in found]
        counts = inside[0].sum(axis=1) if len(own) == 1 else (inside[0] @ inside[1].T).ravel()
        effect -= np.average(effect, weights=counts)
        yield EffectShape(axes=tuple(axis for axis, _, _ in found), effect=_rounded(effect))


def _rounded(values: Vector) -> tuple[float, ...]:
    return tuple(float(f"{value:.{DIGITS}g}") for value in values)


def _dependences(model: Model, places: Places, names: Sequence[str]) -> Iterator[EffectShape]:
    """Yield the mean predictions of some rows with a column set to each of its places."""
    n = places.rows.n
    some = np.random.default_rng(0).choice(n, min(SET_ROWS, n), replace=False)
    table = places.rows.take(np.sort(some).astype(np.int32))
    calibrator = model.function.calibrator
    numbers = {column_name(model, j): j for j in range(model.width)}
    for j in (numbers[name] for name in names if name in numbers):
        axis, values, _ = places.axis(j, FEW_PLACES)
        if values.size < 2:
            continue
        each = table.take(np.tile(np.arange(table.n, dtype=np.int32), values.size))
        changed = replaced(each, np.array([j]), np.repeat(values, table.n)[:, None])
        scores = model.scores(changed)[:, 0]
        predictions = scores if calibrator is None else calibrator(scores)
        means = predictions.reshape(values.size, table.n).mean(axis=1)
        unit = "score" if calibrator is None else "probability"
        yield EffectShape(axes=(axis,), effect=_rounded(means), unit=unit)


def encoded(model: Model, table: Rows) -> tuple[Model, Rows]:
    """Return a model without its encoding, and the rows of a table as it reads them."""
    if model.encoding is None:
        return model, table
    bare = replace(model, encoding=None, columns=None, ranges=None, width=model.encoding.d)
    return bare, model.encoding(table)


def owners(model: Model) -> Index:
    """Return the number of the column to which each feature before the maps belongs."""
    each = np.arange(model.width, dtype=np.int32)
    if model.encoding is None:
        return each
    return np.repeat(each, [part.width for part in model.encoding.parts])


def replaced(features: Rows, block: Numbers, part: Any) -> Rows:
    """Return features of which those in `block` are `part`, shape (n, features in the block)."""
    if not features.is_sparse:
        matrix = np.array(features.matrix)
        matrix[:, block] = part
        return rows(matrix)
    kept = np.ones(features.d)
    kept[block] = 0.0
    place = (np.ones(block.size), (np.arange(block.size), block))
    moved = csr_array(part) @ csr_array(place, shape=(block.size, features.d))
    return rows(csr_array(features.matrix.multiply(kept[None, :]) + moved))


def feature_weights(model: Model) -> Vector | None:
    """Return |weight| × spread of each feature of w, or its share of the splits of trees.

    None for a kernel, and for a model that no file can hold.
    """
    function = model.function
    if function.trees is not None:
        used = function.trees.feature[function.trees.feature >= 0]
        return np.bincount(used, minlength=function.trees.d) / max(1, used.size)
    if function.weights is None or model.feature_names() is None:
        return None
    known = function.spread
    spread = 1.0 if known is None else np.where(np.isnan(known), 1.0, known)
    return np.asarray(np.abs(np.asarray(function.weights)) * spread)


def raw_weights(model: Model) -> Vector | None:
    """Return what each feature before the maps counts: the sum over the features made of it.

    A feature of two columns counts half for each. None for a kernel.
    """
    counts, known = feature_weights(model), model.terms()
    if counts is None or known is None:
        return counts
    raw = np.zeros(len(model.raw_names))
    of_term = np.bincount(known.owner, counts[: known.owner.size], len(known.columns))
    for columns, count in zip(known.columns, of_term, strict=True):
        raw[[*columns]] += count / len(columns)
    return raw


def column_of(model: Model, j: int) -> Column:
    """Return what a column of the table is; a plain number if the model has no encoding."""
    if model.encoding is not None:
        return model.encoding.schema.columns[j]
    return Column(column_name(model, j), "numeric")


def column_name(model: Model, j: int) -> str:
    """Return the name of a column of the table."""
    return model.columns[j] if model.columns is not None else f"column {j}"


def places_of(column: Column, cells: Vector, most: int) -> Iterator[tuple[str, float, Mask]]:
    """Yield name, value and rows of each place; the name of a number is empty.

    Numbers have about `most` places.
    """
    if column.kind in ("category", "boolean"):
        yield from levels_of(column, cells)
    elif column.kind != "text":  # its codes are numbers of texts
        for value, inside in bins_of(cells, most):
            yield format_date(value) if column.kind == "date" else "", value, inside
    gaps = np.isnan(cells)
    if gaps.sum() >= SMALLEST:
        yield MISSING, np.nan, gaps


def levels_of(column: Column, cells: Vector) -> Iterator[tuple[str, float, Mask]]:
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


def bins_of(cells: Vector, most: int) -> Iterator[tuple[float, Mask]]:
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


def format_date(seconds: float) -> str:
    """Return a date for people."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"


@dataclass(frozen=True, eq=False)
class Additive:
    """A score that is a sum of effects, and a constant.

    Attributes
    ----------
    model : Model
        Of one score function.
    columns : tuple of tuple of int
        The column of the table of each effect, or its two, in ascending order.
    owner : array of shape (d,)
        The effect of each weight; -1: of none.
    """

    model: Model
    columns: tuple[Columns, ...]
    owner: Index

    @staticmethod
    def of(model: Model) -> Additive | None:
        """Return the effects of a model; None if its score is no such sum."""
        known = None if model.function.weights is None else model.terms()
        if known is None:
            return None
        of_feature = owners(model)
        named = [tuple(sorted({*of_feature[[*one]].tolist()})) for one in known.columns]
        place = {columns: number for number, columns in enumerate(dict.fromkeys(named))}
        owner = np.full(model.function.d, NO_EFFECT, np.int32)
        owner[: known.owner.size] = np.array([place[one] for one in named], np.int32)[known.owner]
        return Additive(model, tuple(place), owner)

    def name(self, number: int) -> str:
        """Return the name of an effect: that of its column, or those of both."""
        return TIMES.join(column_name(self.model, j) for j in self.columns[number])

    def largest(self, most: int) -> list[int]:
        """Return the numbers of the effects that move the score most, the largest first.

        How much they move it is about the root of Σ (w_j s_j)² over their features, s_j the spread
        of the feature.
        """
        known = self.model.function.spread
        spread = 1.0 if known is None else np.nan_to_num(known, nan=1.0)
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
        sums = [np.zeros((0, len(numbers)))]
        for low in range(0, table.n, MAPPED_ROWS):
            mapped = self.model.mapped(table.take(slice(low, low + MAPPED_ROWS)))
            product: Any = self.model.function.mapped(mapped).matrix @ parts
            sums.append(product.toarray() if hasattr(product, "toarray") else product)
        return np.concatenate(sums)
