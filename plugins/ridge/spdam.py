"""SPDAM: stochastic primal-dual AUC maximisation with a linear rate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from math import isfinite, sqrt
from typing import ClassVar, Literal

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Block, size
from aucbench.data.rounding import slack_of
from aucbench.errors import DataError, ParameterError, require_above
from aucbench.hookspecs import Factories, hookimpl
from aucbench.objectives import PairwiseSquare
from aucbench.optim import top_eigenvalue
from aucbench.optim.choice import require_above_or_auto, ridge
from aucbench.projectors import ElasticNet, ridge_of
from aucbench.protocols import Needs, Problem, State

from .centred import CentredRows
from .primal_dual import Ridge


@dataclass(frozen=True)
class Spdam:
    """Find the saddle point of (1/n) Σ [β_i w·x̄_i − β_i²/2] + g(w) by steps on mini-batches.

    x̄_i = (x_i − m_y)/√p_y is the centred row: m_y and p_y are the mean and the share of its
    class. With δ = m₋ − m₊ and g(w) = ½(w·δ)² + w·δ + (λ/4)‖w‖², the value of the saddle point is
    ½F(w) + (λ/4)‖w‖² up to a constant, where F is the pairwise square. One step on a mini-batch I:

    - β_i ← (β_i + σ w̄·x̄_i)/(1 + σ) for i in I;
    - u = (1/n) Σ β_i x̄_i, extrapolated to ū;
    - w⁺ = argmin ⟨ū, w⟩ + g(w) + ‖w − w_t‖²/(2τ);
    - w̄ = w⁺ + θ(w⁺ − w_t).

    σ, τ and θ are those of Theorem 4.1, rescaled, because as printed they diverge for small λ.

    The cost of a step is two readings of the batch, and O(d). The duality gap is computed once per
    pass, in two further passes. Their time counts, but they are not part of `rows_seen`.

    Parameters
    ----------
    lam : float or "auto", optional
        Ridge λ > 0, in units of the pairwise square F per squared unit of w. None means
        0.3 D² (1/n₊ + 1/n₋), where D² is the mean square distance of a pair of rows: see
        `aucbench.optim.default_ridge`. "auto" chooses it by held-out training rows: see
        `aucbench.optim.ridge`.
    batch : float
        Share of the rows in a mini-batch, 0 < batch ≤ 1. The published value is 0.1. With 0.01,
        fewer passes reach the same gap, and a pass takes five times as long on few rows.
    sampling : {"blocks", "uniform"}
        "blocks" draws one block of a fixed random partition. Its rows bound the step together, so
        that steps are longer. "uniform" draws each batch without replacement, as published.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.
    DataError
        When rows are so far from the mean of their class that R²/λ overflows.

    References
    ----------
    Natole, Ying & Lyu, "Stochastic AUC optimization algorithms with linear convergence",
    Frontiers in Applied Mathematics and Statistics 5:30, 2019.
    """

    lam: float | Literal["auto"] | None = None
    batch: float = 0.01
    sampling: Literal["blocks", "uniform"] = "blocks"

    space: ClassVar = {"lam": tuple(10.0**e for e in range(-5, 2))}
    needs: ClassVar = Needs()

    def __post_init__(self) -> None:
        require_above_or_auto(0, lam=self.lam)
        require_above(0, batch=self.batch)
        if self.batch > 1:
            raise ParameterError(f"batch={self.batch} of the rows; give a share in (0, 1]")
        if self.sampling not in ("blocks", "uniform"):
            raise ParameterError(f"sampling={self.sampling!r}; give 'blocks' or 'uniform'")

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Minimise the pairwise square with the ridge λ."""
        return Problem(PairwiseSquare(data), ElasticNet(0.0, ridge(self, data, rng)))

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """Yield one state per mini-batch; once per pass it has the duality gap."""
        rows, w = CentredRows(problem.data), problem.start()
        n = rows.data.n
        g = Ridge.of(rows, ridge_of(problem))
        m = max(1, round(self.batch * n))
        draw, R, batches = _batches(rows, m, rng, fixed=self.sampling == "blocks")
        steps = StepSizes.of(g.lam, n, n / batches, R)
        beta, u = np.zeros(n), np.zeros(w.size)
        w_bar, seen = w, 0
        for t in count(1):
            batch = draw()
            change = steps.share * (rows.scores(w_bar, batch) - beta[batch])
            beta[batch] += change
            move = rows.pullback(change, batch) / n
            u = u + move
            old = w
            w = g.primal(w, u + (batches - 1.0) * move, steps.pull)
            w_bar = w + steps.theta * (w - old)
            passed = seen // n
            seen += size(batch, n)
            gap = None
            if seen // n > passed:
                u = rows.pullback(beta) / n  # a sum of many small changes drifts
                slack, _ = slack_of(problem.objective, w)
                gap = g.gap(problem.value(w) or 0.0, slack, beta, u)
            yield State(t, w, seen, gap)


@dataclass(frozen=True, slots=True)
class StepSizes:
    """σ, τ and θ of Theorem 4.1, in a consistent scale.

    With μ = λ/2, the modulus of g, and R, a bound of the rows of a batch of m (of n):
    σ = μ[(n − m) + √((n − m)² + 4nmR²/μ)]/(4mR²), τ = 1/(4σR²), θ = 1/(1 + 2τμ).
    The theorem prints σ without the factor μ, and with 8 for 4. Here all of them are computed from
    q = 1/(τμ) and R²/μ. This needs no division by R, which is 0 where all rows equal the mean of
    their class.

    Attributes
    ----------
    share : float
        σ/(1 + σ).
    pull : float
        1/τ.
    theta : float
        θ.
    """

    share: float
    pull: float
    theta: float

    @staticmethod
    def of(lam: float, n: int, m: float, R: float) -> StepSizes:
        """Return the steps for the ridge `lam`.

        Raises
        ------
        DataError
            When R²/λ overflows.
        """
        mu = 0.5 * lam
        ratio = R * (R / mu)
        q = ((n - m) + sqrt((n - m) ** 2 + 4.0 * n * m * ratio)) / m
        if not isfinite(q):
            raise DataError(
                f"rows of length {R:.3g} from their class mean are too long for a ridge of {lam}; "
                "scale the features, as the feature map maxabs does"
            )
        return StepSizes(1.0 / (1.0 + 4.0 * ratio / q) if ratio else 1.0, mu * q, q / (q + 2.0))


def _batches(
    rows: CentredRows, m: int, rng: np.random.Generator, *, fixed: bool
) -> tuple[Callable[[], Block], float, float]:
    """Return a function that draws a batch, R, and the number of batches in a pass.

    For a fixed partition R is max_B ‖X̄_B‖₂/√m. Otherwise it is the largest norm of a row.
    """
    n = rows.data.n
    if not fixed:

        def draw() -> Block:
            return np.sort(rng.choice(n, m, replace=False, shuffle=False)).astype(np.int32)

        return draw, rows.largest_norm(), n / m
    blocks = rows.data.blocks(-(-n // m), rng)
    R = max(_norm(rows, B, rng) / sqrt(size(B, n)) for B in blocks)
    return lambda: blocks[rng.integers(len(blocks))], R, float(len(blocks))


def _norm(rows: CentredRows, block: Block, rng: np.random.Generator) -> float:
    """Return ‖X̄_B‖₂, with a margin because the power iteration ends early."""
    start = rng.standard_normal(rows.data.d)
    value, _ = top_eigenvalue(lambda v: rows.pullback(rows.scores(v, block), block), start)
    return sqrt(1.01 * value)


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"spdam": Spdam}
