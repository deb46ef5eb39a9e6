"""roc-svm-full: the ROC-SVM over all pairs, by the published first-order method."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.data import Data
from aucbench.errors import require_above
from aucbench.hookspecs import Factories, hookimpl
from aucbench.objectives import PairwiseHinge
from aucbench.projectors import ElasticNet
from aucbench.protocols import Needs, Problem, State

from .adamax import adamax_ridge, require_moves


@dataclass(frozen=True)
class RocSvmFull:
    """min 1/(n₊n₋) Σ_i Σ_j [1 − w·(x_i − x_j)]₊ + (λ/2)‖w‖² by AdaMax with full subgradients.

    The update is in `adamax.py`, which `roc-svm` shares. The caller stops it, and the result is the
    last iterate. `svm-or` solves the same problem to a certified gap.

    The cost of a step is one reading of the rows, and O(n log n).

    Parameters
    ----------
    lam : float
        Ridge λ > 0, in units of the hinge per squared unit of w.
    step : float
        Step size α > 0, in units of w.
    beta1, beta2 : float
        Factors of the past in the mean gradient and in the largest gradient, in [0, 1).

    Raises
    ------
    ParameterError
        When a parameter is out of its range.

    References
    ----------
    Bae & Shin, "Scaling up ROC-optimizing support vector machines", 2025, equation 3 and the
    "full model" of their Table 1; they print no grid for λ. AdaMax: Kingma & Ba, ICLR 2015.
    """

    lam: float = 0.01
    step: float = 2e-3
    beta1: float = 0.9
    beta2: float = 0.999

    space: ClassVar = {"lam": tuple(10.0**e for e in range(0, -6, -1))}
    needs: ClassVar = Needs()

    def __post_init__(self) -> None:
        require_above(0, lam=self.lam)
        require_moves(self.step, self.beta1, self.beta2)

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Minimise the pairwise hinge with the ridge λ."""
        return Problem(PairwiseHinge(data), ElasticNet(0.0, self.lam))

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """Yield one state per step. A step is a pass over the rows; one pass precedes the first."""
        return adamax_ridge(problem, self.lam, step=self.step, beta1=self.beta1, beta2=self.beta2)


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"roc-svm-full": RocSvmFull}
