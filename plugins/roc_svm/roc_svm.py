"""roc-svm: the ROC-SVM over a sample of the pairs, by the published method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem
from aucbench.data import Data
from aucbench.errors import require_above, require_count
from aucbench.objectives import IncompleteHinge
from aucbench.optim import default_ridge
from aucbench.projectors import ElasticNet

from .adamax import AdaMax


@about(
    "the ROC-SVM on a sample of the pairs, as published",
    certified=True,
    cites=("bae2025", "kingma2015"),
)
@dataclass(frozen=True)
class RocSvm(AdaMax):
    """min (1/B) Σ_b [1 − w·(x_{i_b} − x_{j_b})]₊ + (λ/2)‖w‖² by AdaMax with full subgradients.

    The update is in `adamax.py`, which `roc-svm-full` shares. The B pairs are drawn once per fit,
    uniformly with replacement, and kept. The paper says neither when it stops nor what it returns.
    Here the caller stops it, and the result is the last iterate. A weight moves by about α per
    step, so that weights of size ω need at least ω/α passes.

    The cost of a step is one reading of the rows that are in a pair, and O(B).

    Parameters
    ----------
    lam : float, optional
        Ridge λ > 0, in units of the hinge per squared unit of w. None means
        0.3 D² (1/n₊ + 1/n₋), where D² is the mean square distance of a pair of rows: see
        `aucbench.optim.default_ridge`.
    pairs : int, optional
        Number B ≥ 1 of pairs. None means n.
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
    Bae & Shin, "Scaling up ROC-optimizing support vector machines", 2025, equations 7 and 8;
    they select λ by cross-validation but print no grid. AdaMax: Kingma & Ba, ICLR 2015.
    The step 2e-3 is theirs. The larger ones are ours, for weights that 50 passes do not reach
    with it.
    """

    lam: float | None = None
    pairs: int | None = None
    step: float | None = None
    beta1: float = 0.9
    beta2: float = 0.999

    space: ClassVar = {"step": (2e-3, 2e-2, 2e-1), "lam": tuple(10.0**e for e in range(0, -6, -1))}
    needs: ClassVar = Needs(frozenset({"warm-start", "group-pairs", "order-pairs", "class-pairs"}))

    def __post_init__(self) -> None:
        require_above(0, lam=self.lam)
        require_count(1, pairs=self.pairs)
        self.require_moves()

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise the hinge over B pairs drawn by `rng`, with the ridge λ."""
        f = IncompleteHinge.draw(data, self.pairs or data.n, rng)
        return Problem(f, ElasticNet(0.0, self.lam or default_ridge(data)))
