"""Data sets: embedded, simulated, from files or from a URL. Each loader returns `Data`."""

from __future__ import annotations

from aucbench.datasets.catalogue import Entry, Suite, entries, entry_of, suites
from aucbench.datasets.changepoint import load_changepoint
from aucbench.datasets.chunks import stream
from aucbench.datasets.embedded import breast_cancer, digits, one_against_the_rest
from aucbench.datasets.files import available, load
from aucbench.datasets.simulated import linear, outbreak, outbreak_support, radial, true_scores
from aucbench.hookspecs import Factories, hookimpl

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


@hookimpl
def aucbench_datasets() -> Factories:
    """Return the data sets that need no file: embedded and simulated ones."""
    return {
        "breast-cancer": breast_cancer,
        **{f"digits-{digit}": one_against_the_rest(digit) for digit in range(10)},
        "linear": linear,
        "outbreak": outbreak,
        "radial": radial,
    }
