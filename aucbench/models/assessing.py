"""An assessment by held-out rows: points of the ROC curve, importance of columns, groups of rows.

Design
  a. Importance is the fall of the AUC when the values of a column are shuffled among held-out rows.
     The mean placements of `SHUFFLES` permutations are compared with those of the rows as they are,
     as `auc_difference` does. If other pairs of rows count, it is the fall of their measure, and
     influences take the place of placements. If they are within groups, values are shuffled within
     groups: so a column that is constant there has no importance.
  b. The AUC compares classes, so that each class is sampled by itself: a rare class stays whole.
  c. With many columns, those are chosen that count most in the model: by |weight| × spread, by the
     splits of trees, or by the correlation of features and scores for a kernel.
  d. A score that is a sum of effects needs no permutations: the importance of an effect is the fall
     of the AUC when it is removed from the score, which is exact.
  e. A group of rows has few cases, so that its AUC comes with an interval, and is compared with
     that of all other rows, which are independent of it. The p-values are adjusted for the
     number of groups.
  f. Of the ROC curve as many points are kept as a page can show. They are spread evenly along the
     curve, and along its positives, so that the precision of few flags is there too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from aucbench.data import Data, Grades, Labels, Target
from aucbench.data.arrays import Index, Rows, Vector
from aucbench.data.columns import column_entries
from aucbench.datasets.tables import Column
from aucbench.errors import ParameterError, UnknownNameError
from aucbench.metrics import Cuts
from aucbench.metrics.measures import MEASURES, parts_of
from aucbench.metrics.pairs import AUC, PAIRED, measure_of, measured_by
from aucbench.metrics.rows import TargetRows, bare
from aucbench.models.assessment import (
    REMOVED,
    SHUFFLED,
    SMALLEST,
    Assessment,
    Cut,
    Importance,
    Subgroup,
)
from aucbench.models.effects import (
    MISSING,
    MOST_LEVELS,
    Additive,
    Mask,
    Numbers,
    bins_of,
    column_name,
    column_of,
    encoded,
    format_date,
    levels_of,
    owners,
    raw_weights,
    replaced,
)
from aucbench.models.model import Model
from aucbench.models.recipe import spread_of
from aucbench.pairs import pairs_of
from aucbench.report.findings import titled
from aucbench.stats import Difference, Fold, Influence, Influences, Interval, holm
from aucbench.stats.delong import Placements, equal_p
from aucbench.stats.measures import Measure

if TYPE_CHECKING:
    from aucbench.models.held_out import HeldOut

SHUFFLES = 2  # permutations of the values of a column
MOST_COLUMNS = 20  # whose importance is measured
MOST_OF_CLASS = 1000  # rows of a class by which importance is measured
POINTS = 100  # of the curve, along it and along its positives
SHARES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)  # of the rows, flagged
MOST_GROUPING, QUARTERS = 10, 4  # columns whose groups are shown by default; groups of a number


def assessed(
    held: HeldOut, data: Data, model: Model, *, by: Sequence[str] = (), seed: int = 0
) -> Assessment:
    """Return what held-out rows say about a model of one score function.

    Parameters
    ----------
    held : HeldOut
    data : Data
        All rows, as codes if the model has an encoding.
    model : Model
        Fitted to all rows.
    by : sequence of str
        Columns whose groups are shown besides categories and truth values.

    Raises
    ------
    UnknownNameError
        When the model reads no such column.
    """
    rng = np.random.default_rng(seed)
    cuts, flags = _cuts(held.y, held.scores)
    return replace(
        importances(held.part.model, data, held.part.rows, rng),
        rows=int(held.y.size),
        positives=int((held.y > 0).sum()),
        cuts=cuts,
        flags=flags,
        groups=_groups(held, data, model, by),
    )


def importances(part: Model, data: Data, unseen: Index, rng: np.random.Generator) -> Assessment:
    """Return the importance of the columns of a model, or of its effects, on rows it has not seen.

    Parameters
    ----------
    part : Model
        Of one score function, fitted to other rows.
    data : Data
    unseen : array
        Numbers of rows that trained nothing, of both classes.

    Returns
    -------
    Assessment
        All of it if the model ranks rows; else without cuts and groups.
    """
    measure, groups = measure_for(data), data.groups
    within = _within_groups(data) and measure.name != AUC
    chosen = (_sample_groups if within else _sample_classes)(data, unseen, rng)
    table, target = data.rows.take(chosen), data.target.take(chosen)
    own = None if groups is None else groups[chosen]
    additive = Additive.of(part)
    if additive is not None:
        without = _without_effects(additive, table)
    else:
        without = _with_shuffles(part, table, own if within else None, rng)
    base = _rows(target, part.scores(table)[:, 0], own)
    found = []
    for name, scores in without:
        drop = _fall(measure, base, [_rows(target, s, own) for s in scores])
        interval = Interval(drop.estimate, drop.low, drop.high, drop.level, drop.method, drop.note)
        found.append(Importance(column=name, drop=interval))
    return Assessment(
        rows=int(unseen.size),
        positives=0,
        cuts=(),
        flags=(),
        sampled=int(chosen.size),
        importance=tuple(sorted(found, key=lambda one: -one.drop.estimate)),
        columns=part.width if additive is None else len(additive.columns),
        groups=(),
        measure=titled(measure.name),
        how=SHUFFLED if additive is None else REMOVED,
    )


def _without_effects(additive: Additive, table: Rows) -> Iterator[tuple[str, list[Vector]]]:
    """Yield the name of each effect that counts most, and the scores without it."""
    numbers = additive.largest(MOST_COLUMNS)
    scores = additive.model.scores(table)[:, 0]
    for number, effect in zip(numbers, additive.effects(table, numbers).T, strict=True):
        yield additive.name(number), [scores - effect]


def _with_shuffles(
    part: Model, table: Rows, groups: Index | None, rng: np.random.Generator
) -> Iterator[tuple[str, list[Vector]]]:
    """Yield the name of each column that counts most, and the scores with its values shuffled.

    The values of a column move as the block of features that is made of them.
    """
    bare, features = encoded(part, table)
    owner = owners(part)
    for j in leading_columns(part, table):
        block = np.flatnonzero(owner == j)
        orders = [_order(table.n, groups, rng) for _ in range(SHUFFLES)]
        changed = (shuffled(features, block, order) for order in orders)
        yield column_name(part, j), [bare.scores(one)[:, 0] for one in changed]


def shuffled(features: Rows, block: Numbers, order: Numbers) -> Rows:
    """Return features of which those in a block are those of the rows in another order."""
    matrix = features.matrix.tocsc() if features.is_sparse else features.matrix
    own = matrix[:, block]
    return replaced(features, block, own.tocsr()[order] if features.is_sparse else own[order])


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


def measure_for(data: Data) -> Measure:
    """Return the measure of the pairs that count, if aucbench has it; or else the AUC."""
    pairs = data.pairs if isinstance(data.target, Labels) else pairs_of(data)
    spec = measured_by(pairs)
    known = pairs is not None and parts_of(spec)[0] in (*PAIRED, *MEASURES)
    return measure_of(spec if known else AUC)


def _order(n: int, groups: Index | None, rng: np.random.Generator) -> Index:
    """Return a random order of rows; within groups, if there are some."""
    if groups is None:
        return rng.permutation(n).astype(np.int32)
    order = np.empty(n, np.int32)
    order[np.argsort(groups, kind="stable")] = np.lexsort((rng.random(n), groups))
    return order


def _fall(
    measure: Measure, base: Fold | TargetRows, changed: Sequence[Fold | TargetRows]
) -> Difference:
    """Return a measure on rows, less its mean over rows with other scores."""
    if measure.name == AUC and isinstance(base, Fold):
        placed = Placements.of([base])
        falls = [Placements.of([fold]).values for fold in changed if isinstance(fold, Fold)]
        return placed.difference(replace(placed, values=np.mean(falls, axis=0)))
    own, *others = (measure.influence(fold) for fold in (base, *changed))
    known = [*filter(None, others)]  # of the same rows all have pairs, or none
    mean = Influence.mean(known) if known else None
    grouped = base.groups is not None
    whole, without = (Influences.joined([one], grouped=grouped) for one in (own, mean))
    return whole.difference(without)


def _sample_groups(data: Data, numbers: Index, rng: np.random.Generator) -> Index:
    """Return the rows of random groups until there are enough rows."""
    assert data.groups is not None
    own = data.groups[numbers]
    known, sizes = np.unique(own, return_counts=True)
    order = rng.permutation(known.size)
    enough = 1 + int(np.searchsorted(np.cumsum(sizes[order]), 2 * MOST_OF_CLASS))
    return np.sort(numbers[np.isin(own, known[order[:enough]])]).astype(np.int32)


def _sample_classes(data: Data, numbers: Index, rng: np.random.Generator) -> Index:
    """Return random rows of each class."""
    positive = data.target.strata[numbers] > 0
    sampled = [
        part if part.size <= MOST_OF_CLASS else rng.choice(part, MOST_OF_CLASS, replace=False)
        for part in (numbers[positive], numbers[~positive])
    ]
    return np.sort(np.concatenate(sampled)).astype(np.int32)


def leading_columns(model: Model, table: Rows) -> list[int]:
    """Return the numbers of the columns that count most in the scores of rows."""
    if model.width <= MOST_COLUMNS:
        return [*range(model.width)]
    owner, weights = owners(model), raw_weights(model)
    if weights is None:
        bare, features = encoded(model, table)
        weights = _correlations(features, bare.scores(features)[:, 0])
    by_column = np.zeros(model.width)
    np.maximum.at(by_column, owner, weights[: owner.size])  # an intercept has no column
    return [int(j) for j in np.argsort(-by_column, kind="stable")[:MOST_COLUMNS]]


def _correlations(features: Rows, scores: Vector) -> Vector:
    """Return how strongly each feature goes with the scores, from 0 to 1."""
    centred = scores - scores.mean()
    spread = spread_of(features) * float(np.linalg.norm(centred)) * np.sqrt(max(1, features.n))
    along = np.abs(np.asarray(features.matrix.T @ centred)).reshape(-1)
    shares: Vector = np.divide(along, spread, out=np.zeros_like(along), where=spread > 0)
    return shares


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
    points = tuple(Cut(threshold=cuts.threshold(k), tp=int(tp[k]), fp=int(fp[k])) for k in kept)
    return points, tuple(int(j) for j in np.flatnonzero(np.isin(kept, table)))


def _groups(held: HeldOut, data: Data, model: Model, by: Sequence[str]) -> tuple[Subgroup, ...]:
    """Return the AUC of groups of held-out rows."""
    require_columns(data, by)
    found = []
    groups = None if data.groups is None else data.groups[held.rows]
    for j in _grouping(model, by):
        column = column_of(model, j)
        for level, inside in _parts(column, column_entries(data.rows, j)[held.rows]):
            both = (_placements(held, groups, mask) for mask in (inside, ~inside))
            found.append(_subgroup(column.name, level, held.y[inside], *both))
    adjusted = iter(holm([one.p for one in found if one.p is not None]).tolist())
    return tuple(one if one.p is None else replace(one, p=next(adjusted)) for one in found)


def _placements(held: HeldOut, groups: Index | None, mask: Mask) -> Placements:
    own = None if groups is None else groups[mask]
    return Placements.of([Fold(held.y[mask], held.scores[mask], groups=own)])


def _subgroup(column: str, level: str, y: Vector, own: Placements, others: Placements) -> Subgroup:
    return Subgroup(
        column=column,
        level=level,
        rows=int(y.size),
        positives=int((y > 0).sum()),
        auc=own.interval(),
        others=float(others.aucs.mean()) if others.values.size else None,
        p=equal_p(own, others),
    )


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
    for _, j in zip(range(MOST_GROUPING), few, strict=False):
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
    edges = [format_date(x) if column.kind == "date" else f"{x:.4g}" for x in middles]
    if not edges:
        yield from ["all"] * len(parts)
        return
    yield f"up to {edges[0]}"
    yield from (f"{low} to {high}" for low, high in pairwise(edges))
    yield f"from {edges[-1]}"
