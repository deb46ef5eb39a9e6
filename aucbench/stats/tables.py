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
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.errors import DataError, UnknownNameError
from aucbench.stats.vectors import floats

ROUNDING = 12  # decimals of a difference; what is smaller comes from the order of a summation
Array = NDArray[np.float64]


class Rule(StrEnum):
    """How a cell without a value counts."""

    WORST_RANK = "worst rank"
    COMPLETE_CASES = "complete cases"


class Scale(StrEnum):
    """Which values of a measure are better, and on which scale they are compared."""

    SHARES = "shares"  # in [0, 1], of which 1 is the best: by their log-odds
    LARGER = "larger"  # a larger value is better
    SMALLER = "smaller"


@dataclass(frozen=True, eq=False)
class ResultTable:
    """One value of a measure for each data set and solver.

    Parameters
    ----------
    values : array of shape (N, m)
        Such as the mean AUC over splits. NaN where the solver has none: it has lost there.
    names : sequence of str
        Of the m solvers.
    data_sets : sequence of str, optional
        Names of the N data sets. [default: their numbers, from 1]
    families : sequence of str or None, optional
        A family for each data set. Those of one family are related and count as one. None is a
        family of its own.
    scale : Scale
        Which values are better, and how they are compared.

    Raises
    ------
    DataError
        When the table has another shape, an infinite value, two solvers of one name, or another
        number of data sets or families.
    """

    values: Any
    names: Sequence[str]
    data_sets: Sequence[str] = ()
    families: Sequence[str | None] | None = None
    scale: Scale = Scale.SHARES
    family: NDArray[np.intp] = field(init=False, repr=False)  # its number, for each data set

    def __post_init__(self) -> None:
        values, names = floats("values", self.values), tuple(self.names)
        if values.ndim != 2 or values.shape[1] != len(names):
            raise DataError(
                f"values must have a row for each data set and a column for each of {len(names)} "
                f"solvers, got the shape {values.shape}"
            )
        if np.isinf(values).any():
            raise DataError("a value is infinite; give NaN where a solver has none")
        if len({*names}) != len(names):
            raise DataError(f"solvers must have different names, got {', '.join(names)}")
        numbers = [str(number) for number in range(1, len(values) + 1)]
        sets = self.data_sets or numbers
        if len(sets) != len(values):
            raise DataError(f"{len(values)} rows of values have {len(sets)} names of data sets")
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "data_sets", tuple(sets))
        object.__setattr__(self, "family", family_numbers(self.families, len(values)))

    @property
    def smaller(self) -> bool:
        """Whether a smaller value is better."""
        return self.scale is Scale.SMALLER

    @property
    def sign(self) -> float:
        """What makes gains of values, and values of gains: -1 where a smaller value is better."""
        return -1.0 if self.smaller else 1.0

    @property
    def gains(self) -> Array:
        """The values, or their negatives where a smaller one is better."""
        return np.asarray(self.sign * self.values)

    @cached_property
    def units(self) -> Array:
        """The mean of each family of data sets; NaN where a solver lacks one of them."""
        sizes = np.bincount(self.family)
        if sizes.size == len(self.values):
            return np.asarray(self.values)
        sums = np.zeros((sizes.size, len(self.names)))
        np.add.at(sums, self.family, self.values)
        return np.asarray(sums / sizes[:, None])

    @property
    def unit_gains(self) -> Array:
        """Likewise of the gains."""
        return self.sign * self.units

    def at(self, name: str) -> int:
        """Return the column of a solver.

        Raises
        ------
        UnknownNameError
            When no solver has this name.
        """
        if name not in self.names:
            raise UnknownNameError("solver in this comparison", name, self.names)
        return [*self.names].index(name)

    def select(self, *columns: int) -> ResultTable:
        """Return the table of some solvers."""
        names = [self.names[j] for j in columns]
        return replace(self, values=self.values[:, columns], names=names)

    def without(self, i: int) -> ResultTable:
        """Return the table without a data set."""
        rest = [k for k in range(len(self.values)) if k != i]
        sets = [self.data_sets[k] for k in rest]
        families = None if self.families is None else [self.families[k] for k in rest]
        return replace(self, values=self.values[rest], data_sets=sets, families=families)


def family_numbers(families: Sequence[str | None] | None, count: int) -> NDArray[np.intp]:
    """Return a number for the family of each data set; None is one of its own."""
    if families is None:
        return np.arange(count)
    if len(families) != count:
        raise DataError(f"{count} data sets have {len(families)} families; give one for each")
    own = [("", i) if name is None else (name, -1) for i, name in enumerate(families)]
    order = {key: number for number, key in enumerate(dict.fromkeys(own))}
    return np.array([order[key] for key in own], dtype=np.intp)


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
    order = np.argsort(x, axis=-1)
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
