"""Run a plan: skip finished cells, give the others to an engine, and store every record.

Design
  a. Only the store says what is finished. The record of a cell is stored before it is yielded or
     announced.
  b. Memory grows by one byte for each cell.
  c. One run at a time computes into a folder. A second one waits, and then finds what is finished.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any
from warnings import warn

from aucbench.bench.answers import Lookups, Name
from aucbench.bench.cell import Cell
from aucbench.bench.closed import fence_of
from aucbench.bench.engines import Engine
from aucbench.bench.engines.local import LocalEngine
from aucbench.bench.given import NOTHING, Given
from aucbench.bench.lookup import limits_of_data, look_up
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import write_plan
from aucbench.bench.requests import cell_job
from aucbench.bench.results.conditions import Conditions, conditions_on
from aucbench.bench.results.ending import make_record
from aucbench.bench.results.imports import Imports
from aucbench.bench.results.record import Record
from aucbench.bench.results.store import Store
from aucbench.bench.show.listeners import announcer
from aucbench.processes.records import Job, Limits, Outcome
from aucbench.records import CellStatus

MEGABYTE = 10**6
PREPARE = 3600.0  # seconds for the rows of a split
# States of a cell: not finished, to be computed again, in the store, yielded.
WAITING, AGAIN, STORED, KNOWN = 0, 1, 2, 3
STOPPED = (CellStatus.TIMEOUT, CellStatus.MEMOUT)  # by a limit
TO_JUDGE = ("status", "imports", "conditions")  # of a record: whether it counts


def run(
    plan: Plan,
    store: Store,
    engine: Engine,
    *,
    retry: Collection[str] = (),
    listeners: Sequence[object] = (),
    given: Given = NOTHING,
    tell: Callable[[str], object] = warn,
) -> Iterator[Record]:
    """Run the cells that are not in the store; yield the record of every cell of the plan.

    First come those in the store, then the others as they end, each after it was stored.

    Parameters
    ----------
    plan, store, engine :
        What to run, where to keep it, where to run it.
    retry : collection of str
        Statuses whose cells are computed again. Cells that were stopped by a smaller limit
        than that of the plan always are.
    listeners : sequence of objects
        Objects with functions marked `hookimpl`, see `aucbench.hookspecs`. They are called only
        for the cells that this run computes.
    given : Given
        Objects that the plan names.
    tell : function (str) -> object
        Called with a sentence when it waits for another run into the folder; a warning otherwise.

    Raises
    ------
    AucbenchError
        Before the first fit, when a name, a parameter or a data set cannot be used; later only
        when the results cannot be stored.
    """
    conditions = conditions_of(plan, engine)
    local = engine if isinstance(engine, LocalEngine) else LocalEngine()
    with local.opened() as supervisor:
        fence = fence_of(plan, store.folder)
        lookups = look_up(plan, local.on(supervisor), given, fence)
        if engine is local:
            engine = local.on(supervisor)
        runner = Runner(plan, lookups, store, engine, conditions, retry, listeners)
        with store.alone(tell):
            store.keep_plan(write_plan(plan), write_plan(plan, places=False))
            store.keep_about(lookups.about)
            with store.targets_away(lookups.targets):
                yield from runner.records()
            store.finished(TO_JUDGE)  # the index then knows what this run has computed


@dataclass
class Runner:
    """One run of a plan; `records` yields the records as they become known."""

    plan: Plan
    lookups: Lookups
    store: Store
    engine: Engine
    conditions: Conditions
    retry: Collection[str] = ()  # statuses that are computed again
    listeners: Sequence[object] = ()  # see `aucbench.bench.show.listeners`
    _state: bytearray = field(init=False)
    _running: dict[str, tuple[int, Cell]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._state = bytearray(len(self.plan))
        self._tell = announcer(self.listeners)
        self._imports = Imports()
        self._fence = fence_of(self.plan, self.store.folder)
        # A look at the files that have names lasts as long as a small cell.
        self._read_limits = {name: limits_of_data(self.plan, name) for name in self.plan.datasets}

    def records(self) -> Iterator[Record]:
        """Yield the record of every cell: first those in the store, then as cells end."""
        for dataset in self.plan.datasets:
            if about := self.lookups.known[Name("data", dataset)].found:
                self._tell.aucbench_data_read(dataset=dataset, about=about)
        self.find()
        while any(state != KNOWN for state in self._state):  # twice, if a record was lost since
            yield from self._round()

    def find(self) -> None:
        """Mark the cells that are in the store; most of each record is left unread."""
        finished = self.store.finished(TO_JUDGE)
        for number, cell in enumerate(self.plan.cells()):
            found = finished(self.lookups.id(cell))
            if found is not None:
                self._state[number] = AGAIN if self._is_stale(**found) else STORED

    def _is_stale(
        self, status: Mapping[str, Any], imports: Mapping[str, Any], conditions: Mapping[str, Any]
    ) -> bool:
        """Whether a finished cell has to run again.

        It has when `retry` names its status, when what it imported is not the same any more, or
        when a smaller limit ended it.
        """
        ended = CellStatus(status["status"])
        if ended in self.retry or not self._imports.same(imports):
            return True
        return ended in STOPPED and self.conditions.lift(ended, Conditions(**conditions))

    def _stored(self) -> Iterator[Record]:
        """Records of the cells that are in the store and were not yielded yet."""
        for number, cell in enumerate(self.plan.cells()):
            if self._state[number] == STORED:
                record = self.store.read(self.lookups.id(cell))
                self._state[number] = WAITING if record is None else KNOWN
                if record is not None:
                    yield replace(record, cell=cell)  # its files may have been elsewhere

    def _round(self) -> Iterator[Record]:
        """Yield what is stored, and run every other cell."""
        outcomes = self.engine.run(self._jobs())
        with closing(outcomes):  # type: ignore[type-var]
            yield from self._stored()  # while the first cells run
            for key, outcome in outcomes:
                number, cell = self._running.pop(key)
                yield self._keep(number, cell, key, outcome)
            # Cells that need no process because something they need is broken.
            for number, cell, key in self._missing(broken=True):
                yield self._keep(number, cell, key, self.lookups.failure(cell))

    def _jobs(self) -> Iterator[tuple[str, Job]]:
        for number, cell, key in self._missing(broken=False):
            self._running[key] = (number, cell)
            self._tell.aucbench_cell_started(cell=cell)
            data = self.lookups.data(cell)
            assert data.target is not None  # else the cell has a failure
            job = cell_job(
                cell,
                data.fingerprint,
                data.target,
                Limits(timeout=self.conditions.timeout, memory=self.conditions.memory),
                Limits(timeout=PREPARE),
                code=self.lookups.code,
                files=self.lookups.files(cell),
                homes=self.lookups.homes,
                read=self._read_limits[cell.dataset],
                preload=self.lookups.preload(cell),
                light=self.lookups.maps_lightly(cell),
                fence=self._fence,
            )
            yield key, self.lookups.given.handed_to_cell(job, str(cell.solver), cell.dataset)

    def _missing(self, *, broken: bool) -> Iterator[tuple[int, Cell, str]]:
        """Yield the cells that have to be run, when they are needed."""
        if WAITING not in self._state and AGAIN not in self._state:
            return
        for number, cell in enumerate(self.plan.cells()):
            is_broken = self.lookups.failure(cell) is not None
            if self._state[number] in (WAITING, AGAIN) and is_broken == broken:
                key = self.lookups.id(cell)
                if key not in self._running:
                    yield number, cell, key

    def _keep(self, number: int, cell: Cell, key: str, outcome: Outcome | None) -> Record:
        assert outcome is not None
        target = self.lookups.data(cell).target
        record, scores = make_record(cell, key, outcome, self.conditions, target, self._imports)
        self.store.write(record, scores)
        self._state[number] = KNOWN
        self._tell.aucbench_cell_finished(record=record)
        return record


def conditions_of(plan: Plan, engine: Engine) -> Conditions:
    """Return the conditions of a run, as its records hold them."""
    memory = None if plan.memory is None else int(plan.memory * MEGABYTE)
    return conditions_on(engine, plan.timeout, memory, timing=plan.repeat_fits > 1)
