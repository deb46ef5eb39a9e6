"""Standardise each feature: mean 0 and variance 1 over the training rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from aucbench.contract import FeatureMap
from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector, rows
from aucbench.data.layouts import densify, pieces
from aucbench.features.scaling import DENSE_LIMIT, fitted, inverse, learnt

NEAR = 1 << 15  # numbers of a piece that stays in the nearest caches: 256 KiB


@dataclass(frozen=True)
class Standard(FeatureMap):
    """φ(x)_j = (x_j − m_j) / s_j.

    m_j is the mean and s_j the standard deviation (divisor n) over the training rows. A constant
    column becomes 0, with s_j = 1. Sparse rows become dense, up to 2 GiB.

    Parameters
    ----------
    mean, rest : arrays of shape (d,), learnt by `fit`
        The rounded mean, and its rounding error: m = mean + rest. In units of feature j.
    spread : array of shape (d,), learnt by `fit`
        s_j > 0, in units of feature j.

    Raises
    ------
    ParameterError
        When applied before `fit`.
    DataError
        When dense rows would exceed the limit, or have another number of features.
    """

    keeps_columns: ClassVar[bool] = True

    mean: Vector | None = field(default=None, repr=False, compare=False)
    rest: Vector | None = field(default=None, repr=False, compare=False)
    spread: Vector | None = field(default=None, repr=False, compare=False)

    def fit(self, data: Data, rng: np.random.Generator) -> Standard:
        """Return the map with the means and standard deviations of `data`."""
        mean, rest = means(data.rows, "standard")
        spread = _deviations(data.rows, mean, rest)
        return replace(self, mean=mean, rest=rest, spread=spread)

    def input_weights(self, w: Vector) -> tuple[Vector, float]:
        """Return (v, c) with w·φ(x) = v·x + c."""
        arrays = (self.mean, self.rest, self.spread)
        mean, rest, spread = (fitted(array, w.size, "standard") for array in arrays)
        v = w * inverse(spread)
        return v, -float(v @ mean + v @ rest)

    def __call__(self, rows: Rows) -> Rows:
        """Map rows (n, d) to dense rows (n, d)."""
        arrays = (self.mean, self.rest, self.spread)
        mean, rest, spread = (learnt(array, rows, "standard") for array in arrays)
        return shifted(rows, mean, rest, "standard", inverse(spread))


def shifted(X: Rows, mean: Vector, rest: Vector, name: str, factor: Vector | None = None) -> Rows:
    """Return X − 1 (mean + rest)ᵀ as new dense rows; `name` is the map that an error names.

    With `factor`, column j is multiplied by factor[j] then.
    """
    dense, out = densify(X, DENSE_LIMIT, name), np.empty((X.n, X.d))
    for lo, piece in pieces(dense, NEAR):
        moved = np.subtract(piece.matrix, mean, out=out[lo : lo + piece.n])
        moved -= rest
        if factor is not None:
            moved *= factor
    return rows(out)


def means(X: Rows, name: str) -> tuple[Vector, Vector]:
    """Return the rounded column means (d,), and their rounding errors (d,).

    Means are measured from the first row. At an offset of 1e8 a plain sum would lose the digits
    of the deviation, and so would a mean that is one float. The mean of a constant column is
    exactly its value.
    """
    dense = densify(X, DENSE_LIMIT, name)
    first = dense.take(np.zeros(1, np.int32)).matrix[0]
    total = np.zeros(X.d)
    for _, piece in pieces(dense, NEAR):
        total += (piece.matrix - first).sum(axis=0)
    step = total / X.n
    mean: Vector = first + step
    done = mean - first
    return mean, (first - (mean - done)) + (step - done)  # the error of the sum, exactly


def _deviations(X: Rows, mean: Vector, rest: Vector) -> Vector:
    """Return the standard deviation of each column; 1 where the column is constant."""
    dense = densify(X, DENSE_LIMIT, "standard")
    peak = np.zeros(X.d)
    for moved in _moved(dense, mean, rest):
        np.maximum(peak, np.abs(moved).max(axis=0), out=peak)
    unit, squares = inverse(peak), np.zeros(X.d)
    for moved in _moved(dense, mean, rest):
        moved *= unit  # squares without scaling may overflow or underflow
        squares += np.einsum("ij,ij->j", moved, moved)
    deviation: Vector = peak * np.sqrt(squares / X.n)
    return np.where(deviation > 0, deviation, 1.0)


def _moved(X: Rows, mean: Vector, rest: Vector) -> Iterator[Vector]:
    """Yield pieces of the centred rows."""
    for _, piece in pieces(X, NEAR):
        moved = piece.matrix - mean
        moved -= rest
        yield moved
