"""SPAM: what its three penalties share, and which kernel runs its passes.

Design
  a. Without l1 a step scales w and adds a multiple of the row: `ridge_pass`, O(stored values
     of the row) in both layouts.
  b. With l1 every step moves all of w. `soft_pass` sweeps it, O(d) with SIMD; `soft_lazy`
     touches what the row stores, amortised, at about thirty times the price for a weight.
     They give the same iterates to rounding, so the choice is one of cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Protocol

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Index, Vector
from aucbench.kernels import spam
from aucbench.optim.streaming import row_order
from aucbench.protocols import Problem, State

from .reach import require_squares

LAZY_FROM = 30  # features per stored value of a row where lazy overtakes (measured: 25 to 40)
WINDOW = 8  # stored values per feature between two renewals of all weights, a tenth of the cost

# A pass over the rows of an order with a step each; it overwrites w and adds each w to a sum.
OnePass = Callable[[Index, Vector, Vector, Vector], None]


class Spam(Protocol):
    """The parameters that all variants have."""

    @property
    def xi(self) -> float | None:
        """ξ, the first step; None: `first_step`."""
        ...

    @property
    def average(self) -> bool:
        """Whether to yield the mean of w_1 ... w_t, or else w_t."""
        ...

    @property
    def shuffle(self) -> bool:
        """Whether to draw a permutation for each pass, or else to keep file order."""
        ...


def proximal_passes(
    solver: Spam, problem: Problem, rng: np.random.Generator, *, l1: float, l2: float
) -> Iterator[State]:
    """w ← prox_{η_t Ω}(w − η_t g_t), η_t = ξ/√t, one row a step; one state after each pass.

    Parameters
    ----------
    solver : Spam
        ξ, the kind of output, and the order of the rows.
    problem : Problem
        Holds the rows and the first weights.
    rng : Generator
        Draws the orders of the rows.
    l1, l2 : float
        Ω(w) = l1 |w|₁ + (l2/2) |w|².
    """
    data, w = problem.data, problem.start()
    xi = first_step(data, shuffle=solver.shuffle) if solver.xi is None else solver.xi
    total = np.zeros(data.d)
    run = one_pass(data, l1, l2)
    for t in count(1):
        rows = t * data.n
        steps = xi / np.sqrt(np.arange(rows - data.n + 1, rows + 1))
        run(row_order(data.n, rng, shuffle=solver.shuffle), steps, w, total)
        yield State(t, total / rows if solver.average else w, rows)


def first_step(data: Data, *, shuffle: bool) -> float:
    """ξ = 1/K, K = max_i 2(1 − p_i)‖x_i‖², p_i the share of the class of row i.

    A step is w ← (I − ηA) w + …, A = 2(1 − p_i) x (x − m)ᵀ, m the mean of the other class. A is
    not symmetric, but E[A] = H = p(1−p) ∇²F is, and E[AᵀA] ≤ 2KH. So for rows in random order
    E‖(I − ηA) w‖² ≤ ‖w‖² − 2η(1 − ηK) w·Hw, and with η ≤ 1/K no step makes w grow in the mean
    square. (The published conditions too bound η by a multiple of 1/κ², κ = max ‖x_i‖.)

    A file may be sorted: then one class may drive w away before the other one brings it back.
    A + Aᵀ has the eigenvalue −2ν, ν = (1 − p_i)(‖x‖‖x − m‖ − x·(x − m)). In file order ξ is
    therefore at most 1/(16 Σ_t ν_t/√t), t over the first pass, in which w hardly grows then.
    """
    require_squares(data.chunk, "xi")
    others = np.where(data.y > 0, 1.0 - data.p, data.p)
    bound = float((2.0 * others * data.chunk.square_norms).max())
    if not shuffle:
        roots = np.sqrt(np.arange(1, data.n + 1))
        bound = max(bound, 16.0 * float((others * _obliqueness(data) / roots).sum()))
    return 1.0 / max(bound, 1e-300)


def _obliqueness(data: Data) -> Vector:
    """‖x‖‖x − m‖ − x·(x − m) of each row x, m the mean of the other class."""
    positive, square, (m_neg, m_pos) = data.y > 0, data.chunk.square_norms, data.means
    inner = np.where(positive, data.scores(m_neg), data.scores(m_pos))
    level = np.where(positive, m_neg @ m_neg, m_pos @ m_pos)
    apart = np.maximum(square - 2.0 * inner + level, 0.0)
    oblique: Vector = np.sqrt(square) * np.sqrt(apart) - square + inner
    return oblique


def one_pass(data: Data, l1: float, l2: float) -> OnePass:
    """Choose the kernel by what a row costs; dense rows store too much to be lazy about."""
    if l1 == 0:
        return _ridge(data, l2)
    if data.n * data.d >= LAZY_FROM * data.rows.values.size:
        return _lazy(data, l1, l2)
    return _eager(data, l1, l2)


def _ridge(data: Data, l2: float) -> OnePass:
    m_neg, m_pos = data.means
    sizes = np.sqrt(data.chunk.square_norms) * np.sqrt(max(m_neg @ m_neg, m_pos @ m_pos))
    cross = np.stack([data.scores(m_neg), data.scores(m_pos), sizes], axis=1)
    means, zeros = np.concatenate([m_neg, m_pos]), np.zeros(data.d)

    def run(order: Index, steps: Vector, w: Vector, total: Vector) -> None:
        spam.ridge_pass(
            *data.rows.arrays, order, data.y, means, cross, steps, data.p, l2, w, zeros, total
        )

    return run


def _eager(data: Data, l1: float, l2: float) -> OnePass:
    means = np.concatenate(data.means)

    def run(order: Index, steps: Vector, w: Vector, total: Vector) -> None:
        spam.soft_pass(*data.rows.arrays, order, data.y, means, steps, data.p, l1, l2, w, total)

    return run


def _lazy(data: Data, l1: float, l2: float) -> OnePass:
    means = np.concatenate(data.means)
    n, d, budget = data.n, data.d, WINDOW * data.d
    longest = min(n, budget * n // max(1, data.rows.values.size))
    scratch = (
        np.empty((d, 4)),
        np.empty((longest + 9, 8)),
        np.empty((d, 6)),
        np.empty(d, dtype=np.int32),
        np.empty(4 * longest + 9, dtype=np.int32),
    )

    def run(order: Index, steps: Vector, w: Vector, total: Vector) -> None:
        spam.soft_lazy(
            *data.rows.arrays, order, data.y, means, steps, data.p, l1, l2, w, total,
            budget, *scratch,
        )  # fmt: skip

    return run
