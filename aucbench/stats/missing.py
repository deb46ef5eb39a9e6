"""Cells without a value, and the two rules by which they count.

Design
  a. A solver that failed on a data set has lost there. So under `Rule.WORST_RANK` a missing value
     is below all values, and what depends on order only needs no other number. (Rejected: 0.5, the
     AUC of a constant score. Other measures have no such value, and means would hang on it.)
  b. Means need numbers. They are taken over the data sets that have one, and the number of
     missing cells stands beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.errors import DataError
from aucbench.kernels.vectors import floats

ROUNDING = 12  # decimals of a difference; what is smaller comes from the order of a summation
Array = NDArray[np.float64]


class Rule(StrEnum):
    """How a cell without a value counts."""

    WORST_RANK = "worst rank"
    COMPLETE_CASES = "complete cases"


def checked(values: ArrayLike, names: Sequence[str]) -> Array:
    """Return the table of N data sets and k solvers as an array of shape (N, k).

    Raises
    ------
    DataError
        When the shape is another one, a value is infinite, or a name is there twice.
    """
    table = floats("values", values)
    if table.ndim != 2 or table.shape[1] != len(names):
        raise DataError(
            f"values must have a row for each data set and a column for each of {len(names)} "
            f"solvers, got the shape {table.shape}"
        )
    if np.isinf(table).any():
        raise DataError("a value is infinite; give NaN where a solver has none")
    if len({*names}) != len(names):
        raise DataError(f"solvers must have different names, got {', '.join(names)}")
    return table


def filled(table: Array, rule: Rule) -> Array:
    """Return the table without NaN: -inf in their place, or without their data sets."""
    if rule is Rule.WORST_RANK:
        return np.where(np.isnan(table), -inf, table)
    return table[~np.isnan(table).any(axis=1)]


def differences(a: Array, b: Array, rule: Rule) -> tuple[Array, NDArray[np.intp]]:
    """Return a - b, and the numbers of the data sets that have one.

    Under `Rule.WORST_RANK` the difference is infinite where one solver has no value. Where both
    have none, or under the other rule one of them, the data set says nothing about the pair.
    """
    lacks_a, lacks_b = np.isnan(a), np.isnan(b)
    out = lacks_a & lacks_b if rule is Rule.WORST_RANK else lacks_a | lacks_b
    kept = np.flatnonzero(~out)
    found = np.round(a[kept] - b[kept], ROUNDING)
    return np.where(lacks_a[kept], -inf, np.where(lacks_b[kept], inf, found)), kept
