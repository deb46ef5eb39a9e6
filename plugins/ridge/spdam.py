"""SPDAM: stochastic primal-dual AUC maximisation with a linear rate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, sqrt
from typing import ClassVar, Literal

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State
from aucbench.data import Data
from aucbench.data.arrays import Block, Vector, size
from aucbench.errors import DataError, ParameterError, require_above
from aucbench.objectives import PairwiseSquare
from aucbench.optim import top_eigenvalue
from aucbench.optim.choice import require_above_or_auto, ridge
from aucbench.projectors import ElasticNet, ridge_of

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
        rows, w = CentredRows(problem.data), w0
        n = rows.data.n
        g = Ridge.of(rows, ridge_of(problem))
        m = max(1, round(self.batch * n))
        batches = _blocks(rows, m, rng) if self.sampling == "blocks" else _uniform(rows, m)
        steps = StepSizes.of(g.lam, n, batches)
        beta, u = np.zeros(n), np.zeros(w.size)
        w_bar, seen = w, batches.read
        end = n * (budget.passes or inf) - n  # where the last gap fits in
        due = _next_gap(seen, n, end)
        for b, batch in batches.drawn(steps.chance, rng):
            change = steps.share[b] * (rows.scores(w_bar, batch) - beta[batch])
            beta[batch] += change
            move = rows.pullback(change, batch) / n
            u = u + move
            old = w
            w = g.primal(w, u + (1.0 / steps.chance[b] - 1.0) * move, steps.pull)
            w_bar = w + steps.theta * (w - old)
            seen += size(batch, n)
            gap = value = None
            if seen >= due:
                seen += n
                due = _next_gap(seen, n, end)
                u = rows.pullback(beta) / n  # a sum of many small changes drifts
                slack, _ = problem.objective.rounding(w)
                value = problem.objective.value(w) + problem.project.value(w)
                gap = g.gap(value, slack, beta, u)
            yield State(w, gap=gap, value=value)


def _next_gap(seen: int, n: int, end: float) -> float:
    """Return the rows after which the gap is due; `end` are those of the last one."""
    due = seen + GAP_EVERY * n
    return min(due, end) if seen < end else due


@dataclass(frozen=True, slots=True)
class Batches:
    """The mini-batches that may be drawn.

    Attributes
    ----------
    norms : array of shape (B,)
        ‖X̄_b‖₂ of each block, or one bound for all batches.
    in_pass : float
        Number K of batches in a pass.
    blocks : list of blocks, optional
        The blocks. None: each batch is `size` rows of all, drawn without replacement.
    rows, size : int
        Number of rows, and of rows in a batch.
    read : int
        Rows that were read to find the norms.
    """

    norms: Vector
    in_pass: float
    blocks: list[Block] | None
    rows: int
    size: int
    read: int = 0

    def drawn(self, chance: Vector, rng: np.random.Generator) -> Iterator[tuple[int, Block]]:
        """Draw batches for ever, each with the position of its norm."""
        while self.blocks is None:
            batch = rng.choice(self.rows, self.size, replace=False, shuffle=False)
            yield 0, np.sort(batch).astype(np.int32)
        while True:
            for b in rng.choice(len(self.blocks), len(self.blocks), p=chance):
                yield b, self.blocks[b]


def _uniform(rows: CentredRows, m: int) -> Batches:
    """Return all batches of m rows, whose norm is at most R √m with R = max ‖x̄_i‖."""
    n = rows.data.n
    return Batches(np.array([rows.largest_norm() * sqrt(m)]), n / m, None, n, m)


def _blocks(rows: CentredRows, m: int, rng: np.random.Generator) -> Batches:
    """Return a random partition into blocks of at most m rows."""
    n = rows.data.n
    blocks = rows.data.blocks(-(-n // m), rng)
    largest = [_norm(rows, block, rng) for block in blocks]
    norms = np.array([norm for norm, _ in largest])
    return Batches(norms, float(len(blocks)), blocks, n, m, sum(read for _, read in largest))


def _norm(rows: CentredRows, block: Block, rng: np.random.Generator) -> tuple[float, int]:
    """Return ‖X̄_B‖₂, with a margin because the search ends early, and the rows that it read."""
    read: list[int] = []

    def product(v: Vector) -> Vector:
        read.append(size(block, rows.data.n))
        return rows.pullback(rows.scores(v, block), block)

    value, _ = top_eigenvalue(product, rng.standard_normal(rows.data.d))
    return sqrt(1.01 * value), sum(read)


@dataclass(frozen=True, slots=True)
class StepSizes:
    """How likely each batch is, and σ, τ and θ of Theorem 4.1 in a consistent scale.

    With μ = λ/2, the modulus of g, K batches in a pass, κ_b = ‖X̄_b‖²/(nμ) and
    q_b = 1 − 1/K + √((1 − 1/K)² + 4κ_b): p_b ∝ q_b, σ_b = q_b/(4κ_b), 1/τ = μ Σ q_b,
    θ = 1/(1 + 2τμ). For equal κ = mR²/(nμ), with m = n/K, this is
    σ = μ[(n − m) + √((n − m)² + 4nmR²/μ)]/(4mR²), τ = 1/(4σR²).
    The theorem prints σ without the factor μ, and with 8 for 4. This form needs no division by R,
    which is 0 where all rows equal the mean of their class.

    Attributes
    ----------
    chance : array of shape (B,)
        p_b, which sum to B/K.
    share : array of shape (B,)
        σ_b/(1 + σ_b).
    pull : float
        1/τ.
    theta : float
        θ.
    """

    chance: Vector
    share: Vector
    pull: float
    theta: float

    @staticmethod
    def of(lam: float, n: int, batches: Batches) -> StepSizes:
        """Return the steps for the ridge `lam`.

        Raises
        ------
        DataError
            When ‖X̄_b‖²/λ overflows.
        """
        mu, others = 0.5 * lam, 1.0 - 1.0 / batches.in_pass
        with np.errstate(over="ignore"):
            bend = 4.0 * batches.norms * (batches.norms / n / mu)
            q = others + np.sqrt(others * others + bend)
        if not np.isfinite(q).all():
            raise DataError(
                f"rows of length {batches.norms.max():.3g} from their class mean are too long for "
                f"a ridge of {lam}; scale the features, as the feature map maxabs does"
            )
        total = batches.in_pass * float(q.mean())
        even = np.full(q.size, 1.0 / batches.in_pass)
        return StepSizes(
            np.divide(q, total, out=even, where=q > 0.0),
            np.divide(q, q + bend, out=np.ones(q.size), where=bend > 0.0),
            mu * total,
            total / (total + 2.0),
        )
