"""What the maps share: what they have learnt, and a safe reciprocal."""

from __future__ import annotations

import numpy as np

from aucbench.data.arrays import Rows, Vector
from aucbench.errors import DataError, ParameterError

DENSE_LIMIT = 2 << 30  # bytes that a map may take to make sparse rows dense
TINY = float(np.finfo(np.float64).tiny)  # below it 1/x may overflow


def learnt(array: Vector | None, rows: Rows, name: str) -> Vector:
    """Return `array`, one number per feature, or say why the map `name` cannot be applied.

    Raises
    ------
    ParameterError
        When the map has seen no training rows.
    DataError
        When `rows` have another number of features than the training rows had.
    """
    if array is None:
        raise ParameterError(f"{name} has not seen training rows yet; call fit(data, rng) first")
    if array.size != rows.d:
        raise DataError(
            f"{name} was fitted on {array.size} features and the rows have {rows.d}; "
            "give it the columns it was fitted on"
        )
    return array


def inverse(lengths: Vector) -> Vector:
    """1 / length; 1 where the length is 0 or too small to divide by."""
    return 1.0 / np.where(lengths < TINY, 1.0, lengths)
