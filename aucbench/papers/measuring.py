"""Run measurements that are no cells: each result is kept in the folder of the results.

Design
  a. As cells, measurements run in processes under limits, on any engine, and only the folder says
     what is finished. They have a store of their own there, FOLDER/measurements.
  b. The key of a result is a hash of the function and its request, of the content of the data, and
     of code: that of `code_fingerprint`, and the files of the package that holds the function.
     So a function lives in a package that has only what its numbers depend on.
  c. One run at a time measures into a folder. A second one waits, and then finds what is there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from warnings import warn

from aucbench.bench.engines import Engine
from aucbench.bench.engines.local import LocalEngine
from aucbench.bench.learning import LEARNING
from aucbench.bench.results.conditions import Conditions, conditions_on
from aucbench.bench.show.progress import Progress
from aucbench.bench.text import shown
from aucbench.errors import DataError, ParameterError
from aucbench.papers.parts import Measurement
from aucbench.processes.records import Ending, Job, Limits, Outcome
from aucbench.registry.fingerprints import code_fingerprint, content_at, hash_of
from aucbench.store import SCHEMA, DocumentStore

FOLDER = "measurements"  # in a results folder
WORKER = "aucbench.papers.worker"
READ = 3600.0  # seconds to read a data set, or to get it from its address
MEGABYTE = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The result of a measurement, as the folder keeps it.

    Attributes
    ----------
    id : str
        Its key.
    name : str
        Of the measurement.
    call, request, dataset, reading :
        What was asked for, see `Measurement`.
    data : str
        Hash of the content of the data set.
    status : str
        "ok", or how it failed: error, timeout, memout or crash.
    reason : str or None
        Why it failed.
    error_type : str or None
        Name of the class of the exception, if there was one.
    log : str or None
        The end of what it wrote, if it failed.
    result : dict or None
        What the function returned.
    wall_seconds, peak_memory : float, int
        Of the process: seconds, and bytes beyond an idle one.
    conditions : Conditions
        Of the run.
    machine : dict
        Host, CPU, cores, versions, threads, and the load when it began; empty if it did not begin.
    """

    id: str
    name: str
    call: str
    request: Mapping[str, Any]
    dataset: str
    reading: Mapping[str, Any]
    data: str
    status: str
    reason: str | None
    error_type: str | None
    log: str | None
    result: Mapping[str, Any] | None
    wall_seconds: float
    peak_memory: int
    conditions: Conditions
    machine: Mapping[str, Any]

    @property
    def why(self) -> str:
        """How it failed, in one line."""
        named = f"{self.error_type}: {self.reason}" if self.error_type else self.reason
        return f"{self.status}: {named}" if named else self.status

    def __str__(self) -> str:
        """One printable line for people."""
        ended = f"ok: {self.name}: {self.wall_seconds:.3g} s"
        return shown(ended if self.status == Ending.OK else f"{self.name}: {self.why}")

    @staticmethod
    def from_json(plain: Mapping[str, Any]) -> Measured:
        """Return what `asdict` has made plain."""
        return Measured(**{**plain, "conditions": Conditions(**plain["conditions"])})


def opened(folder: Path, *, create: bool = False) -> DocumentStore:
    """Open the store of the measurements in a results folder."""
    return DocumentStore(folder / FOLDER, create=create)


def held(folder: Path) -> list[Measured]:
    """Return all measurements that a results folder holds."""
    if not (folder / FOLDER).is_dir():
        return []
    with opened(folder) as store:
        return [*map(Measured.from_json, store.documents())]


def kept(measurements: Iterable[Measurement], folder: Path) -> list[Measured]:
    """Return what a results folder holds of measurements, also of other versions or other data."""
    names = {_asked(one): one.name for one in measurements}
    return [replace(m, name=names[_asked(m)]) for m in held(folder) if _asked(m) in names]


def limited(
    measurements: Iterable[Measurement], timeout: float | None, memory: float | None
) -> tuple[Measurement, ...]:
    """Return measurements with the limits of a command in place of their own.

    Parameters
    ----------
    timeout : float, optional
        Seconds; 0 lifts the limit.
    memory : float, optional
        Megabytes.
    """

    def changed(limits: Limits) -> Limits:
        if timeout is not None:
            limits = replace(limits, timeout=timeout or None)
        return limits if memory is None else replace(limits, memory=int(memory * MEGABYTE))

    return tuple(replace(one, limits=changed(one.limits)) for one in measurements)


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

    First come those in the store, then the others as they end, each after it was stored. A failed
    one is done again when `retry` names its status, or a smaller limit ended it. `tell` is called
    with a sentence when it waits for another run into the folder.

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
    with local.open() as supervisor:
        hashes = _hashes(measurements, local.on(supervisor))
        wanted = {_key(one, hashes[_source(one)]): one for one in measurements}
        if len(wanted) < len(measurements):
            raise ParameterError("two measurements of an experiment ask for the same")
        where = local.on(supervisor) if engine is local else engine
        told = Progress(len(measurements)) if progress is None else progress
        with store.alone(tell):
            yield from _Run(wanted, hashes, store, where, retry, told).measured()


