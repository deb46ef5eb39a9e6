"""Cuts: affine functions below a convex loss, from which its minimum is bounded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.rounding import Slack
from aucbench.scale import ChunkedData


@dataclass(frozen=True, eq=False)
class Cut:
    """f(u) ≥ b + g·u for all u, and f(w) ≤ `value` at the point w of the cut.

    Attributes
    ----------
    value : float
        f(w), or a bound of it from above.
    g : array of shape (d,)
    b : float
    slack : float
        How far `value` is above b + g·w, but for rounding; 0 where g is a subgradient.
    auc : tuple of 2 float, or None
        Bounds of the AUC of the rows at w, where they cost nothing.
    """

    value: float
    g: Vector
    b: float
    slack: float = 0.0
    auc: tuple[float, float] | None = None


class ScoredLoss(Protocol):
    """A loss of the scores of rows in memory."""

    @property
    def data(self) -> Data:
        """The rows."""
        ...

    def cut(self, s: Vector) -> tuple[float, Vector, float]:
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

    def cut_at(self, w: Vector) -> Cut:
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
    value, c, b = f.cut(s)
    return Cut(value, f.pullback(c), b)
