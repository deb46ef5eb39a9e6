"""Between which ranks each solver lies, for all solvers together.

Mogstad, Romano, Shaikh and Wilhelm (2024), "Inference for ranks with applications to mobility
across neighbourhoods and academic achievement across countries", Review of Economic Studies 91.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aucbench.stats.best_set import FLIPS, enough_flips
from aucbench.stats.flips import Ranked, p_values
from aucbench.stats.tables import ResultTable
from aucbench.stats.words import LEVEL


@dataclass(frozen=True, slots=True)
class RankSets:
    """The ranks that each solver may have; all tuples are in the order of the names.

    Attributes
    ----------
    units : int
        Data sets that count, or families of them.
    low, high : tuple of int
        The best and the worst rank that it may have; 1 is the best.
    above, below : tuple of tuple of str
        Which solvers are certainly better than it, and which ones are certainly worse.
    note : str
        Why nothing is tested; empty if it is.
    """

    names: tuple[str, ...]
    units: int
    low: tuple[int, ...]
    high: tuple[int, ...]
    above: tuple[tuple[str, ...], ...]
    below: tuple[tuple[str, ...], ...]
    level: float = LEVEL
    note: str = ""


def rank_sets(table: ResultTable, *, flips: int = FLIPS) -> RankSets:
    """Return sets that hold the ranks of all m solvers together with the probability `level`.

    All pairs are tested by |T(a, b)| of `best_set` and the same flips, with its step-down over the
    m(m − 1)/2 pairs. A pair that is told apart is "certain". The ranks of a solver are then

        1 + (number of those certainly better)   to   m − (number of those certainly worse).

    If differences are symmetric about the differences of some locations, whose order is the
    ranking, no certain pair is the wrong way round and no rank is outside its set, but with a
    probability of at most 1 - level.

    Parameters
    ----------
    table, flips :
        As in `best_set`.

    Raises
    ------
    DataError, ParameterError
        As `best_set`.
    """
    names, m = table.names, len(table.names)
    flipped = Ranked.of(table).flipped(enough_flips(LEVEL, flips), LEVEL)
    ahead = np.zeros((m, m), np.bool_)  # whether the solver of the row is certainly better
    if not flipped.note:
        drawn = flipped.flips @ flipped.ranks
        t, certain = drawn[0], p_values(np.abs(drawn))[1] <= 1.0 - LEVEL  # |T| is that of -F
        a, b = np.triu_indices(m, 1)
        ahead[a, b], ahead[b, a] = certain & (t > 0.0), certain & (t < 0.0)

    def named(chosen: np.ndarray) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(np.array([*names])[row].tolist()) for row in chosen)

    return RankSets(
        (*names,),
        flipped.units,
        tuple((1 + ahead.sum(axis=0)).tolist()),
        tuple((m - ahead.sum(axis=1)).tolist()),
        named(ahead.T),
        named(ahead),
        LEVEL,
        flipped.note,
    )
