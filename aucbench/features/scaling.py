"""The parts that several maps use: the check of what was learnt, and a safe reciprocal."""

from __future__ import annotations

import numpy as np

from aucbench.data.arrays import Rows, Vector
from aucbench.errors import DataError, ParameterError

DENSE_LIMIT = 2 << 30  # bytes; a map refuses to make sparse rows dense beyond this size
SMALLEST_NORMAL = float(np.finfo(np.float64).tiny)  # for smaller x, 1/x may overflow


def learnt(array: Vector | None, rows: Rows, name: str) -> Vector:
    """Return `array`, which a map has learnt: one number per feature.

    Parameters
    ----------
    array : array of shape (d,), or None
        What was learnt; None before `fit`.
    rows : Rows
        The rows to be mapped.
    name : str
        The name of the map, for the error message.

    Raises
    ------
    ParameterError
        When the map has not learnt from training rows.
    DataError
        When `rows` have another number of features than the training rows.
    """
    return fitted(array, rows.d, name)


def fitted(array: Vector | None, d: int, name: str) -> Vector:
    """Return `array` for rows of d features; raises as `learnt`."""
    if array is None:
        raise ParameterError(
            f"{name} has not learnt from training rows yet; call fit(data, rng) first"
        )
    if array.size != d:
        raise DataError(
            f"{name} was fitted on {array.size} features, but the rows have {d}; give the "
            "columns it was fitted on"
        )
    return array


def inverse(lengths: Vector) -> Vector:
    """Return 1 / length, or 1 where the length is 0 or 1 / length may overflow."""
    return 1.0 / positive(lengths)


def positive(lengths: Vector) -> Vector:
    """Return the lengths, or 1 where the length is 0 or 1 / length may overflow."""
    return np.where(lengths < SMALLEST_NORMAL, 1.0, lengths)
