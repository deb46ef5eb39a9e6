"""Scale each feature to [−1, 1] between the smallest and the largest value of the training rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from aucbench.contract import FeatureMap
from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector, rows
from aucbench.data.layouts import PIECE, densify, pieces
from aucbench.features.scaling import DENSE_LIMIT, fitted, inverse, learnt, positive


@dataclass(frozen=True)
class MinMax(FeatureMap):
    """φ(x)_j = (2x_j − l_j − u_j) / (u_j − l_j).

    l_j and u_j are the smallest and the largest value of feature j over the training rows, which
    the map takes to −1 and 1 exactly. Other rows may leave [−1, 1]. A constant column becomes 0,
    with u_j − l_j = 2 for other rows. Sparse rows become dense, up to 2 GiB.

    Parameters
    ----------
    least, most : arrays of shape (d,), learnt by `fit`
        l_j and u_j, in units of feature j.

    Raises
    ------
    ParameterError
        When applied before `fit`.
    DataError
        When dense rows would exceed the limit, or have another number of features.

    References
    ----------
    This is the form of the scaled sets of LIBSVM, such as diabetes_scale; they are scaled once,
    over all rows.
    """

    keeps_columns: ClassVar[bool] = True

    least: Vector | None = field(default=None, repr=False, compare=False)
    most: Vector | None = field(default=None, repr=False, compare=False)

    def fit(self, data: Data, rng: np.random.Generator) -> MinMax:
        """Return the map with the smallest and the largest values of `data`."""
        dense = densify(data.rows, DENSE_LIMIT, "min-max")
        ends = [(m.min(axis=0), m.max(axis=0)) for m in (p.matrix for _, p in pieces(dense, PIECE))]
        lows, highs = zip(*ends, strict=True)
        return replace(self, least=np.min(lows, axis=0), most=np.max(highs, axis=0))

    def input_weights(self, w: Vector) -> tuple[Vector, float]:
        """Return (v, c) with w·φ(x) = v·x + c."""
        low, high = (fitted(array, w.size, "min-max") / 2 for array in (self.least, self.most))
        v = w * inverse(high - low)
        return v, -float(v @ low + v @ high)

    def __call__(self, X: Rows) -> Rows:
        """Map rows (n, d) to dense rows (n, d)."""
        # Halves cannot overflow. Two differences keep the digits of a column far from 0.
        low, high = (learnt(array, X, "min-max") / 2 for array in (self.least, self.most))
        half = densify(X, DENSE_LIMIT, "min-max").matrix / 2
        moved = half - low
        moved -= high - half
        moved /= positive(high - low)
        return rows(moved)
