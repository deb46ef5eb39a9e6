"""Import each plugin in a supervised process, and name the versions that a report of it needs."""

from __future__ import annotations

import platform
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from aucbench.errors import AucbenchError, UnknownNameError
from aucbench.processes import Ending, Job, Limits, Outcome, Supervisor
from aucbench.processes.child import Room
from aucbench.processes.isolated import Process
from aucbench.processes.starting import start_method
from aucbench.registry.discovery import PluginEntry, enabled, printable
from aucbench.registry.fingerprints import version_of
from aucbench.registry.isolated_imports import ASKED, import_job, within_limit

PRELOAD = (
    "aucbench.bench.worker.jobs",
    "aucbench.registry.describing",
)  # imports no plugin of a solver, the built-in ones included
TRACE = "Fatal Python error"  # Python writes this first when a process crashes
LIBRARIES = ("numpy", "scipy", "pandas", "scikit-learn", "pyarrow", "dask")


@dataclass(frozen=True, slots=True)
class PluginImport:
    """How the import of a plugin ended."""

    entry: PluginEntry
    ending: str  # ok, error, crash or timeout
    reason: str  # why it failed, empty if it did not
    seconds: float  # until the hooks had answered, without our own libraries


def import_plugins(only: Collection[str] | None = None) -> tuple[PluginImport, ...]:
    """Import plugins, each in a process of its own, in a minute or what `within` allows.

    As in a benchmark, the process ends without running exit handlers of the plugin and without
    waiting for its threads.

    Parameters
    ----------
    only : collection of str, optional
        Names, or `distribution:name`. Default: all of third parties that are enabled.

    Raises
    ------
    UnknownNameError
        When a plugin is not installed, or not enabled.
    """
    known = {name for entry in enabled() for name in (entry.name, entry.qualified)}
    for name in only or ():
        if name not in known:
            raise UnknownNameError("plugin", name, known)
    chosen = [
        entry
        for entry in enabled()
        if (not entry.builtin if only is None else {entry.name, entry.qualified} & {*only})
    ]
    limits = Limits(timeout=within_limit(ASKED))
    with closing(Process(partial(Supervisor, preload=PRELOAD))) as process:
        outcomes = process.run_all([import_job(entry, limits) for entry in chosen])
    return tuple(map(_imported, chosen, outcomes))


def _imported(entry: PluginEntry, outcome: Outcome) -> PluginImport:
    """Return how an import ended: ok, error (it raised), crash, or timeout (it was killed)."""
    status, reason, seconds = outcome.ending, outcome.words, outcome.wall_seconds
    if outcome.result is not None:
        seconds, reason = outcome.result["seconds"], outcome.result["failure"] or ""
        for named in outcome.result["registers"].values():
            errors = (one.get("error", "") for name, one in named.items() if entry.provides(name))
            reason = reason or next(filter(None, errors), "")
        status = Ending.ERROR if reason else status
    if status is Ending.CRASH and (wrote := outcome.log.partition(TRACE)[0].strip().splitlines()):
        reason += f"; its last output was: {wrote[-1]}"
    failed = status is not Ending.OK
    return PluginImport(entry, status.value, printable(reason) if failed else "", seconds)


def versions() -> Iterator[tuple[str, str]]:
    """Yield what a report of a fault needs, by name; no plugin is imported."""
    yield "aucbench", str(version_of("aucbench"))
    yield "Python", f"{platform.python_version()} ({platform.python_implementation()})"
    yield "system", platform.platform()
    yield "kernels", _kernels()
    yield "processes", _processes()
    known = ((name, version_of(name)) for name in LIBRARIES)
    yield "libraries", ", ".join(f"{name} {version}" for name, version in known if version)


def _kernels() -> str:
    """Return how the kernels compute, or why they do not."""
    try:
        from aucbench.data.sorting import sort_in_use
        from aucbench.kernels import simd
    except ImportError as error:
        return f"cannot be loaded: {error}"
    return f"SIMD {simd.level()}, sort {sort_in_use()}"


def _processes() -> str:
    """Return how the processes of cells start here, after one was started."""
    try:
        with Supervisor() as supervisor:
            outcome = supervisor.call(Job(f"{__name__}:answer", {}))
            return f"{start_method()}, {outcome.ending}"
    except (AucbenchError, OSError) as error:
        return f"cannot be started: {error}"


def answer(request: Mapping[str, Any], room: Room, steps: Mapping[str, Path]) -> dict[str, Any]:
    """Return nothing: the job that shows that processes start."""
    return {}
