"""Every solver against every other one, over data sets.

Unlike a rank, what is said of a pair does not depend on the other solvers, but for the adjustment
of its p-value to the number of pairs.

Ismail-Fawaz et al. (2023), "An approach to multiple comparison benchmark evaluations that is
stable under manipulation of the comparate set", arXiv:2305.11921.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from aucbench.errors import require_at_least
from aucbench.stats.signed_rank import blocks, p_values, signed_rank_rows
from aucbench.stats.tables import ROUNDING, Array, ResultTable, Rule
from aucbench.stats.words import LEVEL, ROPE, Difference, Word, holm, require_level


@dataclass(frozen=True, slots=True)
class Pair:
    """What the data sets say about the solvers a and b; all differences are a - b.

    Attributes
    ----------
    difference : Difference
        Of the signed-rank test: Hodges-Lehmann estimate, interval, p-value. A failed cell is a
        difference of -inf or inf, so that they are infinite where many cells failed.
    adjusted_p : float
        The p-value after Holm's adjustment for all pairs; of `versus` after that for the others.
    mean : float
        Mean of the differences on data sets where both have a value; NaN if there is none.
    wins, ties, losses : int
        Data sets on which a is ahead by more than the rope, neither is, and b is. By the rule of
        the worst rank, one on which only a solver has no value is lost by it.
    rope : float
        Half the width of the region of practical equivalence.

    Where a smaller value is better, the differences are those of the values as they are, and
    `difference.smaller` says so; wins and words know which solver is ahead.
    """

    a: str
    b: str
    difference: Difference
    adjusted_p: float
    mean: float
    wins: int
    ties: int
    losses: int
    rope: float

    @property
    def p(self) -> float:
        """The p-value before the adjustment."""
        return self.difference.p

    @property
    def data_sets(self) -> int:
        """Number of data sets that count."""
        return self.wins + self.ties + self.losses

    @property
    def word(self) -> Word:
        """How a compares with b, by the interval and the adjusted p-value."""
        return self.difference.word(self.rope, self.adjusted_p)

    def flipped(self) -> Pair:
        """Return the same pair as b against a."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            difference=self.difference.flipped(),
            mean=0.0 - self.mean,
            wins=self.losses,
            losses=self.wins,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTest:
    """The signed-rank test of pairs of solvers over data sets.

    Parameters
    ----------
    rope : float
        Differences of at most this size are ties; `Word.EQUIVALENT` speaks of it.
    level : float
        Of the intervals; 1 - level is the size of the tests together.

    Raises
    ------
    ParameterError
        When `rope` is negative, or `level` is not in (0, 1).
    """

    rope: float = ROPE
    level: float = LEVEL

    def __post_init__(self) -> None:
        require_at_least(0.0, rope=self.rope)
        require_level(self.level)

    def pairs(self, table: ResultTable) -> PairTable:
        """Compare all pairs of solvers over data sets.

        A family of data sets counts as one, whose value is the mean; a solver that lacks one of
        them has none.
        """
        return PairTable(table, self)

    def some(
        self,
        table: ResultTable,
        a: NDArray[np.intp],
        b: NDArray[np.intp],
        rule: Rule = Rule.WORST_RANK,
    ) -> list[Pair]:
        """Return the pairs of the solvers of these numbers, without an adjusted p-value."""
        gains, found = np.ascontiguousarray(table.unit_gains.T), {}
        for at, d in _by_size(gains[a], gains[b], rule):
            tested = signed_rank_rows(d, self.level)
            finite = np.isfinite(d)
            sums, counts = np.where(finite, d, 0.0).sum(axis=1), finite.sum(axis=1)
            means = np.divide(sums, counts, out=np.full(sums.size, nan), where=counts > 0)
            wins, losses = (d > self.rope).sum(axis=1), (d < -self.rope).sum(axis=1)
            columns = (x.tolist() for x in (at, means, wins, losses))
            for k, mean, won, lost, one in zip(*columns, tested, strict=True):
                found[k] = Pair(
                    a=table.names[a[k]],
                    b=table.names[b[k]],
                    difference=of_losses(one) if table.smaller else one,
                    adjusted_p=nan,
                    mean=0.0 - mean if table.smaller else mean,
                    wins=won,
                    ties=d.shape[1] - won - lost,
                    losses=lost,
                    rope=self.rope,
                )
        return [found[k] for k in range(a.size)]


