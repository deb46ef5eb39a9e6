"""The progress of the plans of a results folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from aucbench.bench.answers import Lookups
from aucbench.bench.cell import Cell
from aucbench.bench.engines.local import LocalEngine
from aucbench.bench.lookup import look_up
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.imports import Imports
from aucbench.bench.results.store import Store
from aucbench.processes.host import cores


@dataclass(frozen=True, slots=True)
class FolderStatus:
    """How much of its plans a results folder contains."""

    planned: int  # cells of all plans that were run into the folder, each counted once
    statuses: Mapping[str, int]  # finished cells by status
    missing: int  # cells of the plans that are not finished
    stale: int  # records of planned cells that no longer count, since something has changed
    other_settings: int  # records of cells that are in no plan of the folder


def folder_status(
    store: Store, plans: Sequence[Plan], wanted: Mapping[Cell, str] | None = None
) -> FolderStatus:
    """Count what is done, failed, missing and stale; raises as `run` does at its start.

    `wanted` are the `wanted_ids` of the plans, if they are known.
    """
    wanted = wanted_ids(plans) if wanted is None else wanted
    statuses: Counter[str] = Counter()
    stale, others, imports = 0, 0, Imports()
    known = {*wanted.values()}
    for record in store.records():
        if record.id in known and imports.same(record.imports):
            statuses[record.status.status] += 1
        elif record.cell in wanted:
            stale += 1
        else:
            others += 1
    missing = len(wanted) - statuses.total()
    return FolderStatus(len(wanted), statuses, missing, stale, others)


def wanted_ids(plans: Iterable[Plan]) -> dict[Cell, str]:
    """Return the ids of all cells of some plans, for the present data, plugins and aucbench."""
    ids: dict[Cell, str] = {}
    for plan in plans:
        lookups = _lookups(plan)
        ids |= {cell: lookups.id(cell) for cell in plan.cells()}
    return ids


def _lookups(plan: Plan) -> Lookups:
    engine = LocalEngine(cores())
    with engine.opened() as supervisor:
        return look_up(plan, engine.on(supervisor))
