"""Sign flips of whole data sets: the null distribution that `best_set` reads its p-values from.

Design
  a. With a sign F of the data sets, -F has the statistics of F with both solvers of a pair
     exchanged. So flips come in twos, and one product serves both.
  b. The ranks without one data set follow from those with it, so that they are sorted once.
  c. A family of related data sets counts as one: its value is the mean of its signed ranks. (Their
     sum would let twelve variants of one table outvote eleven other tables.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import inf

import numpy as np
from numpy.typing import NDArray

from aucbench.errors import DataError, require_whole
from aucbench.stats.tables import (
    ROUNDING,
    Array,
    ResultTable,
    Rule,
    Scale,
    average_ranks_of,
    filled,
)
from aucbench.stats.words import require_level

ODDS_OF = 0.005  # c of the log-odds of a share; it is the default of the rope
SEED = 0  # of random flips
FEWEST = 6  # units from which a solver can be left out
BLOCK = 250  # flips whose statistics are in memory together; each stands for two
SLACK = 1e-9  # equal statistics differ by rounding
EQUAL = 9  # decimals up to which a statistic is told


@dataclass(frozen=True, slots=True)
class Ranked:
    """The differences of P pairs of solvers: sizes, midranks and signs, (N, P)."""

    sizes: Array
    ranks: Array
    signs: Array
    family: NDArray[np.intp]

    @staticmethod
    def of(table: ResultTable, at: int | None = None, rule: Rule = Rule.WORST_RANK) -> Ranked:
        """Rank the differences of all pairs of solvers, or of the others less the one `at`."""
        y, family, m = scaled(table), table.family, len(table.names)
        if rule is Rule.COMPLETE_CASES:
            family = family[~np.isnan(y).any(axis=1)]
        y = filled(y, rule)
        a, b = np.triu_indices(m, 1)
        if at is not None:
            a = np.delete(np.arange(m), at)
            b = np.full(m - 1, at)
        with np.errstate(invalid="ignore"):  # -inf less -inf, where both failed: no difference
            d = np.nan_to_num(y[:, a] - y[:, b], nan=0.0, posinf=inf, neginf=-inf)
        sizes = np.abs(d)
        return Ranked(sizes, average_ranks_of(sizes.T).T, np.sign(d), family)

    def without(self, k: int) -> Ranked:
        """Return the ranks without one data set: those of larger differences fall by one."""
        fall = (self.sizes > self.sizes[k]) + (self.sizes == self.sizes[k]) / 2.0
        rest = np.delete(np.arange(len(self.sizes)), k)
        sizes, ranks, signs = self.sizes[rest], (self.ranks - fall)[rest], self.signs[rest]
        return Ranked(sizes, ranks, signs, self.family[rest])

    def flipped(self, flips: int, level: float) -> Flipped:
        """Return so many flips; with a note, and without flips, where there are few data sets.

        Raises
        ------
        ParameterError
            When the level of the test is not in (0, 1), or there is no flip.
        """
        require_level(level)
        require_whole(1, flips=flips)
        family = np.unique(self.family, return_inverse=True)[1]
        units = int(family.max(initial=-1)) + 1
        if units < FEWEST or not self.sizes.shape[1]:
            kind = "data sets" if units == family.size else "families of data sets"
            what = f"To leave a solver out takes at least {FEWEST} {kind}; here are {units}."
            return Flipped(np.empty((units, 0)), np.empty((0, units)), True, what)
        signs, complete = _signs(units, flips)
        return Flipped(_shares(_averaged(self.ranks * self.signs, family)), signs, complete)


@dataclass(frozen=True, slots=True)
class Flipped:
    """Signed ranks of pairs, and the flips of their signs.

    `ranks` has the shape (units, P): the means over each family of data sets, divided by the root
    of the sum of the squares of their pair.
    """

    ranks: Array
    flips: Array  # one of each two, (B, units); the first one is the identity
    complete: bool  # whether these are all flips
    note: str = ""

    @property
    def units(self) -> int:
        """Number of data sets, or of families, that count."""
        return int(self.ranks.shape[0])

    def strongest(self, m: int) -> Array:
        """Return S* of m solvers under all flips, (B, m); the pairs are all of theirs, a < b.

        The first row is that of the identity.
        """
        a, b = np.triu_indices(m, 1)
        S = np.empty((2, len(self.flips), m))  # of F, and of -F
        for start in range(0, len(self.flips), BLOCK):
            rows = slice(start, start + BLOCK)
            T = self.flips[rows] @ self.ranks
            both = np.full((len(T), m, m), -inf)
            both[:, a, b], both[:, b, a] = T, -T
            S[0, rows], S[1, rows] = both.max(axis=1), both.max(axis=2)
        return S.reshape(-1, m)


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


def _averaged(ranks: Array, family: NDArray[np.intp]) -> Array:
    """Return the means of each family of data sets, (N, P) -> (units, P)."""
    sizes = np.bincount(family)
    if sizes.size == len(ranks):
        return ranks
    return np.asarray((family == np.arange(sizes.size)[:, None]) @ ranks / sizes[:, None])


def _shares(ranks: Array) -> Array:
    """Return ranks divided by the root of the sum of the squares of their pair."""
    norm = np.sqrt(np.sum(ranks**2, axis=0))
    return np.asarray(ranks / np.where(norm > 0.0, norm, 1.0))


@lru_cache(maxsize=2)  # where each data set is left out in turn, as many are left each time
def _signs(units: int, flips: int) -> tuple[Array, bool]:
    """Return one of each two flips, the identity first, and whether these are all."""
    if 2**units <= flips + 1:
        rest = np.arange(2 ** (units - 1))  # the sign of the last unit stays
        bits = rest[:, None] >> np.arange(units) & 1
        every = np.asarray(1.0 - 2.0 * bits, np.float64)
        every.setflags(write=False)
        return every, True
    signs = np.ones((max(1, (flips + 1) // 2), units))
    drawn = np.random.default_rng(SEED).integers(0, 2, (len(signs) - 1, units))
    signs[1:] -= 2.0 * drawn
    signs.setflags(write=False)  # other tests have them too
    return signs, False


def p_values(drawn: Array) -> tuple[Array, Array]:
    """Return p-values of statistics under all flips, (B, m), of each alone and of the step-down.

    The first row is that of the identity, which is what was observed.
    """
    s = drawn[0]
    order = np.argsort(-s, kind="stable")
    alone = np.mean(drawn >= s - SLACK, axis=0)
    rest = np.maximum.accumulate(drawn[:, order[::-1]], axis=1)[:, ::-1]
    stepwise = np.empty(s.size)
    stepwise[order] = np.maximum.accumulate(np.mean(rest >= s[order] - SLACK, axis=0))
    return alone, stepwise
