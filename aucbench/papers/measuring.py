"""Run measurements that are no cells, by the loop that runs cells, into a store of their own.

The key of a result is a hash of the function and its request, of the content of the data, and of
code: that of `code_fingerprint`, and the files of the package that holds the function. So a
function lives in a package that has only what its numbers depend on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from warnings import warn

from aucbench.bench.engines import Engine
from aucbench.bench.engines.local import LocalEngine
from aucbench.bench.learning import LEARNING
from aucbench.bench.loop import Loop
from aucbench.bench.plan.plan import MEGABYTE
from aucbench.bench.results.conditions import Conditions, conditions_on
from aucbench.bench.show.progress import Progress
from aucbench.errors import DataError, ParameterError
from aucbench.papers.parts import Measurement
from aucbench.processes.records import Ending, Job, Limits, Outcome
from aucbench.registry.fingerprints import code_fingerprint, content_at, hash_of
from aucbench.store import SCHEMA, DocumentStore

FOLDER = "measurements"  # in a results folder
WORKER = "aucbench.papers.worker"
READ = Limits(timeout=3600.0)  # to read a data set, or to get it from its address


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The result of a measurement, as the folder keeps it."""

    id: str
    name: str
    call: str
    request: Mapping[str, Any]
    dataset: str
    reading: Mapping[str, Any]
    data: str  # hash of the content of the data set
    status: str  # "ok", or how it failed: error, timeout, memout or crash
    reason: str | None
    error_type: str | None
    log: str | None  # the end of what it wrote, if it failed
    result: Mapping[str, Any] | None
    wall_seconds: float
    peak_memory: int  # bytes beyond an idle process
    conditions: Conditions
    machine: Mapping[str, Any]  # empty if it did not begin

    @property
    def why(self) -> str:
        """How it failed, in one line."""
        named = f"{self.error_type}: {self.reason}" if self.error_type else self.reason
        return f"{self.status}: {named}" if named else self.status

    def answers(self, asked: Measurement) -> bool:
        """Whether it is a result of a measurement, also of another version or other data."""
        own = (self.call, self.request, self.dataset, self.reading)
        return own == (asked.call, asked.request, asked.dataset, asked.reading.to_json())

    @staticmethod
    def from_json(plain: Mapping[str, Any]) -> Measured:
        """Return what `asdict` has made plain."""
        return Measured(**{**plain, "conditions": Conditions(**plain["conditions"])})


def opened(folder: Path, *, create: bool = False) -> DocumentStore:
    """Open the store of the measurements in a results folder."""
    return DocumentStore(folder / FOLDER, create=create)


def measured_in(folder: Path) -> list[Measured]:
    """Return all measurements that a results folder holds."""
    if not (folder / FOLDER).is_dir():
        return []
    with opened(folder) as store:
        return [*map(Measured.from_json, store.documents())]


def limited(
    measurements: Iterable[Measurement], timeout: float | None, memory: float | None
) -> tuple[Measurement, ...]:
    """Return measurements with limits of a command, in seconds (0: none) and megabytes."""
    own: dict[str, Any] = {} if timeout is None else {"timeout": timeout or None}
    own |= {} if memory is None else {"memory": int(memory * MEGABYTE)}
    return tuple(replace(one, limits=replace(one.limits, **own)) for one in measurements)


def run(
    measurements: Sequence[Measurement],
    store: DocumentStore,
    engine: Engine,
    *,
    retry: Collection[str] = (),
    progress: Progress | None = None,
    tell: Callable[[str], object] = warn,
) -> Iterator[Measured]:
    """Do the measurements that are not in the store; yield the result of each.

    The parameters are those of `aucbench.bench.runner.run`.

    Raises
    ------
    DataError
        When a data set cannot be read.
    ParameterError
        When two measurements are the same.
    """
    if not measurements:
        return
    local = engine if isinstance(engine, LocalEngine) else LocalEngine()
    with local.opened() as supervisor:
        hashes = _hashes(measurements, local.on(supervisor))
        items = [_Item.of(one, hashes[_source(one)]) for one in measurements]
        if len({item.key for item in items}) < len(items):
            raise ParameterError("two measurements of an experiment ask for the same")
        where = local.on(supervisor) if engine is local else engine
        told = Progress(len(items)) if progress is None else progress
        with store.alone(tell):
            yield from _Measuring(items, store, where, retry, told).results()