class _Run:
    def __init__(
        self,
        wanted: Mapping[str, Measurement],
        hashes: Mapping[str, str],
        store: DocumentStore,
        engine: Engine,
        retry: Collection[str],
        progress: Progress,
    ):
        self._left = dict(wanted)  # by key: those that were not yielded
        self._hashes, self._store, self._engine = hashes, store, engine
        self._retry, self._progress = retry, progress

    def measured(self) -> Iterator[Measured]:
        yield from self._finished()
        outcomes = self._engine.run(self._jobs())
        with closing(outcomes):  # type: ignore[type-var]
            for key, outcome in outcomes:
                yield self._keep(key, outcome)

    def _finished(self) -> Iterator[Measured]:
        for key, asked in [*self._left.items()]:
            plain = self._store.read(key)
            if plain is None:
                continue
            found = replace(Measured.from_json(plain), name=asked.name)
            if not self._is_stale(found, asked):
                del self._left[key]
                self._progress.count(found.status)
                yield found

    def _is_stale(self, found: Measured, asked: Measurement) -> bool:
        now = self._conditions(asked)
        return found.status in self._retry or now.lift(found.status, found.conditions)

    def _jobs(self) -> Iterator[tuple[str, Job]]:
        for key, asked in [*self._left.items()]:
            self._progress.start(asked.name)
            yield key, _job(asked, self._hashes[_source(asked)])

    def _keep(self, key: str, outcome: Outcome) -> Measured:
        asked = self._left.pop(key)
        found = _measured(
            key, asked, self._hashes[_source(asked)], outcome, self._conditions(asked)
        )
        self._store.write(asdict(found))
        self._progress.end(asked.name, found.status, str(found))
        return found

    def _conditions(self, asked: Measurement) -> Conditions:
        return conditions_on(self._engine, asked.limits.timeout, asked.limits.memory)


def _measured(
    key: str, asked: Measurement, data: str, outcome: Outcome, conditions: Conditions
) -> Measured:
    machine: dict[str, Any] = {}
    for line in outcome.lines:
        machine |= line.get("machine", {})
    return Measured(
        id=key,
        name=asked.name,
        call=asked.call,
        request=dict(asked.request),
        dataset=asked.dataset,
        reading=asked.reading.to_json(),
        data=data,
        status=outcome.ending.value,
        reason=outcome.reason,
        error_type=None if outcome.refusal else outcome.error_type,
        log=None if outcome.ending is Ending.OK else outcome.log,
        result=outcome.result,
        wall_seconds=outcome.wall_seconds,
        peak_memory=outcome.peak_memory,
        conditions=conditions,
        machine=machine,
    )


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
    """Return a hash of the files of a package, or of a module that is in none."""
    home = find_spec(module.rpartition(".")[0] or module)
    found = content_at(home.origin) if home is not None and home.origin else None
    if found is None:
        raise ParameterError(f"there is no module {module!r}, whose function is to be called")
    return found


def _key(asked: Measurement, data: str) -> str:
    what = {"call": asked.call, "request": dict(asked.request), "data": data}
    return hash_of({**what, "code": code_of(asked.call), "schema": SCHEMA})


def _job(asked: Measurement, data: str) -> Job:
    request = {**_read(asked), "hash": data, "code": code_of(asked.call)}
    request |= {"call": asked.call, "request": dict(asked.request)}
    return Job(f"{WORKER}:measure", request, asked.limits, preload=LEARNING)


def _hashes(measurements: Iterable[Measurement], engine: Engine) -> dict[str, str]:
    """Read each data set in a process, and return the hash of its content by its source."""
    asked = {_source(one): one for one in measurements}
    limits = Limits(timeout=READ)
    jobs = (
        (key, Job(f"{WORKER}:look_up", _read(one), limits, preload=LEARNING))
        for key, one in asked.items()
    )
    found = {}
    for key, outcome in engine.run(jobs):
        if outcome.result is None:
            raise DataError(f"cannot read {asked[key].dataset}: {outcome.reason}")
        found[key] = outcome.result["hash"]
    return found


def _read(one: Measurement) -> dict[str, Any]:
    folder = str(Path.cwd())  # relative paths start here
    return {"dataset": one.dataset, "reading": one.reading.to_json(), "folder": folder}


def _source(one: Measurement) -> str:
    return hash_of([one.dataset, one.reading.to_json()])


def _asked(one: Measurement | Measured) -> str:
    reading = one.reading if isinstance(one, Measured) else one.reading.to_json()
    return hash_of([one.call, dict(one.request), one.dataset, dict(reading)])
