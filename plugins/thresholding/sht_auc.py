"""SHT-AUC: stochastic hard thresholding for AUC maximisation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State
from aucbench.data import Data
from aucbench.data.arrays import Vector, size
from aucbench.errors import require_above, require_count
from aucbench.objectives import PairwiseSquare
from aucbench.optim.choice import require_whole_or_auto
from aucbench.projectors import TopK

from .sparsity import choose_k, lipschitz


@about("few features that rank well, by the pairwise square", sparse=True, cites=("yang2020",))
@dataclass(frozen=True)
class ShtAuc(Solver):
    """w ← H_k(w − γ (m b/n) ∇f_B(w)), where B is one of m blocks of rows, drawn uniformly.

    f is the pairwise square, b is the number of rows in B, and H_k keeps the k weights that are
    largest in magnitude. The factor m b/n is 1 when m divides n. When the sizes of the blocks
    differ by one row, it keeps the mean over the blocks equal to the full gradient.

    The cost of a step is O(b d) for dense rows, and O(stored values of the block + d) for CSR.

    Parameters
    ----------
    k : int or "auto"
        Number of weights to keep, k ≥ 1. All of them are kept when k ≥ d. "auto" tries
        d, d/4, d/16, … ≥ 10 in short fits, and takes the one that ranks a held-out fifth of the
        training rows best; with fewer than 30 rows of a class it takes d. The time of these fits
        counts, but their passes do not, as those of tuning.
    gamma : float, optional
        Step size γ > 0, in squared units of w per unit of f. None means 1/(2L̂), where L̂ is
        the largest curvature of a block, found by Lanczos' method: half the step of the theory, so
        that the last iterate has less of the noise of the blocks. To find it takes about 5 passes.
    blocks : int
        Number m ≥ 1 of blocks in a pass. A block has b ≈ n/m rows. With fewer rows than blocks
        there are n blocks of one row.
    shuffle : bool
        Whether the blocks come from a random permutation of the rows. False: from consecutive
        rows.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.
    UnsupportedError
        When `gamma` is None and the objective in place of f has no curvature.

    References
    ----------
    Yang, Zhou, Lei & Ying, "Stochastic hard thresholding algorithms for AUC maximization",
    ICDM 2020, Algorithm 1. The grid of k and m is theirs, and that of γ ours.
    """

    k: int | Literal["auto"] = "auto"
    gamma: float | None = None
    blocks: int = 4
    shuffle: bool = True

    space: ClassVar = {
        "k": tuple(range(10, 101, 10)),
        "blocks": (1, 2, 4, 8, 10),
        "gamma": (None, 0.01, 0.1, 1.0),
    }
    needs: ClassVar = Needs(
        frozenset({"any-objective", "any-projector", "warm-start", "group-pairs", "order-pairs"})
    )

    def __post_init__(self) -> None:
        require_whole_or_auto(1, k=self.k)
        require_count(1, blocks=self.blocks)
        require_above(0, gamma=self.gamma)

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise the pairwise square over k-sparse weights; of other pairs, those in a block."""
        return Problem(PairwiseSquare(data), TopK(choose_k(self, data, rng, budget)))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per block."""
        f, H, w = problem.objective, problem.project, w0  # f computes the class means: line 1
        n = f.data.n
        blocks = f.data.blocks(self.blocks, rng if self.shuffle else None)
        m = len(blocks)
        gamma = self.gamma or 0.5 / lipschitz(f, blocks, rng)
        while True:  # line 2
            B = blocks[rng.integers(m)]  # line 3
            w = H(w - gamma * (m * size(B, n) / n) * f.grad(w, B), gamma)  # line 4
            yield State(w)
