"""Find out which method is better: plans, their cells, engines and results.

The parent process runs this code. It never imports a plugin of a third party.
`aucbench.compare` and its `Results` say what was found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from aucbench.bench.cell import Choice
    from aucbench.bench.engines import make_engine
    from aucbench.bench.plan.plan import Plan
    from aucbench.bench.results.record import Record
    from aucbench.bench.results.store import Store
    from aucbench.bench.runner import run

__all__ = [
    "Choice",
    "Plan",
    "Record",
    "Store",
    "make_engine",
    "run",
]

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "cell": ("Choice",),
        "engines": ("make_engine",),
        "plan.plan": ("Plan",),
        "results.record": ("Record",),
        "results.store": ("Store",),
        "runner": ("run",),
    },
)
