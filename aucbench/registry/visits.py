"""What plugins of other packages register, found out without importing them in this process.

Design
  a. An import may hang, crash, print, or take all memory. So names are looked up with what a
     supervised process tells that has imported the plugin, within limits of time and memory.
  b. A process that is supervised itself starts no other one. It imports the plugin that it is
     asked for by its name. Where a plugin registers further names, its parent tells which one
     it is (`tell`), so that no plugin is imported there to find out.
  c. Where processes cannot be supervised, on other systems than Linux, plugins are imported here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from functools import partial
from math import inf
from typing import Any

from aucbench.registry.discovery import PluginEntry, load, loaded, printable

VISIT = "aucbench.registry.visitor:visit"
PRELOAD = ("aucbench.registry.visitor",)  # imports no plugin
ASKED = 60.0  # seconds for the import of the plugin that has the name that was asked for
OTHERS = 20.0  # seconds for each of the others, which are imported at the same time
LEAST = 1.0  # seconds that an import has, however short the limit of the cells is
MEMORY = 4 * 10**9  # bytes that an import may take

Registers = Mapping[str, Mapping[str, Any]]  # by kind and name
Home = tuple[str, str, str]  # kind, name, and the distribution:plugin that registers the name


@dataclass(frozen=True, slots=True)
class Visit:
    """The import of one plugin in a process of its own.

    Attributes
    ----------
    registers : mapping of str to mapping of str to dict
        By kind and name, what `aucbench.registry.packing.packed` returned.
    failure : str or None
        Why there is no answer.
    limit : float or None
        Seconds, where that is because the time was up.
    """

    registers: Registers = field(default_factory=dict)
    failure: str | None = None
    limit: float | None = None


_most: ContextVar[float] = ContextVar("_most", default=inf)  # see `within`
_visits: dict[PluginEntry, Visit] = {}  # kept until the process ends, as imported modules are
_told: dict[str, dict[str, set[str]]] = {}  # plugin, kind, names


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
    """Whether this process is supervised, or cannot be a supervisor."""
    from aucbench.processes import proc

    return proc.is_supervised()


def tell(homes: Iterable[Home]) -> None:
    """Learn which plugins register names other than their own: (kind, name, plugin) of each."""
    for kind, name, plugin in homes:
        _told.setdefault(plugin, {}).setdefault(kind, set()).add(name)


def known(entry: PluginEntry) -> Visit | None:
    """Return what is known of a plugin by now: no other process is started for it."""
    if (here := loaded(entry)) is not None:
        return Visit(here.factories, here.failure)
    return _visits.get(entry)


def visited(some: Iterable[PluginEntry], *, asked: bool = False) -> dict[PluginEntry, Visit]:
    """Return what each of these plugins registers.

    Parameters
    ----------
    some : iterable of PluginEntry
        The built-in ones are imported here.
    asked : bool
        Whether the user named them; then they have more time, and a supervised process imports
        them.
    """
    chosen = list(some)
    here = is_supervised()
    for entry in chosen:
        if entry.builtin or (here and (asked or sys.platform != "linux")):
            load(entry)
    if not here:
        limit = within_limit(ASKED if asked else OTHERS)
        _send([e for e in chosen if _is_wanted(known(e), limit)], limit)
    return {e: known(e) or Visit(_told.get(e.qualified, {})) for e in chosen}  # type: ignore[arg-type]


def _is_wanted(found: Visit | None, limit: float) -> bool:
    return found is None or (found.limit is not None and found.limit < limit)


def _send(chosen: list[PluginEntry], limit: float) -> None:
    """Import plugins, each in a process of its own, all at once."""
    if not chosen:
        return
    from aucbench.processes import Limits, Supervisor
    from aucbench.processes.isolated import Process

    with closing(Process(partial(Supervisor, preload=PRELOAD))) as process:
        limits = Limits(timeout=limit, memory=MEMORY)
        outcomes = process.run_all([visit_job(entry, limits) for entry in chosen])
    _visits.update({e: _visit(o, limit) for e, o in zip(chosen, outcomes, strict=True)})


def visit_job(entry: PluginEntry, limits: Any) -> Any:
    """Return the job that imports one plugin and returns what it registers."""
    from aucbench.processes import Job

    return Job(VISIT, {"entry": asdict(entry)}, limits)


def _visit(outcome: Any, limit: float) -> Visit:
    from aucbench.processes import Ending

    if outcome.result is not None:
        return Visit(outcome.result["registers"], outcome.result["failure"])
    if outcome.ending is Ending.TIMEOUT:
        return Visit(failure=f"no answer within {limit:g} s", limit=limit)
    return Visit(failure=printable(outcome.words or outcome.ending.value))
