"""roc-svm-full: the ROC-SVM over all pairs, by the published first-order method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem
from aucbench.data import Data
from aucbench.errors import require_above
from aucbench.objectives import PairwiseHinge
from aucbench.optim import default_ridge
from aucbench.projectors import ElasticNet

from .adamax import AdaMax


@about(
    "the ROC-SVM on all pairs, by the published method",
    certified=True,
    cites=("bae2025", "rakotomamonjy2004", "kingma2015"),
)
@dataclass(frozen=True)
class RocSvmFull(AdaMax):
    """min 1/(n₊n₋) Σ_i Σ_j [1 − w·(x_i − x_j)]₊ + (λ/2)‖w‖² by AdaMax with full subgradients.

    The update is in `adamax.py`, which `roc-svm` shares. The caller stops it, and the result is the
    last iterate. `svm-or` solves the same problem to a certified gap.

    The cost of a step is one reading of the rows, and O(n log n).

    Parameters
    ----------
    lam : float, optional
        Ridge λ > 0, in units of the hinge per squared unit of w. None means
        0.3 D² (1/n₊ + 1/n₋), where D² is the mean square distance of a pair of rows: see
        `aucbench.optim.default_ridge`.
    step : float, optional
        Step size α > 0, in units of w. None means 1/D: one step of one weight changes the margin
        of a pair by 1 at most, where the pair has the root mean square distance D. The published
        value, 0.002, is right for weights of about 0.1 in 50 passes.
    beta1, beta2 : float
        Factors of the past in the mean gradient and in the largest gradient, in [0, 1).

    Raises
    ------
    ParameterError
        When a parameter is out of its range.
    DataError
        When `lam` or `step` is None and rows are too long to derive it from.

    References
    ----------
    Bae & Shin, "Scaling up ROC-optimizing support vector machines", 2025, equation 3 and the
    "full model" of their Table 1; they print no grid for λ. AdaMax: Kingma & Ba, ICLR 2015.
    The step 2e-3 is theirs. The larger ones are ours, for weights that 50 passes do not reach
    with it.
    """

    lam: float | None = None
    step: float | None = None
    beta1: float = 0.9
    beta2: float = 0.999

    space: ClassVar = {"step": (2e-3, 2e-2, 2e-1), "lam": tuple(10.0**e for e in range(0, -6, -1))}
    needs: ClassVar = Needs(
        frozenset({"warm-start", "weights", "group-pairs", "range-pairs", "order-pairs"})
    )

    def __post_init__(self) -> None:
        require_above(0, lam=self.lam)
        self.require_moves()

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise the pairwise hinge with the ridge λ."""
        return Problem(PairwiseHinge(data), ElasticNet(0.0, self.lam or default_ridge(data)))
