"""SPAM: stochastic proximal AUC maximisation, with three penalties.

Design
  a. `Spam.iterates` is the loop. The three classes after it say what Ω is, and are registered as
     spam-l1, spam-l2 and spam-net.
  b. Without l1 a step scales w and adds a multiple of the row: `ridge_pass`, O(stored values
     of the row) in both layouts.
  c. With l1 every step changes all of w. `soft_pass` does so literally, in O(d) with SIMD.
     `soft_lazy` touches only the weights of stored values, amortised, but each of them costs about
     twenty times as much. Both give the same iterates up to rounding, and the cost decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State, count_rows
from aucbench.data import Data, uncounted
from aucbench.data.arrays import Index, Vector
from aucbench.data.layouts import stored_count
from aucbench.data.summaries import whole_chunk
from aucbench.errors import LARGE, require_above, require_at_least, require_at_most
from aucbench.kernels import spam
from aucbench.objectives import PairwiseSquare
from aucbench.optim import capped, default_l1, default_ridge, row_order
from aucbench.projectors import ElasticNet

from .reach import require_squares

LAZY_FROM = 30  # features per stored value of a row where lazy overtakes (measured: 25 to 40)
WINDOW = 8  # stored values per feature between two renewals of all weights, a tenth of the cost
POWERS = tuple(10.0**e for e in range(-5, 3))

# One step for each row of an order: it overwrites w, and adds each w to a sum.
OnePass = Callable[[Index, Vector, Vector, Vector], None]


class Spam(Solver):
    """w ← prox_{η_t Ω}(w − η_t g_t), one row at a time.

    Ω(w) = l1 |w|₁ + (l2/2) |w|². The dataclasses below declare the parameters.
    """

    xi: float | None
    l1: float | None = 0.0
    l2: float | None = 0.0
    average: bool
    shuffle: bool

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
        data, n, w = problem.data, problem.data.n, w0
        pace = (self.xi, 1.0) if self.xi else (first_step(data, shuffle=self.shuffle), float(n))
        total = np.zeros(data.d)
        run = one_pass(data, *self.penalties(data))
        for t in count(1):
            seen = t * n
            eta = capped(*pace, np.arange(seen - n + 1.0, seen + 1.0))
            run(row_order(n, rng, shuffle=self.shuffle), eta, w, total)
            count_rows(n)
            yield State(total / seen if self.average else w)

    def penalties(self, data: Data) -> tuple[float, float]:
        """Return l1 and l2, in units of p(1−p) F."""
        unit = data.labels.p * (1 - data.labels.p)
        l1 = unit * default_l1(data) if self.l1 is None else self.l1
        l2 = unit * default_ridge(data, "l2") if self.l2 is None else self.l2
        return l1, l2


@about("an l1 penalty, by cheap steps of one row each", sparse=True, cites=("natole2018",))
@dataclass(frozen=True)
class SpamL1(Spam):
    """w ← soft(w − η_t g, η_t λ₁), one row at a time.

    g = 2(1−p)(w·x − w·m₋ − 1) x for a positive row x, and 2p(w·x − w·m₊ + 1) x for a negative
    row, where p is the share of positives and m₋, m₊ are the means of the classes. Because
    E[g] = p(1−p) ∇F, where F is the pairwise square, it minimises
    F + λ₁|w|₁/(p(1−p)).

    The cost per row is O(d). For CSR rows with at most d/30 stored values it is O(stored values),
    amortised.

    Parameters
    ----------
    xi : float, optional
        First step ξ > 0, in squared units of w per unit of F: η_t = ξ/√t for row t of all passes,
        as published. None means η_t = η min(1, √(n/t)), η = 1/(4 max (1 − p_i)|x_i|²), where p_i
        is the share of the class of row i: with this η no rows make w diverge. In file order η is
        smaller, because the file may be sorted: see `aucbench_plugins.online.spam.first_step`.
    l1 : float, optional
        Weight λ₁ ≥ 0 of |w|₁ beside p(1−p) F. None means 0.1 D √(2p(1−p)/(n d)), where D² is the
        mean square distance of a pair of rows: see `aucbench.optim.default_l1`.
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
    average: bool = True
    shuffle: bool = True

    space: ClassVar = {"xi": (None, *POWERS), "l1": POWERS}


