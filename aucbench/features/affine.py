"""One affine map of columns, φ(x)_j = (x_j − m_j) / s_j, and the ways to learn m and s.

`standard`, `maxabs` and `min-max` differ in what they learn, and so does the centring of
`unit-centred` (see `unit`). `auto` is one of the first two.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from aucbench.contract import FeatureMap
from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector, rows
from aucbench.data.columns import column_max_abs, scale_columns
from aucbench.data.layouts import PIECE, densify, pieces
from aucbench.errors import DataError, ParameterError

NEAR = 1 << 15  # numbers of a piece that stays in the nearest caches: 256 KiB
DENSE_LIMIT = 2 << 30  # bytes; a map refuses to make sparse rows dense beyond this size
SMALLEST_NORMAL = float(np.finfo(np.float64).tiny)  # for smaller x, 1/x may overflow

Learnt = tuple[Vector, Vector, Vector]  # mean, rest and spread


@dataclass(frozen=True)
class Affine(FeatureMap):
    """φ(x)_j = (x_j − m_j) / s_j. The base of the maps of columns; each learns other numbers.

    Sparse rows become dense, up to 2 GiB.

    Parameters
    ----------
    mean, rest : arrays of shape (d,), learnt by `fit`
        m = mean + rest, in units of feature j. One float would lose digits of x_j − m_j at an
        offset.
    spread : array of shape (d,), learnt by `fit`
        s_j ≥ 0, in units of feature j; 1 is taken in place of 0.

    Raises
    ------
    ParameterError
        When applied before `fit`.
    DataError
        When dense rows would exceed the limit, or have another number of features.
    """

    name: ClassVar[str]  # by which it is registered
    keeps_columns: ClassVar[bool] = True

    mean: Vector | None = field(default=None, repr=False, compare=False)
    rest: Vector | None = field(default=None, repr=False, compare=False)
    spread: Vector | None = field(default=None, repr=False, compare=False)

    @abstractmethod
    def learn(self, X: Rows) -> Learnt:
        """Return mean, rest and spread of training rows (n, d)."""

    def fit(self, data: Data, rng: np.random.Generator) -> Affine:
        """Return the map with m and s of the rows of `data`."""
        mean, rest, spread = self.learn(data.rows)
        return replace(self, mean=mean, rest=rest, spread=spread)

    def dense(self, X: Rows) -> Rows:
        """Return dense rows; sparse ones that would take more than 2 GiB are refused."""
        return densify(X, DENSE_LIMIT, self.name)

    def learnt(self, d: int) -> Learnt:
        """Return mean, rest and spread, for rows of d features."""
        if self.mean is None or self.rest is None or self.spread is None:
            raise ParameterError(
                f"{self.name} has not learnt from training rows yet; call fit(data, rng) first"
            )
        if self.mean.size != d:
            raise DataError(
                f"{self.name} was fitted on {self.mean.size} features, but the rows have {d}; give "
                "the columns it was fitted on"
            )
        return self.mean, self.rest, self.spread

    def input_weights(self, w: Vector) -> tuple[Vector, float] | None:
        """Return (v, c) with w·φ(x) = v·x + c."""
        mean, rest, spread = self.learnt(w.size)
        v = w * inverse(spread)
        return v, 0.0 - float(v @ mean + v @ rest)

    def __call__(self, X: Rows) -> Rows:
        """Map rows (n, d) to dense rows (n, d)."""
        mean, rest, spread = self.learnt(X.d)
        dense, factor, out = (
            self.dense(X),
            inverse(spread),
            np.empty((X.n, X.d)),
        )
        for lo, piece in pieces(dense, NEAR):
            moved = np.subtract(piece.matrix, mean, out=out[lo : lo + piece.n])
            moved -= rest
            moved *= factor
        return rows(out)


class Standard(Affine):
    """φ(x)_j = (x_j − m_j) / s_j: mean 0 and variance 1 over the training rows.

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

    name = "standard"

    def learn(self, X: Rows) -> Learnt:
        """Return the means and standard deviations."""
        dense = self.dense(X)
        mean, rest = column_means(dense)
        return mean, rest, _deviations(dense, mean, rest)


class MaxAbs(Affine):
    """φ(x)_j = x_j / max_i |x_ij|, where the maximum is over the training rows.

    All entries of the training rows are then in [−1, 1]. A column of zeros stays. Zeros stay, so
    sparse rows stay sparse.

    Parameters
    ----------
    mean, rest : arrays of shape (d,), learnt by `fit`
        Zeros.
    spread : array of shape (d,), learnt by `fit`
        max_i |x_ij|, in units of feature j.

    Raises
    ------
    ParameterError
        When applied before `fit`.
    DataError
        When applied to rows with another number of features.
    """

    name = "maxabs"

    def learn(self, X: Rows) -> Learnt:
        """Return the largest magnitudes."""
        return np.zeros(X.d), np.zeros(X.d), column_max_abs(X)

    def __call__(self, X: Rows) -> Rows:
        """Map rows (n, d) to rows of the same layout; zeros stay."""
        return scale_columns(X, inverse(self.learnt(X.d)[2]))


