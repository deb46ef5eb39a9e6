"""All solvers in one order: mean values and average ranks.

Design
  a. The data sets are the units. An interval says how far a number would move with other data
     sets of the same kind, so that the bootstrap draws data sets, with all their solvers.
  b. Ranks depend on the pool: a solver that is added can change the order of two others.
     `pairwise` does not have this fault, and is to be read first.
"""

from __future__ import annotations

from math import nan

import numpy as np

from aucbench.errors import require_whole
from aucbench.stats.tables import Array, ResultTable, Rule, average_ranks_of, drawn_counts, filled
from aucbench.stats.words import LEVEL, Interval, require_level

DRAWS = 2000  # of the bootstrap
ONE_DATA_SET = "One data set says nothing about others; an interval takes at least two."
NO_DATA_SET = "No data set has a value of every solver."


def average_values(
    table: ResultTable, *, level: float = LEVEL, draws: int = DRAWS
) -> tuple[Interval, ...]:
    """Mean value of each solver over the data sets on which it has one, in the order of `names`.

    Its interval says how far the mean would move with other data sets. Most of that is the same
    for all solvers, so that two intervals may overlap where one solver is ahead on every data set.

    Parameters
    ----------
    table, level, draws :
        As in `average_ranks`.

    Raises
    ------
    ParameterError
        When a number makes no sense.
    """
    values = table.units
    known = ~np.isnan(values)
    counts = np.vstack([np.ones(len(values)), _resampled(len(values), draws)])
    having = counts @ known
    means = np.full(having.shape, nan)
    np.divide(counts @ np.where(known, values, 0.0), having, out=means, where=having > 0.0)
    each = known.sum(axis=0).tolist()
    return tuple(
        _interval(means[0, j], means[1:, j], each[j], level, "mean") for j in range(len(each))
    )


def average_ranks(
    table: ResultTable, *, level: float = LEVEL, draws: int = DRAWS
) -> tuple[Interval, ...]:
    """Average rank of each solver over the data sets, in the order of `names`.

    1 is the best, and equal values share a rank.

    Parameters
    ----------
    table : ResultTable
        A solver without a value is the last. A family of data sets counts as one, by its mean.
    level : float
        Of the intervals, percentiles of the bootstrap over data sets.
    draws : int
        Of the bootstrap.

    Raises
    ------
    ParameterError
        When a number makes no sense.
    """
    ranks, n = average_ranks_of(-filled(table.unit_gains, Rule.WORST_RANK)), len(table.units)
    drawn = _resampled(n, draws) @ ranks / max(1, n)
    estimates = ranks.mean(axis=0) if n else np.full(len(table.names), nan)
    return tuple(
        _interval(float(estimates[j]), drawn[:, j], n, level, "average rank")
        for j in range(len(table.names))
    )


def _resampled(n: int, draws: int) -> Array:
    """How often each data set is in each draw of n of them, shape (draws, n)."""
    require_whole(1, draws=draws)
    return drawn_counts(n, n, draws, seed=0)


def _interval(estimate: float, drawn: Array, n: int, level: float, method: str) -> Interval:
    """Return an estimate over n data sets with the percentiles of its draws."""
    require_level(level)
    note = "" if n > 1 else ONE_DATA_SET if n else NO_DATA_SET
    tail = (1.0 - level) / 2.0
    ends = np.nanquantile(drawn, [tail, 1.0 - tail]) if n > 1 else (nan, nan)
    low, high = map(float, ends)
    full = f"{method}, bootstrap over data sets"
    return Interval(float(estimate), low, high, level, full, note)
