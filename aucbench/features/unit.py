"""Rows of length 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Rows
from aucbench.features.scaling import TINY, inverse


@dataclass(frozen=True)
class Unit:
    """φ(x) = x / ‖x‖₂; a row of zeros stays. Zeros are kept, nothing is learnt.

    Rows of any length become 1 long, subnormal ones too, with the few digits that they have.
    """

    exempt: ClassVar[int] = 0
    shared: ClassVar[bool] = True

    def fit(self, data: Data, rng: np.random.Generator) -> Unit:
        """Return itself: a row is scaled by itself."""
        return self

    def __call__(self, rows: Rows) -> Rows:
        """Rows (n, d) in the same layout."""
        lengths = rows.row_norms()
        long, short = np.isinf(lengths), (lengths > 0) & (lengths < TINY)
        if long.any() or short.any():  # 1 / length is no number: scale by a power of two first
            rows = rows.scaled_rows(np.where(long, 2.0**-64, np.where(short, 2.0**128, 1.0)))
            lengths = rows.row_norms()
        return rows.scaled_rows(inverse(lengths))
