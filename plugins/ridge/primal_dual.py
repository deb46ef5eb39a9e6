"""Stochastic primal-dual coordinates for the pairwise square with a ridge."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from math import inf, isfinite, sqrt

import numpy as np

from aucbench.data.arrays import Block, Vector, size
from aucbench.data.rounding import UNIT, gamma, longest, of_pullback, slack_of
from aucbench.errors import DataError
from aucbench.optim.power import top_eigenvalue
from aucbench.protocols import Problem, State

from .centred import CentredRows


@dataclass(frozen=True, slots=True)
class Steps:
    """σ, τ and θ of Theorem 4.1 of the SPDAM paper, in a consistent scale.

    μ = λ/2 is the modulus of g and R bounds the rows of a batch of m (of n):
    σ = μ[(n − m) + √((n − m)² + 4nmR²/μ)]/(4mR²), τ = 1/(4σR²), θ = 1/(1 + 2τμ).
    The theorem prints σ without the factor μ and with 8 for 4. All of them follow from
    q = 1/(τμ) and R²/μ without a division by R, which is 0 where rows equal their class mean.

    Attributes
    ----------
    share : σ/(1 + σ)
    pull : 1/τ
    theta : θ
    """

    share: float
    pull: float
    theta: float

    @staticmethod
    def of(lam: float, n: int, m: float, R: float) -> Steps:
        """Steps for the ridge `lam`.

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
                "scale the features, as preprocessing with maxabs does"
            )
        return Steps(1.0 / (1.0 + 4.0 * ratio / q) if ratio else 1.0, mu * q, q / (q + 2.0))


def primal_dual(
    problem: Problem, rng: np.random.Generator, *, lam: float, m: int, fixed: bool
) -> Iterator[State]:
    """Minimise F(w) + (λ/2)‖w‖²; a state per mini-batch, with the duality gap once per pass.

    Parameters
    ----------
    problem : Problem
        Holds the rows and the start; its value is F(w) + (λ/2)‖w‖².
    rng : Generator
        Draws the batches.
    lam : float
        λ > 0.
    m : int
        Rows in a batch.
    fixed : bool
        Batches are the blocks of a fixed random partition, one drawn uniformly; R is then
        max_B ‖X̄_B‖₂/√m, and not the largest norm of a row.
    """
    rows, w = CentredRows(problem.data), problem.start()
    n, ridge = rows.data.n, _Ridge.of(rows, lam)
    draw, R, share = _batches(rows, m, rng, fixed=fixed)
    steps = Steps.of(lam, n, n / share, R)
    beta, u, ahead, seen = np.zeros(n), np.zeros(w.size), w, 0
    for t in count(1):
        batch = draw()
        change = steps.share * (rows.scores(ahead, batch) - beta[batch])
        beta[batch] += change
        move = rows.pullback(change, batch) / n
        u = u + move
        old, w = w, ridge.primal(w, u + (share - 1.0) * move, steps.pull)
        ahead = w + steps.theta * (w - old)
        passed, seen = seen // n, seen + size(batch, n)
        gap = None
        if seen // n > passed:
            u = rows.pullback(beta) / n  # sums of many small changes drift
            slack, _ = slack_of(problem.objective, w)
            gap = ridge.gap(problem.value(w) or 0.0, slack, beta, u)
        yield State(t, w, seen, gap)


@dataclass(frozen=True, slots=True)
class _Ridge:
    """g(w) = ½(w·δ)² + w·δ + (λ/4)‖w‖² and its minima, in parts along δ and across it.

    δ may be longer than all else by powers of ten. So what lies across it is never had from
    differences of vectors that hold δ, and no two terms of the dual value cancel.
    """

    rows: CentredRows
    lam: float
    delta: Vector
    square: float  # ‖δ‖²

    @staticmethod
    def of(rows: CentredRows, lam: float) -> _Ridge:
        delta = np.subtract(*rows.data.means)
        return _Ridge(rows, lam, delta, float(delta @ delta))

    def split(self, v: Vector) -> tuple[float, Vector]:
        """(a, r) of v = aδ + r, r across δ: what rounding leaves of δ in r goes at a second try."""
        if not self.square:
            return 0.0, v
        along = float(self.delta @ v) / self.square
        across = v - along * self.delta
        across -= float(self.delta @ across) / self.square * self.delta
        return along, across

    def primal(self, w: Vector, u: Vector, pull: float) -> Vector:
        """argmin_v ⟨u, v⟩ + g(v) + (pull/2)‖v − w‖²."""
        (a, r), (b, s) = self.split(w), self.split(u)
        c = 0.5 * self.lam + pull
        found: Vector = (pull * r - s) / c
        found += (pull * a - 1.0 - b) / (c + self.square) * self.delta
        return found

    def gap(self, primal: float, slack: float, beta: Vector, u: Vector) -> float:
        """Primal − dual value and what rounding may hide; infinity where it cannot explain D > P.

        `slack` is that of the primal value. The dual value is twice
        D(β) = ½ − ‖β‖²/(2n) − ‖r‖²/λ − (1 + a)²‖δ‖²/(λ + 2‖δ‖²), u = aδ + r.
        """
        a, r = self.split(u)
        spread = float(beta @ beta) / beta.size
        across, bend = float(r @ r) / self.lam, self.lam + 2.0 * self.square
        along = (1.0 + a) ** 2 * (self.square / bend)
        dual = 1.0 - spread - 2.0 * (across + along)
        slack += 2.0 * self._rounding(beta, a, float(np.linalg.norm(r)))
        slack += 64.0 * UNIT * (1.0 + abs(primal) + spread + across + along)
        return max(0.0, primal - dual) + slack if primal - dual >= -slack else inf

    def _rounding(self, beta: Vector, a: float, r: float) -> float:
        """What errors of u and δ do to D: it is the minimum of u·v + g(v) over v, less ‖β‖²/2n."""
        data = self.rows.data
        of_mean = gamma(data.n + 4) * longest(data)
        weight = float(np.abs(beta) @ self.rows.scale) / data.n
        length, bend = sqrt(self.square), 0.5 * self.lam + self.square
        at = abs(1.0 + a) * length / bend  # of the minimiser, along δ
        error = 2.0 * of_pullback(data, weight) + of_mean * (weight + 2.0 * (1.0 + at * length))
        error += 4.0 * UNIT * (r + abs(a) * length)  # of the division into parts
        found: float = error * (2.0 * r / self.lam + at) + error * (error / self.lam)
        return found


def _batches(
    rows: CentredRows, m: int, rng: np.random.Generator, *, fixed: bool
) -> tuple[Callable[[], Block], float, float]:
    """How a batch is drawn, R, and the number of batches in a pass."""
    n = rows.data.n
    if not fixed:
        return (
            lambda: np.sort(rng.choice(n, m, replace=False, shuffle=False)).astype(np.int32),
            rows.largest_norm(),
            n / m,
        )
    blocks = rows.data.blocks(-(-n // m), rng)
    R = max(_norm(rows, B, rng) / sqrt(size(B, n)) for B in blocks)
    return lambda: blocks[rng.integers(len(blocks))], R, float(len(blocks))


def _norm(rows: CentredRows, block: Block, rng: np.random.Generator) -> float:
    """‖X̄_B‖₂, with a margin for a power iteration that ends early."""
    start = rng.standard_normal(rows.data.d)
    value, _ = top_eigenvalue(lambda v: rows.pullback(rows.scores(v, block), block), start)
    return sqrt(1.01 * value)
