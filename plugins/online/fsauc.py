"""FSAUC: fast stochastic AUC maximisation, in stages on shrinking balls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil, floor, log, log2, sqrt
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State, count_rows
from aucbench.data import Chunk, Data
from aucbench.data.arrays import Index, Vector
from aucbench.data.columns import column_max_abs
from aucbench.data.summaries import whole_chunk
from aucbench.errors import require_above
from aucbench.kernels import fsauc
from aucbench.objectives import PairwiseSquare
from aucbench.optim import row_order
from aucbench.projectors import L1Ball
from aucbench.ranges import DEFAULT_PASSES

from .solam import default_radius, first_step

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
        return Problem(PairwiseSquare(data), L1Ball(self.R or l1_radius(data)))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per pass, until the stages are over.

        N = ⌈passes n⌉ rows are planned. When N is not a multiple of the number m of stages, the
        rows that are left over are not visited.
        """
        data, n = problem.data, problem.data.n
        passes = self.passes or budget.passes or DEFAULT_PASSES
        m, n0 = schedule(ceil(min(passes * n, MOST_ROWS)))
        R, eta = self.R or l1_radius(data), self.eta or 0.5 * first_step(data, "eta")
        stage = Stage.first(R, self.kappa or max_abs(data), eta)
        memory = StageMemory(problem.project(w0))
        left = m * n0
        while left:
            order = row_order(n, rng, shuffle=self.shuffle)[:left]
            left -= order.size
            count_rows(order.size)
            while order.size:
                part = order[: n0 - memory.rows]
                order = order[part.size :]
                memory.update(stage, whole_chunk(data), part)
                if memory.rows == n0:
                    memory.restart()
                    stage = stage.next(memory.rarer_share(), n0)
            yield State(memory.mean())


def l1_radius(data: Data) -> float:
    """Return √d times the radius of the ball of `solam`: this ℓ1 ball holds that ball."""
    return sqrt(data.d) * default_radius(data)


def max_abs(data: Data) -> float:
    """Return max |x_ij|. With this κ, ‖w‖₁ ≤ R implies |w·x| ≤ Rκ."""
    return float(column_max_abs(data.rows).max(initial=0.0))


def schedule(N: int) -> tuple[int, int]:
    """Divide N rows into m stages of n₀ rows each.

    m = max(1, ⌊½ log₂(2N / log₂N)⌋ − 1), n₀ = ⌊N/m⌋.
    """
    rows = max(N, 2)
    m = max(1, floor(0.5 * log2(2 * rows / log2(rows))) - 1)
    return m, N // m


@dataclass(frozen=True, slots=True)
class Stage:
    """The step size and the bounds of one stage.

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
    """

    R: float
    kappa: float
    eta: float
    r: float
    D: float
    beta: float

    @staticmethod
    def first(R: float, kappa: float, eta: float) -> Stage:
        """Return the first stage: r = 2√(1+2κ²) R, D = 2√2 κ r, β = 1 + 8κ²."""
        square = kappa * kappa  # infinite for a large κ, where a power would raise an error
        r = 2 * sqrt(1 + 2 * square) * R
        return Stage(R, kappa, eta, r, 2 * sqrt(2) * kappa * r, 1 + 8 * square)

    def next(self, rarer: float, n0: int) -> Stage:
        """Return the next stage, with half the radius.

        Parameters
        ----------
        rarer : float
            Share of the rarer class among the rows seen so far.
        n0 : int
            Number of rows in a stage.
        """
        k, r = self.kappa, self.r / 2
        D, beta = UNBOUNDED, UNBOUNDED
        root = rarer * n0 - sqrt(2 * n0 * LOG_CONFIDENCE)
        if root > 0:
            D = 2 * sqrt(2) * k * r + 4 * sqrt(2) * k * (1 + 2 * k) * SPREAD * self.R / sqrt(root)
        root = rarer - sqrt(2 * LOG_CONFIDENCE / n0)
        if root > 0:
            moved = k * (1 + 2 * k) * SPREAD
            beta = 1 + 8 * (k * k) + 32 * (moved * moved) / root
        eta = min(self.eta * sqrt(beta / self.beta) / 2, self.eta)
        return Stage(self.R, k, eta, r, D, beta)


class StageMemory:
    """The point (w, a, b), α of a stage, and statistics of all rows seen so far.

    Parameters
    ----------
    w : array of shape (d,)
        First weights; a and b start at 0, and so does α.
    """

    def __init__(self, w: Vector) -> None:
        self.c = w  # w at the start of the stage
        self.z, self.total = np.zeros((2, w.size))  # w − c, and its sum over the stage
        self.work = np.zeros((2, w.size))  # of the kernel: zeros, and room for a row
        self.sums = np.zeros((2, w.size))  # sum of the rows of each class, negatives first
        self.seen = np.zeros(2)  # number of rows of each class, negatives first
        self.abc = np.zeros((3, 3))  # (a, b, α): now, at the start of the stage, summed over it
        self.rows = 0  # number of rows seen in this stage

    def update(self, stage: Stage, chunk: Chunk, order: Index) -> None:
        """Take one step for each of the rows `order`, which all belong to one stage."""
        fsauc.stage_rows(
            *chunk.rows.stored_arrays,
            order,
            chunk.y,
            chunk.square_norms,
            stage.eta,
            stage.R,
            stage.R * stage.kappa,
            stage.r,
            stage.D,
            self.c,
            self.z,
            self.work,
            self.total,
            self.sums,
            self.abc,
            self.seen,
        )
        self.rows += order.size

    def mean(self) -> Vector:
        """Return the mean of w over the stage so far; before its first row, its start."""
        return self.c + self.total / max(self.rows, 1)

    def rarer_share(self) -> float:
        """Return the share of the rarer class among all rows seen."""
        return float(self.seen.min() / self.seen.sum())

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
