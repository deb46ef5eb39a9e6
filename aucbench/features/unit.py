"""Scale each row to length 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucbench.contract import FeatureMap
from aucbench.data import Data
from aucbench.data.arrays import Rows
from aucbench.data.columns import row_norms, scale_rows
from aucbench.features.scaling import SMALLEST_NORMAL, inverse


@dataclass(frozen=True)
class Unit(FeatureMap):
    """φ(x) = x / ‖x‖₂. A row of zeros stays. Zeros stay, and nothing is learnt.

    Rows of any length work: also those whose squares overflow or underflow.
    """

    keeps_columns: ClassVar[bool] = True
    shared: ClassVar[bool] = True

    def fit(self, data: Data, rng: np.random.Generator) -> Unit:
        """Return itself, because there is nothing to learn."""
        return self

    def __call__(self, rows: Rows) -> Rows:
        """Map rows (n, d) to rows of the same layout."""
        lengths = row_norms(rows)
        long, short = np.isinf(lengths), (lengths > 0) & (lengths < SMALLEST_NORMAL)
        if long.any() or short.any():  # 1 / length would be 0 or infinite
            rows = scale_rows(rows, np.where(long, 2.0**-64, np.where(short, 2.0**128, 1.0)))
            lengths = row_norms(rows)
        return scale_rows(rows, inverse(lengths))
