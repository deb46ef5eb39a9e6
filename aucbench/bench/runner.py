"""Run a plan: skip finished cells, give the others to an engine, and store every record.

Design
  a. Only the store says what is finished. The record of a cell is stored before it is yielded or
     announced.
  b. One run at a time computes into a folder. A second one waits, and then finds what is finished.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from warnings import warn

from aucbench.bench.answers import Name, Resolver, Wanted
from aucbench.bench.cell import Cell, Tuning
from aucbench.bench.codec import load
from aucbench.bench.engines import Engine
from aucbench.bench.engines.local import LocalEngine
from aucbench.bench.inline import NOTHING, Inline
from aucbench.bench.learning import modules_for, modules_to_preload
from aucbench.bench.plan.families import family_of
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import parse_plans, write_plan
from aucbench.bench.requests import cell_job
from aucbench.bench.resolver import limits_of_data, require_entries, resolve_names
from aucbench.bench.results.ending import make_record
from aucbench.bench.results.record import Conditions, Record, conditions_on
from aucbench.bench.results.store import Store
from aucbench.bench.until import Until
from aucbench.data.understood import Understood
from aucbench.processes.host import cores
from aucbench.processes.records import Fence, Job, Limits, Outcome
from aucbench.progress import Progress
from aucbench.records import CellStatus
from aucbench.registry.specs import Spec, in_file, short

FOLDERS = ("AUCBENCH_CACHE", "AUCBENCH_DATA")  # variables that name folders with labels
CLOSED = (*(f"${name}" for name in FOLDERS), "$XDG_CACHE_HOME/aucbench", "~/.cache/aucbench")
PREPARE = 3600.0  # seconds for the rows of a split
TO_JUDGE = ("status", "conditions")  # of a record: whether it counts


def run(
    plan: Plan,
    store: Store,
    engine: Engine,
    *,
    retry: Collection[str] = (),
    progress: Progress | None = None,
    inline: Inline = NOTHING,
    tell: Callable[[str], object] = warn,
    until: Until | None = None,
    only: Callable[[Cell], bool] | None = None,
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
    progress : Progress, optional
        Display of the data sets that were read, and of the cells that this run computes.
    inline : Inline
        Objects that the plan names.
    tell : function (str) -> object
        Called with a sentence when it waits for another run into the folder; a warning otherwise.
    until : Until, optional
        The time of the run. Cells that it leaves out have no record, and are missing.
    only : function (Cell) -> bool, optional
        Whether a cell that is not in the store is run; otherwise it stays missing.

    Raises
    ------
    AucbenchError
        Before the first fit, when a name, a parameter or a data set cannot be used, or the plan
        contradicts another one of the folder; later only
        when the results cannot be stored.
    """
    require_agreement(plan, store)
    require_entries(plan)
    timing = plan.repeat_fits > 1
    conditions = conditions_on(engine, plan.timeout, plan.memory_bytes, timing=timing)
    local = engine if isinstance(engine, LocalEngine) else LocalEngine()
    with local.opened(modules_for(plan)) as warm:
        resolver = resolve_names(
            plan, warm, inline, fence_of(plan, store.folder), (progress or Progress()).write
        )
        engine = warm if engine is local else engine
        about = (conditions, retry, progress, until, only)
        runner = Runner(plan, resolver, store, engine, *about)
        if store.home.is_read_only and not runner.divided()[1]:  # nothing is missing
            yield from runner.records()
            return
        with store.alone(tell):
            store.keep_plan(write_plan(plan), known_as=write_plan(plan.without_places()))
            store.keep_about(resolver.about)
            store.keep_targets(resolver.targets)
            yield from runner.records()
            store.finished(TO_JUDGE)  # the index then knows what this run has computed


