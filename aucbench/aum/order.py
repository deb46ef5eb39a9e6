"""The order of thresholds: what the loss and the sweep begin with."""

from __future__ import annotations

import numpy as np

from aucbench.data.arrays import Index, Vector
from aucbench.kernels import hinge

RADIX_FROM = 300  # keys from which sorting by digits wins, on data not seen before (measured)


def in_order(keys: Vector, rows: Index) -> tuple[Vector, Index]:
    """Sort keys and their rows, perhaps in place; rows with equal keys stay as they are."""
    if rows.size < RADIX_FROM:
        order = np.argsort(keys, kind="stable")
        return keys[order], rows[order]
    spare = np.empty_like(keys), np.empty_like(rows), np.empty((6, 2048), np.uint32)
    hinge.radix_sort(keys, rows, *spare)
    return keys, rows
