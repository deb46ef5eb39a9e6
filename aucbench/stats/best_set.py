"""Which solvers may be the best on a typical data set, and which are certainly behind.

Design
  a. A test of all pairs with Holm's method pays for each of them, and forgets that they share their
     data sets. Here the signs of whole data sets are flipped, one sign for all pairs. So what is
     true of all differences together is kept, and nothing is paid for it.
  b. A value that is a share, as an AUC is, is compared by its log-odds: from .98 to .99 half of the
     errors are gone, from .50 to .51 a fiftieth. On this scale the sets are smaller, and equal
     solvers are left out as rarely. The constant `ODDS_OF` keeps shares of 0 and 1 finite.
  c. Signed ranks speak of the typical data set, whose differences are symmetric about their
     median. A solver whose mean comes from a few data sets may not be in the set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, nan

import numpy as np

from aucbench.stats.flips import EQUAL, Flipped, Ranked, p_values
from aucbench.stats.pairs import Pair
from aucbench.stats.tables import ResultTable, Rule
from aucbench.stats.words import LEVEL, Word

FLIPS = 9999  # random ones, beside the identity; with at most 13 units all flips are fewer
RESOLVED = 20  # random flips, at least, by which 1 - level is above 0
FEWER_FLIPS = 1999  # where each data set is left out
BORDER = 0.01  # so near to 1 - level a p-value of random flips may change with the seed


def enough_flips(level: float, least: int = FLIPS) -> int:
    """Return how many random flips resolve p-values about 1 - level."""
    return max(least, ceil(RESOLVED / (1.0 - level)))


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
        return BestSet(self.names, self.units, self.s, p, p, possible, behind, none, self.note)


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


def best_set(table: ResultTable, *, level: float = LEVEL, flips: int = FLIPS) -> BestSet:
    """Test for each solver whether another one is better on a typical data set.

    With y = log((v + c)/(1 - v + c)) of a share v, c = .005, or y = v, let r_i be the signed
    midranks of the differences of y of two solvers over the data sets; 0 stays 0. Then

        T(a, b) = sum_i r_i / sqrt(sum_i r_i²),     S_i = max_j T(j, i),

    and p_i is the share of flips with a statistic of at least S_i. A flip gives each data set a
    sign, which all pairs share. A solver may be the best when p_i > 1 - level, and the one with
    the smallest S_i always may. It is certainly behind when the p-value of the step-down,

        max over l <= k of the share of flips with max over l' >= l of S*_(l') >= S_(l),

    is at most 1 - level, where S_(1) >= S_(2) >= ... are the sorted statistics.

    If differences are symmetric about their medians, the statement "the best solver is in the set"
    is wrong with a probability of at most 1 - level, and so is "one that is as good as any is
    certainly behind", for any number of solvers.

    Parameters
    ----------
    table : ResultTable
        Of m solvers on N data sets. The signs of one family flip together, and r_i is then the mean
        of their signed midranks.
    level : float
        1 - level is the probability of a wrong statement.
    flips : int
        Random flips beside the identity; all 2^N where these are at most one more.

    Raises
    ------
    DataError
        When a share is outside [0, 1].
    ParameterError
        When a number makes no sense.

    Notes
    -----
    Hsu (1981), "Simultaneous confidence intervals for all distances from the best", Annals of
    Statistics 9; Romano and Wolf (2005), "Exact and approximate stepdown methods for multiple
    hypothesis testing", JASA 100; Pratt (1959), JASA 54, for zeros.
    """
    return _read(table.names, Ranked.of(table).flipped(flips, level), level)


def _read(names: Sequence[str], flipped: Flipped, level: float) -> BestSet:
    """Return what the flips say of each solver."""
    m = len(names)
    if flipped.note:
        nothing, all_, none = (nan,) * m, (True,) * m, (False,) * m
        return BestSet(
            (*names,), flipped.units, nothing, nothing, nothing, all_, none, none, flipped.note
        )
    drawn = flipped.strongest(m)
    s, (p, adjusted) = drawn[0], p_values(drawn)
    possible = p > 1.0 - level
    possible[np.argmin(s)] = True
    near = (np.abs(p - (1.0 - level)) <= BORDER) & (not flipped.complete)
    return BestSet(
        (*names,),
        flipped.units,
        tuple(np.round(s, EQUAL).tolist()),
        tuple(p.tolist()),
        tuple(adjusted.tolist()),
        tuple(possible.tolist()),
        tuple((adjusted <= 1.0 - level).tolist()),
        tuple(near.tolist()),
    )


def against(
    table: ResultTable,
    reference: str,
    *,
    level: float = LEVEL,
    rule: Rule = Rule.WORST_RANK,
    flips: int = FLIPS,
) -> Against:
    """Test each other solver against one of them, by |T(j, reference)| of `best_set`.

    The p-values are adjusted for the other solvers only, by the same step-down: a wrong word on
    any of them has a probability of at most 1 - level. `rule` says how missing cells count.

    Raises
    ------
    UnknownNameError
        When no solver has the name of the reference.
    DataError, ParameterError
        As `best_set`.
    """
    flipped = Ranked.of(table, table.at(reference), rule).flipped(flips, level)
    others = tuple(name for name in table.names if name != reference)
    nothing = (nan,) * len(others)
    if flipped.note:
        return Against(others, flipped.units, nothing, nothing, nothing, flipped.note)
    drawn = flipped.flips @ flipped.ranks
    t, (p, adjusted) = drawn[0], p_values(np.abs(drawn))  # |T| is the same for -F
    return Against(
        others,
        flipped.units,
        tuple(t.tolist()),
        tuple(p.tolist()),
        tuple(adjusted.tolist()),
    )


def steadiness(table: ResultTable, *, level: float = LEVEL, flips: int = FEWER_FLIPS) -> Steadiness:
    """Leave out each data set in turn, and compare the sets; see `best_set`.

    Time: O(N m² log N) for the ranks, which are sorted once, and O(N B N m²) for B flips.

    Raises
    ------
    DataError, ParameterError
        As `best_set`.
    """
    ranked, names = Ranked.of(table), table.names
    each = (ranked.without(k).flipped(flips, level) for k in range(len(ranked.sizes)))
    sets = [_read(names, flipped, level) for flipped in each]
    counts = np.sum([one.possible for one in sets] or [(True,) * len(names)], axis=0)
    sizes = [sum(one.possible) for one in sets] or [len(names)]
    return Steadiness(
        min(sizes),
        max(sizes),
        tuple(name for name, n in zip(names, counts, strict=True) if n == max(1, len(sets))),
        tuple(name for name, n in zip(names, counts, strict=True) if n),
    )
