"""Sign flips of whole data sets: the null distribution that `best_set` reads its p-values from.

Design
  a. With a sign F of the data sets, -F has the statistics of F with both solvers of a pair
     exchanged. So flips come in twos, and one product serves both.
  b. The ranks without one data set follow from those with it, so that they are sorted once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.errors import DataError, ParameterError, require_whole
from aucbench.stats.tables import ROUNDING, Array, Rule, average_ranks_of, checked, filled
from aucbench.stats.words import require_level

ODDS_OF = 0.005  # c of the log-odds of a share; it is the default of the rope
FEWEST = 6  # units from which a solver can be left out
BLOCK = 250  # flips whose statistics are in memory together; each stands for two
SLACK = 1e-9  # equal statistics differ by rounding


@dataclass(frozen=True, slots=True)
class Asked:
    """The options of `best_set`."""

    families: Sequence[str | None] | None
    smaller: bool
    shares: bool
    level: float
    rule: Rule
    flips: int
    seed: int

    def ranked(self, values: ArrayLike, names: Sequence[str]) -> Ranked:
        """Check the options and the table, and rank the differences of all pairs."""
        require_level(self.level)
        require_whole(1, flips=self.flips)
        require_whole(0, seed=self.seed)
        y = scaled(checked(values, names), smaller=self.smaller, shares=self.shares)
        family = numbered(self.families, len(y))
        if self.rule is Rule.COMPLETE_CASES:
            family = family[~np.isnan(y).any(axis=1)]
        return Ranked.of(filled(y, self.rule), family)

    def without_each(self, values: ArrayLike, names: Sequence[str]) -> Iterator[Flipped]:
        """Yield the flips without the first data set, without the second, and so on."""
        ranked = self.ranked(values, names)
        return (self.flipped(ranked.without(k)) for k in range(len(ranked.sizes)))

    def flipped(self, ranked: Ranked) -> Flipped:
        """Return the flips of these ranks; with a note, and without flips, where there are few."""
        family = np.unique(ranked.family, return_inverse=True)[1]
        units = int(family.max(initial=-1)) + 1
        m = ranked.solvers
        if units < FEWEST or m < 2:
            kind = "data sets" if units == family.size else "families of data sets"
            what = f"To leave a solver out takes at least {FEWEST} {kind}; here are {units}."
            return Flipped(np.empty((units, 0)), m, np.empty((0, units)), True, what)
        signs, complete = _signs(units, self.flips, self.seed)
        return Flipped(_summed(ranked.shares(), family), m, signs, complete)


@dataclass(frozen=True, slots=True)
class Ranked:
    """The differences of the P pairs a < b of m solvers: sizes, midranks and signs, (N, P)."""

    solvers: int
    sizes: Array
    ranks: Array
    signs: Array
    family: NDArray[np.intp]

    @staticmethod
    def of(y: Array, family: NDArray[np.intp]) -> Ranked:
        """Rank the differences of all pairs of columns, of which a larger one is better."""
        a, b = np.triu_indices(y.shape[1], 1)
        with np.errstate(invalid="ignore"):  # -inf less -inf, where both failed: no difference
            d = np.nan_to_num(y[:, a] - y[:, b], nan=0.0, posinf=inf, neginf=-inf)
        sizes = np.abs(d)
        return Ranked(y.shape[1], sizes, average_ranks_of(sizes.T).T, np.sign(d), family)

    def without(self, k: int) -> Ranked:
        """Return the ranks without one data set: those of larger differences fall by one."""
        fall = (self.sizes > self.sizes[k]) + (self.sizes == self.sizes[k]) / 2.0
        rest = np.delete(np.arange(len(self.sizes)), k)
        return Ranked(
            self.solvers,
            self.sizes[rest],
            (self.ranks - fall)[rest],
            self.signs[rest],
            self.family[rest],
        )

    def shares(self) -> Array:
        """Return the signed ranks of j less i at [:, j, i], (N, m, m).

        Each is divided by the root of the sum of the squares of its pair.
        """
        m = self.solvers
        a, b = np.triu_indices(m, 1)
        signed = self.ranks * self.signs
        norm = np.sqrt(np.sum(signed**2, axis=0))
        signed /= np.where(norm > 0.0, norm, 1.0)
        both = np.zeros((len(signed), m, m))
        both[:, a, b], both[:, b, a] = signed, -signed
        return both


@dataclass(frozen=True, slots=True)
class Flipped:
    """Signed ranks of all pairs, and the flips of their signs.

    `ranks` has the shape (units, m²): of each family of data sets the sums of the signed ranks of
    each pair (j, i), divided by the root of the sum of all their squares.
    """

    ranks: Array
    solvers: int
    flips: Array  # one of each two, (B, units); the first one is the identity
    complete: bool  # whether these are all flips
    note: str = ""

    @property
    def units(self) -> int:
        """Number of data sets, or of families, that count."""
        return int(self.ranks.shape[0])

    def between(self, signs: Array) -> Array:
        """Return T(j, i) under some flips, (B, units) -> (B, m, m); that of i and i is -inf."""
        m = self.solvers
        T = (signs @ self.ranks).reshape(-1, m, m)
        T[:, range(m), range(m)] = -inf
        return T

    def statistics(self) -> Iterator[Array]:
        """Yield T under one of each two flips, in blocks."""
        for start in range(0, len(self.flips), BLOCK):
            yield self.between(self.flips[start : start + BLOCK])

    def observed(self) -> Array:
        """Return S of each solver."""
        return np.asarray(self.between(np.ones((1, self.units)))[0].max(axis=0))

    def strongest(self) -> Iterator[Array]:
        """Yield S* of each solver under all flips, in blocks of shape (2 B, m)."""
        for T in self.statistics():
            yield np.concatenate([T.max(axis=1), T.max(axis=2)])  # of F, and of -F


def scaled(table: Array, *, smaller: bool, shares: bool) -> Array:
    """Return values of which larger ones are better, on the scale on which they are compared."""
    rounded = np.round(table, ROUNDING)
    if not shares:
        return -rounded if smaller else rounded
    if smaller:
        raise ParameterError("of shares that are compared by log-odds 1 is the best; give 1 - v")
    known = rounded[~np.isnan(rounded)]
    if known.size and (known.min() < 0.0 or known.max() > 1.0):
        wrong = known[(known < 0.0) | (known > 1.0)][0]
        raise DataError(
            f"a value is {wrong:g}, wanted shares in [0, 1]; compare others as they are"
        )
    return np.asarray(np.log((rounded + ODDS_OF) / (1.0 - rounded + ODDS_OF)))


def numbered(families: Sequence[str | None] | None, count: int) -> NDArray[np.intp]:
    """Return a number for the family of each data set; None is one of its own."""
    if families is None:
        return np.arange(count)
    if len(families) != count:
        raise DataError(f"{count} data sets have {len(families)} families; give one for each")
    own = [("", i) if name is None else (name, -1) for i, name in enumerate(families)]
    order = {key: number for number, key in enumerate(dict.fromkeys(own))}
    return np.array([order[key] for key in own], dtype=np.intp)


def _summed(ranks: Array, family: NDArray[np.intp]) -> Array:
    """Return the sums of each family of data sets, (N, m, m) -> (units, m²)."""
    number = np.unique(family, return_inverse=True)[1]
    sums = np.zeros((int(number.max()) + 1, ranks[0].size))
    np.add.at(sums, number, ranks.reshape(len(ranks), -1))
    return sums


def _signs(units: int, flips: int, seed: int) -> tuple[Array, bool]:
    """Return one of each two flips, the identity first, and whether these are all."""
    if 2**units <= flips + 1:
        rest = np.arange(2 ** (units - 1))  # the sign of the last unit stays
        bits = rest[:, None] >> np.arange(units) & 1
        return np.asarray(1.0 - 2.0 * bits, np.float64), True
    signs = np.ones((max(1, (flips + 1) // 2), units))
    drawn = np.random.default_rng(seed).integers(0, 2, (len(signs) - 1, units))
    signs[1:] -= 2.0 * drawn
    return signs, False


def p_values(s: Array, drawn: Iterator[Array], count: int) -> tuple[Array, Array]:
    """Return the share of flips with a statistic of at least s, of each and of the step-down."""
    order = np.argsort(-s, kind="stable")
    alone, together = np.zeros(s.size), np.zeros(s.size)
    for block in drawn:
        alone += np.count_nonzero(block >= s - SLACK, axis=0)
        rest = np.maximum.accumulate(block[:, order[::-1]], axis=1)[:, ::-1]
        together += np.count_nonzero(rest >= s[order] - SLACK, axis=0)
    stepwise = np.empty(s.size)
    stepwise[order] = np.maximum.accumulate(together / count)
    return alone / count, stepwise
