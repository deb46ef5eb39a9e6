"""The cut of a loss of scores, which is valid for any scores: their rounding does not harm it."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from aucbench.contract import Cut, count_rows
from aucbench.data.arrays import Vector


class ScoredRows(Protocol):
    """Rows in memory."""

    @property
    def n(self) -> int:
        """Number of rows."""
        ...

    def scores(self, w: Vector) -> Vector:
        """Return their scores, (n,)."""
        ...


class ScoredLoss(Protocol):
    """A convex loss of the scores of rows in memory."""

    @property
    def data(self) -> ScoredRows:
        """The rows."""
        ...

    def cut_of_scores(self, s: Vector) -> tuple[float, Vector, float]:
        """Return f at s, derivatives c (n,) with a subgradient Xᵀc, and b: f(u) ≥ b + c·Xu."""
        ...

    def pullback(self, c: Vector) -> Vector:
        """Return Xᵀc of such coefficients."""
        ...


def cut_at(f: ScoredLoss, w: Vector) -> Cut:
    """Return f(w) and its cut at w, from one reading of the rows."""
    if w.any():
        s = f.data.scores(w)
    else:
        s = np.zeros(f.data.n)
        count_rows(f.data.n)  # for the subgradient
    value, c, b = f.cut_of_scores(s)
    return Cut(value, f.pullback(c), b, scores=s)
