"""What plugins of other packages register, found out without importing them in this process.

Design
  a. An import may hang, crash, print, or take all memory. So names are resolved by what a
     supervised process reports that has imported the plugin, within limits of time and memory.
  b. A process that is supervised itself starts no other one. It imports the plugin that it is
     asked for by its name.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, replace
from functools import partial
from math import inf
from typing import Any

from aucbench.errors import UnknownNameError
from aucbench.progress import say_when_late
from aucbench.registry.discovery import Loaded, PluginEntry, enabled, load, loaded, printable

CALL = "aucbench.registry.describing:import_entry"
PRELOAD = ("aucbench.contract", "aucbench.registry.describing")  # imports no plugin
ASKED = 60.0  # seconds for the import of the plugin that has the name that was asked for
OTHERS = 20.0  # seconds for each of the others, which are imported at the same time
FEW = 3  # plugins that a line names
LEAST = 1.0  # seconds that an import has, however short the limit of the cells is
MEMORY = 4 * 10**9  # bytes that an import may take
TRACE = "Fatal Python error"  # Python writes this first when a process crashes


_most: ContextVar[float] = ContextVar("_most", default=inf)  # see `within`
_isolated: dict[PluginEntry, Loaded] = {}  # kept until the process ends, as modules are


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """Bound the time of each import inside the context; None leaves it as it is."""
    token = _most.set(inf if seconds is None else max(LEAST, seconds))
    try:
        yield
    finally:
        _most.reset(token)


def within_limit(seconds: float | None) -> float:
    """Return these seconds, or those of `within` where they are fewer."""
    return min(inf if seconds is None else seconds, _most.get())


def is_supervised() -> bool:
    """Whether a supervisor has started this process."""
    from aucbench.processes import records

    return records.is_supervised()


def known(entry: PluginEntry) -> Loaded | None:
    """Return what is known of a plugin by now: no other process is started for it.

    Of one that another process has imported there are descriptions as JSON holds them, in place of
    factories.
    """
    return loaded(entry) or _isolated.get(entry)


def imported(some: Iterable[PluginEntry], *, asked: bool = False) -> dict[PluginEntry, Loaded]:
    """Return what each plugin registers; the built-in ones are imported here.

    With `asked`, the user named them: they have more time, and a supervised process imports them.
    """
    chosen = list(some)
    here = is_supervised()
    for entry in chosen:
        if entry.builtin or (here and asked):
            load(entry)
    if not here:
        limit = within_limit(ASKED if asked else OTHERS)
        before = ((entry, known(entry)) for entry in chosen)
        short = [e for e, one in before if one is None or (one.limit or inf) < limit]
        _isolated.update(_import(short, limit))
    return {e: known(e) or Loaded() for e in chosen}


def import_plugins(
    only: Collection[str] | None = None, *, watched: bool = False
) -> dict[PluginEntry, Loaded]:
    """Import plugins anew, each in a process of its own, in a minute or what `within` allows.

    As in a benchmark, the process ends without running exit handlers of the plugin and without
    waiting for its threads. A class that does not have the shape of the contract is a failure too.

    Parameters
    ----------
    only : collection of str, optional
        Names, or `distribution:name`. Default: all of third parties that are enabled.
    watched : bool
        Whether a plugin whose import changes settings or functions of others counts as broken.

    Raises
    ------
    UnknownNameError
        When a plugin is not installed, or not enabled.
    """
    named = {name for entry in enabled() for name in (entry.name, entry.qualified)}
    for name in only or ():
        if name not in named:
            raise UnknownNameError("plugin", name, named)
    chosen = [
        entry
        for entry in enabled()
        if (not entry.builtin if only is None else {entry.name, entry.qualified} & {*only})
    ]
    found = _import(chosen, within_limit(ASKED), watched=watched)
    return {entry: _with_faults(entry, one) for entry, one in found.items()}


def _with_faults(entry: PluginEntry, one: Loaded) -> Loaded:
    """Return the result of an import, which failed if nothing can be made of a registered name."""
    faults = (
        description["error"]
        for described in one.factories.values()
        for name, description in described.items()
        if entry.provides(name) and "error" in description
    )
    fault = one.failure or next(faults, None)
    ending = "error" if fault and one.ending == "ok" else one.ending
    return replace(one, failure=fault and printable(fault), ending=ending)


def _import(
    chosen: list[PluginEntry], limit: float, *, watched: bool = False
) -> dict[PluginEntry, Loaded]:
    """Import modules of plugins, each in a process of its own, all at once."""
    if not chosen:
        return {}
    from aucbench.processes import Job, Limits, Supervisor
    from aucbench.processes.isolated import supervised

    path = [os.path.abspath(folder) for folder in sys.path]  # noqa: PTH100 - '' is the cwd
    limits = Limits(timeout=limit, memory=MEMORY)
    places = {_place_of(entry): entry for entry in chosen}
    asked = ({"entry": asdict(e), "path": path, "watched": watched} for e in places.values())
    jobs = [Job(CALL, request, limits) for request in asked]
    late = say_when_late(lambda: format_waiting([entry.imported for entry in places.values()]))
    with late, supervised(partial(Supervisor, preload=PRELOAD)) as process:
        outcomes = process.run_all(jobs)
    answers = {place: _answer(o, limit) for place, o in zip(places, outcomes, strict=True)}
    return {entry: answers[_place_of(entry)] for entry in chosen}


def format_waiting(imported: Sequence[str]) -> str:
    """Return whose import is waited for; nothing where there is none."""
    further = f" and {len(imported) - FEW} more" if len(imported) > FEW else ""
    named = ", ".join(imported[:FEW])
    return f"waiting for the import of {named}{further} …" if named else ""


def _place_of(entry: PluginEntry) -> tuple[str, ...]:
    """Return what is equal for entries of one module with hooks, which is imported once."""
    of_class = (entry.name,) if ":" in entry.value else ()
    return entry.distribution, entry.value, *of_class


def _answer(outcome: Any, limit: float) -> Loaded:
    """Return what an import found, or how its process ended."""
    from aucbench.processes import Ending

    if (result := outcome.result) is not None:
        ending = "error" if result["failure"] else "ok"
        return Loaded(result["registers"], result["failure"], None, ending, result["seconds"])
    reason = outcome.words or outcome.ending.value
    wrote = outcome.log.partition(TRACE)[0].strip().splitlines()
    if outcome.ending is Ending.CRASH and wrote:
        reason += f"; its last output was: {wrote[-1]}"
    late = limit if outcome.ending is Ending.TIMEOUT else None
    failure = printable(reason)
    return Loaded({}, failure, late, outcome.ending.value, outcome.wall_seconds)
