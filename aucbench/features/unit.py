"""Rows of length 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.arrays import Rows
from aucbench.data import Data
from aucbench.features.scaling import inverse


@dataclass(frozen=True)
class Unit:
    """φ(x) = x / ‖x‖₂; a row of zeros stays. Zeros are kept, nothing is learnt."""

    exempt: ClassVar[int] = 0
    shared: ClassVar[bool] = True

    def fit(self, data: Data, rng: np.random.Generator) -> Unit:
        """Return itself: a row is scaled by itself."""
        return self

    def __call__(self, rows: Rows) -> Rows:
        """Rows (n, d) in the same layout."""
        return rows.scaled_rows(inverse(rows.row_norms()))
