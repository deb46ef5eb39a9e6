"""Tables of values, a row for each data set and a column for each solver: missing cells, ranks.

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


def checked(
    values: ArrayLike, names: Sequence[str], data_sets: Sequence[str] | None = None
) -> Array:
    """Return a table of shape (N, k), or raise `DataError` where it does not fit its names."""
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
    if data_sets is not None and len(data_sets) != len(table):
        raise DataError(f"{len(table)} rows of values have {len(data_sets)} names of data sets")
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
    rows = np.flatnonzero(~out)
    d = np.round(a[rows] - b[rows], ROUNDING)
    return np.where(lacks_a[rows], -inf, np.where(lacks_b[rows], inf, d)), rows


def drawn_counts(items: int, size: int, draws: int, seed: int) -> Array:
    """How often each of some items is in each of `draws` samples of this size, (draws, items)."""
    if not items:
        return np.zeros((draws, 0))
    rng = np.random.default_rng(seed)
    return rng.multinomial(size, np.full(items, 1.0 / items), size=draws).astype(np.float64)


def average_ranks_of(values: ArrayLike) -> Array:
    """Ranks along the last axis, 1 for the smallest value; equal values share their mean rank.

    `scipy.stats` has them too, and takes half a second to import.
    """
    x = floats("values", values)
    if not x.size:
        return np.empty(x.shape)
    order = np.argsort(x, axis=-1, kind="stable")
    ordered = np.take_along_axis(x, order, -1)
    place = np.arange(x.shape[-1])
    new = np.ones(x.shape, np.bool_)  # whether a value differs from the one before it
    new[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    last = np.ones(x.shape, np.bool_)
    last[..., :-1] = new[..., 1:]
    first = np.maximum.accumulate(np.where(new, place, 0), axis=-1)
    final = np.minimum.accumulate(np.where(last, place, place.size)[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(x.shape)
    np.put_along_axis(ranks, order, (first + final) / 2.0 + 1.0, -1)
    return ranks
