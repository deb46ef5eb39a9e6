"""Import each plugin, and hold it to the laws, in supervised processes that can end."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from aucbench.bench.lawful import Check, Questions, checker, summed
from aucbench.bench.show.listeners import ENDING
from aucbench.errors import ParameterError, UnknownNameError, require_above, require_whole
from aucbench.processes import Ending, Limits, Outcome, open_supervisor
from aucbench.processes.isolated import Process
from aucbench.records import Verdict
from aucbench.registry.discovery import CALLED, PluginEntry, enabled, printable
from aucbench.registry.import_job import unpacked
from aucbench.registry.isolated_imports import import_job

DOCTOR_PRELOAD = (
    "aucbench.bench.worker.jobs",
    "aucbench.registry.import_job",
)  # imports no plugin of a solver, the built-in ones included
LISTENERS = "listeners"  # as `aucbench.testing` calls them; they are not registered
WORDS = {**CALLED, LISTENERS: "listener"}
TRACE = "Fatal Python error"  # Python writes this first when a process crashes


@dataclass(frozen=True, slots=True)
class Examined:
    """One thing that a plugin registers, or its import, and how it went."""

    plugin: str
    distribution: str
    version: str
    subject: str = "import"  # or what the plugin registers, such as "solver sht-auc"
    laws: str = ""  # how many laws hold and are broken, or how the import ended
    failed: bool = False  # whether a law is broken, or the import has failed
    reason: str = ""  # the first failure, or why no law was checked
    seconds: float = 0.0  # of an import: until the hooks had answered, without our own libraries
    # Of an import: kind and name of what it registers, and the parameters without a default.
    names: tuple[tuple[str, str, tuple[str, ...]], ...] = ()


def examine_plugins(
    only: Collection[str] | None = None, *, timeout: float = 120.0
) -> tuple[Examined, ...]:
    """Import plugins, and check what they register against the laws of its kind.

    `only` has names, or `distribution:name`; None means all of third parties that are enabled.
    Each import, and each process that checks a thing, has `timeout` seconds.
    """
    names = [e.qualified for e in enabled() if not e.builtin] if only is None else only
    imported = check_plugins(names, limit=timeout)
    with checker(Questions(timeout=timeout)) as check:
        return tuple(examined for one in imported for examined in _examined(one, check))


def check_plugins(
    only: Collection[str] | None = None, *, limit: float = 60.0, jobs: int = 4
) -> tuple[Examined, ...]:
    """Import plugins, each in a process of its own, so many at once; None means all enabled ones.

    As in a benchmark, the process ends without running exit handlers of the plugin and without
    waiting for its threads. `UnknownNameError`: a plugin is not installed, or not enabled.
    """
    require_above(0, limit=limit)
    require_whole(1, jobs=jobs)
    known = {name for e in enabled() for name in (e.name, e.qualified)}
    for name in only or ():
        if name not in known:
            raise UnknownNameError("plugin", name, known)
    chosen = [e for e in enabled() if only is None or {e.name, e.qualified} & {*only}]
    limits = Limits(timeout=limit)
    with closing(Process(partial(open_supervisor, preload=DOCTOR_PRELOAD))) as process:
        outcomes = process.run_all([import_job(entry, limits) for entry in chosen], jobs)
    return tuple(map(_imported, chosen, outcomes))


def _imported(entry: PluginEntry, outcome: Outcome) -> Examined:
    """Return how an import ended: ok, error (it raised), crash, or timeout (it was killed)."""
    status, reason, seconds = outcome.ending, outcome.words, outcome.wall_seconds
    names: list[tuple[str, str, tuple[str, ...]]] = []
    if outcome.result is not None:
        seconds, reason = outcome.result["seconds"], outcome.result["failure"] or ""
        for kind, some in outcome.result["registers"].items():
            for name, told in ((n, t) for n, t in some.items() if entry.provides(n)):
                reason = reason or told.get("error", "")
                parameters = () if "error" in told else unpacked(told).parameters
                names.append((kind, name, tuple(p.name for p in parameters if p.required)))
        status = Ending.ERROR if reason else status
    if status is Ending.CRASH and (said := outcome.log.partition(TRACE)[0].strip().splitlines()):
        reason += f"; its last output was: {said[-1]}"
    failed = status is not Ending.OK
    return Examined(
        entry.name,
        entry.distribution,
        entry.version,
        laws=status.value,
        failed=failed,
        reason=printable(reason) if failed else "",
        seconds=seconds,
        names=tuple(names),
    )


def _examined(imported: Examined, check: Check) -> Iterator[Examined]:
    """Yield what is found of each thing that a plugin registers; of none, how its import ended."""
    hears: list[tuple[str, str, tuple[str, ...]]] = []
    if imported.plugin.endswith(ENDING):
        hears = [(LISTENERS, imported.plugin, ())]
    lawful = [] if imported.failed else [*imported.names, *hears]
    if not lawful:
        yield imported
    for kind, name, required in lawful:
        yield _of_laws(imported, kind, name, required, check)


def _of_laws(
    imported: Examined, kind: str, name: str, required: tuple[str, ...], check: Check
) -> Examined:
    subject, target = f"{WORDS[kind]} {name}", f"{imported.distribution}:{name}"
    unchecked = replace(imported, subject=subject, laws="not checked", seconds=0.0, names=())
    if required:
        values = ",".join(f"{parameter}=..." for parameter in required)
        return replace(unchecked, reason=f"it needs values: aucbench check '{target}[{values}]'")
    try:
        findings = [f for f in check(target) if f.kind in (kind, "plugins")]
    except ParameterError as error:
        return replace(unchecked, failed=True, reason=str(error))
    broken = next((f for f in findings if f.verdict is Verdict.BROKEN), None)
    return replace(
        unchecked,
        laws=summed(findings),
        failed=broken is not None,
        reason=f"{broken.law}: {broken.reason}" if broken else "",
        seconds=sum(f.seconds for f in findings),
    )
