"""Plugins whose import ends the process, found out before a name is looked up.

To find a name that no plugin carries as its own, all of them are imported. One that crashes
there would end every lookup, although its names were not asked for.
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
    """Yield a supervisor in whose jobs names can be looked up, and what was left out for it."""
    with ExitStack() as stack:
        supervisor = stack.enter_context(engine.open())
        # What the parent measures with takes a second to import; the warm process takes as long.
        for module in MEASURE_MODULES:
            import_module(module)
        deadly = deadly_plugins(engine.on(supervisor))
        if deadly:
            stack.enter_context(without(deadly))
            supervisor.close()  # its processes still have the old list
            supervisor = stack.enter_context(engine.open())
        yield supervisor, deadly


def deadly_plugins(engine: LocalEngine) -> dict[str, Outcome]:
    """Third-party plugins that do not survive their own import, by qualified name."""
    third = (entry for entry in enabled() if not entry.builtin)
    visits = ((entry.qualified, visit_job(entry, LIMITS)) for entry in third)
    survived = (Ending.OK, Ending.ERROR)
    return {name: end for name, end in engine.run(visits) if end.ending not in survived}


@contextmanager
def without(deadly: Mapping[str, Outcome]) -> Iterator[None]:
    """Leave these plugins out, here and in processes that are started meanwhile."""
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
