"""The squared hinge of target intervals: a convex stand-in for the errors of changepoint data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from aucbench.contract import Objective
from aucbench.data import Data
from aucbench.data.arrays import ALL, Block, Vector, size
from aucbench.data.breakpoints import Targets
from aucbench.data.summaries import breakpoints_of
from aucbench.errors import require_at_least


@dataclass(frozen=True, eq=False)
class IntervalHinge(Objective):
    """f(w) = (1/n) Σ_i [l_i + m − s_i]₊² + [s_i − h_i + m]₊², s = Xw.

    (l_i, h_i) is the interval of scores at which row i has the fewest errors, see
    `Breakpoints.target_intervals`. A row costs nothing if its score lies inside the interval, at
    least m from both ends. An end may be infinite, and then it costs nothing.

    The interval of a positive label is (0, ∞), that of a negative one is (−∞, 0). So for labels
    f is the squared hinge loss of a linear classifier.

    Parameters
    ----------
    data : Data
        Training rows with breakpoints or labels. An intercept is a last column of ones.
    margin : float
        m ≥ 0, in units of the scores (of log λ, in changepoint detection).

    Raises
    ------
    ParameterError
        When the margin is not a finite number of at least 0.

    References
    ----------
    Rigaill, Hocking, Vert & Bach, "Learning sparse penalties for change-point detection using max
    margin interval regression", ICML 2013.
    """

    data: Data
    margin: float = 1.0

    def __post_init__(self) -> None:
        require_at_least(0, margin=self.margin)
        self.data.require_no_weights("interval-hinge")

    @cached_property
    def inside(self) -> Targets:
        """The scores from which the hinges of each row grow: (l + m, h − m), both (n,)."""
        low, high = breakpoints_of(self.data).target_intervals
        return Targets(low + self.margin, high - self.margin)

    def of_scores(self, s: Vector, rows: Block = ALL) -> tuple[float, Vector]:
        """Return f and its derivatives in the scores, averaged over the block `rows`."""
        low, high = (x[rows] for x in self.inside)
        below, above = np.maximum(low - s, 0.0), np.maximum(s - high, 0.0)
        return float((below @ below + above @ above) / s.size), 2.0 * (above - below) / s.size

    def bends(self, s: Vector) -> Vector:
        """Return the second derivatives in the scores, (n,): 0, 2/n or 4/n."""
        low, high = self.inside
        return 2.0 * ((low > s).astype(np.float64) + (s > high)) / s.size

    def conjugate(self, c: Vector) -> float:
        """Return max_s c·s − f(s) over all scores s, (n,); infinite where it has no maximum."""
        low, high = self.inside
        # The maximum is at the score with the derivative u: 2 (s - high) above both ends,
        # 2 (s - low) below both, and between them 0 or, where low > high, 4s - 2 (low + high).
        u = c * c.size
        s = np.where(u > 0.0, high + 0.5 * u, low + 0.5 * u)
        s = np.where(u == 0.0, np.clip(0.0, low, high), s)
        both = low > high
        middle = 0.25 * u + 0.5 * (np.where(both, low, 0.0) + np.where(both, high, 0.0))
        s = np.where(both & (high <= middle) & (middle <= low), middle, s)
        if not np.isfinite(s).all():
            return np.inf
        return float(c @ s) - self.of_scores(s)[0]

    def value(self, w: Vector) -> float:
        """Return f(w)."""
        return self.of_scores(self.data.scores(w))[0]

    def grad(self, w: Vector, rows: Block = ALL) -> Vector:
        """Return the gradient averaged over the block `rows`."""
        return self.data.pullback(self.of_scores(self.data.scores(w, rows), rows)[1], rows)

    def curvature(self, v: Vector, rows: Block = ALL) -> Vector:
        """Return H v, where H bounds the Hessian: both hinges of a row may grow at once."""
        low, high = (x[rows] for x in self.inside)
        c = np.where(low > high, 4.0, 2.0) / size(rows, self.data.n)
        return self.data.pullback(c * self.data.scores(v, rows), rows)
