"""SOLAM: stochastic online AUC maximisation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from aucbench.data import Chunk, Data
from aucbench.data.arrays import Index, Vector
from aucbench.errors import require_above
from aucbench.hookspecs import Factories, hookimpl
from aucbench.kernels import solam
from aucbench.objectives import PairwiseSquare
from aucbench.optim import Moments, capped, default_ridge, passes
from aucbench.optim.scale import RIDGE
from aucbench.projectors import L2Ball
from aucbench.protocols import Needs, Problem, State

from .reach import require_squares

RADIUS = 0.3  # of 0.05, 0.1, 0.2, 0.3 and 1 the best on the development sets of docs/defaults.md
STEPS = (1e-4, 1e-3, 1e-2, 1e-1, *range(1, 101, 9))  # those below 1 are ours, see `Solam`


@dataclass(frozen=True)
class Solam:
    """(w, a, b) ← Π((w, a, b) − γ_t ∂), α ← Π(α + γ_t ∂α), γ_t = ξ/√t, one row at a time.

    It looks for the saddle point of the pairwise square on ‖w‖ ≤ R. With s = w·x and p the share
    of positives among the rows seen so far, the gradients at the old point are

    - for a positive row: ∂w = 2(1−p)(s − a − 1 − α) x, ∂a = −2(1−p)(s − a),
      ∂α = −2(1−p) s − 2p(1−p) α;
    - for a negative row: ∂w = 2p(s − b + 1 + α) x, ∂b = −2p(s − b),
      ∂α = 2p s − 2p(1−p) α.

    Π projects to ‖w‖ ≤ R, |a|, |b| ≤ Rκ and |α| ≤ 2Rκ. The output is Σ γ_t w_t / Σ γ_t, where w_t
    is the point before step t. t counts all rows, over all passes. It is a streaming method.

    The cost per row is O(d) for dense rows, and O(stored values) for CSR.

    Parameters
    ----------
    xi : float, optional
        Step size ξ > 0, in squared units of w: γ_t = ξ/√t, as published. None means
        γ_t = γ min(1, √(N/t)), γ = 1/max (1 − p_i)(|x_i|² + 1), where p_i is the share of the
        class of row i, and N the number of rows of the first chunk: all rows where it is fitted
        to a data set. Longer rows in later chunks make γ smaller.
    R : float, optional
        Radius R > 0 of the ball, in units of w. None means 0.3 √2 / √(D² (1/n₊ + 1/n₋)), where D²
        is the mean square distance of a pair of rows of the first chunk. The value of F + (λ/2)|w|²
        at 0 is 1, so that R holds the minimiser for λ = 11 D² (1/n₊ + 1/n₋).
    kappa : float, optional
        Bound κ > 0 of ‖x‖. None means the largest norm of a row seen so far.
    shuffle : bool
        Whether each pass visits the rows in a fresh random order. False: in file order.

    Raises
    ------
    ParameterError
        When a parameter is not greater than 0.
    DataError
        When `xi` or `R` is None and rows are too long to derive it from.

    References
    ----------
    Ying, Wen & Lyu, "Stochastic online AUC maximization", NeurIPS 2016, Algorithm 1. The grid of R
    and of ξ ≥ 1 is theirs. The smaller ξ are ours, for rows that are longer than 1.
    """

    xi: float | None = None
    R: float | None = None
    kappa: float | None = None
    shuffle: bool = True

    space: ClassVar = {"xi": STEPS, "R": tuple(10.0**e for e in range(-1, 6))}
    needs: ClassVar = Needs()

    def __post_init__(self) -> None:
        require_above(0, xi=self.xi, R=self.R, kappa=self.kappa)

    def problem(self, data: Data, rng: np.random.Generator) -> Problem:
        """Minimise the pairwise square over the ball of radius R."""
        R = self.R or default_radius(default_ridge(data, "R") / RIDGE)
        return Problem(PairwiseSquare(data), L2Ball(R))

    def iterates(self, problem: Problem, rng: np.random.Generator) -> Iterator[State]:
        """Yield one state per pass."""
        return passes(self, problem, rng, shuffle=self.shuffle)

    def start(self, w: Vector, rng: np.random.Generator) -> SaddlePoint:
        """Return the point w, a = b = α = 0."""
        return SaddlePoint.at(w, self.kappa)

    def update(self, memory: SaddlePoint, chunk: Chunk, order: Index) -> None:
        """Take one step for each of the rows `order`."""
        if memory.measured(chunk, order):
            R = self.R or default_radius(memory.moments.noise("R"))
            memory.move(chunk, order, xi=self.xi, lam=0.0, R=R)

    def weights(self, memory: SaddlePoint) -> Vector:
        """Return the weighted mean of the points."""
        return memory.mean


@dataclass(slots=True)
class SaddlePoint:
    """The point (w, a, b), α, the γ-weighted sum of the w so far, and the counts of rows.

    Attributes
    ----------
    w, total : array of shape (d,)
        The present w, and Σ γ_t w_t.
    work : array of shape (d,)
        Zeros that the kernel uses as work space.
    numbers : array of shape (7,)
        a, b, α, κ, rows seen, positives seen, Σ γ_t.
    running : bool
        Whether κ is the largest norm of a row seen so far. False: κ was given and stays.
    moments : Moments
        Of the chunks until both classes were seen, from which constants are derived. Only its
        `longest` counts later chunks too.
    """

    w: Vector
    total: Vector
    work: Vector
    numbers: Vector
    running: bool
    moments: Moments

    @staticmethod
    def at(w: Vector, kappa: float | None) -> SaddlePoint:
        """Return the point w, a = b = α = 0, before the first row."""
        numbers = np.zeros(7)
        numbers[3] = kappa or 0.0
        total, work = np.zeros((2, w.size))
        return SaddlePoint(w, total, work, numbers, kappa is None, Moments.empty(w.size))

    def measured(self, chunk: Chunk, order: Index) -> bool:
        """Measure the rows of a chunk; return whether both classes have been seen.

        Until then no step moves the point, because p is 0 or 1: the rows are only counted.
        """
        require_squares(chunk, "xi and R")
        known = self.moments
        if known.first(chunk):
            known.lengthen(chunk)
            return True
        self.numbers[4] += order.size
        self.numbers[5] += float((chunk.y[order] > 0).sum())
        if self.running:
            self.numbers[3] = float(np.sqrt(known.longest.max()))
        return False

    def steps(self, xi: float | None, count: int) -> Vector:
        """Return γ_t of the next `count` rows."""
        seen = int(self.numbers[4])
        t = np.arange(seen + 1.0, seen + count + 1.0)
        if xi:
            fixed: Vector = xi / np.sqrt(t)
            return fixed
        n, longest = self.moments.n, self.moments.longest
        return capped(n.sum() / float((n[::-1] * (longest + 1.0)).max()), n.sum(), t)

    def move(self, chunk: Chunk, order: Index, *, xi: float | None, lam: float, R: float) -> None:
        """Take the step of `Solam` for each of the rows `order`, with λw added to ∂w.

        Parameters
        ----------
        chunk : Chunk
            The rows.
        order : int32 array
            Row numbers, in the order of the steps.
        xi : float or None
            γ_t = ξ/√t, where t counts all rows ever seen; None as in `Solam`.
        lam : float
            Ridge λ ≥ 0; 0 for SOLAM.
        R : float
            Radius of the ball.
        """
        solam.solam_pass(
            *chunk.rows.arrays,
            order,
            chunk.y,
            chunk.square_norms,
            self.steps(xi, order.size),
            lam,
            R,
            self.running,
            self.w,
            self.work,
            self.total,
            self.numbers,
        )

    @property
    def mean(self) -> Vector:
        """Σ γ_t w_t / Σ γ_t over the points before each step; w before the first step."""
        weight = self.numbers[6]
        return self.total / weight if weight else self.w


def default_radius(noise: float) -> float:
    """Return 0.3 √(2/noise), see `Solam`."""
    return RADIUS * sqrt(2.0 / noise)


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"solam": Solam}
