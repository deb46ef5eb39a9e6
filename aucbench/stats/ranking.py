"""All solvers in one order: mean values and average ranks.

Design
  a. The data sets are the units. An interval says how far a number would move with other data
     sets of the same kind, so that the bootstrap draws data sets, with all their solvers.
  b. Ranks depend on the pool: a solver that is added can change the order of two others.
     `PairTest` does not have this fault, and is to be read first.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from aucbench.errors import require_whole
from aucbench.stats.tables import Array, ResultTable, Rule, average_ranks_of, drawn_counts, filled
from aucbench.stats.words import LEVEL, Interval, require_level

DRAWS = 2000  # of the bootstrap
ONE_DATA_SET = "One data set says nothing about others; an interval takes at least two."
NO_DATA_SET = "No data set has a value of every solver."


@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstrap:
    """Means and average ranks of solvers, with percentiles of the bootstrap over data sets.

    Parameters
    ----------
    level : float
        Of the intervals.
    draws : int
    seed : int

    Raises
    ------
    ParameterError
        When a number makes no sense.
    """

    level: float = LEVEL
    draws: int = DRAWS
    seed: int = 0

    def __post_init__(self) -> None:
        require_level(self.level)
        require_whole(1, draws=self.draws)

    def means(self, table: ResultTable) -> tuple[Interval, ...]:
        """Mean value of each solver over the data sets that have one, in the order of `names`.

        Its interval says how far the mean would move with other data sets. Most of that is the same
        for all solvers, so that two intervals may overlap where one solver is ahead on every data
        set.
        """
        values = table.units
        known = ~np.isnan(values)
        counts = np.vstack([np.ones(len(values)), self._drawn(len(values))])
        having = counts @ known
        means = np.full(having.shape, nan)
        np.divide(counts @ np.where(known, values, 0.0), having, out=means, where=having > 0.0)
        return self._intervals(means[0], means[1:], known.sum(axis=0), "mean")

    def ranks(self, table: ResultTable) -> tuple[Interval, ...]:
        """Average rank of each solver over the data sets, in the order of `names`.

        1 is the best, and equal values share a rank. A solver without a value is the last. A family
        of data sets counts as one, by its mean.
        """
        ranks, n = average_ranks_of(-filled(table.unit_gains, Rule.WORST_RANK)), len(table.units)
        drawn = self._drawn(n) @ ranks / max(1, n)
        estimates = ranks.mean(axis=0) if n else np.full(len(table.names), nan)
        return self._intervals(estimates, drawn, np.full(estimates.size, n), "average rank")

    def _drawn(self, n: int) -> Array:
        """How often each data set is in each draw of n of them, shape (draws, n)."""
        return drawn_counts(n, n, self.draws, self.seed)

    def _intervals(
        self, estimates: Array, drawn: Array, counts: NDArray[np.intp], method: str
    ) -> tuple[Interval, ...]:
        """Return estimates over so many data sets each, with the percentiles of their draws."""
        tail, full = (1.0 - self.level) / 2.0, f"{method}, bootstrap over data sets"
        low, high = np.full((2, estimates.size), nan)
        some = counts > 1
        if some.any():
            quantile = np.nanquantile if np.isnan(drawn).any() else np.quantile
            low[some], high[some] = quantile(drawn[:, some], [tail, 1.0 - tail], axis=0)
        return tuple(
            Interval(estimate, least, most, self.level, full, _note(n))
            for estimate, least, most, n in zip(
                *(x.tolist() for x in (estimates, low, high, counts)), strict=True
            )
        )


def _note(data_sets: int) -> str:
    if data_sets > 1:
        return ""
    return ONE_DATA_SET if data_sets else NO_DATA_SET
