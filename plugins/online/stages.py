"""FSAUC's stages: each starts at the mean of the one before, with half the radius."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from math import ceil, floor, log, log2, sqrt

import numpy as np

from aucbench.data import Chunk, Data
from aucbench.data.arrays import Index, Vector
from aucbench.kernels import fsauc
from aucbench.optim.streaming import row_order
from aucbench.protocols import Problem, State

LOG = log(12 / 0.1)  # L = log(12/δ), δ = 0.1 as published
SPREAD = 2 + sqrt(2 * LOG)
UNBOUNDED = 1e7  # D and β while too few rows of a class have been seen, as published


@dataclass(frozen=True, slots=True)
class Stage:
    """What holds during one stage.

    Attributes
    ----------
    R, kappa : float
        ‖w‖₁ ≤ R, |a|, |b| ≤ Rκ, |α| ≤ 2Rκ.
    eta : float
        Step size η.
    r : float
        Largest ℓ2 distance of (w, a, b) from the start of the stage.
    D : float
        Largest distance of α from its value there.
    beta : float
        β, the bound of the dual gap that sets the next η.
    """

    R: float
    kappa: float
    eta: float
    r: float
    D: float
    beta: float

    @staticmethod
    def first(R: float, kappa: float, eta: float) -> Stage:
        """r = 2√(1+2κ²) R, D = 2√2 κ r, β = 1 + 8κ²."""
        r = 2 * sqrt(1 + 2 * kappa**2) * R
        return Stage(R, kappa, eta, r, 2 * sqrt(2) * kappa * r, 1 + 8 * kappa**2)

    def next(self, rarer: float, n0: int) -> Stage:
        """Half the radius; `rarer` is the share of the rarer class among the rows seen."""
        k, r, D, beta = self.kappa, self.r / 2, UNBOUNDED, UNBOUNDED
        root = rarer * n0 - sqrt(2 * n0 * LOG)
        if root > 0:
            D = 2 * sqrt(2) * k * r + 4 * sqrt(2) * k * (1 + 2 * k) * SPREAD * self.R / sqrt(root)
        root = rarer - sqrt(2 * LOG / n0)
        if root > 0:
            beta = 1 + 8 * k**2 + 32 * (k * (1 + 2 * k) * SPREAD) ** 2 / root
        eta = min(self.eta * sqrt(beta / self.beta) / 2, self.eta)
        return Stage(self.R, k, eta, r, D, beta)


class StageMemory:
    """The saddle point (w, a, b), α, and what the rows seen so far amount to."""

    def __init__(self, w: Vector) -> None:
        self.c = w  # at the start of the stage
        # w - c, its sum over the stage, and zeros for the kernel
        self.z, self.total, self.work = np.zeros((3, w.size))
        self.sums = np.zeros((2, w.size))  # of the rows of each class
        self.seen = np.zeros(2)  # rows of each class
        self.abc = np.zeros((3, 3))  # (a, b, α) now, at the start of the stage, summed over it
        self.rows = 0  # of this stage

    def update(self, stage: Stage, chunk: Chunk, order: Index) -> None:
        """Learn from the rows `order`, all of one stage."""
        limits = stage.eta, stage.R, stage.R * stage.kappa, stage.r, stage.D
        fsauc.stage_rows(
            *chunk.rows.arrays, order, chunk.y, chunk.square_norms, *limits,
            self.c, self.z, self.work, self.total, self.sums, self.abc, self.seen,
        )  # fmt: skip
        self.rows += order.size

    def mean(self) -> Vector:
        """Mean of w over the stage so far; before its first row the mean of the last one."""
        return self.c + self.total / max(self.rows, 1)

    def restart(self) -> None:
        """Begin the next stage at the mean of this one, with α = w·(m₋ − m₊)."""
        w = self.mean()
        m_neg, m_pos = self.sums / np.maximum(self.seen, 1)[:, None]
        a, b, _ = self.abc[2] / self.rows
        self.abc[:2] = a, b, w @ (m_neg - m_pos)
        self.abc[2] = 0.0
        self.c = w
        self.z[:] = self.total[:] = 0.0
        self.rows = 0


def max_abs(data: Data) -> float:
    """max |x_ij|, the κ of ‖w‖₁ ≤ R: then |w·x| ≤ Rκ."""
    x = data.rows.values
    return float(max(x.max(initial=0.0), -x.min(initial=0.0)))


def schedule(N: int) -> tuple[int, int]:
    """(m, n₀): m = max(1, ⌊½ log₂(2N / log₂N)⌋ − 1) stages of n₀ = ⌊N/m⌋ of N rows."""
    rows = max(N, 2)
    m = max(1, floor(0.5 * log2(2 * rows / log2(rows))) - 1)
    return m, N // m


def staged_passes(
    problem: Problem, rng: np.random.Generator, stage: Stage, *, passes: float, shuffle: bool
) -> Iterator[State]:
    """One state after each pass, the mean of its stage so far; ends with the last stage.

    Parameters
    ----------
    problem : Problem
        Holds the rows, the first weights and the ball.
    rng : Generator
        Draws the order of the rows.
    stage : Stage
        The first one.
    passes : float
        Planned passes over the n rows, N = ⌈passes n⌉. Rows left over when N is not a
        multiple of the number of stages are not visited.
    shuffle : bool
        A fresh permutation for each pass; False keeps file order.
    """
    chunk, n = problem.data.chunk, problem.data.n
    m, n0 = schedule(ceil(passes * n))
    memory, left = StageMemory(problem.project(problem.start())), m * n0
    for t in count(1):
        order = row_order(n, rng, shuffle=shuffle)[:left]
        left -= order.size
        while order.size:
            part = order[: n0 - memory.rows]
            order = order[part.size :]
            memory.update(stage, chunk, part)
            if memory.rows == n0:
                memory.restart()
                stage = stage.next(memory.seen.min() / memory.seen.sum(), n0)
        yield State(t, memory.mean(), m * n0 - left)
        if not left:
            return
