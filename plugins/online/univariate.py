"""Weights that learn from single rows, each weighted by its class: Online Uni-Exp's memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Chunk
from aucbench.data.arrays import Index, Vector
from aucbench.kernels import uni_exp

from .reach import SHARE, require_squares


@dataclass(slots=True)
class Univariate:
    """Weights and class counts.

    Attributes
    ----------
    w : array of shape (d,)
        Weights.
    seen : int64 array of shape (2,)
        Negatives and positives seen so far, in all passes.
    longest : array of shape (1,)
        L, the largest |x|² so far; kept while η is derived.
    """

    w: Vector
    seen: NDArray[np.int64]
    longest: Vector

    @staticmethod
    def at(w: Vector) -> Univariate:
        """Return `w` before the first row."""
        return Univariate(w, np.zeros(2, dtype=np.int64), np.zeros(1))

    def descend(self, chunk: Chunk, order: Index, *, eta: float | None, lam: float) -> None:
        """w ← (1 − ηλ) w + η y exp(−y w·x) x / (2 p_y) for each row.

        p_y is the share of the row's class among the rows seen, this one included. With a given
        η exp is not guarded: a capped step would hide an η too large for the data
        (η |x|² exp(−y w·x) / (2 p_y) well above 2) behind finite weights that mean nothing. As
        it is they overflow and the run ends as invalid.

        Without η it is SHARE/(λ + L/(2p)), p the smaller of p₊ and p₋, and what x is multiplied
        by is at most 1/L. No step then makes two points w drift apart: it is the gradient step
        of a loss that goes on as a straight line where its curvature times η |x|² would exceed
        1. Where L grows, w shrinks by the root of L old/new.
        """
        if eta is None:
            require_squares(chunk, "eta")
        uni_exp.uni_exp_pass(
            *chunk.rows.arrays,
            order,
            chunk.y,
            SHARE if eta is None else eta,
            lam,
            self.w,
            self.seen,
            *((self.longest, chunk.square_norms) if eta is None else ()),
        )
