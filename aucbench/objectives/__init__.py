"""Objectives f(w), one file each. An objective is built from `Data` and its parameters."""

from __future__ import annotations

from aucbench.hookspecs import Factories, hookimpl
from aucbench.objectives.aum import Aum
from aucbench.objectives.binned_hinge import BinnedHinge
from aucbench.objectives.binned_squared_hinge import BinnedSquaredHinge
from aucbench.objectives.incomplete_hinge import IncompleteHinge
from aucbench.objectives.interval_hinge import IntervalHinge
from aucbench.objectives.logistic import Logistic
from aucbench.objectives.logistic_in_parts import LogisticInParts
from aucbench.objectives.moment_square import MomentSquare, square_over
from aucbench.objectives.pairwise_hinge import PairwiseHinge
from aucbench.objectives.pairwise_logistic import PairwiseLogistic
from aucbench.objectives.pairwise_square import PairwiseSquare
from aucbench.objectives.pairwise_squared_hinge import PairwiseSquaredHinge
from aucbench.objectives.univariate_exp import UnivariateExp

__all__ = [
    "Aum",
    "BinnedHinge",
    "BinnedSquaredHinge",
    "IncompleteHinge",
    "IntervalHinge",
    "Logistic",
    "LogisticInParts",
    "MomentSquare",
    "PairwiseHinge",
    "PairwiseLogistic",
    "PairwiseSquare",
    "PairwiseSquaredHinge",
    "UnivariateExp",
    "square_over",
]


@hookimpl
def aucbench_objectives() -> Factories:
    """Return the built-in objectives by the names that the command line takes."""
    return {
        "aum": Aum,
        "interval-hinge": IntervalHinge,
        "logistic": Logistic,
        "pairwise-hinge": PairwiseHinge,
        "pairwise-logistic": PairwiseLogistic,
        "pairwise-square": PairwiseSquare,
        "pairwise-squared-hinge": PairwiseSquaredHinge,
        "univariate-exp": UnivariateExp,
    }
