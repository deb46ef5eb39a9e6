"""Objectives: one file per f. Each is called with `Data` and its parameters."""

from __future__ import annotations

from aucbench.hookspecs import Factories, hookimpl
from aucbench.objectives.logistic import Logistic
from aucbench.objectives.pairwise_square import PairwiseSquare
from aucbench.objectives.univariate_exp import UnivariateExp

__all__ = ["Logistic", "PairwiseSquare", "UnivariateExp"]


@hookimpl
def aucbench_objectives() -> Factories:
    """Objectives that can be named on the command line."""
    return {
        "logistic": Logistic,
        "pairwise-square": PairwiseSquare,
        "univariate-exp": UnivariateExp,
    }