class _Item(NamedTuple):
    asked: Measurement
    data: str  # hash of the content of its data set
    key: str

    @staticmethod
    def of(asked: Measurement, data: str) -> _Item:
        what = {"call": asked.call, "request": dict(asked.request), "data": data}
        return _Item(asked, data, hash_of({**what, "code": code_of(asked.call), "schema": SCHEMA}))


@dataclass
class _Measuring(Loop[_Item, Measured]):
    all: Sequence[_Item]
    store: DocumentStore
    engine: Engine
    retry: Collection[str]
    progress: Progress

    def items(self) -> Iterator[_Item]:
        return iter(self.all)

    def key(self, item: _Item) -> str:
        return item.key

    def counts(self) -> Callable[[str], bool]:
        finished = self.store.finished(("status", "conditions"))
        now = {item.key: self._conditions(item) for item in self.all}

        def known(key: str) -> bool:
            if (before := finished(key)) is None:
                return False
            status, then = before["status"], Conditions(**before["conditions"])
            return status not in self.retry and not now[key].lift(status, then)

        return known

    def stored(self, item: _Item) -> Measured | None:
        if (plain := self.store.read(item.key)) is None:
            return None
        self.progress.count(plain["status"])
        return replace(Measured.from_json(plain), name=item.asked.name)

    def job(self, item: _Item) -> Job:
        asked = item.asked
        self.progress.start(asked.name)
        request = {**_read(asked), "hash": item.data, "code": code_of(asked.call)}
        request |= {"call": asked.call, "request": dict(asked.request)}
        return Job(f"{WORKER}:measure", request, asked.limits, preload=LEARNING)

    def keep(self, item: _Item, outcome: Outcome) -> Measured:
        asked = item.asked
        machine: dict[str, Any] = {}
        for line in outcome.lines:
            machine |= line.get("machine", {})
        result = Measured(
            id=item.key,
            name=asked.name,
            call=asked.call,
            request=dict(asked.request),
            dataset=asked.dataset,
            reading=asked.reading.to_json(),
            data=item.data,
            status=outcome.ending.value,
            reason=outcome.reason,
            error_type=None if outcome.refusal else outcome.error_type,
            log=None if outcome.ending is Ending.OK else outcome.log,
            result=outcome.result,
            wall_seconds=outcome.wall_seconds,
            peak_memory=outcome.peak_memory,
            conditions=self._conditions(item),
            machine=machine,
        )
        self.store.write(asdict(result))
        self.progress.end(asked.name, result.status)
        return result

    def _conditions(self, item: _Item) -> Conditions:
        limits = item.asked.limits
        return conditions_on(self.engine, limits.timeout, limits.memory)


def code_of(call: str) -> str:
    """Return a hash of aucbench's code and of the package, or the module, of a function.

    Raises
    ------
    ParameterError
        When there is no such module.
    """
    return hash_of([code_fingerprint(), _files_of(call.partition(":")[0])])


@lru_cache(maxsize=256)
def _files_of(module: str) -> str:
    home = find_spec(module.rpartition(".")[0] or module)
    content = content_at(home.origin) if home is not None and home.origin else None
    if content is None:
        raise ParameterError(f"there is no module {module!r}, whose function is to be called")
    return content


def _hashes(measurements: Iterable[Measurement], engine: Engine) -> dict[str, str]:
    """Read each data set in a process, and return the hash of its content by its source."""
    asked = {_source(one): one for one in measurements}
    jobs = (
        (key, Job(f"{WORKER}:look_up", _read(one), READ, preload=LEARNING))
        for key, one in asked.items()
    )
    hashes = {}
    for key, outcome in engine.run(jobs):
        if outcome.result is None:
            raise DataError(f"cannot read {asked[key].dataset}: {outcome.reason}")
        hashes[key] = outcome.result["hash"]
    return hashes


def _read(one: Measurement) -> dict[str, Any]:
    folder = str(Path.cwd())  # relative paths start here
    return {"dataset": one.dataset, "reading": one.reading.to_json(), "folder": folder}


def _source(one: Measurement) -> str:
    return hash_of([one.dataset, one.reading.to_json()])
