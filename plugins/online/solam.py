"""SOLAM: stochastic online AUC maximisation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State
from aucbench.data import Chunk, Data
from aucbench.data.arrays import Index, Vector
from aucbench.data.summaries import whole_chunk
from aucbench.errors import require_above
from aucbench.kernels import solam
from aucbench.objectives import square_over
from aucbench.optim import capped, noise, passes, positive_share
from aucbench.projectors import L2Ball
from aucbench.scale import ChunkedData

from .reach import require_squares

RADIUS = 0.3  # of 0.05, 0.1, 0.2, 0.3 and 1 the best on the development sets of docs/defaults.md
STEPS = (1e-4, 1e-3, 1e-2, 1e-1, *range(1, 101, 9))  # those below 1 are ours, see `Solam`


@about("streams of rows that are too many to keep", cites=("ying2016",))
@dataclass(frozen=True)
class Solam(Solver):
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
        γ_t = γ min(1, √(n/t)), γ = 1/max (1 − p_i)(|x_i|² + 1), where p_i is the share of the
        class of row i. In a stream, where the rows are not known before, it means ξ = 1.
    R : float, optional
        Radius R > 0 of the ball, in units of w. None means 0.3 √2 / √(D² (1/n₊ + 1/n₋)), where D²
        is the mean square distance of a pair of rows. The value of F + (λ/2)|w|² at 0 is 1, so
        that this ball holds the minimiser for λ = 11 D² (1/n₊ + 1/n₋). In a stream, R = 1.
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
    needs: ClassVar = Needs(frozenset({"warm-start", "chunks"}))

    def __post_init__(self) -> None:
        require_above(0, xi=self.xi, R=self.R, kappa=self.kappa)

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise the pairwise square over the ball of radius R."""
        return Problem(square_over(data), L2Ball(self.R or default_radius(data)))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per pass."""
        memory = self.start(w0, rng)
        memory.R = self.R or default_radius(problem.data)
        if self.xi is None:
            memory.first, memory.n = first_step(problem.data), problem.data.n
        return passes(self, problem, w0, rng, shuffle=self.shuffle, memory=memory)

    def start(self, w: Vector, rng: np.random.Generator) -> SaddlePoint:
        """Return the point w, a = b = α = 0."""
        return SaddlePoint.at(w, self.kappa, first=self.xi or 1.0, R=self.R or 1.0)

    def update(self, memory: SaddlePoint, chunk: Chunk, order: Index) -> None:
        """Take one step for each of the rows `order`."""
        memory.move(chunk, order)

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
    first, n : float
        γ_t = first min(1, √(n/t)), where t counts all rows ever seen; ξ/√t with n = 1.
    R : float
        Radius of the ball.
    lam : float
        Ridge λ ≥ 0; 0 for SOLAM.
    """

    w: Vector
    total: Vector
    work: Vector
    numbers: Vector
    running: bool
    first: float
    n: float
    R: float
    lam: float

    @staticmethod
    def at(
        w: Vector, kappa: float | None, *, first: float, R: float, lam: float = 0.0
    ) -> SaddlePoint:
        """Return the point w, a = b = α = 0, before the first row, with γ_t = first/√t."""
        numbers = np.zeros(7)
        numbers[3] = kappa or 0.0
        total, work = np.zeros((2, w.size))
        return SaddlePoint(w, total, work, numbers, kappa is None, first, 1.0, R, lam)

    def move(self, chunk: Chunk, order: Index) -> None:
        """Take the step of `Solam` for each of the rows `order`, with λw added to ∂w."""
        seen = self.numbers[4]
        solam.solam_pass(
            *chunk.rows.stored_arrays,
            order,
            chunk.y,
            chunk.square_norms,
            capped(self.first, self.n, np.arange(seen + 1.0, seen + order.size + 1.0)),
            self.lam,
            self.R,
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


def default_radius(data: Data) -> float:
    """Return 0.3 √(2/(D² (1/n₊ + 1/n₋))), see `Solam`.

    Raises
    ------
    DataError
        When rows are so long that D² overflows.
    """
    return RADIUS * sqrt(2.0 / noise(data, "R"))


def first_step(data: Data, parameter: str = "xi") -> float:
    """Return γ = 1/max (1 − p_i)(|x_i|² + 1).

    The curvature of the term of row i in (w, a) or (w, b) is 2(1 − p_i)(|x_i|² + 1). So no step
    overshoots the minimum of the term of its row, seen from α, by more than its distance. Of rows
    in parts it is that of a sample.

    Raises
    ------
    DataError
        When a row is too long to derive a step size from.
    """
    known = data.sample if isinstance(data, ChunkedData) else data
    require_squares(whole_chunk(known), parameter)
    p = positive_share(data)
    others = np.where(known.y > 0, 1.0 - p, p)
    return 1.0 / float((others * (whole_chunk(known).square_norms + 1.0)).max())
