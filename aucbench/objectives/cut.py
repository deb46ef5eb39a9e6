"""Cuts: affine functions below a convex loss, from which its minimum is bounded."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from aucbench.contract import Cut
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.rounding import Slack
from aucbench.scale import ChunkedData


class ScoredLoss(Protocol):
    """A loss of the scores of rows in memory."""

    @property
    def data(self) -> Data:
        """The rows."""
        ...

    def cut_of_scores(self, s: Vector) -> tuple[float, Vector, float]:
        """Return f at s, derivatives c (n,) with a subgradient Xᵀc, and b: f(u) ≥ b + c·Xu."""
        ...

    def pullback(self, c: Vector) -> Vector:
        """Return Xᵀc of such coefficients."""
        ...


@runtime_checkable
class BoundedLoss(Protocol):
    """A loss whose value and cuts are bounds, which can be made finer: of rows in chunks."""

    @property
    def data(self) -> ChunkedData:
        """The rows."""
        ...

    @property
    def some_pairs(self) -> None:
        """None: all pairs of labels."""
        ...

    def cut(self, w: Vector) -> Cut:
        """Return a cut, and a bound of f(w), from one evaluation."""
        ...

    def finer(self) -> bool:
        """Make the next bounds finer; return whether that is possible."""
        ...

    def rounding(self, w: Vector) -> Slack:
        """Return (e, η): a computed cut exceeds f(u) by at most e + η‖u − w‖; f(w) errs by ≤ e."""
        ...


def cut_at(f: ScoredLoss, w: Vector) -> Cut:
    """Return f(w) and its cut at w, which is valid for any scores, so that rounding of them is."""
    s = f.data.scores(w) if w.any() else np.zeros(f.data.n)
    value, c, b = f.cut_of_scores(s)
    return Cut(value, f.pullback(c), b, scores=s)
