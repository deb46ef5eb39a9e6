"""The data sets that need no file: embedded and simulated ones."""

from __future__ import annotations

from aucbench.datasets.embedded import breast_cancer, one_against_the_rest
from aucbench.datasets.simulated import linear, outbreak, radial
from aucbench.hookspecs import Factories, hookimpl


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
