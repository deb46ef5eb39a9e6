"""Find plugins whose import ends the process, before names are looked up.

A name that is not the name of a plugin is looked for in all plugins, which imports them. One
that crashes would end every lookup, although nobody uses its names.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from importlib import import_module

from aucbench.bench.engines.local import LocalEngine
from aucbench.infra.supervise import Ending, Job, Limits, Outcome, Supervisor
from aucbench.registry.discovery import ALLOWED, PluginEntry, enabled

MEASURE_MODULES = ("aucbench.judge.measures", "aucbench.judge.targets")
VISIT = "aucbench.fit.jobs:visit"
LIMITS = Limits(timeout=60.0)  # of an import


def visit_job(entry: PluginEntry, limits: Limits) -> Job:
    """Return the job that imports one plugin and returns what it registers."""
    return Job(VISIT, {"entry": asdict(entry)}, limits)


@contextmanager
def safe_supervisor(engine: LocalEngine) -> Iterator[tuple[Supervisor, dict[str, Outcome]]]:
    """Yield a supervisor whose jobs can look names up, and the plugins that are left out."""
    with ExitStack() as stack:
        supervisor = stack.enter_context(engine.open())
        # The parent imports what it measures with while the warm process starts, a second each.
        for module in MEASURE_MODULES:
            import_module(module)
        deadly = deadly_plugins(engine.on(supervisor))
        if deadly:
            stack.enter_context(without(deadly))
            supervisor.close()  # its processes still have the old list
            supervisor = stack.enter_context(engine.open())
        yield supervisor, deadly


def deadly_plugins(engine: LocalEngine) -> dict[str, Outcome]:
    """Return third-party plugins whose import ends the process, by qualified name."""
    third = (entry for entry in enabled() if not entry.builtin)
    visits = ((entry.qualified, visit_job(entry, LIMITS)) for entry in third)
    survived = (Ending.OK, Ending.ERROR)
    return {name: end for name, end in engine.run(visits) if end.ending not in survived}


@contextmanager
def without(deadly: Mapping[str, Outcome]) -> Iterator[None]:
    """Leave these plugins out, here and in processes that start inside the context."""
    before = os.environ.get(ALLOWED)
    kept = [e.qualified for e in enabled() if not e.builtin and e.qualified not in deadly]
    os.environ[ALLOWED] = ",".join(kept)
    try:
        yield
    finally:
        if before is None:
            del os.environ[ALLOWED]
        else:
            os.environ[ALLOWED] = before