@about("many sparse rows, by cheap steps of one row each", cites=("natole2018",))
@dataclass(frozen=True)
class SpamL2(Spam):
    """w ← (w − η_t g) / (1 + η_t λ₂), one row at a time.

    g = 2(1−p)(w·x − w·m₋ − 1) x for a positive row x, and 2p(w·x − w·m₊ + 1) x for a negative
    row, where p is the share of positives and m₋, m₊ are the means of the classes. Because
    E[g] = p(1−p) ∇F, where F is the pairwise square, it minimises
    F + λ₂|w|²/(2p(1−p)).

    The cost per row is O(d) for dense rows, and O(stored values) for CSR.

    Parameters
    ----------
    xi : float, optional
        First step ξ > 0, in squared units of w per unit of F: η_t = ξ/√t for row t of all passes,
        as published. None means η_t = η min(1, √(n/t)), η = 1/(4 max (1 − p_i)|x_i|²), where p_i
        is the share of the class of row i: with this η no rows make w diverge. In file order η is
        smaller, because the file may be sorted: see `aucbench_plugins.online.spam.first_step`.
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
    l2: float | None = None
    average: bool = True
    shuffle: bool = True

    space: ClassVar = {"xi": (None, *POWERS), "l2": POWERS}


@about("an elastic net, by cheap steps of one row each", sparse=True, cites=("natole2018",))
@dataclass(frozen=True)
class SpamNet(Spam):
    """w ← soft(w − η_t g, η_t λ₁) / (1 + η_t λ₂), one row at a time.

    g = 2(1−p)(w·x − w·m₋ − 1) x for a positive row x, and 2p(w·x − w·m₊ + 1) x for a negative
    row, where p is the share of positives and m₋, m₊ are the means of the classes. Because
    E[g] = p(1−p) ∇F, where F is the pairwise square, it minimises
    F + (λ₁|w|₁ + λ₂|w|²/2)/(p(1−p)).

    The cost per row is O(d). For CSR rows with at most d/30 stored values it is O(stored values),
    amortised.

    Parameters
    ----------
    xi : float, optional
        First step ξ > 0, in squared units of w per unit of F: η_t = ξ/√t for row t of all passes,
        as published. None means η_t = η min(1, √(n/t)), η = 1/(4 max (1 − p_i)|x_i|²), where p_i
        is the share of the class of row i: with this η no rows make w diverge. In file order η is
        smaller, because the file may be sorted: see `aucbench_plugins.online.spam.first_step`.
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


def first_step(data: Data, *, shuffle: bool) -> float:
    """Return η = 1/(2K), K = max_i 2(1 − p_i)‖x_i‖², where p_i is the share of the class of row i.

    A step is w ← (I − ηA) w + …, A = 2(1 − p_i) x (x − m)ᵀ, where m is the mean of the other class.
    A is not symmetric, but E[A] = H = p(1−p) ∇²F is, and E[AᵀA] ≤ 2KH. So for rows in random order
    E‖(I − ηA) w‖² ≤ ‖w‖² − 2η(1 − ηK) w·Hw: with η ≤ 1/K, w does not grow in the mean square, and
    η = 1/(2K) takes most off. (The published conditions also bound η by a multiple of 1/κ²,
    κ = max ‖x_i‖.)

    A file may be sorted. Then one class may drive w away before the other class brings it back.
    A + Aᵀ has the eigenvalue −2ν, ν = (1 − p_i)(‖x‖‖x − m‖ − x·(x − m)). In file order η is
    therefore at most 1/(16 Σ_t ν_t), where t runs over a pass. In that pass w then hardly grows.

    Raises
    ------
    DataError
        When a row is too long to derive a step size from.
    """
    require_squares(whole_chunk(data), "xi")
    others = np.where(data.y > 0, 1.0 - data.labels.p, data.labels.p)
    bound = float((4.0 * others * whole_chunk(data).square_norms).max())
    if not shuffle:
        bound = max(bound, 16.0 * float((others * _obliqueness(data)).sum()))
    return 1.0 / max(bound, 1e-300)


