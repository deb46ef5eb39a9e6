"""Data sets: embedded, simulated, from files or from a URL. Each loader returns `Data`.

Each name is imported when it is first used: most files need one reader of many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from aucbench.datasets.catalogue import Entry, Suite, entries, entry_of, suites
    from aucbench.datasets.changepoint import load_changepoint
    from aucbench.datasets.files import load
    from aucbench.datasets.located import available
    from aucbench.datasets.registered import breast_cancer, digits
    from aucbench.datasets.simulated import linear, outbreak, outbreak_support, radial, true_scores
    from aucbench.datasets.streaming import stream

__all__ = [
    "Entry",
    "Suite",
    "available",
    "breast_cancer",
    "digits",
    "entries",
    "entry_of",
    "linear",
    "load",
    "load_changepoint",
    "outbreak",
    "outbreak_support",
    "radial",
    "stream",
    "suites",
    "true_scores",
]

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "catalogue": ("Entry", "Suite", "entries", "entry_of", "suites"),
        "changepoint": ("load_changepoint",),
        "files": ("load",),
        "located": ("available",),
        "registered": ("breast_cancer", "digits"),
        "streaming": ("stream",),
        "simulated": ("linear", "outbreak", "outbreak_support", "radial", "true_scores"),
    },
)
