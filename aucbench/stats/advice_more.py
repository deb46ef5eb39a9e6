"""How many more data sets would settle a pair of solvers.

Design
  a. The data sets that there are, are drawn again in place of a model. This takes those that were
     run as a fair sample of those to come, and what they say of the solvers as true.
  b. The variance s^2 of a difference over data sets has a part that splits make,
     sigma^2 (1/J + ratio), where sigma is the spread between the J splits of a data set and
     ratio = n_test/n_train (Nadeau and Bengio). More splits only shrink sigma^2/J. They do not
     replace data sets.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from aucbench.stats.pairs import PairTest
from aucbench.stats.signed_rank import critical, vector_of
from aucbench.stats.tables import Array, drawn_counts

POWER = 0.8  # probability with which a pair shall be settled
MOST = 1000  # data sets, beyond which nobody looks
DRAWS = 2000  # of stored differences; their standard error at .8 is .009
SEED = 0
FEWEST = 5  # differences that say something about their spread when they are drawn again


@dataclass(frozen=True, slots=True)
class Settling:
    """What would settle a pair that is not distinguishable."""

    # So many more data sets would, with a probability of `POWER`; None when more than `MOST` in all
    # would not, or when it cannot be said.
    more: int | None
    # Probability that infinitely many splits on as many data sets would; None when the spread
    # between splits is not known.
    by_splits: float | None
    note: str = ""  # why something cannot be said


def settle(
    differences: ArrayLike,
    *,
    by_split: Array | None = None,
    ratio: float = 0.0,
    test: PairTest | None = None,
) -> Settling:
    """How many more data sets would settle a pair: make it better, worse or equivalent.

    The stored differences are drawn with replacement, as many as there would be data sets.

    Parameters
    ----------
    differences : array of shape (n,)
        One for each data set; infinite where one solver failed.
    by_split : array of shape (N, J), optional
        The differences of each split, NaN where there is none. They tell what more splits would
        bring.
    ratio : float
        n_test / n_train of a split.
    test : PairTest, optional
        The rope and the level.

    Raises
    ------
    DataError
        When a difference is NaN.
    """
    test = test or PairTest()
    rope, level = test.rope, test.level
    d = vector_of(differences)
    if d.size < FEWEST:
        note = f"It has {d.size} difference(s); to say how many would do takes {FEWEST}."
        return Settling(None, None, note)

    def chance(z: Array, n: int) -> float:
        """Share of draws of n differences that are better, worse or equivalent."""
        counts = drawn_counts(z.size, n, DRAWS, SEED)
        whole = n * (n + 1) / 2.0
        c = critical(n, 1.0 - level)
        t = drawn_statistic(z, counts)
        tested = (t <= c) | (t >= whole - c)
        above, below = drawn_statistic(z - rope, counts), whole - drawn_statistic(z + rope, counts)
        return float(np.mean(tested | ((above <= c) & (below <= c))))

    total = first_from(lambda n: chance(d, n) >= POWER, d.size + 1, MOST)
    left = None if by_split is None else left_by_splits(by_split, ratio)
    by_splits = None if left is None else chance(_shrunk(d, left), d.size)
    return Settling(None if total is None else total - d.size, by_splits)


def left_by_splits(by_split: Array, ratio: float) -> float | None:
    """Return which share of the standard deviation over data sets infinitely many splits leave.

    It does not fall below σ √ratio, which no number of splits removes. None where fewer than two
    data sets have a difference, or none has a spread between its splits.
    """
    rows = [row[~np.isnan(row)] for row in by_split]
    rows = [row for row in rows if row.size]
    repeated = [row.var(ddof=1) for row in rows if row.size > 1]
    if len(rows) < 2 or not repeated:
        return None
    sd, split_sd = float(np.std([row.mean() for row in rows], ddof=1)), sqrt(np.mean(repeated))
    if not (sd > 0.0 and split_sd > 0.0):
        return None
    variance = sd**2 - split_sd**2 * (1.0 / float(np.mean([row.size for row in rows])))
    floor = min(sd**2, split_sd**2 * ratio)
    return sqrt(max(variance, floor)) / sd


def first_from(holds: Callable[[int], bool], low: int, most: int) -> int | None:
    """Return a number from which a condition holds, which becomes true once; None above `most`."""
    high = low
    while not holds(high):
        if high >= most:
            return None
        low, high = high + 1, min(2 * high, most)
    return low + bisect_left(range(low, high), True, key=holds)


def drawn_statistic(d: Array, counts: Array) -> Array:
    """Return T of samples in which d_i is counts[:, i] times, in O(d.size) for each sample."""
    order = np.argsort(np.abs(d), kind="stable")
    sizes = np.abs(d)[order]
    begins = np.flatnonzero(np.r_[True, sizes[1:] != sizes[:-1]])  # of groups of equal size
    members = np.add.reduceat(counts[:, order], begins, axis=1)
    midranks = np.cumsum(members, axis=1) - (members - 1.0) / 2.0
    positive = np.add.reduceat(counts[:, order] * ((np.sign(d[order]) + 1.0) / 2.0), begins, axis=1)
    return np.asarray(np.einsum("ij,ij->i", positive, midranks))


def _shrunk(d: Array, factor: float) -> Array:
    """Return the differences closer to the mean of those that are finite."""
    finite = np.isfinite(d)
    centre = d[finite].mean() if finite.any() else 0.0
    return np.where(finite, centre + (np.where(finite, d, 0.0) - centre) * factor, d)
