"""Standardising: mean 0 and variance 1 over the training rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from aucbench.arrays import Rows, Vector, rows
from aucbench.data import Data
from aucbench.features.scaling import DENSE_LIMIT, inverse, learnt


@dataclass(frozen=True)
class Standard:
    """φ(x)_j = (x_j − m_j) / s_j, m and s (divisor n) over the training rows.

    A constant column becomes 0 (s_j = 1). Sparse rows become dense, up to 2 GiB.

    Parameters
    ----------
    mean : array of shape (d,), learnt by `fit`
        m_j, in units of feature j.
    spread : array of shape (d,), learnt by `fit`
        s_j > 0, in units of feature j.

    Raises
    ------
    ParameterError
        When applied before `fit`.
    DataError
        When dense rows would exceed the limit, or on another number of features.
    """

    exempt: ClassVar[int] = 0

    mean: Vector | None = field(default=None, repr=False, compare=False)
    spread: Vector | None = field(default=None, repr=False, compare=False)

    def fit(self, data: Data, rng: np.random.Generator) -> Standard:
        """Return the map that has read the means and deviations of `data`."""
        mean, rest = centred(data.rows, "standard")
        return replace(self, mean=mean, spread=_spread(rest))

    def __call__(self, rows: Rows) -> Rows:
        """Rows (n, d), dense."""
        mean, spread = (learnt(array, rows, "standard") for array in (self.mean, self.spread))
        return shifted(rows, mean, "standard").scaled_columns(inverse(spread))


def shifted(X: Rows, mean: Vector, name: str) -> Rows:
    """X − 1 mᵀ as dense rows; `name` is the map that an error blames."""
    return rows(X.densified(DENSE_LIMIT, name).matrix - mean)


def centred(X: Rows, name: str) -> tuple[Vector, Rows]:
    """Column means m of shape (d,), and X − 1 mᵀ as dense rows.

    Measured from the first row: at an offset of 1e8 a plain sum loses the digits that the
    deviation is made of, and a constant column would not come out as exactly 0.
    """
    dense = X.densified(DENSE_LIMIT, name)
    first = dense.matrix[0]
    mean: Vector = first + shifted(dense, first, name).matrix.mean(axis=0)
    return mean, shifted(dense, mean, name)


def _spread(rest: Rows) -> Vector:
    """√mean of squares of each centred column; 1 where the column is constant."""
    peak = rest.column_max_abs()
    scaled = rest.scaled_columns(inverse(peak)).matrix  # raw squares may overflow or vanish
    deviation: Vector = peak * np.sqrt(np.einsum("ij,ij->j", scaled, scaled) / rest.n)
    return np.where(deviation > 0, deviation, 1.0)
