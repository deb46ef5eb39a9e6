"""Weights that learn from single rows, each weighted by its class: Online Uni-Exp's memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aucbench.arrays import Index, Vector
from aucbench.data import Chunk
from aucbench.kernels import uni_exp


@dataclass(slots=True)
class Univariate:
    """Weights and class counts.

    Attributes
    ----------
    w : array of shape (d,)
        Weights.
    seen : int64 array of shape (2,)
        Negatives and positives seen so far, in all passes.
    """

    w: Vector
    seen: NDArray[np.int64]

    @staticmethod
    def at(w: Vector) -> Univariate:
        """Return `w` before the first row."""
        return Univariate(w, np.zeros(2, dtype=np.int64))

    def descend(self, chunk: Chunk, order: Index, *, eta: float, lam: float) -> None:
        """w ← (1 − ηλ) w + η y exp(−y w·x) x / (2 p_y) for each row.

        p_y is the share of the row's class among the rows seen, this one included. exp is not
        guarded: a capped step would hide an η too large for the data (η |x|² exp(−y w·x) / (2 p_y)
        well above 2) behind finite weights that mean nothing. As it is they overflow and
        the run ends as invalid.
        """
        uni_exp.uni_exp_pass(*chunk.rows.arrays, order, chunk.y, eta, lam, self.w, self.seen)
