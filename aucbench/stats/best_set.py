"""Which solvers may be the best on a typical data set, and which are certainly behind.

Design
  a. A test of all pairs with Holm's method pays for each of them, and forgets that they share their
     data sets. Here the signs of whole data sets are flipped, one sign for all pairs. So what is
     true of all differences together is kept, and nothing is paid for it.
  b. A value that is a share, as an AUC is, is compared by its log-odds: from .98 to .99 half of the
     errors are gone, from .50 to .51 a fiftieth. On this scale the sets are smaller, and equal
     solvers are left out as rarely. A constant keeps shares of 0 and 1 finite.
  c. Signed ranks speak of the typical data set, whose differences are symmetric about their
     median. A solver whose mean comes from a few data sets may not be in the set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import ceil, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.errors import require_whole
from aucbench.stats.flips import (
    Sample,
    comparable,
    one_thread,
    p_alone,
    p_values,
    scaled,
    signed_ranks,
    strongest,
)
from aucbench.stats.pairs import Pair
from aucbench.stats.tables import Array, ResultTable, Rule
from aucbench.stats.words import LEVEL, Word, require_level

FLIPS = 9999  # random ones, beside the identity; with at most 13 units all flips are fewer
FEWER_FLIPS = 1999  # if each data set is left out
SET_FLIPS = 499  # of tables that are drawn
RESOLVED = 20  # random flips, at least, by which 1 - level is above 0
SEED = 0
FEWEST = 6  # units from which a solver can be left out
BORDER = 0.01  # so near to 1 - level a p-value of random flips may change with the seed
EQUAL = 9  # decimals of a statistic
TIMES = (2, 4)  # as many data sets, for which the size of a set is predicted
SET_DRAWS = 9
PAIRS = 2**18  # numbers of the ranks of some pairs


def enough_flips(level: float, usual: int = FLIPS) -> int:
    """Return a number of random flips that resolve p-values about 1 - level."""
    return max(usual, ceil(RESOLVED / (1.0 - level)))


@dataclass(frozen=True, slots=True)
class BestSet:
    """Which solvers may be the best; all tuples are in the order of the names.

    Attributes
    ----------
    units : int
        Data sets that count, or families of them.
    s : tuple of float
        S_i = max_j T(j, i): how far the strongest rival is ahead. Below 0: none is. Rounded to 9
        decimals, so that equal ones are equal.
    p : tuple of float
        Of "no solver is better than i on a typical data set"; NaN where it is not tested.
    adjusted_p : tuple of float
        The same, adjusted for the number of solvers by a step-down.
    possible : tuple of bool
        Whether it may be the best, which is the star.
    behind : tuple of bool
        Whether it is certainly behind: the adjusted p-value is at most 1 - level.
    borderline : tuple of bool
        Whether p is so near to 1 - level that other random flips could decide otherwise.
    note : str
        Why nothing is tested; empty if it is.
    """

    names: tuple[str, ...]
    units: int
    s: tuple[float, ...]
    p: tuple[float, ...]
    adjusted_p: tuple[float, ...]
    possible: tuple[bool, ...]
    behind: tuple[bool, ...]
    borderline: tuple[bool, ...]
    note: str = ""

    @property
    def unlikely(self) -> tuple[bool, ...]:
        """Whether it is probably not the best: without a star, and not certainly behind."""
        return tuple(not (a or b) for a, b in zip(self.possible, self.behind, strict=True))

    def of(self, which: Sequence[bool]) -> tuple[str, ...]:
        """Return the names of those that are marked in `possible`, `behind` or `unlikely`."""
        return tuple(name for name, chosen in zip(self.names, which, strict=True) if chosen)

    def following(self, pair: Pair) -> BestSet:
        """Return the set of two solvers that says what their pair says."""
        beaten = {pair.a: pair.word is Word.WORSE, pair.b: pair.word is Word.BETTER}
        behind = tuple(beaten[name] for name in self.names)
        p = tuple(pair.p if beaten[name] else 1.0 for name in self.names)
        none = (False,) * len(self.names)
        possible = tuple(not one for one in behind)
        return replace(self, p=p, adjusted_p=p, possible=possible, behind=behind, borderline=none)


@dataclass(frozen=True, slots=True)
class RankSets:
    """The ranks that each solver may have; all tuples are in the order of the names.

    Attributes
    ----------
    units : int
        Data sets that count, or families of them.
    low, high : tuple of int
        The best and the worst rank that it may have; 1 is the best.
    better : array of bool of shape (m, m)
        Whether the solver of the column is certainly better than that of the row.
    note : str
        Why nothing is tested; empty if it is.
    """

    names: tuple[str, ...]
    units: int
    low: tuple[int, ...]
    high: tuple[int, ...]
    better: NDArray[np.bool_]
    note: str = ""

    def describe_neighbours(self, order: Sequence[int]) -> str:
        """Say how many neighbours in an order of the solvers cannot be told apart."""
        unclear = sum(not self.better[low, high] for high, low in pairwise(order))
        return f"{unclear} of {len(order) - 1} neighbours in the table cannot be told apart."

    @property
    def above(self) -> tuple[tuple[str, ...], ...]:
        """Which solvers are certainly better than each one."""
        return self._named(self.better)

    @property
    def below(self) -> tuple[tuple[str, ...], ...]:
        """Which solvers are certainly worse than each one."""
        return self._named(self.better.T)

    def _named(self, chosen: NDArray[np.bool_]) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(np.array(self.names)[row].tolist()) for row in chosen)


@dataclass(frozen=True, slots=True)
class Against:
    """The other solvers against a reference; all tuples are in the order of `names`.

    Attributes
    ----------
    names : tuple of str
        The others, in their order.
    t : tuple of float
        T(j, reference); above 0 where j is ahead.
    p, adjusted_p : tuple of float
        Two-sided, and adjusted for the number of others by a step-down; NaN where it is not tested.
    """

    names: tuple[str, ...]
    units: int
    t: tuple[float, ...]
    p: tuple[float, ...]
    adjusted_p: tuple[float, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Steadiness:
    """What becomes of a set when one data set is left out, whichever it is."""

    fewest: int  # solvers in the smallest of the sets
    most: int
    always: tuple[str, ...]  # who is in each of them
    ever: tuple[str, ...]  # who is in one of them at least


@dataclass(frozen=True, slots=True, kw_only=True)
class SignTest:
    """Tests of many solvers at once, by sign flips of whole data sets.

    With y = log((v + c)/(1 - v + c)) of a share v, c = .005, or y = v, let r_i be the signed
    midranks of the differences of y of two solvers over the data sets; 0 stays 0. Then

        T(a, b) = sum_i r_i / sqrt(sum_i r_i²),     S_i = max_j T(j, i).

    A flip gives each data set a sign, which all pairs share. The signs of one family flip together,
    and r_i is then the mean of their signed midranks. p-values are shares of the flips whose
    statistic is at least the one without a flip.

    Parameters
    ----------
    level : float
        1 - level is the probability of a wrong statement.
    flips : int, optional
        Random flips beside the identity; all 2^N where these are at most one more.
        [default: 9999, or as many as resolve p-values about 1 - level]
    seed : int
        Of the random flips.

    Raises
    ------
    ParameterError
        When a number makes no sense.

    Notes
    -----
    Hsu (1981), "Simultaneous confidence intervals for all distances from the best", Annals of
    Statistics 9; Romano and Wolf (2005), "Exact and approximate stepdown methods for multiple
    hypothesis testing", JASA 100; Pratt (1959), JASA 54, for zeros.
    """

    level: float = LEVEL
    flips: int | None = None
    seed: int = SEED

    def __post_init__(self) -> None:
        require_level(self.level)
        require_whole(1, flips=self.flips)

    def best_set(self, table: ResultTable) -> BestSet:
        """Test for each solver whether another one is better on a typical data set.

        Its p is the share of flips with S*_i >= S_i. A solver may be the best when p > 1 - level,
        and the one with the smallest S always may. It is certainly behind when the p-value of the
        step-down,

            max over l <= k of the share of flips with max over l' >= l of S*_(l') >= S_(l),

        is at most 1 - level, where S_(1) >= S_(2) >= ... are the sorted statistics.

        If differences are symmetric about their medians, the statement "the best solver is in the
        set" is wrong with a probability of at most 1 - level, and so is "one that is as good as any
        is certainly behind", for any number of solvers.

        Raises
        ------
        DataError
            When a share is outside [0, 1].
        """
        scaled(table)  # raises where values are none of the scale
        if note := _too_few(table.family, len(table.names)):
            return self._untested(table, note)
        found = _standing(table, self._enough(), self.seed)
        possible = _possible(found.s, found.p, self.level)
        near = np.abs(found.p - (1.0 - self.level)) <= BORDER
        return BestSet(
            (*table.names,),
            _units(table.family),
            tuple(np.round(found.s, EQUAL).tolist()),
            tuple(found.p.tolist()),
            tuple(found.adjusted.tolist()),
            tuple(possible.tolist()),
            tuple((found.adjusted <= 1.0 - self.level).tolist()),
            tuple((near & (not found.complete)).tolist()),
        )

    def rank_sets(self, table: ResultTable) -> RankSets:
        """Return sets that hold the ranks of all m solvers together with the probability `level`.

        All pairs are tested by |T(a, b)|, with a step-down over the m(m − 1)/2 pairs. A pair that
        differs is "certain". The ranks of a solver are then

            1 + (number of those certainly better)   to   m − (number of those certainly worse).

        If differences are symmetric about the differences of some locations, whose order is the
        ranking, no certain pair is the wrong way round and no rank is outside its set, but with a
        probability of at most 1 - level.

        Raises
        ------
        DataError
            As `best_set`.

        Notes
        -----
        Mogstad, Romano, Shaikh and Wilhelm (2024), "Inference for ranks with applications to
        mobility across neighbourhoods and academic achievement across countries", Review of
        Economic Studies 91.
        """
        m, units = len(table.names), _units(table.family)
        better = np.zeros((m, m), np.bool_)
        if not (note := _too_few(table.family, m)):
            found = _standing(table, self._enough(), self.seed)
            with one_thread():
                pairs = _certain_pairs(table, found, self._enough(), self.seed, 1.0 - self.level)
            better[pairs[1], pairs[0]] = True
        low, high = 1 + better.sum(axis=1), m - better.sum(axis=0)
        return RankSets(
            (*table.names,), units, tuple(low.tolist()), tuple(high.tolist()), better, note
        )

    def against(self, table: ResultTable, reference: str, rule: Rule = Rule.WORST_RANK) -> Against:
        """Test each other solver against one of them, by |T(j, reference)|.

        The p-values are adjusted for the other solvers only, by the same step-down: a wrong word on
        any of them has a probability of at most 1 - level. `rule` says how missing cells count.

        Raises
        ------
        UnknownNameError
            When no solver has the name of the reference.
        DataError
            As `best_set`.
        """
        at, (y, family) = table.at(reference), comparable(table, rule)
        others, units = np.delete(np.arange(len(y)), at), _units(family)
        names = tuple(table.names[j] for j in others.tolist())
        if note := _too_few(family, len(y)):
            nothing = (nan,) * len(names)
            return Against(names, units, nothing, nothing, nothing, note)
        sample = Sample.of(family, self._enough(), self.seed)
        ranks = signed_ranks(y[others], y[at])
        drawn = np.concatenate([abs(t) for _, t in sample.statistics(ranks)], axis=1)
        p, adjusted = p_values(drawn, sample.slack)  # |T| is the same for -F
        t = sample.observed(ranks)
        return Against(names, units, tuple(t.tolist()), tuple(p.tolist()), tuple(adjusted.tolist()))

    def steadiness(self, table: ResultTable) -> Steadiness:
        """Leave out each data set in turn, and compare the sets of the best.

        Time: O(N B m²) for B flips of each of N samples, and O(N² m²) for their ranks.

        Raises
        ------
        DataError
            As `best_set`.
        """
        names, n = table.names, len(table.family)
        sets = np.ones((max(1, n), len(names)), np.bool_)
        flips = self._enough(FEWER_FLIPS)
        tested = [k for k in range(n) if not _too_few(np.delete(table.family, k), len(names))]
        samples = [Sample.of(table.family, flips, self.seed, without=k) for k in tested]
        for k, possible in zip(tested, self._sets_of(table, samples), strict=True):
            sets[k] = possible
        sizes = sets.sum(axis=1)
        return Steadiness(
            int(sizes.min()),
            int(sizes.max()),
            tuple(np.array(names)[sets.all(axis=0)].tolist()),
            tuple(np.array(names)[sets.any(axis=0)].tolist()),
        )

    def set_sizes(self, table: ResultTable) -> dict[int, int]:
        """Predict the size of the set for 2, 4, ... times as many data sets like these.

        The data sets are drawn with replacement, as many as there would be, without their families.

        Returns
        -------
        dict of int to int
            The median size over the draws, by how many times as many data sets there would be.

        Raises
        ------
        DataError
            As `best_set`.
        """
        n, m = table.values.shape
        if _too_few(np.arange(n * min(TIMES)), m):
            return dict.fromkeys(TIMES, m)
        rng = np.random.default_rng(SEED)
        rows = [row for factor in TIMES for row in rng.integers(0, n, (SET_DRAWS, factor * n))]
        flips = self._enough(SET_FLIPS)
        samples = [Sample.drawn(row, n, flips, self.seed) for row in rows]
        sizes = np.array([sum(one) for one in self._sets_of(table, samples)])
        medians = np.median(sizes.reshape(len(TIMES), SET_DRAWS), axis=1)
        return {factor: int(size) for factor, size in zip(TIMES, medians, strict=True)}

    def _sets_of(
        self, table: ResultTable, samples: Sequence[Sample]
    ) -> Iterator[NDArray[np.bool_]]:
        """Yield who may be the best in each of some samples."""
        if not samples:
            return
        y, _ = comparable(table, Rule.WORST_RANK)
        for found in strongest(y, samples):
            yield _possible(found.s, p_alone(found.flipped(), found.sample.slack), self.level)

    def _enough(self, usual: int = FLIPS) -> int:
        """Return the number of random flips: the one asked for, or a usual one if it is enough."""
        if self.flips is not None:
            return self.flips if usual == FLIPS else min(self.flips, usual)
        return enough_flips(self.level, usual)

    def _untested(self, table: ResultTable, note: str) -> BestSet:
        m = len(table.names)
        nothing, all_, none = (nan,) * m, (True,) * m, (False,) * m
        names, units = (*table.names,), _units(table.family)
        return BestSet(names, units, nothing, nothing, nothing, all_, none, none, note)


@dataclass(frozen=True, slots=True, eq=False)
class _Standing:
    """What the flips say of each solver, and the largest S of all of them under each flip."""

    t: Array  # T of all pairs, (m, m)
    s: Array
    p: Array
    adjusted: Array
    complete: bool
    highest: NDArray[Any]  # (2 B,)


@lru_cache(maxsize=1)  # the set of the best and the ranks are of the same flips
def _standing(table: ResultTable, flips: int, seed: int) -> _Standing:
    y, family = comparable(table, Rule.WORST_RANK)
    sample = Sample.of(family, flips, seed)
    [found] = strongest(y, [sample])
    drawn = found.flipped()
    p, adjusted = p_values(drawn, sample.slack)
    return _Standing(found.observed, found.s, p, adjusted, sample.complete, drawn.max(axis=0))


def _possible(s: Array, p: Array, level: float) -> NDArray[np.bool_]:
    """Return who may be the best: always the one whose strongest rival is least ahead."""
    possible = p > 1.0 - level
    possible[np.argmin(s)] = True
    return possible


def _certain_pairs(
    table: ResultTable, found: _Standing, flips: int, seed: int, alpha: float
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the better and the worse solvers of the pairs that differ.

    A pair whose |T| is not reached by the largest one of all pairs in enough flips is certain. For
    the others, the pairs are taken in from the weakest one on.
    """
    y, family = comparable(table, Rule.WORST_RANK)
    sample = Sample.of(family, flips, seed)
    a, b = np.triu_indices(len(y), 1)
    step = max(1, PAIRS // max(1, y.shape[1]))
    t, highest = found.t[a, b], np.sort(found.highest)
    reached = 1.0 - np.searchsorted(highest, np.abs(t) - sample.slack) / highest.size
    certain = reached <= alpha
    order = np.argsort(np.abs(t), kind="stable")
    order = order[~certain[order]]
    if order.size:
        stepwise = np.empty(order.size)
        above = np.zeros(sample.flips.shape[1], sample.dtype)
        for start in range(0, order.size, step):
            some = order[start : start + step]
            ranks = signed_ranks(y[a[some]], y[b[some]])
            least = np.abs(t[some])[:, None] - sample.slack
            counts = np.zeros(some.size)
            for at, drawn in sample.statistics(ranks):
                size = np.abs(drawn, out=drawn)
                size[0] = np.maximum(size[0], above[at])
                np.maximum.accumulate(size, axis=0, out=size)
                above[at] = size[-1]
                counts += np.count_nonzero(size >= least, axis=1)
            stepwise[start : start + step] = counts / sample.flips.shape[1]
        stepwise = np.maximum.accumulate(stepwise[::-1])[::-1]
        certain[order] = stepwise <= alpha
    ahead = t > 0.0
    return np.where(ahead, a, b)[certain], np.where(ahead, b, a)[certain]


def _units(family: NDArray[np.intp]) -> int:
    return int(np.unique(family).size)


def _too_few(family: NDArray[np.intp], solvers: int) -> str:
    """Return why nothing is tested: few data sets, or one solver; empty if it is."""
    units = _units(family)
    if units >= FEWEST and solvers > 1:
        return ""
    kind = "data sets" if units == family.size else "families of data sets"
    return f"To leave a solver out takes at least {FEWEST} {kind}; here are {units}."
