"""XᵀLX and its trace, with the Laplacian L of a distribution of pairs: second derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.columns import column_entries
from aucbench.data.layouts import pieces
from aucbench.data.passes import SQUARED, gram, square_norms, square_pullback
from aucbench.pairs.members import Members

PIECE = 32  # columns whose products are kept at a time
MOST_COLUMNS = 300  # of dense rows, whose products with pairs are taken column by column


def mean_square_distance(data: Data, members: Members) -> tuple[float, float]:
    """Return D² = Σ π_ij ‖x_i − x_j‖², and Σ π_ij (‖x_i‖² + ‖x_j‖²), of which it is a part.

    Parameters
    ----------
    data : Data
        The rows.
    members : Members
        The pairs.
    """
    above, below = members.row_masses
    level = float((above + below) @ square_norms(data.rows))
    if data.rows.is_sparse:
        upper, lower = _block_sums(data, members.blocks)
        return level - 2.0 * float(upper.multiply(lower).sum()), level
    X = data.rows.matrix
    pieces = (X[:, lo : lo + PIECE].astype(np.float64) for lo in range(0, data.d, PIECE))
    return level - 2.0 * sum(map(members.inner, pieces)), level


def pair_gram(data: Data, members: Members) -> Vector:
    """Return XᵀLX = Σ π_ij (x_i − x_j)(x_i − x_j)ᵀ, (d, d).

    It is exact for blocks, and for up to 300 columns of dense rows. Elsewhere the pairs are taken
    as if upper and lower rows were independent, which is close enough to precondition with.
    """
    above, below = members.row_masses
    m_above, m_below = data.pullback(above), data.pullback(below)
    middle = 0.5 * (m_above + m_below)
    H = gram(data.rows, above + below, middle)
    cross = _cross(data, members, middle)
    if cross is None:
        cross = np.outer(m_above - middle, m_below - middle)
    H -= cross + cross.T
    return H


def _cross(data: Data, members: Members, middle: Vector) -> Vector | None:
    """Return Σ π_ij (x_i − m)(x_j − m)ᵀ; None where that takes too long."""
    if members.is_blocks:
        first, second = (
            _dense(sums) - np.outer(np.add.reduceat(share, members.starts[:-1]), middle)
            for sums, share in zip(_block_sums(data, members), (members.a, members.b), strict=True)
        )
        product: Vector = first.T @ second
        return product
    if data.rows.is_sparse or data.d > MOST_COLUMNS:
        return None
    X, cross = data.rows, np.empty((data.d, data.d))
    for lo in range(0, data.d, PIECE):
        columns = range(lo, min(lo + PIECE, data.d))
        Q = np.stack([members.times(column_entries(X, k) - middle[k])[0] for k in columns], axis=1)
        product = sum(p.matrix.T @ Q[lo : lo + p.n] for lo, p in pieces(X, SQUARED))
        cross[:, columns] = product - np.outer(middle, Q.sum(axis=0))
    return cross


def pair_diagonal(data: Data, members: Members) -> Vector:
    """Return about the diagonal of XᵀLX, (d,), from one reading of the rows.

    It is exact where the pairs are all pairs of two classes.
    """
    above, below = members.row_masses
    squares = square_pullback(data.rows, above + below)
    return np.maximum(squares - 2.0 * data.pullback(above) * data.pullback(below), 0.0)


def _block_sums(data: Data, blocks: Members) -> tuple[Any, Any]:
    """Return Σ a_i x_i and Σ b_j x_j of each block, (G, d), sparse where the rows are."""
    from scipy.sparse import csr_array

    shape = (blocks.count, blocks.n)
    upper, lower = (
        csr_array((share, blocks.rows, blocks.starts), shape=shape) @ data.rows.matrix
        for share in (blocks.a, blocks.b)
    )
    return upper, lower


def _dense(matrix: object) -> Vector:
    dense: Vector = matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)
    return dense
