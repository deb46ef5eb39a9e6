"""What plugins of other packages register, found out without importing them in this process.

Design
  a. An import may hang, crash, print, or take all memory. So names are looked up with what a
     supervised process tells that has imported the plugin, within limits of time and memory.
  b. A process that is supervised itself starts no other one. It imports the plugin that it is
     asked for by its name.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict
from functools import partial
from math import inf
from typing import Any

from aucbench.registry.discovery import Loaded, PluginEntry, load, loaded, printable

CALL = "aucbench.registry.describing:import_entry"
PRELOAD = ("aucbench.protocols", "aucbench.registry.describing")  # imports no plugin
ASKED = 60.0  # seconds for the import of the plugin that has the name that was asked for
OTHERS = 20.0  # seconds for each of the others, which are imported at the same time
LEAST = 1.0  # seconds that an import has, however short the limit of the cells is
MEMORY = 4 * 10**9  # bytes that an import may take


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
        _isolate([e for e in chosen if _is_wanted(known(e), limit)], limit)
    return {e: known(e) or Loaded() for e in chosen}


def _is_wanted(known: Loaded | None, limit: float) -> bool:
    return known is None or (known.limit is not None and known.limit < limit)


def _isolate(chosen: list[PluginEntry], limit: float) -> None:
    """Import modules of plugins, each in a process of its own, all at once."""
    if not chosen:
        return
    from aucbench.processes import Limits, Supervisor
    from aucbench.processes.isolated import supervised

    modules = {(entry.distribution, entry.value): entry for entry in chosen}
    with supervised(partial(Supervisor, preload=PRELOAD)) as process:
        limits = Limits(timeout=limit, memory=MEMORY)
        outcomes = process.run_all([import_job(entry, limits) for entry in modules.values()])
    told = {place: _told(o, limit) for place, o in zip(modules, outcomes, strict=True)}
    _isolated.update({entry: told[entry.distribution, entry.value] for entry in chosen})


def import_job(entry: PluginEntry, limits: Any) -> Any:
    """Return the job that imports one plugin and returns what it registers."""
    from aucbench.processes import Job

    path = [os.path.abspath(folder) for folder in sys.path]  # noqa: PTH100 - '' is the cwd
    return Job(CALL, {"entry": asdict(entry), "path": path}, limits)


def _told(outcome: Any, limit: float) -> Loaded:
    from aucbench.processes import Ending

    if outcome.result is not None:
        return Loaded(outcome.result["registers"], outcome.result["failure"])
    if outcome.ending is Ending.TIMEOUT:
        return Loaded(failure=f"no answer within {limit:g} s", limit=limit)
    return Loaded(failure=printable(outcome.words or outcome.ending.value))
