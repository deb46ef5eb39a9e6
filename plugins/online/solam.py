"""SOLAM: stochastic online AUC maximisation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State
from aucbench.data import Chunk, Data
from aucbench.data.arrays import Index, Vector
from aucbench.errors import require_above
from aucbench.kernels.solam import solam_pass
from aucbench.objectives import square_over
from aucbench.optim import capped, passes
from aucbench.projectors import L2Ball

from .derived import derive_radius, derive_saddle_step

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
        return Problem(square_over(data), L2Ball(self.R or derive_radius(data)))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per pass."""
        data, point = problem.data, self.start(w0, rng)
        point.R = self.R or derive_radius(data)
        if self.xi is None:
            point.xi, point.n = derive_saddle_step(data, "xi"), data.n
        return passes(self, problem, w0, rng, shuffle=self.shuffle, memory=point)

    def start(self, w: Vector, rng: np.random.Generator) -> SaddlePoint:
        """Return the point w, a = b = α = 0."""
        return SaddlePoint.at(w, self.kappa, xi=self.xi or 1.0, R=self.R or 1.0)

    def update(self, memory: SaddlePoint, chunk: Chunk, order: Index) -> None:
        """Take one step for each of the rows `order`: `reference_update`, by a kernel."""
        solam_pass(chunk, order, memory)

    def weights(self, memory: SaddlePoint) -> Vector:
        """Return the weighted mean of the points."""
        return memory.mean


@dataclass(slots=True)
class SaddlePoint:
    """The point (w, a, b) and α of Algorithm 1, its sums, and the constants of a step.

    Attributes
    ----------
    w : array of shape (d,)
        The present w.
    total : array of shape (d,)
        Σ γ_t w_t over the points before each step.
    zeros : array of shape (d,)
        Work space of the kernel, which leaves zeros.
    kappa : float
        Bound of ‖x‖.
    running : bool
        Whether κ is the largest norm of a row seen so far. False: κ was given and stays.
    xi, n : float
        γ_t = ξ min(1, √(n/t)); with n = 1 this is ξ/√t.
    R : float
        Radius of the ball.
    lam : float
        Ridge λ ≥ 0; 0 for SOLAM.
    a, b, alpha : float
        a, b and α.
    rows, positives : float
        Rows and positives seen so far, over all passes: t and p̂_t t.
    weight : float
        Σ γ_t.
    """

    w: Vector
    total: Vector
    zeros: Vector
    kappa: float
    running: bool
    xi: float
    n: float
    R: float
    lam: float
    a: float = 0.0
    b: float = 0.0
    alpha: float = 0.0
    rows: float = 0.0
    positives: float = 0.0
    weight: float = 0.0

    @staticmethod
    def at(w: Vector, kappa: float | None, *, xi: float, R: float, lam: float = 0.0) -> SaddlePoint:
        """Return the point w, a = b = α = 0, before the first row, with γ_t = ξ/√t."""
        total, zeros = np.zeros((2, w.size))  # line 2
        return SaddlePoint(w, total, zeros, kappa or 0.0, kappa is None, xi, 1.0, R, lam)

    @property
    def mean(self) -> Vector:
        """Σ γ_t w_t / Σ γ_t over the points before each step; w before the first step."""
        return self.total / self.weight if self.weight else self.w


def reference_update(point: SaddlePoint, x: Vector, y: int) -> None:
    """Take the step of Algorithm 1 for the row x of class y, with λw added to ∂w.

    This is the definition of the step in plain NumPy. `solam_pass` takes the same steps, up to
    rounding, in O(stored values of the row).
    """
    w, a, b, alpha, R, lam = point.w, point.a, point.b, point.alpha, point.R, point.lam
    point.rows += 1  # line 8: t
    point.positives += y > 0
    p = point.positives / point.rows  # line 3: p̂_t
    if point.running:
        point.kappa = max(point.kappa, np.sqrt(np.dot(x, x)))
    gamma = capped(point.xi, point.n, point.rows)  # line 1: γ_t
    point.weight += gamma  # line 6
    point.total = point.total + gamma * w  # line 7: the mean is total / weight
    s = np.dot(w, x)
    if y > 0:
        dw, da, db = 2 * (1 - p) * (s - a - 1 - alpha) * x, -2 * (1 - p) * (s - a), 0.0
        dalpha = -2 * (1 - p) * s - 2 * p * (1 - p) * alpha
    else:
        dw, da, db = 2 * p * (s - b + 1 + alpha) * x, 0.0, -2 * p * (s - b)
        dalpha = 2 * p * s - 2 * p * (1 - p) * alpha
    w, a, b = w - gamma * (dw + lam * w), a - gamma * da, b - gamma * db  # line 4: descend
    bound = R * point.kappa
    point.w = w / max(1, np.sqrt(np.dot(w, w)) / R)  # line 4: project
    point.a, point.b = np.clip([a, b], -bound, bound)
    point.alpha = np.clip(alpha + gamma * dalpha, -2 * bound, 2 * bound)  # line 5: ascend
