"""An assessment, by the rows that were held out.

Design
  a. A group of rows has few cases, so that its AUC comes with an interval, and is compared with
     that of all other rows, which are independent of it. The p-values are adjusted for the
     number of groups.
  b. Of the ROC curve as many points are kept as a page can show. They are spread evenly along the
     curve, and along its positives, so that the precision of few flags is there too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Data
from aucbench.data.arrays import Index, Vector
from aucbench.datasets.tables import Column
from aucbench.errors import ParameterError, UnknownNameError
from aucbench.metrics import Cuts
from aucbench.models.assessment import SMALLEST, Assessment, Cut, Subgroup
from aucbench.models.attribution import (
    MISSING,
    MOST_LEVELS,
    bins_of,
    column_name,
    column_of,
    date_of,
    effects,
    importances,
    levels_of,
)
from aucbench.models.model import Model
from aucbench.stats import Fold, holm
from aucbench.stats.delong import Placements, equal_p

if TYPE_CHECKING:
    from aucbench.models.held_out import HeldOut

POINTS = 100  # of the curve, along it and along its positives
SHARES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)  # of the rows, flagged
MOST_COLUMNS, QUARTERS = 10, 4  # columns whose groups are told unasked; groups of a number
Mask = NDArray[np.bool_]


def assessed(
    held: HeldOut, data: Data, model: Model, *, by: Sequence[str] = (), seed: int = 0
) -> Assessment:
    """Return what the rows held out say of a model.

    Parameters
    ----------
    held : HeldOut
    data : Data
        All rows, as codes where the model has an encoding.
    model : Model
        Fitted to all rows, with its calibration.
    by : sequence of str
        Columns whose groups are told beside categories and truth values.

    Raises
    ------
    UnknownNameError
        When the model reads no such column.
    """
    rng = np.random.default_rng(seed)
    cuts, flags = _cuts(held.y, held.scores)
    worth = importances(held.part.model, data, held.part.rows, rng)
    names = [one.column for one in worth.importance]
    return replace(
        worth,
        rows=int(held.y.size),
        positives=int((held.y > 0).sum()),
        cuts=cuts,
        flags=flags,
        effects=effects(model, data, held.rows, names, rng),
        groups=_groups(held, data, model, by),
    )


def require_columns(data: Data, by: Sequence[str]) -> None:
    """Raise `AucbenchError` unless these columns are read and have groups."""
    names = data.names or tuple(f"column {j}" for j in range(data.d))
    kinds = {} if data.schema is None else {one.name: one.kind for one in data.schema.columns}
    for name in by:
        if name not in names:
            raise UnknownNameError("column of --by", name, names)
        if kinds.get(name) == "text":
            raise ParameterError(
                f"column {name!r} holds free text, which has no groups; leave --by out"
            )


def _cuts(y: Vector, scores: Vector) -> tuple[tuple[Cut, ...], tuple[int, ...]]:
    """Return points of the ROC curve, and which of them flag round shares of the rows."""
    cuts = Cuts.of(y, scores)
    tp, fp = cuts.counts()
    along = tp / tp[-1] + fp / fp[-1]
    steps = [np.searchsorted(x, np.linspace(0, x[-1], POINTS)) for x in (along, tp / tp[-1])]
    flagged = [int(np.flatnonzero(tp + fp <= share * y.size)[-1]) for share in SHARES]
    table = sorted({k for k in flagged if k > 0})
    chosen = np.unique(np.concatenate([*steps, table])).astype(int)
    kept = chosen[(chosen > 0) & (chosen < tp.size)]
    told = tuple(Cut(threshold=cuts.threshold(k), tp=int(tp[k]), fp=int(fp[k])) for k in kept)
    return told, tuple(int(j) for j in np.flatnonzero(np.isin(kept, table)))


def _groups(held: HeldOut, data: Data, model: Model, by: Sequence[str]) -> tuple[Subgroup, ...]:
    require_columns(data, by)
    told = []
    groups = None if data.groups is None else data.groups[held.rows]
    for j in _grouping(model, by):
        column = column_of(model, j)
        cells = data.rows.column(j)[held.rows]
        parts = [*_parts(column, cells)]
        told += [_group(column.name, level, held, groups, inside) for level, inside in parts]
    adjusted = iter(holm([one.p for one in told if one.p is not None]).tolist())
    return tuple(one if one.p is None else replace(one, p=next(adjusted)) for one in told)


def _grouping(model: Model, by: Sequence[str]) -> Iterator[int]:
    """Yield the columns that are asked for, then truth values and categories with few levels."""
    names = {column_name(model, j): j for j in range(model.width)}
    asked = dict.fromkeys(names[name] for name in by)
    yield from asked
    few = (
        j
        for j in range(model.width)
        if j not in asked and 0 < _level_count(column_of(model, j)) <= MOST_LEVELS
    )
    for _, j in zip(range(MOST_COLUMNS), few, strict=False):
        yield j


def _level_count(column: Column) -> int:
    return 2 if column.kind == "boolean" else len(column.levels)


def _parts(column: Column, cells: Vector) -> Iterator[tuple[str, Mask]]:
    """Yield name and rows of the groups of a column: its levels, or quarters of its numbers."""
    if column.kind in ("category", "boolean"):
        for name, _, inside in levels_of(column, cells):
            yield name, inside
    elif column.kind != "text":
        parts = [inside for _, inside in bins_of(cells, QUARTERS)]
        yield from zip(_ranges(column, [cells[inside] for inside in parts]), parts, strict=True)
    gaps = np.isnan(cells)
    if gaps.sum() >= SMALLEST:
        yield MISSING, gaps


def _ranges(column: Column, parts: Sequence[Vector]) -> Iterator[str]:
    """Yield "up to 3", "3 to 5", "from 5"; an edge lies between two parts and is nobody's value."""
    middles = [(a.max() + b.min()) / 2 for a, b in pairwise(parts)]
    told = [date_of(x) if column.kind == "date" else f"{x:.4g}" for x in middles]
    if not told:
        yield from ["all"] * len(parts)
        return
    yield f"up to {told[0]}"
    yield from (f"{low} to {high}" for low, high in pairwise(told))
    yield f"from {told[-1]}"


def _group(column: str, level: str, held: HeldOut, groups: Index | None, inside: Mask) -> Subgroup:
    own, others = (
        Placements.of(
            [Fold(held.y[rows], held.scores[rows], groups=None if groups is None else groups[rows])]
        )
        for rows in (inside, ~inside)
    )
    return Subgroup(
        column=column,
        level=level,
        rows=int(inside.sum()),
        positives=int((held.y[inside] > 0).sum()),
        auc=own.interval(),
        others=float(others.aucs.mean()) if others.values.size else None,
        p=equal_p(own, others),
    )
