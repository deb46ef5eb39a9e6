"""Find out which method is better: plans, their cells, engines and results.

The parent process runs this code. It never imports a plugin of a third party.
`compare` and `Results` live in `aucbench.report`, since they say what was found.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aucbench.bench.engines import make_engine
    from aucbench.bench.plan.plan import Choice, Plan
    from aucbench.bench.results.record import Record
    from aucbench.bench.results.store import Store
    from aucbench.bench.runner import run
    from aucbench.report.comparison import Results, compare

__all__ = ["Choice", "Plan", "Record", "Results", "Store", "compare", "make_engine", "run"]

_HOMES = {
    "Choice": "aucbench.bench.plan.plan",
    "Plan": "aucbench.bench.plan.plan",
    "Record": "aucbench.bench.results.record",
    "Results": "aucbench.report.comparison",
    "Store": "aucbench.bench.results.store",
    "compare": "aucbench.report.comparison",
    "make_engine": "aucbench.bench.engines",
    "run": "aucbench.bench.runner",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'aucbench.bench' has no attribute {name!r}")
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found
