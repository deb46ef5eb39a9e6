"""Scale each feature by its largest magnitude. Zeros stay, so sparse rows stay sparse."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from aucbench.contract import FeatureMap
from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector
from aucbench.data.columns import column_max_abs, scale_columns
from aucbench.features.scaling import fitted, inverse, learnt


@dataclass(frozen=True)
class MaxAbs(FeatureMap):
    """φ(x)_j = x_j / max_i |x_ij|, where the maximum is over the training rows.

    All entries of the training rows are then in [−1, 1]. A column of zeros stays.

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

    keeps_columns: ClassVar[bool] = True

    peak: Vector | None = field(default=None, repr=False, compare=False)

    def fit(self, data: Data, rng: np.random.Generator) -> MaxAbs:
        """Return the map with the largest magnitudes of `data`."""
        return replace(self, peak=column_max_abs(data.rows))

    def input_weights(self, w: Vector) -> tuple[Vector, float]:
        """Return (v, c) with w·φ(x) = v·x + c."""
        return w * inverse(fitted(self.peak, w.size, "maxabs")), 0.0

    def __call__(self, rows: Rows) -> Rows:
        """Map rows (n, d) to rows of the same layout; zeros stay."""
        return scale_columns(rows, inverse(learnt(self.peak, rows, "maxabs")))
