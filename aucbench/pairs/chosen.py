"""The pairs that a data set is about."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import ALL, Block, Index
from aucbench.data.categories import Categories
from aucbench.data.grades import Grades
from aucbench.data.survival import Survival
from aucbench.data.targets import Labels
from aucbench.errors import UnsupportedError
from aucbench.pairs.classes import ByClass
from aucbench.pairs.kinds import Grade, Pairs, Time, labelled
from aucbench.pairs.members import Members


def pairs_of(data: Data) -> Pairs | None:
    """Return the pairs of a data set: those it names, or those of its target.

    None means all pairs of a positive and a negative.

    Raises
    ------
    UnsupportedError
        When the target is error functions, which have no pairs.
    """
    if data.pairs is not None:
        pairs: Pairs = data.pairs
        return pairs
    if isinstance(data.target, Labels):
        return None
    if isinstance(data.target, Categories):
        return ByClass()
    if isinstance(data.target, Survival):
        return Time()
    if isinstance(data.target, Grades):
        return Grade()
    raise UnsupportedError("the rows have error functions, which have no pairs; give labels")


_KNOWN: WeakKeyDictionary[Data, Members] = WeakKeyDictionary()  # of all rows


def members_of(data: Data, rows: Block = ALL) -> Members:
    """Return the pairs within a block of rows; all pairs of labels are one block.

    Those of all rows are found once for each `data`, whose arrays cannot be written.

    Raises
    ------
    DataError
        When the rows have no such pairs.
    UnsupportedError
        As `pairs_of`.
    """
    if rows is not ALL:
        return _members(data, rows)
    if (known := _KNOWN.get(data)) is None:
        known = _KNOWN[data] = _members(data, ALL)
    return known


def sample_members(data: Data, m: int, rng: np.random.Generator) -> Index:
    """Draw about m rows that have pairs: whole groups where rows have groups, or any of them."""
    if data.n <= m:
        return np.arange(data.n, dtype=np.int32)
    rows = members_of(data).components[0]
    if data.groups is None:
        return np.sort(rng.choice(rows, min(m, rows.size), replace=False))
    group = data.groups[rows]
    order = rng.permutation(np.unique(group))
    sizes = np.bincount(group)[order]
    chosen = order[: max(1, int(np.searchsorted(np.cumsum(sizes), m)))]
    return np.sort(rows[np.isin(group, chosen)])


def _members(data: Data, rows: Block) -> Members:
    pairs = pairs_of(data)
    return labelled(data, rows) if pairs is None else pairs.members(data, rows)
