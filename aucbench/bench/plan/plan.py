"""The plan of a benchmark: a grid of cells, which contains only names and numbers.

No plugin is imported here and no data set read, so that a plan can be sent to another machine.
Cells are made one at a time, and those of one split are neighbours: its rows are prepared once, and
a machine that becomes slower slows all solvers alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from aucbench.bench.cell import Cell
from aucbench.bench.plan.checks import check_plan, check_unique
from aucbench.bench.plan.errors import with_members
from aucbench.bench.plan.fields import (
    CHANGEPOINT_SOLVERS,
    DEFAULT_SOLVERS,
    DEFAULT_SPLITS,
    PlanFields,
)
from aucbench.ranges import DEFAULT_PASSES
from aucbench.registry.specs import anchored, parse_spec


@dataclass(frozen=True)
class Plan(PlanFields):
    """A grid of cells; its fields are those of `PlanFields`.

    Raises
    ------
    PlanError
        When a field makes no sense, alone or together with the others.
    """

    def __post_init__(self) -> None:
        check_plan(self)
        # What is in files has its whole path, so that a plan means the same in every folder.
        maps = tuple(anchored(spec, joined=True) for spec in self.features)
        object.__setattr__(self, "features", maps)
        object.__setattr__(self, "datasets", tuple(map(anchored, with_members(self.datasets))))
        for name in ("objective", "projector"):
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, anchored(given))
        check_unique(self)

    def __len__(self) -> int:
        axes = (self.datasets, self.features, self.seeds, self.solvers)
        return self.split_count * self.repeats * prod(map(len, axes))

    @property
    def split_count(self) -> int:
        """Number of splits of a repeat."""
        if self.splits is not None:
            return int(self.splits)
        return DEFAULT_SPLITS if self.holdout is None and self.reading.test is None else 1

    @property
    def limit_of_passes(self) -> float | None:
        """The passes that a cell gets: those of the plan, or the default.

        A solver that is made for fewer or more has a default of its own, see `Needs.passes`.
        """
        if self.passes is None:
            return DEFAULT_PASSES if self.seconds is None else None
        return float(self.passes)

    def cells(self) -> Iterator[Cell]:
        """Yield every cell: data set, feature map, seed and repeat, split, solver."""
        solvers = [(choice.spec, choice.tuning) for choice in self.solvers]
        shared = self._shared()
        rounds = product(self.datasets, self.features, self.seeds, range(self.repeats))
        for dataset, features, seed, repeat in rounds:
            data = (dataset, features, *shared[0], repeat)
            for split, (spec, tuning) in product(range(self.split_count), solvers):
                yield Cell(*(spec, tuning, *data, split, seed + repeat, *shared[1]))

    def _shared(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Return the fields that all cells share: those of `Cell` before repeat, and after seed."""
        passes, seconds = (None if v is None else float(v) for v in (self.passes, self.seconds))
        about = (self.objective, self.projector, self.reading)
        budget = (passes, seconds, float(self.gap_tol))
        tuning = (int(self.tune_evals), int(self.inner_splits), int(self.repeat_fits))
        holdout = None if self.holdout is None else float(self.holdout)
        return (*about, self.split_count), (*budget, *tuning, holdout)


def default_solvers(datasets: Sequence[str]) -> tuple[str, ...]:
    """Return the solvers that fit the data sets: if all are changepoint sets, those that do.

    Kinds are told by the names of files. A set that is not there is not missed here.
    """
    from aucbench.datasets.located import is_changepoint

    names = [parse_spec(text).name for text in with_members(datasets)]
    changepoints = bool(names) and all(map(is_changepoint, names))
    return CHANGEPOINT_SOLVERS if changepoints else DEFAULT_SOLVERS