@dataclass(frozen=True, eq=False)
class PairTable:
    """All pairs of the solvers of a table, which are computed when they are asked for.

    They are (names[0], names[1]), (names[0], names[2]), ..., (names[-2], names[-1]).
    """

    table: ResultTable
    test: PairTest

    def __len__(self) -> int:
        """Return the number of pairs."""
        m = len(self.table.names)
        return m * (m - 1) // 2

    def __iter__(self) -> Iterator[Pair]:
        """Yield all pairs."""
        return iter(self.all)

    @cached_property
    def all(self) -> tuple[Pair, ...]:
        """All pairs."""
        return self._adjusted(*self._numbers)

    @cached_property
    def adjusted_p(self) -> Array:
        """The p-values after Holm's adjustment for all pairs."""
        gains = np.ascontiguousarray(self.table.unit_gains.T)
        p = np.full(len(self), nan)
        a, b = self._numbers
        for some in blocks(len(self), max(1, gains.shape[1])):
            for at, d in _by_size(gains[a[some]], gains[b[some]], Rule.WORST_RANK):
                if d.shape[1]:
                    p[some.start + at] = p_values(d)
        return holm(p)

    def of(self, name: str) -> tuple[Pair, ...]:
        """Return the pairs of a solver, seen from it, in the order of the others.

        Raises
        ------
        UnknownNameError
            When no solver has this name.
        """
        at = self.table.at(name)
        others = np.delete(np.arange(len(self.table.names)), at)
        pairs = self._adjusted(np.minimum(others, at), np.maximum(others, at))
        return tuple(pair if pair.a == name else pair.flipped() for pair in pairs)

    def among(self, names: Sequence[str]) -> tuple[Pair, ...]:
        """Return the pairs of some solvers, the first of the table first.

        Raises
        ------
        UnknownNameError
            When no solver has one of these names.
        """
        at = np.sort([self.table.at(name) for name in names]).astype(np.intp)
        first, second = np.triu_indices(at.size, 1)
        return self._adjusted(at[first], at[second])

    @cached_property
    def _numbers(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        a, b = np.triu_indices(len(self.table.names), 1)
        return a, b

    def _adjusted(self, a: NDArray[np.intp], b: NDArray[np.intp]) -> tuple[Pair, ...]:
        """Return some pairs, each with the first solver of the table first."""
        places = a * len(self.table.names) - a * (a + 1) // 2 + b - a - 1
        adjusted = self.adjusted_p[places].tolist()
        found = zip(self.test.some(self.table, a, b), adjusted, strict=True)
        return tuple(replace(pair, adjusted_p=p) for pair, p in found)


def _by_size(first: Array, second: Array, rule: Rule) -> Iterator[tuple[NDArray[np.intp], Array]]:
    """Yield the places of pairs, and their differences (P, n), where as many data sets count.

    Under `Rule.WORST_RANK` the difference is infinite where one solver has no value. Where both
    have none, or under the other rule one of them, the data set says nothing about the pair.
    """
    lacks, lacked = np.isnan(first), np.isnan(second)
    used = ~(lacks & lacked if rule is Rule.WORST_RANK else lacks | lacked)
    d = np.round(first - second, ROUNDING)
    d = np.where(lacks, -inf, np.where(lacked, inf, d))
    sizes = used.sum(axis=1)
    for size in np.unique(sizes).tolist():
        at = np.flatnonzero(sizes == size)
        yield at, d[at][used[at]].reshape(at.size, size)


def of_losses(gain: Difference) -> Difference:
    """Return the difference of losses, given that of their negatives."""
    return replace(gain.flipped(), smaller=True)