@dataclass
class Runner:
    """One run of a plan; `records` yields the records as cells end."""

    plan: Plan
    resolver: Resolver
    store: Store
    engine: Engine
    conditions: Conditions
    retry: Collection[str] = ()  # statuses that are computed again
    progress: Progress | None = None  # nothing is shown without one
    until: Until | None = None  # the time of the run
    only: Callable[[Cell], bool] | None = None  # whether a missing cell is run; None: all are

    def __post_init__(self) -> None:
        self._shown = self.progress or Progress(len(self.plan))
        self._fence = fence_of(self.plan, self.store.folder)
        # A look at the files that have names lasts as long as a small cell.
        self._read_limits = {name: limits_of_data(self.plan, name) for name in self.plan.data}

    def records(self) -> Iterator[Record]:
        """Yield the record of every cell: first those in the store, then as cells end.

        What may not start, or was cut by the end of the time, has none.
        """
        self._show_data()
        stored, missing = self.divided()
        self._running: dict[str, Cell] = {}
        self._left = False  # whether cells stay missing
        while stored or missing:  # twice, if a record was lost since
            lost = yield from self._round(stored, missing)
            stored, missing = [], lost
            if self._left:
                return

    def _show_data(self) -> None:
        """Show what was understood of the data sets."""
        for dataset in self.plan.data:
            if about := self.resolver.known[Name("datasets", dataset)].result:
                for line in describe_data(dataset, about):
                    self._shown.write(line)

    def divided(self) -> tuple[list[Cell], list[Cell]]:
        """Return the cells that are in the store, and those that are not or have to run again.

        Most of each record is left unread.
        """
        finished = self.store.finished(TO_JUDGE)
        stored, missing = list[Cell](), list[Cell]()
        for cell in self.plan.cells():
            values = finished(self.resolver.id(cell))
            counts = values is not None and not self._is_stale(**values)
            (stored if counts else missing).append(cell)
        return stored, missing

    def _is_stale(self, status: Mapping[str, Any], conditions: Mapping[str, Any]) -> bool:
        """Whether a finished cell has to run again: by `retry`, or as its limit is lifted."""
        ended = CellStatus(status["status"])
        lifted = self.conditions.lift(ended, load(conditions, Conditions))
        return ended in self.retry or lifted

    def _stored(self, cell: Cell) -> Record | None:
        """Return the record of a cell in the store."""
        record = self.store.read(self.resolver.id(cell))
        return record and replace(record, cell=cell)  # its files may have been elsewhere

    def _round(
        self, stored: Iterable[Cell], missing: Sequence[Cell]
    ) -> Generator[Record, None, list[Cell]]:
        """Yield what is stored, and run every other cell; return those whose record was lost."""
        lost = []
        outcomes = self.engine.run(self._jobs(missing))
        with closing(outcomes):  # type: ignore[type-var]
            for cell in stored:  # while the first ones run
                if (record := self._stored(cell)) is None:
                    lost.append(cell)
                else:
                    self._shown.count(record.status.status)
                    yield record
            for key, outcome in outcomes:
                cell = self._running.pop(key)
                if self.until is not None and self.until.has_cut(cell, outcome):
                    self._left = True
                else:
                    yield self._kept(cell, outcome)
        for cell in missing:
            if (ended := self.resolver.failure(cell)) is not None:
                yield self._kept(cell, ended)
        return lost

    def _jobs(self, cells: Iterable[Cell]) -> Iterator[tuple[str, Job]]:
        """Yield the jobs of cells when they are needed."""
        for cell in cells:
            if self.resolver.failure(cell) is not None:
                continue
            if self._lets_start(cell):
                key = self.resolver.id(cell)
                self._running[key] = cell
                yield key, self._job(cell)
            else:
                self._left = True

    def _lets_start(self, cell: Cell) -> bool:
        wanted = self.only is None or self.only(cell)
        return wanted and (self.until is None or self.until.lets_start(cell))

    def _job(self, cell: Cell) -> Job:
        """Return the job of a cell that starts now."""
        self._shown.start(str(cell))
        data = self.resolver.data(cell)
        assert data.target is not None  # else the cell has a failure
        job = cell_job(
            cell,
            data.fingerprint,
            data.target,
            Limits(timeout=self.conditions.timeout, memory=self.conditions.memory),
            Limits(timeout=PREPARE),
            code=self.resolver.code,
            files=self.resolver.files(cell),
            read=self._read_limits[cell.dataset],
            preload=modules_to_preload(
                *(spec for _, kind, spec in cell.parts() if kind != "datasets")
            ),
            trusted=self.resolver.trusts(cell),
            fence=replace(self._fence, code=(*self._fence.code, *data.result.get("places", ()))),
        )
        if self.until is not None:
            job = self.until.limited(cell, job)
        return self.resolver.inline.handed(job, cell.solver, cell.dataset, rows_too=False)

    def _kept(self, cell: Cell, outcome: Outcome) -> Record:
        """Store and return the record of a cell that has ended."""
        known = (self.conditions, self.resolver.data(cell).target)
        record, scores = make_record(cell, self.resolver.id(cell), outcome, *known)
        self.store.write(record, scores)
        self._shown.end(str(cell), record.status.status)
        return record