class MinMax(Affine):
    """φ(x)_j = (2x_j − l_j − u_j) / (u_j − l_j).

    l_j and u_j are the smallest and the largest value of feature j over the training rows, which
    the map takes to −1 and 1 exactly. Other rows may leave [−1, 1]. A constant column becomes 0,
    with u_j − l_j = 2 for other rows. Sparse rows become dense, up to 2 GiB.

    Parameters
    ----------
    mean, rest : arrays of shape (d,), learnt by `fit`
        l_j / 2 and u_j / 2, in units of feature j. Halves cannot overflow.
    spread : array of shape (d,), learnt by `fit`
        u_j / 2 − l_j / 2, in units of feature j.

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

    name = "min-max"

    def learn(self, X: Rows) -> Learnt:
        """Return the halves of the smallest and the largest values, and their difference."""
        dense = self.dense(X)
        ends = [(m.min(axis=0), m.max(axis=0)) for m in (p.matrix for _, p in pieces(dense, PIECE))]
        lows, highs = zip(*ends, strict=True)
        low, high = np.min(lows, axis=0) / 2, np.max(highs, axis=0) / 2
        return low, high, high - low

    def __call__(self, X: Rows) -> Rows:
        """Map rows (n, d) to dense rows (n, d)."""
        low, high, spread = self.learnt(X.d)
        half = self.dense(X).matrix / 2
        moved = half - low
        moved -= high - half  # two differences keep the digits of a column far from 0
        moved /= positive(spread)
        return rows(moved)


@dataclass(frozen=True)
class Automatic(FeatureMap):
    """`standard` where the training rows are dense, and `maxabs` where they are sparse (CSR).

    First-order methods need many passes where features are far from 0 or differ in scale:
    `standard` removes both. It would make sparse rows dense, so that they take `maxabs`, which
    keeps their zeros. `fit` returns one of these two maps, which maps later rows of any layout.

    Raises
    ------
    ParameterError
        When applied before `fit`.
    """

    keeps_columns: ClassVar[bool] = True
    expected_failures: ClassVar[Mapping[str, str]] = {
        "layouts": "sparse rows take maxabs, and dense rows take standard"
    }

    def fit(self, data: Data, rng: np.random.Generator) -> Affine:
        """Return what `standard` or `maxabs` learns from `data`."""
        return (MaxAbs() if data.rows.is_sparse else Standard()).fit(data, rng)

    def __call__(self, X: Rows) -> Rows:
        """Refuse: the map that `fit` returns maps rows."""
        raise ParameterError(
            "auto has not learnt from training rows yet; call fit(data, rng) first"
        )


def column_means(dense: Rows) -> tuple[Vector, Vector]:
    """Return the rounded means (d,) of the columns of dense rows, and their rounding errors (d,).

    Means are measured from the first row. At an offset of 1e8 a plain sum would lose the digits
    of the deviation, and so would a mean that is one float. The mean of a constant column is
    exactly its value.
    """
    first = dense.take(np.zeros(1, np.int32)).matrix[0]
    total = np.zeros(dense.d)
    for _, piece in pieces(dense, NEAR):
        total += (piece.matrix - first).sum(axis=0)
    step = total / dense.n
    mean: Vector = first + step
    done = mean - first
    return mean, (first - (mean - done)) + (step - done)  # the error of the sum, exactly


def _deviations(dense: Rows, mean: Vector, rest: Vector) -> Vector:
    """Return the standard deviation of each column; 1 where the column is constant."""
    peak = np.zeros(dense.d)
    for moved in _moved(dense, mean, rest):
        np.maximum(peak, np.abs(moved).max(axis=0), out=peak)
    unit, squares = inverse(peak), np.zeros(dense.d)
    for moved in _moved(dense, mean, rest):
        moved *= unit  # squares without scaling may overflow or underflow
        squares += np.einsum("ij,ij->j", moved, moved)
    deviation: Vector = peak * np.sqrt(squares / dense.n)
    return np.where(deviation > 0, deviation, 1.0)


def _moved(dense: Rows, mean: Vector, rest: Vector) -> Iterator[Vector]:
    """Yield pieces of the centred rows."""
    for _, piece in pieces(dense, NEAR):
        moved = piece.matrix - mean
        moved -= rest
        yield moved


def inverse(lengths: Vector) -> Vector:
    """Return 1 / length, or 1 where the length is 0 or 1 / length may overflow."""
    return 1.0 / positive(lengths)


def positive(lengths: Vector) -> Vector:
    """Return the lengths, or 1 where the length is 0 or 1 / length may overflow."""
    return np.where(lengths < SMALLEST_NORMAL, 1.0, lengths)
