"""HSG-HT: hybrid stochastic gradient hard thresholding, on the logistic loss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import ClassVar, Literal

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State
from aucbench.data import ALL, Data
from aucbench.data.arrays import Block, Vector
from aucbench.errors import require_above, require_at_least
from aucbench.optim.choice import require_whole_or_auto

from .sparsity import lipschitz, sparse_logistic


@about("few features, by the logistic loss with growing batches", sparse=True, cites=("zhou2018",))
@dataclass(frozen=True)
class HsgHt(Solver):
    """w ← H_k(w − γ ∇f_B(w)), where the batch B has ⌈τζᵗ⌉ rows at step t, at most n.

    f is the mean logistic loss, and H_k keeps the k weights that are largest in magnitude. The
    rows of a batch are drawn without replacement. The batch grows over the whole run until it
    holds all rows.

    The cost of a step is one reading of B, and O(d).

    Parameters
    ----------
    k : int or "auto"
        Number of weights to keep, k ≥ 1. The intercept is not counted. "auto" tries
        d, d/4, d/16, … ≥ 10 in short fits, and takes the one that ranks a held-out fifth of the
        training rows best; with fewer than 30 rows of a class it takes d. The time of these fits
        counts, but their passes do not, as those of tuning.
    gamma : float, optional
        Step size γ > 0, in squared units of w per unit of f. None means 1/L̂, where L̂ is the
        largest curvature of a block. The rows are divided into at most 100 blocks of at least τ
        rows for this. To find it takes about 5 passes.
    tau : float
        Number τ ≥ 1 of rows in the first batch.
    zeta : float
        Factor ζ ≥ 1 by which the batch grows in each step.
    intercept : bool
        Whether to append a feature 1. Its weight takes part in the steps, but is never
        thresholded. Without it, w·x = 0 has to separate the classes, which costs much AUC where
        one class is rare.
    centre : bool
        Whether features are relative to their mean over the training rows. With an intercept this
        has the same minimum, but steps are much longer where means are far from 0. False, as
        published: features are taken as they are.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.
    UnsupportedError
        When `gamma` is None and the objective in place of f has no curvature.

    References
    ----------
    Zhou, Yuan & Feng, "Efficient stochastic gradient hard thresholding", NeurIPS 2018. The grid
    of k is that of Yang, Zhou, Lei & Ying, ICDM 2020. Those of τ and γ are ours.
    """

    k: int | Literal["auto"] = "auto"
    gamma: float | None = None
    tau: float = 1.0
    zeta: float = 1.033
    intercept: bool = True
    centre: bool = True

    space: ClassVar = {
        "tau": (1.0, 10.0, 100.0, 1000.0),
        "gamma": (None, 0.1, 1.0, 10.0),
        "k": tuple(range(10, 101, 10)),
    }
    needs: ClassVar = Needs(frozenset({"any-objective", "any-projector", "warm-start"}))

    def __post_init__(self) -> None:
        require_whole_or_auto(1, k=self.k)
        require_above(0, gamma=self.gamma)
        require_at_least(1, tau=self.tau, zeta=self.zeta)

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise the logistic loss over k-sparse weights."""
        return sparse_logistic(self, data, rng, budget)

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per batch."""
        f, H, w = problem.objective, problem.project, w0
        n = f.data.n
        parts = min(100, n // min(n, ceil(self.tau)))
        gamma = self.gamma or 1.0 / lipschitz(f, f.data.blocks(parts, rng), rng)
        size = self.tau
        while True:  # line 1
            B = _draw(n, min(n, ceil(size)), rng)  # line 2
            w = H(w - gamma * f.grad(w, B), gamma)  # line 3
            yield State(w)
            size = min(n, self.zeta * size)


def _draw(n: int, b: int, rng: np.random.Generator) -> Block:
    """Draw b of n rows without replacement, in ascending order."""
    if b == n:
        return ALL
    rows = rng.choice(n, b, replace=False).astype(np.int32)
    rows.sort()
    return rows
