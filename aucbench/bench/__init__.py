"""Find out which method is better: plans, their cells, engines and results.

The parent process runs this code. It never imports a plugin of a third party.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aucbench.bench.comparison import Results, compare
    from aucbench.bench.engines import make_engine
    from aucbench.bench.plan.plan import Choice, Plan
    from aucbench.bench.results.record import Record
    from aucbench.bench.results.store import Store
    from aucbench.bench.runner import run

__all__ = ["Choice", "Plan", "Record", "Results", "Store", "compare", "make_engine", "run"]

_HOMES = {
    "Choice": "plan.plan",
    "Plan": "plan.plan",
    "Record": "results.record",
    "Results": "comparison",
    "Store": "results.store",
    "compare": "comparison",
    "make_engine": "engines",
    "run": "runner",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'aucbench.bench' has no attribute {name!r}")
    found = getattr(import_module(f"aucbench.bench.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
