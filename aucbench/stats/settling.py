"""How many more data sets would settle a pair of solvers, or make the set of the best smaller.

The data sets that there are, are drawn again in place of a model. This takes those that were run as
a fair sample of those to come, and what they say of the solvers as true.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, nan

import numpy as np
from numpy.typing import ArrayLike

from aucbench.errors import require_at_least, require_whole
from aucbench.stats.best_set import best_set
from aucbench.stats.power import MOST, POWER, Spread, first_from, require_share
from aucbench.stats.signed_rank import critical, vector_of
from aucbench.stats.tables import Array, Rule, checked, drawn_counts
from aucbench.stats.words import LEVEL, ROPE, require_level

DRAWS = 2000  # of stored differences; their standard error at .8 is .009
TIMES = (2, 4)  # as many data sets, for which the size of a set is told
SET_DRAWS = 9
SET_FLIPS = 499
FEWEST = 5  # differences that say something about their spread when they are drawn again


@dataclass(frozen=True, slots=True)
class Settling:
    """What would settle a pair that is not distinguishable."""

    now: float  # probability that as many other data sets of the same kind would settle it
    # So many more data sets would, with the wanted probability; None when more than `MOST` in all
    # would not, or when it cannot be said.
    more: int | None
    # Probability that infinitely many splits on as many data sets would; None when the spread
    # between splits is not known.
    by_splits: float | None
    note: str = ""  # why something cannot be said


def settle(
    differences: ArrayLike,
    *,
    spread: Spread | None = None,
    rope: float = ROPE,
    level: float = LEVEL,
    pairs: int = 1,
    wanted: float = POWER,
    draws: int = DRAWS,
    seed: int = 0,
) -> Settling:
    """How many more data sets would settle a pair: make it better, worse or equivalent.

    The stored differences are drawn with replacement, as many as there would be data sets.

    Parameters
    ----------
    differences : array of shape (n,)
        One for each data set; infinite where one solver failed.
    spread : Spread, optional
        Tells what more splits would bring.
    rope, level, pairs :
        As in `pairwise` and `power`.
    wanted : float
        Probability with which it shall be settled.
    draws, seed : int
        Of the resampling.

    Raises
    ------
    DataError
        When a difference is NaN.
    ParameterError
        When a number makes no sense.
    """
    require_at_least(0.0, rope=rope)
    require_whole(1, draws=draws, pairs=pairs)
    require_whole(0, seed=seed)
    require_level(level)
    require_share(wanted)
    d = vector_of(differences)
    if d.size < FEWEST:
        note = f"It has {d.size} difference(s); to say how many would do takes {FEWEST}."
        return Settling(nan, None, None, note)

    def chance(z: Array, n: int) -> float:
        """Share of draws of n differences that are better, worse or equivalent."""
        counts = drawn_counts(z.size, n, draws, seed)
        whole = n * (n + 1) / 2.0
        c = critical(n, (1.0 - level) / pairs)
        t = drawn_statistic(z, counts)
        tested = (t <= c) | (t >= whole - c)
        c = critical(n, 1.0 - level)
        above, below = drawn_statistic(z - rope, counts), whole - drawn_statistic(z + rope, counts)
        return float(np.mean(tested | ((above <= c) & (below <= c))))

    total = first_from(lambda n: chance(d, n) >= wanted, d.size + 1, MOST)
    by_splits = None
    if spread is not None and spread.split_sd > 0.0 and spread.sd > 0.0:
        by_splits = chance(_shrunk(d, spread.with_splits(inf) / spread.sd), d.size)
    return Settling(chance(d, d.size), None if total is None else total - d.size, by_splits)


def set_sizes(
    values: ArrayLike,
    names: Sequence[str],
    times: Sequence[int] = TIMES,
    *,
    smaller: bool = False,
    shares: bool = True,
    level: float = LEVEL,
    rule: Rule = Rule.WORST_RANK,
    draws: int = SET_DRAWS,
    seed: int = 0,
) -> dict[int, int]:
    """Median size of `best_set` with 2, 4, ... times as many data sets like these.

    The data sets are drawn with replacement, as many as there would be.

    Parameters
    ----------
    values, names, smaller, shares, level, rule :
        As in `best_set`.
    times : sequence of int
        How many times as many data sets there would be; the keys of what is returned.
    draws, seed : int
        Of the resampling.

    Raises
    ------
    DataError, ParameterError
        As `best_set`.
    """
    require_whole(1, draws=draws)
    table = checked(values, names)
    rng = np.random.default_rng(seed)
    test = partial(best_set, names=names, smaller=smaller, shares=shares, level=level, rule=rule)
    sizes = {}
    for factor in times:
        rows = rng.integers(0, max(1, len(table)), (draws, factor * len(table)))
        sets = [test(table[some], flips=SET_FLIPS, seed=seed) for some in rows]
        sizes[factor] = int(np.median([sum(one.possible) for one in sets]))
    return sizes


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
