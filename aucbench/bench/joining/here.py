"""What this machine knows of the data of a merge: their hashes, and the rows of each split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from aucbench.bench.cell import Cell
from aucbench.bench.engines.local import LocalEngine
from aucbench.bench.lookup import look_up_data
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.record import Sizes
from aucbench.datasets.reading import Reading
from aucbench.host import cores

if TYPE_CHECKING:
    from aucbench.bench.answers import Lookup
    from aucbench.bench.evaluation.targets import KeptTarget
    from aucbench.data import Data

OF_SPLIT = attrgetter(
    "dataset", "reading", "splits", "seed", "holdout", "repeat", "split"
)  # what the rows of a split depend on


class Dealt:
    """The rows of one split; `refusal` says why there are none."""

    def __init__(self, target: KeptTarget, cell: Cell):
        self.target, self._cell = target, cell
        self.refusal = target.refusal(cell)

    @cached_property
    def tested(self) -> tuple[NDArray[Any], Data]:
        """The numbers of the test rows, and what is known of these rows."""
        return self.target.held(self._cell)

    def counted(self, sizes: Sizes) -> Sizes:
        """Return the sizes of a record, as the rows of this machine have them."""
        return replace(
            sizes,
            n_train=self.target.learnt(self._cell).size,
            n_test=self.tested[0].size,
            division=self.target.kind(self._cell),
            weighted=self.target.weighted,
        )


class Here:
    """The data sets of plans, as this machine reads them."""

    def __init__(self, plans: Sequence[Plan]):
        self._known = _looked_up(plans)
        self._last: tuple[Any, Dealt] | None = None

    def lookups(self) -> Iterator[Lookup]:
        """Yield what was found of each data set."""
        yield from self._known.values()

    def data(self, cell: Cell) -> str:
        """Return the hash of the data set of a cell."""
        return self._known[cell.dataset, cell.reading].fingerprint

    def dealt(self, cell: Cell) -> Dealt:
        """Return the rows of the split of a cell; those of the last split are remembered."""
        split = OF_SPLIT(cell)
        if self._last is None or self._last[0] != split:
            target = self._known[cell.dataset, cell.reading].target
            assert target is not None  # else it would have been refused
            self._last = split, Dealt(target, cell)
        return self._last[1]


def _looked_up(plans: Sequence[Plan]) -> Mapping[tuple[str, Reading], Lookup]:
    """Read the data sets of plans on this machine."""
    known: dict[tuple[str, Reading], Lookup] = {}
    engine = LocalEngine(cores())
    with engine.opened() as supervisor:
        for plan in plans:
            new = tuple(name for name in plan.datasets if (name, plan.reading) not in known)
            if new:
                part = replace(plan, datasets=new, families={}, looks=None, reference=None)
                found = look_up_data(part, engine.on(supervisor))
                known |= {(name, plan.reading): found[name] for name in new}
    return known
