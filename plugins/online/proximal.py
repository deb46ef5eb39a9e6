"""Passes of SPAM: what a penalty makes of a step, and which kernel takes the steps.

Without l1 a step scales w and adds a multiple of the row: `ridge_pass`, O(stored values of the row)
in both layouts. With l1 every step changes all of w. `soft_pass` does so literally, in O(d) with
SIMD. `soft_lazy` touches only the weights of stored values, amortised, but each of them costs
about twenty times as much. All give the iterates of `reference_update` up to rounding, and the
cost decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from aucbench.data import Chunk, Data, uncounted
from aucbench.data.arrays import Index, Vector
from aucbench.data.layouts import stored_count
from aucbench.data.summaries import whole_chunk
from aucbench.kernels import spam

from .aligned import aligned

LAZY_FROM = 30  # features per stored value of a row where lazy overtakes (measured: 25 to 40)
WINDOW = 8  # stored values per feature between two renewals of all weights, a tenth of the cost

Pass = Callable[[Chunk, Index, Any], None]  # a step of a `ProximalPoint` for each row of an order


def choose_pass(data: Data, l1: float) -> Pass:
    """Choose the kernel by the cost of a row. For dense rows `soft_lazy` never pays."""
    if l1 == 0:
        return make_ridge_pass(data)
    if data.n * data.d >= LAZY_FROM * stored_count(data.rows):
        return make_lazy_pass(data)
    return spam.soft_pass


def make_ridge_pass(data: Data) -> Pass:
    """Return a pass that scales w."""
    m_neg, m_pos = data.means
    sizes = np.sqrt(whole_chunk(data).square_norms) * np.sqrt(max(m_neg @ m_neg, m_pos @ m_pos))
    with uncounted():  # no weights
        cross = np.stack([data.scores(m_neg), data.scores(m_pos), sizes], axis=1)
    levels = Levels(cross, np.zeros(data.d))
    return lambda chunk, order, point: spam.ridge_pass(chunk, order, point, levels)


def make_lazy_pass(data: Data) -> Pass:
    """Return a pass that touches the weights of the values that a row stores. Rows are CSR."""
    budget = WINDOW * data.d
    longest = min(data.n, budget * data.n // max(1, stored_count(data.rows)))
    window = Window.of(data.d, longest, budget)
    return lambda chunk, order, point: spam.soft_lazy(chunk, order, point, window)


@dataclass(frozen=True, slots=True)
class Levels:
    """What `ridge_pass` reads of the rows: (x·m₋, x·m₊, |x||m|) of each, and zeros (d,)."""

    cross: Vector
    zeros: Vector


@dataclass(frozen=True, slots=True)
class Window:
    """Work space of `soft_lazy` for T steps with about `budget` stored values."""

    budget: int
    cells: Vector
    steps: Vector
    row: Vector
    due: Index
    bins: Index

    @staticmethod
    def of(d: int, T: int, budget: int) -> Window:
        """Allocate it. Each cell of four numbers is in one line of the cache."""
        due, bins = np.empty(d, np.int32), np.empty(4 * T + 9, np.int32)
        return Window(budget, aligned(d, 4), np.empty((T + 9, 8)), np.empty((3, d + 3)), due, bins)