def describe_data(dataset: Spec, about: Mapping[str, Any]) -> Iterator[str]:
    """Yield the sizes of a data set, its label column, classes, removed columns and warnings."""
    understood = Understood.from_json(about["understood"])
    kinds = f" ({understood.features})" if len(understood.kinds) > 1 else ""
    yield f"{short(dataset)}: {about['n']} x {about['d']}{kinds}, {_describe_target(about)}"
    yield from (f"  {line}" for line in understood.lines())


def _describe_target(about: Mapping[str, Any]) -> str:
    if "n_pos" in about:
        share = f"{about['n_pos'] / about['n']:.2%} positive"
    elif "n_events" in about:
        share = f"{about['n_events'] / about['n']:.2%} events"
    else:
        share = next(
            f"{about[what]} {what}"
            for what in ("grades", "classes", "breakpoints")
            if what in about
        )
    return share + (f", {about['dropped']} columns left out" if about["dropped"] else "")


def require_agreement(plan: Plan, store: Store) -> None:
    """Raise `DataError` where a plan contradicts one that was run into the folder before."""
    known_as = plan.without_places()
    before = [other for other in parse_plans(store.plans()) if other.without_places() != known_as]
    family_of([plan, *before])


def fence_of(plan: Plan, *folders: Path) -> Fence:
    """Return what the cells of a plan are kept from: files that may hold labels of test rows.

    These are the caches of aucbench, the folder of data sets, the files that a plan names, and
    further `folders`; on other hosts too, where they have the same paths.
    """
    here = (os.environ[name] for name in FOLDERS if name in os.environ)
    places = (*map(Path, here), *folders, *_data_files(plan))
    closed = dict.fromkeys(str(place.expanduser().absolute()) for place in places)
    code = dict.fromkeys(str(file.expanduser().absolute().parent) for file in _plugin_files(plan))
    return Fence((*CLOSED, *closed), tuple(code))


def _data_files(plan: Plan) -> Iterator[Path]:
    from aucbench.datasets.sources import File

    named = (dataset.name for dataset in plan.data)
    for name in (*named, *([plan.reading.test] if plan.reading.test else [])):
        path = Path(name)
        if path.is_file():
            yield from File(path).files()


def _plugin_files(plan: Plan) -> Iterator[Path]:
    for part in plan.parts():
        if (place := in_file(Name(*part).spec.name)) is not None:
            yield place[0]


@dataclass(frozen=True, slots=True)
class FolderStatus:
    """How much of its plans a results folder contains."""

    planned: int  # cells of all plans that were run into the folder, each counted once
    statuses: Mapping[str, int]  # finished cells by status
    missing: int  # cells of the plans that are not finished
    stale: int  # records of planned cells that no longer count, since something has changed
    other_settings: int  # records of cells that are in no plan of the folder


def folder_status(
    store: Store, plans: Sequence[Plan], wanted: Wanted | None = None
) -> FolderStatus:
    """Count what is done, failed, missing and stale; raises as `run` does at its start.

    `wanted` is what `wanted_of` says of the plans, if that is known.
    """
    wanted = wanted_of(plans) if wanted is None else wanted
    statuses: Counter[str] = Counter()
    stale, others = 0, 0
    known = {*wanted.ids.values()}
    for record in store.records():
        if record.id in known:
            statuses[record.status.status] += 1
        elif record.cell in wanted.ids:
            stale += 1
        else:
            others += 1
    missing = len(known) - statuses.total()
    return FolderStatus(len(known), statuses, missing, stale, others)


def wanted_of(plans: Iterable[Plan]) -> Wanted:
    """Return the ids of all cells of some plans, for the present data, plugins and aucbench."""
    ids: dict[Cell, str] = {}
    first: dict[tuple[str, Spec, Tuning], Spec] = {}
    before: dict[Name, Spec] = {}
    for plan in plans:
        with LocalEngine(cores()).opened(modules_for(plan)) as engine:
            resolver = resolve_names(plan, engine)
        ids |= {cell: resolver.id(cell) for cell in plan.cells()}
        for name, answer in resolver.known.items():
            own = first.setdefault((name.kind, answer.identity(name), name.tuning), name.spec)
            if own != name.spec:
                before[name] = own
    return Wanted(ids, before)
