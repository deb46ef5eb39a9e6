"""FSAUC: fast stochastic AUC maximisation, in stages on shrinking balls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil, floor, log, log2, sqrt
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State, count_rows
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.summaries import whole_chunk
from aucbench.errors import require_above
from aucbench.kernels.fsauc import stage_rows
from aucbench.objectives import PairwiseSquare
from aucbench.optim import row_order
from aucbench.projectors import L1Ball
from aucbench.ranges import DEFAULT_PASSES

from .derived import derive_l1_radius, derive_saddle_step, find_max_abs

LOG_CONFIDENCE = log(12 / 0.1)  # L = log(12/δ); δ = 0.1 as published
SPREAD = 2 + sqrt(2 * LOG_CONFIDENCE)
UNBOUNDED = 1e7  # D and β while too few rows of a class have been seen, as published
MOST_ROWS = 2.0**62  # that can be planned


@about("one pass over many rows, with steps that shrink in stages", cites=("liu2018",))
@dataclass(frozen=True)
class Fsauc(Solver):
    """Descend in (w, a, b) and ascend in α, one row at a time, in stages on shrinking balls.

    With s = w·x and p the share of positives among the rows seen so far, the gradients are

    - for a positive row: ∂w = (1−p)(s − a − 1 − α) x, ∂a = −(1−p)(s − a),
      ∂α = −(1−p)(s + pα);
    - for a negative row: ∂w = p(s − b + 1 + α) x, ∂b = −p(s − b), ∂α = p(s − (1−p)α).

    After each step of length η, projections bring the point back to ‖w‖₁ ≤ R, |a|, |b| ≤ Rκ,
    |α| ≤ 2Rκ, ‖(w, a, b) − start‖₂ ≤ r and |α − start| ≤ D, where "start" is the first point of
    the stage. The next stage starts at the mean of this one, with half the radius r and an η that
    is not larger. The weights of a state are the mean of w over its stage so far.

    The method is made for rows of length about 1: α moves with the η of w, and its curvature is
    below 1, while that of w is |x|². On long rows α lags behind, and with more columns than rows
    f can end above its start. The feature map `unit` scales rows to the length 1.

    A step costs O(d) for dense rows. For CSR rows it costs O(stored values of the row) while w is
    inside the ℓ1 ball. A step that leaves the ball costs O(d), because the projection moves every
    non-zero weight.

    Parameters
    ----------
    R : float, optional
        Radius R > 0 of the ℓ1 ball, in units of w. None means √d times the radius of `solam`,
        0.3 √(2d) / √(D² (1/n₊ + 1/n₋)), where D² is the mean square distance of a pair of rows.
    eta : float, optional
        Step size η > 0 of the first stage, in squared units of w. None means
        1/(2 max (1 − p_i)(|x_i|² + 1)), where p_i is the share of the class of row i. The
        curvature in (w, a, b) of the term of row i is (1 − p_i)(|x_i|² + 1).
    kappa : float, optional
        Bound κ > 0 of the features, in units of x. None means max |x_ij| over the training rows.
        The published code uses 1.
    passes : float, optional
        Number of passes that are planned. It determines the number and the length of the stages.
        None means the budget, or 50 where it has no passes.
    shuffle : bool
        Whether each pass visits the rows in a fresh random order. False: in file order.

    Raises
    ------
    ParameterError
        When a parameter is not greater than 0.
    DataError
        When `R` or `eta` is None and rows are too long to derive it from.

    References
    ----------
    Liu, Zhang, Chen, Wang & Yang, "Fast stochastic AUC maximization with O(1/n)-convergence
    rate", ICML 2018. The grid is that of Yang, Zhou, Lei & Ying, "Stochastic hard thresholding
    algorithms for AUC maximization", ICDM 2020, section V.
    """

    R: float | None = None
    eta: float | None = None
    kappa: float | None = None
    passes: float | None = None
    shuffle: bool = True

    space: ClassVar = {
        "eta": tuple(2.0**e for e in range(-10, 11)),
        "R": tuple(10.0**e for e in range(-1, 6)),
    }
    needs: ClassVar = Needs(frozenset({"warm-start"}))
    expected_failures: ClassVar[Mapping[str, str]] = {
        "optimum on larger rows": "on long rows α lags behind w, which the map `unit` mends"
    }

    def __post_init__(self) -> None:
        require_above(0, R=self.R, eta=self.eta, kappa=self.kappa, passes=self.passes)

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise the pairwise square over the ℓ1 ball."""
        return Problem(PairwiseSquare(data), L1Ball(self.R or derive_l1_radius(data)))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per pass, until the stages are over.

        N = ⌈passes n⌉ rows are planned. When N is not a multiple of the number m of stages, the
        rows that are left over are not visited.
        """
        data, n = problem.data, problem.data.n
        passes = self.passes or budget.passes or DEFAULT_PASSES
        m, n0 = schedule(ceil(min(passes * n, MOST_ROWS)))  # line 1
        R, kappa = self.R or derive_l1_radius(data), self.kappa or find_max_abs(data)
        eta = self.eta or 0.5 * derive_saddle_step(data, "eta")
        stage = Stage.first(problem.project(w0), R, kappa, eta)
        order = np.empty(0, np.int32)  # the rows of this pass that are still to come
        for k in range(m):  # the stages
            while stage.rows < n0:  # lines 2 to 4 for its rows, of which a pass may be a part
                if not order.size:
                    left = (m - k) * n0 - stage.rows
                    order = row_order(n, rng, shuffle=self.shuffle)[:left]
                part, order = np.split(order, [n0 - stage.rows])
                stage_rows(whole_chunk(data), part, stage)  # `reference_update` of each row
                count_rows(part.size)
                if not order.size:
                    yield State(stage.mean)
            stage.restart()  # lines 5 and 6


def schedule(N: int) -> tuple[int, int]:
    """Divide N rows into m stages of n₀ rows each.

    m = max(1, ⌊½ log₂(2N / log₂N)⌋ − 1), n₀ = ⌊N/m⌋.
    """
    rows = max(N, 2)
    m = max(1, floor(0.5 * log2(2 * rows / log2(rows))) - 1)
    return m, N // m


@dataclass(slots=True)
class Stage:
    """A stage: its balls and its step, its first and its present point, and its sums.

    Attributes
    ----------
    R, kappa : float
        Bounds of all stages: ‖w‖₁ ≤ R, |a|, |b| ≤ Rκ, |α| ≤ 2Rκ.
    eta : float
        Step size η.
    r : float
        Largest ℓ2 distance of (w, a, b) from the start of the stage.
    D : float
        Largest distance of α from its value at the start of the stage.
    beta : float
        Bound β of the dual gap. It determines the next η.
    w0, a0, b0, alpha0 : array of shape (d,), and floats
        The start of the stage.
    z, a, b, alpha : array of shape (d,), and floats
        The present point; z = w − w0.
    total, total_a, total_b : array of shape (d,), and floats
        Sums of z, a and b after each row of the stage.
    rows : int
        Number of rows seen in this stage.
    sums : array of shape (2, d)
        Sum of the rows of each class that were seen in all stages, negatives first.
    seen : array of shape (2,)
        Number of these rows.
    work : array of shape (2, d)
        Work space of the kernel: zeros, and room for a row.
    """

    R: float
    kappa: float
    eta: float
    r: float
    D: float
    beta: float
    w0: Vector
    z: Vector
    total: Vector
    sums: Vector
    seen: Vector
    work: Vector
    a0: float = 0.0
    b0: float = 0.0
    alpha0: float = 0.0
    a: float = 0.0
    b: float = 0.0
    alpha: float = 0.0
    total_a: float = 0.0
    total_b: float = 0.0
    rows: int = 0

    @staticmethod
    def first(w: Vector, R: float, kappa: float, eta: float) -> Stage:
        """Return the first stage, from w: r = 2√(1+2κ²) R, D = 2√2 κ r, β = 1 + 8κ²."""
        square = kappa * kappa  # infinite for a large κ, where a power would raise an error
        r, d = 2 * sqrt(1 + 2 * square) * R, w.size
        balls = (r, 2 * sqrt(2) * kappa * r, 1 + 8 * square)
        z, total, sums, work = (np.zeros(shape, w.dtype) for shape in (d, d, (2, d), (2, d)))
        return Stage(R, kappa, eta, *balls, w, z, total, sums, np.zeros(2), work)

    @property
    def mean(self) -> Vector:
        """The mean of w over the stage so far; before its first row, its start."""
        return self.w0 + self.total / max(self.rows, 1)

    def restart(self) -> None:
        """Begin the next stage at the mean of this one, with α = w·(m₋ − m₊) and half the radius.

        The bounds D and β hold with the confidence 1 − δ, given the share p of the rarer class
        among all rows so far.
        """
        m_neg, m_pos = self.sums / np.maximum(self.seen, 1)[:, None]
        n0, p = self.rows, float(self.seen.min() / self.seen.sum())
        self.w0 = self.mean  # line 5
        self.a = self.a0 = self.total_a / n0
        self.b = self.b0 = self.total_b / n0
        self.alpha = self.alpha0 = self.w0 @ (m_neg - m_pos)
        self.z[:], self.total[:] = 0.0, 0.0
        self.total_a, self.total_b, self.rows = 0.0, 0.0, 0

        k, L, beta = self.kappa, LOG_CONFIDENCE, self.beta
        self.r /= 2  # line 6
        near, spread = 2 * sqrt(2) * k * self.r, 4 * sqrt(2) * k * (1 + 2 * k) * SPREAD * self.R
        root = p * n0 - sqrt(2 * n0 * L)
        self.D = near + spread / sqrt(root) if root > 0 else UNBOUNDED
        moved = k * (1 + 2 * k) * SPREAD
        root = p - sqrt(2 * L / n0)
        self.beta = 1 + 8 * (k * k) + 32 * (moved * moved) / root if root > 0 else UNBOUNDED
        self.eta = min(self.eta * sqrt(self.beta / beta) / 2, self.eta)


def reference_update(stage: Stage, x: Vector, y: int) -> None:
    """Take the step of `Fsauc` for the row x of class y.

    This is the definition of the step in plain NumPy. `stage_rows` takes the same steps, up to
    rounding, and in O(stored values of the row) while w is inside the ℓ1 ball.
    """
    stage.sums[int(y > 0)] += x  # line 2
    stage.seen[int(y > 0)] += 1
    p = stage.seen[1] / stage.seen.sum()
    w, a, b, alpha, eta = stage.w0 + stage.z, stage.a, stage.b, stage.alpha, stage.eta
    s = w @ x
    if y > 0:
        dw, da, db = (1 - p) * (s - a - 1 - alpha) * x, -(1 - p) * (s - a), 0
        dalpha = -(1 - p) * (s + p * alpha)
    else:
        dw, da, db = p * (s - b + 1 + alpha) * x, 0, -p * (s - b)
        dalpha = p * (s - (1 - p) * alpha)

    # line 3: v = (w, a, b) descends: onto ‖w‖₁ ≤ R, |a|, |b| ≤ Rκ, then within r of the start.
    bound = stage.R * stage.kappa
    z = L1Ball(stage.R)(w - eta * dw) - stage.w0
    a = np.clip(a - eta * da, -bound, bound) - stage.a0
    b = np.clip(b - eta * db, -bound, bound) - stage.b0
    shrink = min(1, stage.r / max(np.sqrt(z @ z + a * a + b * b), 1e-300))
    stage.z, stage.a, stage.b = shrink * z, stage.a0 + shrink * a, stage.b0 + shrink * b

    # line 4: α ascends: onto |α| ≤ 2Rκ, then within D of the start.
    alpha = np.clip(alpha + eta * dalpha, -2 * bound, 2 * bound) - stage.alpha0
    stage.alpha = stage.alpha0 + np.clip(alpha, -stage.D, stage.D)

    stage.total = stage.total + stage.z
    stage.total_a += stage.a
    stage.total_b += stage.b
    stage.rows += 1
