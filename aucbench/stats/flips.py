"""Signed midranks of all pairs of solvers, under sign flips of whole data sets.

Design
  a. Differences of all pairs are flipped by one sign for each data set. With a flip F, -F has the
     statistics of F with both solvers of a pair exchanged. So flips come in twos, and one product
     serves both.
  b. The statistics of some pairs under all flips are a product of matrices: midranks with the sign
     of the difference, times the signs of the flips. It is made for one solver and its rivals at a
     time, so that memory grows with the number of solvers and not with that of pairs.
  c. A sample of the data sets, such as all but one, needs no new ranking. With l_ij = 1 where the
     difference of data set j is smaller than that of i and 1/2 where both are equal, the midrank of
     i is 1/2 + sum_j c_j l_ij, where c_j says how often j is in the sample.
  d. Sums of midranks are multiples of 1/2. Up to `EXACT` of them, 32-bit floats hold the sums
     exactly, so that equal statistics stay equal, and cost half as much.
  e. A family of related data sets counts as one: its value is the mean of its signed ranks. (Their
     sum would let twelve variants of one table outvote eleven other tables.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.errors import DataError
from aucbench.stats.tables import (
    ROUNDING,
    Array,
    ResultTable,
    Rule,
    Scale,
    average_ranks_of,
    filled,
)

ODDS_OF = 0.005  # c of the log-odds of a share; it is the default of the rope
EXACT = 4000  # data sets whose sums of midranks are exact in 32 bits
SLACK = 1e-9  # equal statistics differ by rounding
SLACK_32 = 1e-6  # the same of 32-bit floats
RANKED = 2**20  # numbers of an array that is made anew for each block of pairs
FLIPPED = 2**18  # likewise of pairs and flips, which are read several times


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Which data sets a statistic is of, and the flips of their signs.

    Attributes
    ----------
    counts : array of shape (N,)
        How often each data set is in the sample.
    flips : array of shape (N, B)
        What the signed ranks of each data set are multiplied by: its sign, divided by the size of
        its family. Of each two flips there is one, and the first one is the identity.
    complete : bool
        Whether these are all flips.
    means : array of shape (units, N), or None
        What makes the means of families; None where each data set is a unit.
    """

    counts: Array
    flips: NDArray[Any]
    complete: bool
    means: Array | None = None

    @staticmethod
    def of(family: NDArray[np.intp], flips: int, seed: int, without: int | None = None) -> Sample:
        """Return the sample of all data sets, or of all but one, in their families."""
        kept = np.arange(family.size) != (-1 if without is None else without)
        unit = np.unique(family[kept], return_inverse=True)[1]
        sizes = np.bincount(unit)
        signs, complete = signs_of(sizes.size, flips, seed)
        each, means = np.zeros((family.size, signs.shape[1]), signs.dtype), None
        if sizes.size == unit.size:
            each[kept] = signs[unit]
        else:
            each = each.astype(np.float64)
            each[kept] = signs[unit] / sizes[unit][:, None]
            means = np.zeros((sizes.size, family.size))
            means[unit, np.flatnonzero(kept)] = 1.0 / sizes[unit]
        return Sample(kept.astype(np.float64), each, complete, means)

    @staticmethod
    def drawn(rows: NDArray[np.intp], count: int, flips: int, seed: int) -> Sample:
        """Return a sample of data sets that are drawn with replacement, each time with a sign."""
        signs, complete = signs_of(rows.size, flips, seed)
        each = np.zeros((count, signs.shape[1]), signs.dtype)
        np.add.at(each, rows, signs)
        return Sample(np.bincount(rows, minlength=count).astype(np.float64), each, complete)

    @property
    def dtype(self) -> Any:
        """The type in which statistics are computed."""
        exact = self.means is None and self.counts.sum() <= EXACT
        return np.float32 if exact else np.float64

    @property
    def slack(self) -> float:
        """By how much equal statistics may differ."""
        return SLACK_32 if self.dtype == np.float32 else SLACK

    def norms(self, ranks: NDArray[Any]) -> Array:
        """Return √(Σ r²) of signed ranks over the units, (P,); 1 where it is 0."""
        if self.means is None:
            squares = np.square(ranks, dtype=np.float64) @ self.counts
        else:
            units = ranks @ self.means.T
            squares = np.einsum("ij,ij->i", units, units)
        return np.sqrt(np.where(squares > 0.0, squares, 1.0))

    def statistics(self, ranks: NDArray[Any]) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield the statistics of signed ranks (P, N) under some flips at a time, (P, b)."""
        scale = (1.0 / self.norms(ranks)).astype(self.dtype)[:, None]
        own = ranks.astype(self.dtype, copy=False)
        step = max(1, FLIPPED // max(1, len(ranks)))
        for start in range(0, self.flips.shape[1], step):
            some = slice(start, start + step)
            t = own @ self.flips[:, some].astype(self.dtype, copy=False)
            t *= scale
            yield some, t

    def observed(self, ranks: NDArray[Any]) -> Array:
        """Return the statistics without a flip, in 64 bits, (P,)."""
        exact = ranks.astype(np.float64, copy=False) @ self.flips[:, 0].astype(np.float64)
        return np.asarray(exact / self.norms(ranks))


@lru_cache(maxsize=4)  # each of the samples without one data set has as many
def signs_of(units: int, flips: int, seed: int) -> tuple[NDArray[np.float32], bool]:
    """Return one of each two flips, (units, B), the identity first, and whether these are all."""
    if 2**units <= flips + 1:
        rest = np.arange(2 ** (units - 1))  # the sign of the last unit stays
        signs = 1.0 - 2.0 * (rest >> np.arange(units)[:, None] & 1)
    else:
        signs = np.ones((units, max(1, (flips + 1) // 2)))
        drawn = np.random.default_rng(seed).integers(0, 2, (signs.shape[1] - 1, units))
        signs[:, 1:] -= 2.0 * drawn.T
    small = signs.astype(np.float32)
    small.setflags(write=False)  # other tests have them too
    return small, 2**units <= flips + 1


def scaled(table: ResultTable) -> Array:
    """Return values of which larger ones are better, on the scale on which they are compared."""
    rounded = np.round(table.values, ROUNDING)
    if table.scale is not Scale.SHARES:
        return np.asarray(table.sign * rounded)
    known = rounded[~np.isnan(rounded)]
    if known.size and (known.min() < 0.0 or known.max() > 1.0):
        wrong = known[(known < 0.0) | (known > 1.0)][0]
        raise DataError(
            f"a value is {wrong:g}, wanted shares in [0, 1]; compare others as they are"
        )
    return np.asarray(np.log((rounded + ODDS_OF) / (1.0 - rounded + ODDS_OF)))


def comparable(table: ResultTable, rule: Rule) -> tuple[Array, NDArray[np.intp]]:
    """Return the scaled values (m, N) without NaN, and the families of these data sets."""
    y, family = scaled(table), table.family
    if rule is Rule.COMPLETE_CASES:
        family = family[~np.isnan(y).any(axis=1)]
    return np.ascontiguousarray(filled(y, rule).T), family


def signed_differences(first: Array, others: Array) -> tuple[Array, Array]:
    """Return the sizes and the signs of first − others, data set by data set.

    Where both have failed, there is no difference; where one has, it is infinite.
    """
    with np.errstate(invalid="ignore"):
        d = np.nan_to_num(first - others, nan=0.0, posinf=inf, neginf=-inf)
    return np.abs(d), np.sign(d)


def signed_ranks(first: Array, others: Array) -> Array:
    """Return the midranks of the differences of pairs with their signs, (P, N)."""
    sizes, signs = signed_differences(first, others)
    return average_ranks_of(sizes) * signs


def strongest(y: Array, samples: Sequence[Sample]) -> list[Extremes]:
    """Return what the pairs of all solvers say in each of some samples.

    Parameters
    ----------
    y : array of shape (m, N)
        Values that `comparable` returned, of two or more solvers.
    samples : sequence of Sample
        One of all data sets, or any others; then the time grows with N².
    """
    kept = [Extremes.empty(len(y), sample) for sample in samples]
    whole = len(samples) == 1 and bool((samples[0].counts == 1.0).all())
    with one_thread():
        for i, block in _blocks(y, pairwise=whole):
            sizes, signs = signed_differences(y[i], y[block])
            if whole:
                several = iter([average_ranks_of(sizes) * signs])
            else:
                several = _ranks_of_samples(sizes, signs, samples)
            for extremes, ranks in zip(kept, several, strict=True):
                extremes.add(i, block, ranks)
    return kept


def one_thread() -> AbstractContextManager[Any]:
    """Let BLAS multiply with one thread: those of small products would wait for each other."""
    from threadpoolctl import threadpool_limits

    limit: AbstractContextManager[Any] = threadpool_limits(1, user_api="blas")
    return limit


def _blocks(y: Array, *, pairwise: bool) -> Iterator[tuple[int, slice]]:
    """Yield each solver with its rivals that come after it, some at a time."""
    m, n = y.shape
    step = max(1, RANKED // max(1, n if pairwise else n * n))
    for i in range(m - 1):
        for start in range(i + 1, m, step):
            yield i, slice(start, min(m, start + step))


def _ranks_of_samples(
    sizes: Array, signs: Array, samples: Sequence[Sample]
) -> Iterator[NDArray[Any]]:
    """Yield the signed midranks of each sample, (P, N)."""
    others, own = sizes[:, None, :], sizes[:, :, None]
    below = (others < own).astype(np.float32)  # [p, i, j]: whether j is below i
    below += np.float32(0.5) * (others == own)
    counts = np.array([sample.counts for sample in samples], np.float32)
    directions = signs.astype(np.float32)
    for ranks in np.moveaxis(below @ counts.T, -1, 0):
        yield (ranks + np.float32(0.5)) * directions


@dataclass(frozen=True, slots=True, eq=False)
class Extremes:
    """The largest and the least statistics of the rivals of each solver, under all flips."""

    sample: Sample
    observed: Array  # T without a flip, in 64 bits, (m, m); 0 on the diagonal
    largest: NDArray[Any]  # (m, B)
    least: NDArray[Any]

    @staticmethod
    def empty(m: int, sample: Sample) -> Extremes:
        """Return those of m solvers before any pair is taken in."""
        shape = m, sample.flips.shape[1]
        ends = (np.full(shape, end, sample.dtype) for end in (-inf, inf))
        return Extremes(sample, np.zeros((m, m)), *ends)

    def add(self, i: int, rivals: slice, ranks: NDArray[Any]) -> None:
        """Take in the pairs of i and some rivals, by their signed ranks."""
        t = self.sample.observed(ranks)
        self.observed[i, rivals], self.observed[rivals, i] = t, -t
        for some, t in self.sample.statistics(ranks):
            for ends, choose in ((self.largest, np.maximum), (self.least, np.minimum)):
                choose(ends[rivals, some], t, out=ends[rivals, some])
            np.maximum(self.largest[i, some], -t.min(axis=0), out=self.largest[i, some])
            np.minimum(self.least[i, some], -t.max(axis=0), out=self.least[i, some])

    @property
    def s(self) -> Array:
        """S: how far the strongest rival of each solver is ahead, (m,)."""
        others = ~np.eye(len(self.observed), dtype=np.bool_)
        return np.asarray(np.max(self.observed, axis=0, where=others, initial=-inf))

    def flipped(self) -> NDArray[Any]:
        """Return S under all flips, (m, 2 B); of −F it is the negative of the least one."""
        return np.concatenate([self.largest, -self.least], axis=1)


def p_alone(drawn: NDArray[Any], slack: float) -> Array:
    """Return the share of the flips in which each statistic, (m, B), is at least the first one."""
    return np.asarray(np.mean(drawn >= drawn[:, :1] - drawn.dtype.type(slack), axis=1))


def p_values(drawn: NDArray[Any], slack: float) -> tuple[Array, Array]:
    """Return p-values of statistics under all flips, (m, B), of each alone and of the step-down.

    The first column is that of the identity, which is what was observed.
    """
    least, alone = drawn[:, 0] - slack, p_alone(drawn, slack)
    order = np.argsort(-drawn[:, 0], kind="stable")
    stepwise, highest = np.empty(len(drawn)), np.full(drawn.shape[1], -inf, drawn.dtype)
    for j in order[::-1]:
        np.maximum(highest, drawn[j], out=highest)
        stepwise[j] = np.mean(highest >= least[j])
    stepwise[order] = np.maximum.accumulate(stepwise[order])
    return alone, stepwise
