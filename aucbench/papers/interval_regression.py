"""Interval regression: a linear model of the intervals with the fewest errors.

The descents of changepoint models start from it. Rigaill, Hocking, Vert & Bach, "Learning sparse
penalties for change-point detection using max margin interval regression", ICML 2013. Scores
predict -log λ here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.breakpoints import Breakpoints
from aucbench.projectors import SoftThreshold

MARGIN = 1.0  # in units of log λ
PATH = 10.0 ** np.arange(0.0, -3.25, -0.25)  # times the least penalty that makes all weights 0
PASSES = 1_000  # steps for each penalty


class Intervals(NamedTuple):
    """The scores [low, high] at which each sequence has the fewest errors; may be infinite."""

    low: Vector
    high: Vector

    def surrogate(self, s: Vector) -> tuple[float, Vector]:
        """Return the mean squared hinge of the scores, and its derivatives.

        The hinge is above 0 where a score is not inside its interval by the margin.
        """
        below = np.maximum(self.low + MARGIN - s, 0.0)
        above = np.maximum(s - self.high + MARGIN, 0.0)
        return float((below**2 + above**2).mean()), 2.0 * (above - below) / s.size


class Model(NamedTuple):
    """A linear model with the scores Xw + b."""

    w: Vector
    b: float

    def loss(self, data: Data) -> float:
        """Return the surrogate loss of the rows, without the penalty."""
        return intervals(data.breakpoints).surrogate(data.scores(self.w) + self.b)[0]


def intervals(breakpoints: Breakpoints) -> Intervals:
    """Return for each sequence the widest interval of scores with the fewest errors.

    Of several intervals of the same width it is the lowest. Errors that no threshold changes
    (`fp_base`, `fn_base`) are the same for all scores, so they are left out.
    """
    starts = np.searchsorted(breakpoints.example, np.arange(breakpoints.n + 1))
    change = breakpoints.fp_diff + breakpoints.fn_diff
    low, high = np.empty((2, breakpoints.n))
    for k in range(breakpoints.n):
        own = slice(starts[k], starts[k + 1])
        edges = np.r_[-np.inf, breakpoints.value[own], np.inf]
        errors = np.r_[0.0, np.cumsum(change[own])]
        fewest = np.isclose(errors, errors.min(), rtol=0.0, atol=1e-9)
        turns = np.flatnonzero(np.diff(np.r_[False, fewest, False]))
        lows, highs = edges[turns[::2]], edges[turns[1::2]]
        widest = int(np.argmax(highs - lows))
        low[k], high[k] = lows[widest], highs[widest]
    return Intervals(low, high)


def l1_path(data: Data) -> Iterator[Model]:
    """Yield minimisers of the surrogate + t |w|_1 for falling t; b has no penalty.

    Each starts from the last one. The method is a fixed number of accelerated proximal gradient
    steps (Beck & Teboulle, SIAM J. Imaging Sci. 2 (2009) 183).
    """
    X = np.c_[data.rows.densified(1 << 31, "interval regression").matrix, np.ones(data.n)]
    target, u = intervals(data.breakpoints), np.zeros(data.d + 1)
    step = data.n / (4.0 * np.linalg.norm(X, 2) ** 2)
    _proximal_descent(X, target, u, SoftThreshold(np.finfo(np.float64).max), step)
    largest = float(np.abs(X.T @ target.surrogate(X @ u)[1])[:-1].max())
    for share in PATH:
        _proximal_descent(X, target, u, SoftThreshold(share * largest), step)
        yield Model(u[:-1].copy(), float(u[-1]))


def best_of_path(train: Data, validation: Data) -> Model:
    """Return the model of the path with the least loss on the validation rows."""
    return min(l1_path(train), key=lambda model: model.loss(validation))


def _proximal_descent(
    X: Vector, target: Intervals, u: Vector, prox: SoftThreshold, step: float
) -> None:
    """Minimise by accelerated proximal gradients from u, which is overwritten."""
    y, t = u.copy(), 1.0
    for _ in range(PASSES):
        last = u.copy()
        u[:] = y - step * (X.T @ target.surrogate(X @ y)[1])
        prox(u[:-1], step)
        faster = (1.0 + np.sqrt(1.0 + 4.0 * t * t)) / 2.0
        y, t = u + (t - 1.0) / faster * (u - last), faster
