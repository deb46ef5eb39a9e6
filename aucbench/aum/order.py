"""Sort thresholds: the first step of the AUM loss and of the sweep."""

from __future__ import annotations

import numpy as np

from aucbench.data.arrays import Index, Vector
from aucbench.kernels import hinge

# From this number of thresholds on, the radix sort is faster on data not seen before (measured).
DIGITS_FROM_LINES = 300


def in_order(keys: Vector, rows: Index) -> tuple[Vector, Index]:
    """Sort keys ascending, and their rows with them; the sort is stable and may be in place."""
    if rows.size < DIGITS_FROM_LINES:
        order = np.argsort(keys, kind="stable")
        return keys[order], rows[order]
    spare = np.empty_like(keys), np.empty_like(rows), np.empty((6, 2048), np.uint32)
    hinge.radix_sort(keys, rows, *spare)
    return keys, rows
