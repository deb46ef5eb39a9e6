"""Gradients of losses of differences of rows: exactly zero for columns that are constant.

Such a gradient is Xᵀc, and the coefficients c sum to zero. So a column in which all values are v
has the gradient v Σc = 0. In floating point Σc is about 1e-17 instead. A method that divides by
the largest gradient of each coordinate, as AdaMax does, would turn that into full steps. In a
column that varies, the rounding of the gradient is no larger, relatively, than the rounding of
the values beside their spread; no method can avoid that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Data
from aucbench.data.arrays import Block, Index, Rows, Vector
from aucbench.pairs import members_of, pairs_of

# Rows read together. Few columns are constant over the first ones, so the first block is small.
FIRST, LATER = 64, 4096


def constant_columns(X: Rows, rows: Index) -> Index:
    """Return the columns that have one value, other than 0, in all the given rows.

    There is at least one row. Columns of zeros are left out, because 0 times c is exact. The
    rows are read once at most; reading stops when no column is left.
    """
    columns: Index = X.take(rows[:1]).matrix.nonzero()[-1].astype(np.int32)
    lo, hi = 0, FIRST
    while columns.size and lo < rows.size:
        part = X.take(np.append(rows[:1], rows[lo:hi])).matrix[:, columns]
        with np.errstate(over="ignore"):  # an infinite difference is not zero
            varying = (part.max(axis=0) - part.min(axis=0)).nonzero()[-1]
        columns = np.delete(columns, varying)
        lo, hi = hi, hi + LATER
    return columns


def constant_in_parts(X: Rows, rows: Index, part: NDArray[np.int64]) -> Index:
    """Return the columns that have one value in all rows of each part, in some part not 0.

    Parameters
    ----------
    X : Rows
        The rows.
    rows : array of shape (m,)
        Numbers of rows, part after part.
    part : array of shape (m,)
        The part of each, ascending.
    """
    first = rows[np.searchsorted(part, part)]
    columns = np.arange(X.d, dtype=np.int32)
    lo, hi = 0, FIRST
    while columns.size and lo < rows.size:
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is not zero
            own, other = (X.take(some[lo:hi]).matrix[:, columns] for some in (rows, first))
            apart = own - other
        varying = np.unique(apart.nonzero()[-1])
        columns = np.delete(columns, varying)
        lo, hi = hi, hi + LATER
    some = X.take(np.unique(first)).matrix[:, columns].nonzero()[-1]
    constant: Index = columns[np.unique(some)]
    return constant


def constant_over_pairs(data: Data) -> Index:
    """Return the columns that have one value in all rows that the pairs of `data` connect."""
    if pairs_of(data) is None:
        return constant_columns(data.rows, np.arange(data.n, dtype=np.int32))
    return constant_in_parts(data.rows, *members_of(data).components)


def pulled(data: Data, c: Vector, block: Block, constant: Index) -> Vector:
    """Return X_Bᵀc for Σc = 0; it is exactly 0 in the `constant` columns."""
    g = data.pullback(c, block)
    g[constant] = 0.0
    return g
