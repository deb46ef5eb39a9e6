"""Scaling by the largest magnitude: keeps zeros, so sparse data stay sparse."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector
from aucbench.features.scaling import inverse, learnt


@dataclass(frozen=True)
class MaxAbs:
    """φ(x)_j = x_j / max_i |x_ij|, the maximum over the training rows.

    Training rows end in [−1, 1]; a column of zeros stays.

    Parameters
    ----------
    peak : array of shape (d,), learnt by `fit`
        max_i |x_ij|, in units of feature j.

    Raises
    ------
    ParameterError
        When applied before `fit`.
    DataError
        When applied to rows with another number of features.
    """

    exempt: ClassVar[int] = 0

    peak: Vector | None = field(default=None, repr=False, compare=False)

    def fit(self, data: Data, rng: np.random.Generator) -> MaxAbs:
        """Return the map that has read the peaks of `data`."""
        return replace(self, peak=data.rows.column_max_abs())

    def __call__(self, rows: Rows) -> Rows:
        """Rows (n, d) in the same layout, zeros kept."""
        return rows.scaled_columns(inverse(learnt(self.peak, rows, "maxabs")))
