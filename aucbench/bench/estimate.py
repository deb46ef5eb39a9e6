"""How long the rest of a plan takes: the median seconds of its cells times the cells that are left.

The cells of a data set, a feature map and a solver form a group. A group without a finished cell
runs one pilot cell. Pilots are cells of the plan: the folder keeps them, and no run repeats them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aucbench.bench.cell import Cell
    from aucbench.bench.plan.plan import Plan
    from aucbench.bench.results.record import Record
    from aucbench.bench.results.store import Store


class Pilots:
    """Tells of each cell, once, whether it is the pilot of its group."""

    def __init__(self, plan: Plan, store: Store) -> None:
        self._known = {_group(record.cell) for record in _finished(plan, store)}

    def __call__(self, cell: Cell) -> bool:
        """Whether it is the first cell of a group without a finished one."""
        first = _group(cell) not in self._known
        self._known.add(_group(cell))
        return first


def estimate_seconds(plan: Plan, store: Store, left: Iterable[Cell]) -> float:
    """Return the seconds of cells that are left, one after the other; each group has a record."""
    seconds: dict[Hashable, list[float]] = defaultdict(list)
    for record in _finished(plan, store):
        seconds[_group(record.cell)].append(record.process.wall_seconds or 0.0)
    counts = Counter(map(_group, left))
    return sum(median(seconds[group]) * count for group, count in counts.items())


def _finished(plan: Plan, store: Store) -> Iterator[Record]:
    """Yield the records of the cells of a plan, also of those that have to run again."""
    planned = {*plan.cells()}
    return (record for record in store.records() if record.cell in planned)


def _group(cell: Cell) -> Hashable:
    """Return what the cells of a data set, a feature map and a solver share."""
    return cell.dataset, cell.features, cell.choice
