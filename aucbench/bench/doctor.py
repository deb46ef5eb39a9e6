"""Import each plugin, and hold it to the laws, in supervised processes that can end."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

from aucbench.bench.lawful import Check, Questions, checker, summed
from aucbench.bench.show.listeners import ENDING
from aucbench.errors import ParameterError, UnknownNameError, require_above, require_whole
from aucbench.hookspecs import PROJECT
from aucbench.processes import Ending, Limits, Outcome, Supervisor
from aucbench.processes.isolated import Process
from aucbench.records import Verdict
from aucbench.registry.discovery import PluginEntry, enabled, printable
from aucbench.registry.lookup import CALLED
from aucbench.registry.visits import visit_job

DOCTOR_PRELOAD = (
    "aucbench.bench.worker.jobs",
    "aucbench.registry.visitor",
)  # imports no plugin of a solver, the built-in ones included
LISTENERS = "listeners"  # as `aucbench.testing` calls them; they are not registered
WORDS = {**CALLED, LISTENERS: "listener"}
TRACE = "Fatal Python error"  # Python writes this first when a process crashes


@dataclass(frozen=True, slots=True)
class Checkup:
    """The result of importing one plugin.

    Attributes
    ----------
    name, distribution, version : str
        The plugin.
    status : str
        ok, error (it raised), crash (its process ended) or timeout (it was killed).
    seconds : float
        Time until its hooks had answered, without libraries that aucbench itself imports. If
        they did not answer: the time of the process.
    registers : tuple of str
        What it registers, for example "solver sht-auc".
    reason : str
        One line; empty when ok.
    names : tuple of (kind, name, required)
        What it registers, and the parameters that have no default.
    """

    name: str
    distribution: str
    version: str
    status: str
    seconds: float
    registers: tuple[str, ...]
    reason: str
    names: tuple[tuple[str, str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Examined:
    """One thing that a plugin registers, or its import, and how it went.

    Attributes
    ----------
    plugin, distribution, version : str
        The plugin.
    subject : str
        For example "solver sht-auc"; "import" where nothing else can be said.
    laws : str
        How many laws hold and are broken, or how the import ended.
    failed : bool
        Whether a law is broken, or the import has failed.
    reason : str
        The first failure, or why no law was checked; else empty.
    seconds : float
        Wall time.
    """

    plugin: str
    distribution: str
    version: str
    subject: str
    laws: str
    failed: bool
    reason: str
    seconds: float


def examine_plugins(
    only: Collection[str] | None = None, *, timeout: float = 120.0
) -> tuple[Examined, ...]:
    """Import plugins, and check what they register against the laws of its kind.

    Parameters
    ----------
    only : collection of str, optional
        Names, or `distribution:name`, of plugins. None: all of third parties that are enabled.
    timeout : float
        Seconds after which the import of a plugin, or the process that checks a thing, is killed.

    Raises
    ------
    UnknownNameError, UnsupportedError
        As `check_plugins`.
    """
    names = [e.qualified for e in enabled() if not e.builtin] if only is None else only
    checkups = check_plugins(names, limit=timeout)
    with checker(Questions(timeout=timeout)) as check:
        return tuple(found for c in checkups for found in _examined(c, check))


def _examined(checkup: Checkup, check: Check) -> Iterator[Examined]:
    about = (checkup.name, checkup.distribution, checkup.version)
    hears = [(LISTENERS, checkup.name, ())] if checkup.name.endswith(ENDING) else []
    lawful = [*checkup.names, *hears]
    if checkup.status != Ending.OK.value or not lawful:
        failed = checkup.status != Ending.OK.value
        yield Examined(*about, "import", checkup.status, failed, checkup.reason, checkup.seconds)
        return
    for kind, name, required in lawful:
        subject, target = f"{WORDS[kind]} {name}", f"{checkup.distribution}:{name}"
        if required:
            given = ",".join(f"{parameter}=..." for parameter in required)
            reason = f"it needs values: aucbench check '{target}[{given}]'"
            yield Examined(*about, subject, "not checked", False, reason, 0.0)
            continue
        own = name == checkup.name or checkup.distribution == PROJECT
        homes = [] if own else [(kind, name, f"{checkup.distribution}:{checkup.name}")]
        try:
            found = [f for f in check(target, homes) if f.kind in (kind, "plugins")]
        except ParameterError as error:
            yield Examined(*about, subject, "not checked", True, str(error), 0.0)
            continue
        broken = next((f for f in found if f.verdict is Verdict.BROKEN), None)
        reason = f"{broken.law}: {broken.reason}" if broken else ""
        seconds = sum(f.seconds for f in found)
        yield Examined(*about, subject, summed(found), broken is not None, reason, seconds)


def check_plugins(
    only: Collection[str] | None = None, *, limit: float = 60.0, jobs: int = 4
) -> tuple[Checkup, ...]:
    """Import every enabled plugin in a process of its own and return the results.

    As in a benchmark, the process ends without running exit handlers of the plugin and without
    waiting for its threads.

    Parameters
    ----------
    only : collection of str, optional
        Names, or `distribution:name`, of the plugins to look at.
    limit : float
        Seconds after which a plugin is killed.
    jobs : int
        Processes at once.

    Raises
    ------
    UnknownNameError
        When `only` names a plugin that is not installed, or not enabled.
    UnsupportedError
        On another system than Linux.
    """
    require_above(0, limit=limit)
    require_whole(1, jobs=jobs)
    chosen = _chosen_entries(only)
    limits = Limits(timeout=limit)
    with closing(Process(partial(Supervisor, preload=DOCTOR_PRELOAD))) as process:
        outcomes = process.run_all([visit_job(entry, limits) for entry in chosen], jobs)
    return tuple(map(_checkup, chosen, outcomes))


def _chosen_entries(only: Collection[str] | None) -> tuple[PluginEntry, ...]:
    known = {name for e in enabled() for name in (e.name, e.qualified)}
    for name in only or ():
        if name not in known:
            raise UnknownNameError("plugin", name, known)
    return tuple(e for e in enabled() if only is None or {e.name, e.qualified} & {*only})


def _checkup(entry: PluginEntry, outcome: Outcome) -> Checkup:
    status, reason = outcome.ending.value, ""
    known: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    seconds, registers = outcome.wall_seconds, tuple[str, ...]()
    if outcome.result is None:
        reason = outcome.words
    else:
        seconds = outcome.result["seconds"]
        named = outcome.result["registers"].items()
        known = tuple(
            (kind, name, _required(told)) for kind, some in named for name, told in some.items()
        )
        registers = tuple(f"{CALLED[kind]} {name}" for kind, name, _ in known)
        malformed = (
            told["error"] for _, some in named for told in some.values() if "error" in told
        )
        if reason := outcome.result["failure"] or next(malformed, ""):
            status = Ending.ERROR.value
    if outcome.ending is Ending.CRASH:
        reason += _last_words(outcome.log)
    names = (entry.name, entry.distribution, entry.version)
    return Checkup(*names, status, seconds, registers, printable(reason), known)


def _required(told: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the parameters without a default, of what the import has told of a name."""
    return tuple(name for name, _, required, _ in told.get("parameters", ()) if required)


def _last_words(log: str) -> str:
    lines = log.partition(TRACE)[0].strip().splitlines()
    return f"; its last output was: {lines[-1]}" if lines else ""
