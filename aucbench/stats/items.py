"""Which methods may be the best on the items of a benchmark: questions, issues, single test rows.

Design
  a. Items are units, each with one value of every method: 0 or 1, or a share of several attempts.
     What is compared is the mean over items, so that a group of many items has much weight.
  b. Items of one group, as those of one repository, are related: their signs flip together, and
     their differences are added. Of values 0 and 1 without groups, this is McNemar's test.
  c. The statistic of a pair under a flip is a difference of two sums. So one product of flips and
     sums serves all pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import nan, sqrt

import numpy as np
import scipy  # its parts are imported when they are used
from numpy.typing import NDArray

from aucbench.errors import DataError, require_whole
from aucbench.stats.best_set import BORDER, EQUAL, FEWEST, SEED, BestSet, RankSets, enough_flips
from aucbench.stats.flips import SLACK, p_values, signs_of
from aucbench.stats.tables import ROUNDING, Array, ResultTable
from aucbench.stats.words import LEVEL, Interval, require_level, wilson_of_groups

BLOCK = 2**21  # numbers of the statistics of some pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemTest:
    """Tests of many methods at once on single items, by sign flips of items or of their groups.

    With v the values of two methods, let D_g(a, b) be the sum of v_a − v_b over the items of a
    group g; without groups, each item is one. Then

        T(a, b) = Σ_g D_g / √(Σ_g D_g²),     S_i = max_j T(j, i),

    and a flip gives each group a sign, which all pairs share. All else is as in `SignTest`. The
    families of a table are its groups.

    Parameters
    ----------
    level : float
        1 - level is the probability of a wrong statement.
    flips : int, optional
        Random flips beside the identity; all 2^G where these are at most one more. [default: as of
        `SignTest`]
    seed : int
        Of the random flips.

    Raises
    ------
    ParameterError
        When a number makes no sense.

    Notes
    -----
    McNemar (1947), "Note on the sampling error of the difference between correlated proportions or
    percentages", Psychometrika 12; Romano and Wolf (2005), JASA 100.
    """

    level: float = LEVEL
    flips: int | None = None
    seed: int = SEED

    def __post_init__(self) -> None:
        require_level(self.level)
        require_whole(1, flips=self.flips)

    def best_set(self, table: ResultTable) -> BestSet:
        """Test for each method whether another one has a higher mean on items like these.

        Raises
        ------
        DataError
            When a value is missing.
        """
        flipped, names = self._flipped(table), tuple(table.names)
        m, units = len(names), len(flipped.sums)
        if flipped.note:
            nothing, all_, none = (nan,) * m, (True,) * m, (False,) * m
            return BestSet(names, units, nothing, nothing, nothing, all_, none, none, flipped.note)
        drawn = np.empty((m, 2 * flipped.products.shape[1]))
        for i in range(m):
            t = flipped.statistics(np.delete(np.arange(m), i), np.array([i]))
            drawn[i] = np.concatenate([t.max(axis=0), -t.min(axis=0)])
        p, adjusted = p_values(drawn, SLACK)
        possible = p > 1.0 - self.level
        possible[np.argmin(drawn[:, 0])] = True
        near = (np.abs(p - (1.0 - self.level)) <= BORDER) & (not flipped.complete)
        return BestSet(
            names,
            units,
            tuple(np.round(drawn[:, 0], EQUAL).tolist()),
            tuple(p.tolist()),
            tuple(adjusted.tolist()),
            tuple(possible.tolist()),
            tuple((adjusted <= 1.0 - self.level).tolist()),
            tuple(near.tolist()),
        )

    def rank_sets(self, table: ResultTable) -> RankSets:
        """Return sets that hold the ranks of all methods together, as `SignTest.rank_sets` does.

        Raises
        ------
        DataError
            When a value is missing.
        """
        flipped, m = self._flipped(table), len(table.names)
        better = np.zeros((m, m), np.bool_)
        if not flipped.note:
            for a, b in _certain_pairs(flipped, 1.0 - self.level):
                better[b, a] = True
        low, high = 1 + better.sum(axis=1), m - better.sum(axis=0)
        ranks = tuple(low.tolist()), tuple(high.tolist())
        return RankSets(tuple(table.names), len(flipped.sums), *ranks, better, flipped.note)

    def means(self, table: ResultTable) -> tuple[Interval, ...]:
        """Mean of each method over the items, with an interval that takes groups as independent.

        It is Wilson's of values 0 and 1, and Student's t of others.
        """
        is_binary = bool(np.isin(table.values, (0.0, 1.0)).all())
        every = np.ones(len(table.values), np.bool_)
        if is_binary:
            return tuple(
                wilson_of_groups(column == 1.0, every, table.family, self.level)
                for column in table.values.T
            )
        return tuple(self._mean(column, table.family) for column in table.values.T)

    def _mean(self, values: Array, group: NDArray[np.intp]) -> Interval:
        mean, sums = float(values.mean()), np.bincount(group, values - values.mean())
        size = sums.size
        if size < 2:
            note = "There are fewer than two groups."
            return Interval(mean, nan, nan, self.level, "Student's t", note)
        error = sqrt(size / (size - 1) * float(sums @ sums)) / values.size
        half = float(scipy.special.stdtrit(size - 1, (1 + self.level) / 2)) * error
        return Interval(mean, mean - half, mean + half, self.level, "Student's t")

    def _flipped(self, table: ResultTable) -> _Flipped:
        if not np.isfinite(table.values).all():
            raise DataError("a value of an item is missing; give 0 for an item that is not solved")
        gains = np.round(table.gains, ROUNDING)
        sums = np.zeros((int(table.family.max(initial=-1)) + 1, len(table.names)))
        np.add.at(sums, table.family, gains)
        flips = enough_flips(self.level) if self.flips is None else self.flips
        signs, complete = signs_of(len(sums), flips, self.seed)
        note = ""
        if len(sums) < FEWEST or len(table.names) < 2:
            kind = "items" if len(sums) == len(table.values) else "groups of items"
            note = f"To leave a method out takes at least {FEWEST} {kind}; you have {len(sums)}."
        return _Flipped(sums, sums.T @ signs.astype(np.float64), complete, note)


@dataclass(frozen=True, slots=True, eq=False)
class _Flipped:
    """Sums of gains over groups, and their sums over all groups under flips."""

    sums: Array  # (units, m)
    products: Array  # (m, B), of one of each two flips; the first one is the identity
    complete: bool  # whether these are all flips
    note: str  # why nothing is tested; empty if it is

    def statistics(self, a: NDArray[np.intp], b: NDArray[np.intp]) -> Array:
        """Return T(a, b) of some pairs under all flips, (P, B)."""
        squares = ((self.sums[:, a] - self.sums[:, b]) ** 2).sum(axis=0)
        norms = np.sqrt(np.where(squares > 0.0, squares, 1.0))
        return np.asarray((self.products[a] - self.products[b]) / norms[:, None])


def _certain_pairs(flipped: _Flipped, alpha: float) -> Iterator[tuple[int, int]]:
    """Yield the pairs that differ by a step-down from the weakest one on, the better one first."""
    a, b = np.triu_indices(flipped.sums.shape[1], 1)
    step = max(1, BLOCK // flipped.products.shape[1])
    blocks = [slice(start, start + step) for start in range(0, a.size, step)]
    t = np.concatenate([flipped.statistics(a[x], b[x])[:, 0] for x in blocks])
    order = np.argsort(np.abs(t), kind="stable")
    highest, p = np.zeros(flipped.products.shape[1]), np.empty(order.size)
    for x in blocks:
        some = order[x]
        drawn = np.abs(flipped.statistics(a[some], b[some]))  # |T| is the same for -F
        drawn[0] = np.maximum(drawn[0], highest)
        np.maximum.accumulate(drawn, axis=0, out=drawn)
        highest = drawn[-1]
        p[x] = np.mean(drawn >= np.abs(t[some])[:, None] - SLACK, axis=1)
    certain = np.maximum.accumulate(p[::-1])[::-1] <= alpha
    for pair in order[certain]:
        i, j = int(a[pair]), int(b[pair])
        yield (i, j) if t[pair] > 0.0 else (j, i)
