"""Sums over rows of their values times functions of their scores, from one reading."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aucbench.data.arrays import Vector
from aucbench.kernels import bins
from aucbench.scale.data import ChunkedData
from aucbench.scale.parts import Piece
from aucbench.scale.tiles import room, scores_of, tile_rows


@dataclass(frozen=True, eq=False)
class RowSums:
    """Sums over rows.

    Attributes
    ----------
    numbers : array of shape (2, k)
        k sums for each class: index 0 negative, 1 positive.
    total : array of shape (d,)
        Σ a_i (x_i − m).
    """

    numbers: Vector
    total: Vector

    def merge(self, other: RowSums) -> RowSums:
        """Return the sums of both."""
        return RowSums(self.numbers + other.numbers, self.total + other.total)


def added(piece: Piece, centre: Vector, a: Vector) -> Vector:
    """Return Σ a_i (x_i − centre) over a piece, (d,); sparse rows are not centred."""
    d = centre.size
    out = np.zeros(d)
    bins.added(piece.arrays, a, centre, out, room(d), np.empty(tile_rows(d)), np.empty(d))
    return out


def square_sums(
    piece: Piece, centre: Vector, v: Vector, levels: Vector, weights: Vector
) -> RowSums:
    """Return the sums of a_i = weights[k] ((x_i − centre)·v − levels[k]), k the class of row i."""
    k = (piece.y > 0).astype(np.intp)
    a = scores_of(piece, centre, v)
    a -= levels[k]
    a *= weights[k]
    numbers = np.array([[a[k == 0].sum()], [a[k == 1].sum()]])
    return RowSums(numbers, added(piece, centre, a))


def logistic_sums(piece: Piece, centre: Vector, v: Vector, offset: float) -> RowSums:
    """Return the sums of log(1 + e^(−m_i)), α_i = 1/(1 + e^(m_i)) and α_i (1 − α_i); a_i = y_i α_i.

    m_i = y_i ((x_i − centre)·v + offset) is the margin of row i.
    """
    sign = piece.y.astype(np.float64)
    margins = scores_of(piece, centre, v)
    margins += offset
    margins *= sign
    small = np.exp(-np.abs(margins))
    losses = np.log1p(small) - np.minimum(margins, 0.0)
    alpha = np.exp(-np.maximum(margins, 0.0))
    alpha /= 1.0 + small
    sides = (0.5 - 0.5 * sign, 0.5 + 0.5 * sign)
    sums = (losses, alpha, alpha * (1.0 - alpha))
    numbers = np.array([[side @ values for values in sums] for side in sides])
    return RowSums(numbers, added(piece, centre, alpha * sign))


def additions(data: ChunkedData) -> int:
    """Return how many additions a sum over all rows chains, at most: in a tile, a part, the tree.

    Sums of NumPy are shorter chains than those of tiles.
    """
    tile = tile_rows(data.d)
    longest = max(data.parts.sizes[i] for i in data.numbers)
    return tile + -(-longest // tile) + len(data.numbers).bit_length() + 64