def _obliqueness(data: Data) -> Vector:
    """Return ‖x‖‖x − m‖ − x·(x − m) of each row x, where m is the mean of the other class."""
    positive, square = data.y > 0, whole_chunk(data).square_norms
    m_neg, m_pos = data.means
    with uncounted():  # no weights
        inner = np.where(positive, data.scores(m_neg), data.scores(m_pos))
    level = np.where(positive, m_neg @ m_neg, m_pos @ m_pos)
    apart = np.maximum(square - 2.0 * inner + level, 0.0)
    oblique: Vector = np.sqrt(square) * np.sqrt(apart) - square + inner
    return oblique


def one_pass(data: Data, l1: float, l2: float) -> OnePass:
    """Choose the kernel by the cost of a row. For dense rows `soft_lazy` never pays."""
    if l1 == 0:
        return _ridge(data, l2)
    if data.n * data.d >= LAZY_FROM * stored_count(data.rows):
        return lazy_pass(data, l1, l2)
    return eager_pass(data, l1, l2)


def _ridge(data: Data, l2: float) -> OnePass:
    m_neg, m_pos = data.means
    sizes = np.sqrt(whole_chunk(data).square_norms) * np.sqrt(max(m_neg @ m_neg, m_pos @ m_pos))
    with uncounted():  # no weights
        cross = np.stack([data.scores(m_neg), data.scores(m_pos), sizes], axis=1)
    means = np.concatenate([m_neg, m_pos])
    zeros = np.zeros(data.d)

    def run(order: Index, steps: Vector, w: Vector, total: Vector) -> None:
        spam.ridge_pass(
            *data.rows.stored_arrays,
            order,
            data.y,
            means,
            cross,
            steps,
            data.labels.p,
            l2,
            w,
            zeros,
            total,
        )

    return run


def eager_pass(data: Data, l1: float, l2: float) -> OnePass:
    """Return a pass that touches all weights at each row, by SIMD."""
    means = np.concatenate(data.means)

    def run(order: Index, steps: Vector, w: Vector, total: Vector) -> None:
        spam.soft_pass(
            *data.rows.stored_arrays, order, data.y, means, steps, data.labels.p, l1, l2, w, total
        )

    return run


def lazy_pass(data: Data, l1: float, l2: float) -> OnePass:
    """Return a pass that touches the weights of the values that a row stores. Rows are CSR."""
    means = np.concatenate(data.means)
    n, d = data.n, data.d
    budget = WINDOW * d
    longest = min(n, budget * n // max(1, stored_count(data.rows)))
    scratch = (
        _aligned(4 * d).reshape(d, 4),
        np.empty((longest + 9, 8)),
        np.empty((3, d + 3)),
        np.empty(d, dtype=np.int32),
        np.empty(4 * longest + 9, dtype=np.int32),
    )

    def run(order: Index, steps: Vector, w: Vector, total: Vector) -> None:
        spam.soft_lazy(
            *data.rows.stored_arrays,
            order,
            data.y,
            means,
            steps,
            data.labels.p,
            l1,
            l2,
            w,
            total,
            budget,
            *scratch,
        )

    return run


def _aligned(count: int) -> Vector:
    """Return room for numbers that begins with a line of the cache.

    A record of four numbers is then in one line; NumPy's large arrays begin 16 bytes after one.
    """
    room = np.empty(count + 8)
    at = -room.ctypes.data % 64 // 8
    return room[at : at + count]
