"""Find out which method is better: plans, their cells, engines and results.

The parent process runs this code. It never imports a plugin of a third party.
`compare` and `Results` live in `aucbench.report`, since they say what was found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aucbench import imported_on_use

if TYPE_CHECKING:
    from aucbench.bench.engines import make_engine
    from aucbench.bench.plan.plan import Choice, Plan
    from aucbench.bench.results.record import Record
    from aucbench.bench.results.store import Store
    from aucbench.bench.runner import run
    from aucbench.report.comparison import Results, compare

__all__ = ["Choice", "Plan", "Record", "Results", "Store", "compare", "make_engine", "run"]

__getattr__ = imported_on_use(
    __name__,
    {
        "bench.engines": ("make_engine",),
        "bench.plan.plan": ("Choice", "Plan"),
        "bench.results.record": ("Record",),
        "bench.results.store": ("Store",),
        "bench.runner": ("run",),
        "report.comparison": ("Results", "compare"),
    },
)
