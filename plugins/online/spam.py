"""SPAM: stochastic proximal AUC maximisation, with three penalties."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State, count_rows
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.summaries import whole_chunk
from aucbench.errors import LARGE, require_above, require_at_least, require_at_most
from aucbench.objectives import PairwiseSquare
from aucbench.optim import capped, default_l1, default_ridge, row_order
from aucbench.projectors import ElasticNet

from .derived import derive_spam_step
from .proximal import choose_pass

POWERS = tuple(10.0**e for e in range(-5, 3))


@about("an elastic net, by cheap steps of one row each", sparse=True, cites=("natole2018",))
@dataclass(frozen=True)
class SpamNet(Solver):
    """w ← soft(w − η_t g, η_t λ₁) / (1 + η_t λ₂), one row at a time.

    g = 2(1−p)(w·x − w·m₋ − 1) x for a positive row x, and 2p(w·x − w·m₊ + 1) x for a negative
    row, where p is the share of positives and m₋, m₊ are the means of the classes. Because
    E[g] = p(1−p) ∇F, where F is the pairwise square, it minimises
    F + (λ₁|w|₁ + λ₂|w|²/2)/(p(1−p)). spam-l1 has λ₂ = 0, and spam-l2 has λ₁ = 0.

    The cost per row is O(d). For CSR rows with at most d/30 stored values, and for all CSR rows
    where λ₁ = 0, it is O(stored values), amortised.

    Parameters
    ----------
    xi : float, optional
        First step ξ > 0, in squared units of w per unit of F: η_t = ξ/√t for row t of all passes,
        as published. None means η_t = η min(1, √(n/t)), η = 1/(4 max (1 − p_i)|x_i|²), where p_i
        is the share of the class of row i: with this η no rows make w diverge. In file order η is
        smaller, because the file may be sorted: see `derive_spam_step` in `derived.py`.
    l1 : float, optional
        Weight λ₁ ≥ 0 of |w|₁ beside p(1−p) F. None means 0.1 D √(2p(1−p)/(n d)), where D² is the
        mean square distance of a pair of rows: see `aucbench.optim.default_l1`.
    l2 : float, optional
        Weight λ₂ ≥ 0 of |w|²/2 beside p(1−p) F. None means 0.3 D²/n, where D² is the mean square
        distance of a pair of rows: see `aucbench.optim.default_ridge`.
    average : bool
        Whether the weights of a state are the mean of w_1 ... w_t. False: they are w_t.
    shuffle : bool
        Whether each pass visits the rows in a fresh random order. False: in file order.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.
    DataError
        When `xi`, or the weight of a penalty, is None and a row is too long to derive it from.

    References
    ----------
    Natole, Ying & Lyu, "Stochastic proximal algorithms for AUC maximization", ICML 2018,
    Algorithm 1. The grid is that of the code for the experiments of Yang, Zhou, Lei & Ying,
    ICDM 2020, but for the derived step. (Their text has ξ ∈ [1:9:100], which diverges unless rows
    are short.)
    """

    xi: float | None = None
    l1: float | None = None
    l2: float | None = None
    average: bool = True
    shuffle: bool = True

    space: ClassVar = {"xi": (None, *POWERS), "l1": POWERS, "l2": POWERS}
    needs: ClassVar = Needs(frozenset({"warm-start"}))

    def __post_init__(self) -> None:
        require_above(0, xi=self.xi)
        require_at_least(0, l1=self.l1, l2=self.l2)
        require_at_most(LARGE, l1=self.l1, l2=self.l2)

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise the pairwise square plus the penalty, in units of F."""
        l1, l2 = self.penalties(data)
        unit = data.labels.p * (1 - data.labels.p)
        return Problem(PairwiseSquare(data), ElasticNet(l1 / unit, l2 / unit))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per pass."""
        data, n = problem.data, problem.data.n
        point = ProximalPoint.at(w0, data, *self.penalties(data))
        if self.xi:
            point.xi, point.n = self.xi, 1.0
        else:
            point.xi, point.n = derive_spam_step(data, shuffle=self.shuffle), n
        take_steps = choose_pass(data, point.l1)  # `reference_update` of each row, by a kernel
        while True:
            take_steps(whole_chunk(data), row_order(n, rng, shuffle=self.shuffle), point)
            count_rows(n)
            yield State(point.total / point.rows if self.average else point.w)

    def penalties(self, data: Data) -> tuple[float, float]:
        """Return l1 and l2, in units of p(1−p) F."""
        unit = data.labels.p * (1 - data.labels.p)
        l1 = unit * default_l1(data) if self.l1 is None else self.l1
        l2 = unit * default_ridge(data, "l2") if self.l2 is None else self.l2
        return l1, l2


@about("an l1 penalty, by cheap steps of one row each", sparse=True, cites=("natole2018",))
@dataclass(frozen=True)
class SpamL1(SpamNet):
    """`spam-net` with λ₂ = 0: w ← soft(w − η_t g, η_t λ₁), one row at a time."""

    l2: ClassVar[float] = 0.0  # type: ignore[misc]
    space: ClassVar = {"xi": (None, *POWERS), "l1": POWERS}


@about("many sparse rows, by cheap steps of one row each", cites=("natole2018",))
@dataclass(frozen=True)
class SpamL2(SpamNet):
    """`spam-net` with λ₁ = 0: w ← (w − η_t g) / (1 + η_t λ₂), one row at a time."""

    l1: ClassVar[float] = 0.0  # type: ignore[misc]
    space: ClassVar = {"xi": (None, *POWERS), "l2": POWERS}


@dataclass(slots=True)
class ProximalPoint:
    """w, the sum of all w so far, and the constants of a step.

    Attributes
    ----------
    w, total : array of shape (d,)
        The present w, and the sum of w after each step.
    means : array of shape (2, d)
        The means of the classes: m₋, m₊.
    p : float
        Share of positives.
    l1, l2 : float
        Ω(w) = l1 |w|₁ + (l2/2) |w|².
    xi, n : float
        η_t = ξ min(1, √(n/t)); with n = 1 this is ξ/√t.
    rows : int
        Number of steps so far, over all passes.
    """

    w: Vector
    total: Vector
    means: Vector
    p: float
    l1: float
    l2: float
    xi: float = 1.0
    n: float = 1.0
    rows: int = 0

    @staticmethod
    def at(w: Vector, data: Data, l1: float, l2: float) -> ProximalPoint:
        """Return the point w before the first step."""
        return ProximalPoint(w, np.zeros(w.size), np.array(data.means), data.labels.p, l1, l2)


def reference_update(point: ProximalPoint, x: Vector, y: int) -> None:
    """Take the step of Algorithm 1 for the row x of class y.

    This is the definition of the step in plain NumPy. The kernels that `choose_pass` chooses from
    take the same steps, up to rounding.
    """
    w, p, (m_neg, m_pos) = point.w, point.p, point.means
    point.rows += 1
    eta = capped(point.xi, point.n, point.rows)  # line 1: η_t
    a, b = w @ m_pos, w @ m_neg  # line 2: a(w), b(w) and α(w)
    alpha = b - a
    s = w @ x
    g = 2 * (1 - p) * (s - a - 1 - alpha) * x if y > 0 else 2 * p * (s - b + 1 + alpha) * x
    u = w - eta * g  # line 3
    soft = np.sign(u) * np.maximum(np.abs(u) - eta * point.l1, 0.0)  # line 4: the prox of η_t Ω
    point.w = soft / (1.0 + eta * point.l2)
    point.total = point.total + point.w  # line 5
