"""How long the rest of a plan takes: the median seconds of its cells times the cells that are left.

The cells of a data set, a feature map and a solver form a group. A group without a finished cell
runs one pilot cell. Pilots are cells of the plan: the folder keeps them, and no run repeats them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING
from warnings import warn

from aucbench.bench.runner import prepared
from aucbench.bench.show.progress import Progress
from aucbench.bench.text import lasting
from aucbench.processes.host import cores

if TYPE_CHECKING:
    from aucbench.bench.cell import Cell
    from aucbench.bench.engines import Engine
    from aucbench.bench.plan.plan import Plan
    from aucbench.bench.results.record import Record
    from aucbench.bench.results.store import Store


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is left of a plan, and how long it takes."""

    cells: int  # of the plan
    left: int  # cells without a result
    seconds: float  # of wall time for these, with so many jobs
    jobs: int  # cells that run at once
    groups: int  # pairs of a data set, with its feature map, and a solver
    pilots: int  # those of them that had no finished cell, so that one cell was run

    def __str__(self) -> str:
        """All in two lines."""
        time = f": {lasting(self.seconds)} with {self.jobs} at once" if self.left else ""
        return (
            f"{self.left} of {self.cells} cells are left{time}\n"
            f"{self.pilots} of {self.groups} pairs of a data set and a solver had no finished "
            "cell, and ran one pilot cell each"
        )


def estimate_rest(
    plan: Plan,
    store: Store,
    engine: Engine,
    *,
    progress: Progress | None = None,
    tell: Callable[[str], object] = warn,
) -> Estimate:
    """Run a pilot cell if a data set and solver have no finished one; return how long the rest is.

    Parameters and exceptions are those of `aucbench.bench.runner.run`.
    """
    with prepared(plan, store, engine, (), progress, tell=tell) as runner:
        runner.show_data()
        seconds: dict[Hashable, list[float]] = defaultdict(list)
        left: dict[Hashable, list[Cell]] = defaultdict(list)
        stored, missing = runner.divided()

        def add(record: Record) -> None:
            seconds[_group(record.cell)].append(record.process.wall_seconds or 0.0)

        for cell in stored:
            if (record := runner.stored(cell)) is not None:
                add(record)
            else:
                missing.append(cell)
        for cell in missing:
            if runner.lookups.failure(cell) is None:  # else there is nothing to run
                left[_group(cell)].append(cell)
        pilots = [left[group].pop(0) for group in [*left] if group not in seconds]
        for record in replace(runner, cells=pilots).results():
            add(record)
    jobs = getattr(engine, "jobs", None) or cores()
    total = sum(median(seconds[group]) * len(some) for group, some in left.items())
    count = sum(map(len, left.values()))
    groups = {_group(cell) for cell in plan.cells()}
    return Estimate(len(plan), count, total / jobs, jobs, len(groups), len(pilots))


def _group(cell: Cell) -> Hashable:
    """Return what the cells of a data set, a feature map and a solver share."""
    return cell.dataset, cell.features, cell.label
