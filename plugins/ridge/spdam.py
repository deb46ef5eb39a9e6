"""SPDAM: stochastic primal-dual AUC maximisation with a linear rate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import ClassVar, Literal

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.tally import READ
from aucbench.errors import ParameterError, require_above
from aucbench.objectives import PairwiseSquare
from aucbench.optim.choice import require_above_or_auto, ridge
from aucbench.projectors import ElasticNet, ridge_of

from .batches import Batches, StepSizes
from .centred import CentredRows
from .primal_dual import Ridge

GAP_EVERY = 4  # passes of steps between two evaluations of the gap, each of which is a pass


@about(
    "least-squares ranking of many rows to a certified gap",
    certified=True,
    cites=("natole2019", "zhang2017"),
)
@dataclass(frozen=True)
class Spdam(Solver):
    """Find the saddle point of (1/n) Σ [β_i w·x̄_i − β_i²/2] + g(w) by steps on mini-batches.

    x̄_i = (x_i − m_y)/√p_y is the centred row: m_y and p_y are the mean and the share of its
    class, weighted where rows have weights. With δ = m₋ − m₊ and g(w) = ½(w·δ)² + w·δ + (λ/4)‖w‖²,
    the value of the saddle point is ½F(w) + (λ/4)‖w‖² up to a constant, where F is the pairwise
    square. One step on a mini-batch I:

    - β_i ← (β_i + σ w̄·x̄_i)/(1 + σ) for i in I;
    - u = (1/n) Σ β_i x̄_i, extrapolated to ū;
    - w⁺ = argmin ⟨ū, w⟩ + g(w) + ‖w − w_t‖²/(2τ);
    - w̄ = w⁺ + θ(w⁺ − w_t).

    σ, τ and θ are those of Theorem 4.1, rescaled, because as printed they diverge for small λ. For
    blocks they are extended as Zhang & Xiao extend theirs to rows of unequal length.

    The cost of a step is one reading of the batch, and O(d). The duality gap is computed after
    every four passes of steps, and where the budget of passes ends. That takes a pass, and to find
    the norms of the blocks takes about 5; the papers count passes of steps alone.

    Parameters
    ----------
    lam : float or "auto", optional
        Ridge λ > 0, in units of the pairwise square F per squared unit of w. None means
        0.3 D² (1/n₊ + 1/n₋), where D² is the mean square distance of a pair of rows: see
        `aucbench.optim.default_ridge`. "auto" chooses it by held-out training rows: see
        `aucbench.optim.ridge`.
    batch : float
        Share of the rows in a mini-batch, 0 < batch ≤ 1. The published value is 0.1. With 0.01,
        fewer passes reach the same gap, and a pass takes up to three times as long on few rows.
    sampling : {"blocks", "uniform"}
        "blocks" draws one block of a fixed random partition, the more often the longer its rows
        are. Then the mean block decides how long the steps are. With "uniform", as published, the
        longest row decides. It draws each batch without replacement.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.
    DataError
        When rows are so far from the mean of their class that R²/λ overflows.

    References
    ----------
    Natole, Ying & Lyu, "Stochastic AUC optimization algorithms with linear convergence",
    Frontiers in Applied Mathematics and Statistics 5:30, 2019. Zhang & Xiao, "Stochastic
    primal-dual coordinate method for regularized empirical risk minimization", JMLR 18, 2017.
    """

    lam: float | Literal["auto"] | None = None
    batch: float = 0.01
    sampling: Literal["blocks", "uniform"] = "blocks"

    space: ClassVar = {"lam": tuple(10.0**e for e in range(-5, 2))}
    needs: ClassVar = Needs(frozenset({"warm-start", "weights"}))

    def __post_init__(self) -> None:
        require_above_or_auto(0, lam=self.lam)
        require_above(0, batch=self.batch)
        if self.batch > 1:
            raise ParameterError(f"batch={self.batch} of the rows; give a share in (0, 1]")
        if self.sampling not in ("blocks", "uniform"):
            raise ParameterError(f"sampling={self.sampling!r}; give 'blocks' or 'uniform'")

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise the pairwise square with the ridge λ."""
        return Problem(PairwiseSquare(data), ElasticNet(0.0, ridge(self, data, rng, budget)))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per mini-batch; after every four passes it has the duality gap."""
        rows, n = CentredRows(problem.data), problem.data.n
        last = n * ((budget.passes or inf) - 1.0)  # rows that leave a pass for a gap
        g = Ridge.of(rows, ridge_of(problem))
        m = max(1, round(self.batch * n))
        blocks = self.sampling == "blocks"
        batches = Batches.partition(rows, m, rng) if blocks else Batches.uniform(rows, m)
        step = StepSizes.of(g.lam, n, batches)  # line 1: σ, τ and θ
        beta, u, w, w_bar = np.zeros(n), np.zeros(w0.size), w0, w0  # line 2
        due = _next_gap(n, last)
        for b, batch in batches.sample(step.chance, rng):  # line 3: I
            change = step.share[b] * (rows.scores(w_bar, batch) - beta[batch])
            beta[batch] += change  # line 4: β_i, for i in I
            move = rows.pullback(change, batch) / n
            u = u + move  # line 5
            u_bar = u + (1.0 / step.chance[b] - 1.0) * move  # line 6: n/m is 1 over the chance of I
            old, w = w, g.primal(w, u_bar, step.pull)  # line 7
            w_bar = w + step.theta * (w - old)  # line 8
            gap = value = None
            if READ.get().rows >= due:
                u = rows.pullback(beta) / n  # a sum of many small changes drifts
                value = problem.objective.value(w) + problem.project.value(w)
                gap = g.gap(value, problem.objective.rounding(w)[0], beta, u)
                due = _next_gap(n, last)
            yield State(w, gap=gap, value=value)


def _next_gap(n: int, last: float) -> float:
    """Return the number of rows read at which the gap is due; `last` is that of the last one."""
    seen = READ.get().rows
    due = seen + GAP_EVERY * n
    return min(due, last) if seen < last else due
