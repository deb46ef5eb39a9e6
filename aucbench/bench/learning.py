"""Whether a process that uses a plugin should find scikit-learn imported, which takes a second.

It is imported once, in the warm process, for jobs which will want it: those of plugins whose files
have its name. A wrong guess changes no result: it costs a second in each job, or saves none.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from aucbench.bench.fingerprints import plugin_files
from aucbench.registry.discovery import entries
from aucbench.registry.specs import Spec, in_file

if TYPE_CHECKING:
    from aucbench.bench.plan.plan import Plan

PRELOADED = {  # what the warm process imports for a plugin that imports one of these
    "sklearn": "aucbench.bench.worker.scikit_learn",
    "sklearn.ensemble": "sklearn.ensemble",
}
LEARNING = (PRELOADED["sklearn"],)


def modules_to_preload(*specs: Spec) -> tuple[str, ...]:
    """Return the modules to import before plugins are used."""
    return tuple(sorted({module for spec in specs for module in _likely(spec.name)}))


def modules_for(plan: Plan) -> tuple[str, ...]:
    """Return the modules to import before the solvers of a plan are used."""
    return modules_to_preload(*(choice.spec for choice in plan.solvers))


@lru_cache(maxsize=256)
def _likely(name: str) -> tuple[str, ...]:
    contents = [file.read_bytes() for file in _files(name)]
    return tuple(
        module for part, module in PRELOADED.items() if any(part.encode() in c for c in contents)
    )


def _files(name: str) -> list[Path]:
    if (place := in_file(name)) is not None:
        return [place[0]] if place[0].is_file() else []
    entry = next((p for p in entries() if name in (p.name, p.qualified)), None)
    if entry is None:
        return []
    if entry.builtin:  # the others of its family do not count
        module = find_spec(entry.value.partition(":")[0])
        return [Path(module.origin)] if module and module.origin else []
    files = plugin_files(entry.distribution, entry.value).values()
    return [file for file in files if file.suffix == ".py"]
