"""Gradients of losses of differences of rows: exactly zero where all rows are equal.

Such a gradient is Xᵀc with coefficients c that sum to zero, so that a column with one value v
contributes v Σc = 0. In floating point Σc is about 1e-17, and a method that divides by the
largest gradient of each coordinate, as AdaMax does, makes full steps of it. Where a column
varies at all, the same rounding is to its gradient as the rounding of its values is to their
spread, and no method can do better with such values.
"""

from __future__ import annotations

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Block, Index, Rows, Vector

FIRST, LATER = 64, 4096  # rows looked at together: few columns are constant over the first ones


def constant_columns(X: Rows, rows: Index) -> Index:
    """Columns with one value other than 0 in the given rows, at least one of them.

    Zeros need no care: 0 c is exact. One reading of the rows, or less where no column is left.
    """
    M = X.matrix
    columns: Index = M[rows[:1]].nonzero()[-1].astype(np.int32)
    lo, hi = 0, FIRST
    while columns.size and lo < rows.size:
        part = M[np.append(rows[:1], rows[lo:hi])][:, columns]
        with np.errstate(over="ignore"):  # infinity is not zero either
            varying = (part.max(axis=0) - part.min(axis=0)).nonzero()[-1]
        columns = np.delete(columns, varying)
        lo, hi = hi, hi + LATER
    return columns


def pulled(data: Data, c: Vector, block: Block, constant: Index) -> Vector:
    """X_Bᵀc with Σc = 0, of which the `constant` columns are exactly 0."""
    g = data.pullback(c, block)
    g[constant] = 0.0
    return g
