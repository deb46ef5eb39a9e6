"""Laws of pairs: a distribution of pairs of rows, whatever the loss and the solver are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from aucbench.data import Categories, Data, Grades, Survival
from aucbench.data.arrays import Vector
from aucbench.errors import DataError, UnsupportedError
from aucbench.pairs import Members
from aucbench.testing.common import add_pickles
from aucbench.testing.laws import Laws, require, require_frozen
from aucbench.testing.samples import extent, features, labels, locked, require_close
from aucbench.testing.traces import add_nothing_left

laws = Laws("pairs")
KINDS = ("group", "range", "order", "class")
COUNTS = 1e-12  # relative to the sum of all pairs, which is 1


def targets() -> Iterator[Any]:
    """Targets of each kind: labels, survival times, grades and classes."""
    rng = np.random.default_rng(4)
    n, level = extent().n, np.floor(2.0 * np.abs(features().sum(axis=1))) % 4.0
    yield labels()
    yield Survival.of(1.0 + level + rng.integers(0, 3, n), rng.random(n) < 0.6)
    yield Grades.of(level)
    yield Categories.of(level.astype(int))


def data_sets(pairs: Any) -> list[Data]:
    """Return the rows of each target on which there are such pairs, in groups of 6; at least one.

    Some of the groups have rows of one label only.
    """
    n, taken = extent().n, []
    known = {"groups": np.arange(n) // 6, "weights": 1.0 + np.arange(n) % 3}
    for target in targets():
        data = locked(features(), target, **known)
        try:
            members_of(pairs, data)
        except (DataError, UnsupportedError):
            continue
        taken.append(data)
    require(taken, "it takes rows of no target: labels, survival times, grades or classes")
    return taken


def members_of(pairs: Any, data: Data, *rows: Any) -> list[Members]:
    """Return the members on some rows; pairs of classes have some for each class."""
    of_each = getattr(pairs, "of_each", None)
    if of_each is not None:
        return [*of_each(data if not rows else data.take(rows[0]))]
    return [pairs.members(data, *rows)]


def shares(members: list[Members], u: Vector) -> list[Vector]:
    """Return Πu and Πᵀu of each."""
    return [part for each in members for part in each.times(u)]


def counted(pairs: Any) -> Vector:
    """Return Πu and Πᵀu of all data sets, for one u, as one vector."""
    sets = ((data, np.cos(np.arange(data.n))) for data in data_sets(pairs))
    return np.concatenate([part for data, u in sets for part in shares(members_of(pairs, data), u)])


add_nothing_left(laws, counted)


@laws("exact")
def declared(pairs: Any) -> None:
    """It is a frozen dataclass, whose kind solvers can ask for, and it names its measure."""
    require_frozen(pairs)
    require(pairs.kind in KINDS, f"its kind is {pairs.kind!r}, wanted one of {', '.join(KINDS)}")
    text = isinstance(pairs.measure, str) and pairs.measure
    require(text, f"its measure is {pairs.measure!r}, wanted the name of a metric, such as gauc")


@laws("1e-12 of the sum")
def distribution(pairs: Any) -> None:
    """What pairs count is at least 0, adds up to 1, and is told for each of the rows."""
    for data in data_sets(pairs):
        for members in members_of(pairs, data):
            require(members.n == data.n, f"its members have {members.n} rows, wanted {data.n}")
            for _, row in _single_rows(data.n):
                for part in members.times(row):
                    require((part >= 0.0).all(), "a pair counts less than 0")
            require_close("the sum of all pairs", members.row_masses[0].sum(), 1.0, atol=COUNTS)
            require(members.pairs > 0, f"it counts {members.pairs} pairs")


def _single_rows(n: int) -> Iterator[tuple[int, Vector]]:
    """Yield about 20 of n rows, each with the vector that is 1 in this row alone."""
    for i in range(0, n, max(1, n // 20)):
        row = np.zeros(n)
        row[i] = 1.0
        yield i, row


@laws("1e-12 of the sum")
def one_way(pairs: Any) -> None:
    """No row is above itself, and of two rows one at most is to be above the other."""
    for data in data_sets(pairs):
        for members in members_of(pairs, data):
            for i, row in _single_rows(data.n):
                above, below = members.times(row)
                both = np.minimum(above, below).max()
                require(both <= COUNTS, f"row {i} is above a row that is above it, or above itself")


@laws("1e-12 of the sum")
def order_of_rows(pairs: Any) -> None:
    """The order of the rows does not matter."""
    for data in data_sets(pairs):
        order = np.random.default_rng(5).permutation(data.n).astype(np.int32)
        u = np.cos(np.arange(data.n))
        plain = shares(members_of(pairs, data), u)
        moved = shares(members_of(pairs, data.take(order)), u[order])
        for a, b in zip(moved, plain, strict=True):
            require_close("what pairs of shuffled rows count", a, b[order], atol=COUNTS)


@laws("1e-12 of the sum")
def weights(pairs: Any) -> None:
    """A row of weight 2 counts as this row twice."""
    for data in data_sets(pairs):
        count = np.ones(data.n) if data.weights is None else np.asarray(data.weights)
        rows = np.repeat(np.arange(data.n, dtype=np.int32), count.astype(int))
        u = np.cos(np.arange(data.n))
        weighted = shares(members_of(pairs, data), u)
        repeated = shares(members_of(pairs, _unweighted(data.take(rows))), u[rows])
        for a, b in zip(repeated, weighted, strict=True):
            sums = np.bincount(rows, a, data.n)
            require_close("what pairs of repeated rows count", sums, b, atol=COUNTS)


def _unweighted(data: Data) -> Data:
    weighted: Any = data.target
    return replace(data, target=replace(weighted, weights=None))


@laws("exact")
def some_rows(pairs: Any) -> None:
    """Pairs within some rows are those of these rows alone; without any, it is a `DataError`."""
    for data in data_sets(pairs):
        rows = np.arange(0, data.n - data.n % 12, dtype=np.int32)
        alone, inside = data.take(rows), members_of(pairs, data, rows)
        for members in inside:
            told = f"the members of {rows.size} rows have {members.n} rows"
            require(members.n == rows.size, told)
        u = np.cos(np.arange(rows.size))
        for a, b in zip(shares(inside, u), shares(members_of(pairs, alone), u), strict=True):
            require_close("what pairs of some rows count", a, b, atol=COUNTS)
        if hasattr(pairs, "of_each"):
            continue
        try:
            pairs.members(data, rows[:1])
        except DataError:
            continue
        require(False, "one row has no pair, and it raised no DataError")


add_pickles(laws, lambda pairs: pairs, counted, require_close)
