"""Import each plugin in a supervised process, so that it cannot affect this one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from aucbench.bench.engines.local import LocalEngine
from aucbench.bench.text import reason_text
from aucbench.errors import UnknownNameError, require_above, require_whole
from aucbench.infra.supervise import Ending, Limits, Outcome, Supervisor
from aucbench.registry.discovery import PluginEntry, enabled, printable
from aucbench.registry.lookup import CALLED
from aucbench.registry.visits import visit_job

DOCTOR_PRELOAD = (
    "aucbench.fit.jobs",
    "aucbench.registry.visitor",
)  # imports no plugin of a solver, the built-in ones included
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
    """

    name: str
    distribution: str
    version: str
    status: str
    seconds: float
    registers: tuple[str, ...]
    reason: str


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
    visits = ((str(number), visit_job(entry, limits)) for number, entry in enumerate(chosen))
    with Supervisor(preload=DOCTOR_PRELOAD) as supervisor:
        found = dict(LocalEngine(jobs, supervisor=supervisor).run(visits))
    return tuple(_checkup(entry, found[str(number)]) for number, entry in enumerate(chosen))


def _chosen_entries(only: Collection[str] | None) -> tuple[PluginEntry, ...]:
    known = {name for e in enabled() for name in (e.name, e.qualified)}
    for name in only or ():
        if name not in known:
            raise UnknownNameError("plugin", name, known)
    return tuple(e for e in enabled() if only is None or {e.name, e.qualified} & {*only})


def _checkup(entry: PluginEntry, outcome: Outcome) -> Checkup:
    status, reason = outcome.ending.value, ""
    seconds, registers = outcome.wall_seconds, tuple[str, ...]()
    if outcome.result is None:
        reason = reason_text(outcome.error_type, outcome.reason)
    else:
        seconds = outcome.result["seconds"]
        named = outcome.result["registers"].items()
        registers = tuple(f"{CALLED[kind]} {name}" for kind, names in named for name in names)
        malformed = (
            told["error"] for _, some in named for told in some.values() if "error" in told
        )
        if reason := outcome.result["failure"] or next(malformed, ""):
            status = Ending.ERROR.value
    if outcome.ending is Ending.CRASH:
        reason += _last_words(outcome.log)
    names = (entry.name, entry.distribution, entry.version)
    return Checkup(*names, status, seconds, registers, printable(reason))


def _last_words(log: str) -> str:
    lines = log.partition(TRACE)[0].strip().splitlines()
    return f"; its last output was: {lines[-1]}" if lines else ""
