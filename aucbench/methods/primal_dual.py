"""Stochastic primal-dual coordinates for the pairwise square with a ridge."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from math import sqrt

import numpy as np

from aucbench.arrays import Block, Vector, size
from aucbench.methods.centred import CentredRows
from aucbench.methods.power import top_eigenvalue
from aucbench.protocols import Problem, State

ROUNDING = 8 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class Steps:
    """σ, τ and θ of Theorem 4.1 of the SPDAM paper, in a consistent scale.

    μ = λ/2 is the modulus of g and R bounds the rows of a batch of m (of n):
    σ = μ[(n − m) + √((n − m)² + 4nmR²/μ)]/(4mR²), τ = 1/(4σR²), θ = 1/(1 + 2τμ).
    The theorem prints σ without the factor μ and with 8 for 4.
    """

    sigma: float
    tau: float
    theta: float

    @staticmethod
    def of(lam: float, n: int, m: float, R: float) -> Steps:
        """Steps for the ridge `lam`."""
        mu = 0.5 * lam
        R = max(R, 1e-150)  # rows that all equal their class mean: any step does
        root = sqrt((n - m) ** 2 + 4.0 * n * m * R**2 / mu)
        sigma = mu * ((n - m) + root) / (4.0 * m * R**2)
        tau = 1.0 / (4.0 * sigma * R**2)
        return Steps(sigma, tau, 1.0 / (1.0 + 2.0 * tau * mu))


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
    n, delta = rows.data.n, np.subtract(*rows.data.means)
    draw, R, share = _batches(rows, m, rng, fixed=fixed)
    steps = Steps.of(lam, n, n / share, R)
    beta, u, ahead, seen = np.zeros(n), np.zeros(w.size), w, 0
    for t in count(1):
        batch = draw()
        change = steps.sigma / (1.0 + steps.sigma) * (rows.scores(ahead, batch) - beta[batch])
        beta[batch] += change
        move = rows.pullback(change, batch) / n
        u = u + move
        old, w = w, _primal(w, u + (share - 1.0) * move, delta, steps.tau, lam)
        ahead = w + steps.theta * (w - old)
        passed, seen = seen // n, seen + size(batch, n)
        gap = None
        if seen // n > passed:
            u = rows.pullback(beta) / n  # sums of many small changes drift
            gap = _gap(problem.value(w) or 0.0, 2.0 * _dual(beta, u, delta, lam))
        yield State(t, w, seen, gap)


def _gap(primal: float, dual: float) -> float:
    """Primal − dual, and what rounding may hide: a gap below that certifies nothing."""
    return max(0.0, primal - dual) + ROUNDING * (abs(primal) + abs(dual))


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


def _primal(w: Vector, u: Vector, delta: Vector, tau: float, lam: float) -> Vector:
    """argmin_v ⟨u, v⟩ + ½(v·δ)² + v·δ + (λ/4)‖v‖² + ‖v − w‖²/(2τ), by Sherman and Morrison."""
    c = 0.5 * lam + 1.0 / tau
    r = w / tau - u - delta
    found: Vector = (r - delta * ((delta @ r) / (c + delta @ delta))) / c
    return found


def _dual(beta: Vector, u: Vector, delta: Vector, lam: float) -> float:
    """½ − ‖β‖²/(2n) − (1/λ)[‖v‖² − (δ·v)²/(λ/2 + ‖δ‖²)], v = u + δ."""
    v = u + delta
    along = float(delta @ v) ** 2 / (0.5 * lam + float(delta @ delta))
    return 0.5 - float(beta @ beta) / (2 * beta.size) - (float(v @ v) - along) / lam
