"""The shapes of the effects of an additive model.

Design
  a. All columns are set to their k-th place in the k-th row of one made-up table, since an effect
     looks at its own column alone. So all curves are one scoring of some forty rows.
  b. A ranking has no constant: each effect is 0 in the mean over the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.data.arrays import Index, Rows, Vector, rows
from aucbench.datasets.tables import Column
from aucbench.models.attribution import MISSING, Additive, Columns, column_of, places_of
from aucbench.models.model import Model
from aucbench.models.shape import Axis, EffectShape

MOST_SHAPES = 30  # effects, those that move the score most
PLACES, PAIR_PLACES = 40, 8  # of a number; of each of two columns
MOST_PLACED = 200_000  # rows that tell the places
DIGITS = 6  # significant ones of what is kept


def shapes(model: Model, data: Data, learnt: Index) -> tuple[EffectShape, ...]:
    """Return the shapes of the effects that move the score most.

    A model whose score is no sum of effects has none, and neither has a column with one place.

    Parameters
    ----------
    learnt : array
        Numbers of the rows that the model has learnt from.
    """
    additive = Additive.of(model)
    if additive is None:
        return ()
    X, each = _looked_at(data.rows, learnt)
    numbers, columns, axes, counts = [], [], [], []
    cells: list[tuple[Vector, ...]] = []  # of each effect, those of its columns
    for number in additive.largest(MOST_SHAPES):
        own = additive.columns[number]
        found = [_axis(model, X, j, len(own), each) for j in own]
        if min(len(values) for _, values, _ in found) < 2:
            continue
        numbers.append(number)
        columns.append(own)
        axes.append(tuple(axis for axis, _, _ in found))
        grid = np.meshgrid(*(values for _, values, _ in found), indexing="ij")
        cells.append(tuple(each.ravel() for each in grid))
        inside = [np.array(masks, float) for _, _, masks in found]
        counts.append(inside[0].sum(axis=1) if len(own) == 1 else (inside[0] @ inside[1].T).ravel())
    if not columns:
        return ()
    table, at = _table(X.take(slice(0, 1)), columns, cells)
    effects = additive.effects(table, numbers).T
    told = zip(axes, effects, at, counts, strict=True)
    return tuple(EffectShape(axes=own, effect=_centred(e[rows], n)) for own, e, rows, n in told)


def _centred(effect: Vector, counts: Vector) -> tuple[float, ...]:
    """Return an effect that is 0 in the mean over the rows, in the digits that are kept."""
    centred = effect - np.average(effect, weights=counts)
    return tuple(float(f"{value:.{DIGITS}g}") for value in centred)


def _looked_at(X: Rows, learnt: Index) -> tuple[Rows, float]:
    """Return the rows that tell the places, and how many rows one of them stands for.

    They are those learnt from, or some of many.
    """
    some = learnt
    if learnt.size > MOST_PLACED:
        some = np.random.default_rng(0).choice(learnt, MOST_PLACED, replace=False, shuffle=False)
    every = some.size == X.n and np.array_equal(some, np.arange(X.n))
    return X if every else X.take(np.sort(some)), learnt.size / some.size


def _axis(model: Model, X: Rows, j: int, of: int, each: float) -> tuple[Axis, Vector, list[Any]]:
    """Return the places of a column, their cells, and the rows of each."""
    column, most = column_of(model, j), PLACES if of == 1 else PAIR_PLACES
    told = [*places_of(column, X.column(j), most)]
    axis = Axis(
        column=column.name,
        kind=column.kind,
        names=tuple(name for name, _, _ in told),
        values=tuple(value if _is_number(column, name) else None for name, value, _ in told),
        rows=tuple(round(each * int(inside.sum())) for _, _, inside in told),
    )
    return axis, np.array([value for _, value, _ in told]), [inside for _, _, inside in told]


def _is_number(column: Column, name: str) -> bool:
    return not name or (column.kind == "date" and name != MISSING)


def _table(
    first: Rows, columns: Sequence[Columns], cells: Sequence[tuple[Vector, ...]]
) -> tuple[Rows, tuple[slice, ...]]:
    """Return rows in which columns have these cells, and which rows are those of each effect.

    Effects of one column share rows; those of two have rows of their own. Other cells are those of
    the first row, or 0 in sparse rows.
    """
    singles = [own[0].size for own in cells if len(own) == 1]
    end = max(singles, default=0)
    at = []
    for own in cells:
        start = 0 if len(own) == 1 else end
        at.append(slice(start, start + own[0].size))
        end = max(end, at[-1].stop)
    where = [
        (np.arange(rows.start, rows.stop), np.full(values.size, j), values)
        for own, each, rows in zip(columns, cells, at, strict=True)
        for j, values in zip(own, each, strict=True)
    ]
    i, j, values = (np.concatenate(parts) for parts in zip(*where, strict=True))
    if first.is_sparse:
        return rows(csr_array((values, (i, j)), shape=(end, first.d))), tuple(at)
    matrix = np.repeat(np.asarray(first.matrix, np.float64), end, axis=0)
    matrix[i, j] = values
    return rows(matrix), tuple(at)
