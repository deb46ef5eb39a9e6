"""Every solver against every other one, over data sets.

Unlike a rank, what is said of a pair does not depend on the other solvers, but for the adjustment
of its p-value to the number of pairs.

Ismail-Fawaz et al. (2023), "An approach to multiple comparison benchmark evaluations that is
stable under manipulation of the comparate set", arXiv:2305.11921.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from aucbench.errors import require_at_least
from aucbench.stats.flips import numbered
from aucbench.stats.signed_rank import signed_rank
from aucbench.stats.tables import Array, Rule, checked, differences
from aucbench.stats.words import LEVEL, ROPE, Difference, Word, holm


@dataclass(frozen=True, slots=True)
class Pair:
    """What the data sets say about the solvers a and b; all differences are a - b.

    Attributes
    ----------
    difference : Difference
        Of the signed-rank test: Hodges-Lehmann estimate, interval, p-value. A failed cell is a
        difference of -inf or inf, so that they are infinite where many cells failed.
    adjusted : float
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
    adjusted: float
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
        return self.difference.word(self.rope, self.adjusted)

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


def pairwise(
    values: ArrayLike,
    names: Sequence[str],
    *,
    families: Sequence[str | None] | None = None,
    rope: float = ROPE,
    level: float = LEVEL,
    smaller: bool = False,
) -> tuple[Pair, ...]:
    """Compare all pairs of solvers over data sets.

    They are (names[0], names[1]), (names[0], names[2]), ..., (names[-2], names[-1]).

    Parameters
    ----------
    values : array of shape (N, k)
        One value for each data set and solver, such as the mean AUC over its splits. NaN where
        the solver has none.
    names : sequence of str
        Of the k solvers.
    families : sequence of str or None, optional
        A family for each data set, as in `best_set`. Those of one family count as one data set,
        whose value is their mean; a solver that lacks one of them has none.
    rope : float
        Differences of at most this size are ties; `Word.EQUIVALENT` speaks of it.
    level : float
        Of the intervals; 1 - level is the size of the tests together.
    smaller : bool
        Whether a smaller value is better; else a larger one is.

    Raises
    ------
    DataError
        When the table has another shape, an infinite value, two solvers of one name, or another
        number of families.
    ParameterError
        When `rope` is negative, or `level` is not in (0, 1).
    """
    options = PairOptions(rope, level, smaller, families=families)
    pairs = pairs_of(values, names, combinations(range(len(names)), 2), options)
    adjusted = holm([pair.p for pair in pairs])
    return tuple(replace(pair, adjusted=float(p)) for pair, p in zip(pairs, adjusted, strict=True))


@dataclass(frozen=True, slots=True)
class PairOptions:
    """The options of `pairwise`."""

    rope: float = ROPE
    level: float = LEVEL
    smaller: bool = False
    rule: Rule = Rule.WORST_RANK
    families: Sequence[str | None] | None = None


def by_family(table: Array, families: Sequence[str | None] | None) -> Array:
    """Return the mean of each family of data sets; NaN where a solver lacks one of them."""
    number = numbered(families, len(table))
    sizes = np.bincount(number)
    if sizes.size == len(table):
        return table
    sums = np.zeros((sizes.size, table.shape[1]))
    np.add.at(sums, number, table)
    return np.asarray(sums / sizes[:, None])


def pairs_of(
    values: ArrayLike, names: Sequence[str], which: Iterable[tuple[int, int]], options: PairOptions
) -> list[Pair]:
    """Return some pairs of `pairwise` without an adjusted p-value."""
    require_at_least(0.0, rope=options.rope)
    sign = -1.0 if options.smaller else 1.0
    table = sign * by_family(checked(values, names), options.families)
    pairs = [_pair(table[:, [i, j]], (names[i], names[j]), options) for i, j in which]
    return [_of_losses(pair) for pair in pairs] if options.smaller else pairs


def _pair(table: Array, names: tuple[str, str], options: PairOptions) -> Pair:
    """Return a pair, of which larger values are better."""
    rope = options.rope
    d, _ = differences(table[:, 0], table[:, 1], options.rule)
    finite = d[np.isfinite(d)]
    wins, losses = int(np.count_nonzero(d > rope)), int(np.count_nonzero(d < -rope))
    return Pair(
        *names,
        difference=signed_rank(d, options.level),
        adjusted=nan,
        mean=float(finite.mean()) if finite.size else nan,
        wins=wins,
        ties=d.size - wins - losses,
        losses=losses,
        rope=rope,
    )


def _of_losses(pair: Pair) -> Pair:
    """Return the pair of losses, given that of their negatives."""
    difference = replace(pair.difference.flipped(), smaller=True)
    return replace(pair, difference=difference, mean=0.0 - pair.mean)
