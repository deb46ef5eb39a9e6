"""Every solver against every other one, over data sets.

Unlike a rank, what is said of a pair does not depend on the other solvers, but for the adjustment
of its p-value to the number of pairs.

Ismail-Fawaz et al. (2023), "An approach to multiple comparison benchmark evaluations that is
stable under manipulation of the comparate set", arXiv:2305.11921.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from math import nan

import numpy as np

from aucbench.errors import require_at_least
from aucbench.stats.signed_rank import signed_rank
from aucbench.stats.tables import ResultTable, Rule, differences
from aucbench.stats.words import LEVEL, ROPE, Difference, Word, holm


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


def pairwise(table: ResultTable, *, rope: float = ROPE, level: float = LEVEL) -> tuple[Pair, ...]:
    """Compare all pairs of solvers over data sets.

    They are (names[0], names[1]), (names[0], names[2]), ..., (names[-2], names[-1]). A family of
    data sets counts as one, whose value is the mean; a solver that lacks one of them has none.

    Parameters
    ----------
    table : ResultTable
    rope : float
        Differences of at most this size are ties; `Word.EQUIVALENT` speaks of it.
    level : float
        Of the intervals; 1 - level is the size of the tests together.

    Raises
    ------
    ParameterError
        When `rope` is negative, or `level` is not in (0, 1).
    """
    pairs = pairs_of(table, combinations(range(len(table.names)), 2), rope=rope, level=level)
    adjusted = holm([pair.p for pair in pairs])
    return tuple(
        replace(pair, adjusted_p=float(p)) for pair, p in zip(pairs, adjusted, strict=True)
    )


def pairs_of(
    table: ResultTable,
    which: Iterable[tuple[int, int]],
    *,
    rope: float,
    level: float,
    rule: Rule = Rule.WORST_RANK,
) -> list[Pair]:
    """Return some pairs of `pairwise` without an adjusted p-value."""
    require_at_least(0.0, rope=rope)
    gains, names, pairs = table.unit_gains, table.names, []
    for i, j in which:
        d, _ = differences(gains[:, i], gains[:, j], rule)
        finite = d[np.isfinite(d)]
        wins, losses = int(np.count_nonzero(d > rope)), int(np.count_nonzero(d < -rope))
        mean = float(finite.mean()) if finite.size else nan
        pairs.append(
            Pair(
                a=names[i],
                b=names[j],
                difference=of_losses(signed_rank(d, level))
                if table.smaller
                else signed_rank(d, level),
                adjusted_p=nan,
                mean=0.0 - mean if table.smaller else mean,
                wins=wins,
                ties=d.size - wins - losses,
                losses=losses,
                rope=rope,
            )
        )
    return pairs


def of_losses(gain: Difference) -> Difference:
    """Return the difference of losses, given that of their negatives."""
    return replace(gain.flipped(), smaller=True)
