"""Measurements that are no cells: run in processes of their own, kept in a store of their own.

The key of a result is a hash of the function, its request and its data set, and of code: that of
`code_fingerprint`, and the files of the package that holds the function. So a function lives in a
package that has only what its numbers depend on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from aucbench.bench.codec import dump, load
from aucbench.bench.engines.local import LocalEngine
from aucbench.bench.fingerprints import code_fingerprint, fingerprint, hash_of
from aucbench.bench.learning import LEARNING
from aucbench.bench.results.record import Conditions, conditions_on
from aucbench.errors import ParameterError
from aucbench.papers.parts import Measurement
from aucbench.processes.child import Room
from aucbench.processes.records import Ending, Job, Outcome
from aucbench.progress import Progress
from aucbench.ranges import MEGABYTE
from aucbench.store import SCHEMA, DocumentStore

FOLDER = "measurements"  # in a results folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The result of a measurement, as the folder keeps it."""

    id: str
    asked: Measurement
    status: str  # "ok", or how it failed: error, timeout, memout or crash
    why: str  # how it failed, in one line
    log: str  # the end of what it wrote, if it failed
    result: Mapping[str, Any] | None
    wall_seconds: float
    peak_memory: int  # bytes beyond an idle process
    conditions: Conditions
    machine: Mapping[str, Any]  # empty if it did not begin


def open_measurements(folder: Path, *, create: bool = False) -> DocumentStore:
    """Open the store of the measurements in a results folder."""
    return DocumentStore(folder / FOLDER, create=create)


def read_measurements(folder: Path) -> list[Measured]:
    """Return all measurements that a results folder holds."""
    if not (folder / FOLDER).is_dir():
        return []
    with open_measurements(folder) as store:
        return [load(plain, Measured) for plain in store.documents()]


def limit_measurements(
    measurements: Iterable[Measurement], timeout: float | None, memory: float | None
) -> tuple[Measurement, ...]:
    """Return measurements with limits of a command, in seconds (0: none) and megabytes."""
    own: dict[str, Any] = {} if timeout is None else {"timeout": timeout or None}
    own |= {} if memory is None else {"memory": int(memory * MEGABYTE)}
    return tuple(replace(one, limits=replace(one.limits, **own)) for one in measurements)


def run(
    measurements: Sequence[Measurement],
    store: DocumentStore,
    engine: LocalEngine,
    progress: Progress,
    tell: Callable[[str], object],
) -> Iterator[Measured]:
    """Do the measurements that have no result in the store; yield the result of each.

    Those that failed are done again. `tell` is called with a sentence when another run into the
    folder has to be waited for.

    Raises
    ------
    ParameterError
        When there is no module of a function.
    """
    asked = {_key(one): one for one in measurements}
    with store.alone(tell):
        done = {
            key: replace(load(plain, Measured), asked=one)
            for key, one in asked.items()
            if (plain := store.read(key)) is not None and plain["status"] == Ending.OK
        }
        for result in done.values():
            progress.count(result.status)
            yield result
        jobs = ((key, _job(one, progress)) for key, one in asked.items() if key not in done)
        with engine.opened(LEARNING) as warm, closing(warm.run(jobs)) as outcomes:  # type: ignore[type-var]
            for key, outcome in outcomes:
                result = _measured(key, asked[key], outcome, engine)
                store.write(dump(result))
                progress.end(result.asked.name, result.status)
                yield result


def measure(request: Mapping[str, Any], room: Room, steps: Mapping[str, Path]) -> dict[str, Any]:
    """Read the data set and call the function, in its process; a line says on which machine."""
    from aucbench.bench.worker import machine
    from aucbench.bench.worker.jobs import data_of

    data = data_of(request)
    room.line({"machine": machine.here()})
    module, _, name = request["call"].partition(":")
    answer: dict[str, Any] = getattr(import_module(module), name)(data, **request["request"])
    return answer


def _job(asked: Measurement, progress: Progress) -> Job:
    progress.start(asked.name)
    request = {**asked.plain, "folder": str(Path.cwd())}  # where relative paths start
    return Job(f"{__name__}:measure", request, asked.limits, preload=LEARNING)


def _measured(key: str, asked: Measurement, outcome: Outcome, engine: LocalEngine) -> Measured:
    machine: dict[str, Any] = {}
    for line in outcome.lines:
        machine |= line.get("machine", {})
    ok = outcome.ending is Ending.OK
    return Measured(
        id=key,
        asked=asked,
        status=outcome.ending.value,
        why=(outcome.reason or "" if outcome.refusal else outcome.words),
        log="" if ok else outcome.log,
        result=outcome.result,
        wall_seconds=outcome.wall_seconds,
        peak_memory=outcome.peak_memory,
        conditions=conditions_on(engine, asked.limits.timeout, asked.limits.memory),
        machine=machine,
    )


def _key(asked: Measurement) -> str:
    code = [code_fingerprint(), _files_of(asked.call.partition(":")[0])]
    return hash_of({**asked.plain, "schema": SCHEMA, "code": code})


@lru_cache(maxsize=256)
def _files_of(module: str) -> str:
    """Return a hash of the package, or the module, of a function."""
    home = find_spec(module.rpartition(".")[0] or module)
    if home is None or home.origin is None:
        raise ParameterError(f"there is no module {module!r}, whose function is to be called")
    path = Path(home.origin)
    files = path.parent.rglob("*.py") if path.stem == "__init__" else [path]
    return fingerprint({file.relative_to(path.parent).as_posix(): file for file in files})
