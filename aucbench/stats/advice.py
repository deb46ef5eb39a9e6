"""One recommendation in words: which solver, by how much, how sure, and what would make it surer.

Design
  a. A sentence says no more than its number. What is not shown is not said, and what would show it
     stands at the end.
  b. The first sentence is about the typical data set, see `best_set`. The second one is about the
     mean, which a few data sets can decide; where the two do not agree, it says so.
  c. Inside one data set there is another rule, see `advice_inside`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from aucbench.errors import DataError
from aucbench.kernels.vectors import floats
from aucbench.stats.advice_across import Across, leader_of
from aucbench.stats.advice_inside import OneTable, alone
from aucbench.stats.best_set import BestSet
from aucbench.stats.pairs import Pair, by_family, pairwise
from aucbench.stats.tables import Array, checked
from aucbench.stats.versus import Fragile
from aucbench.stats.within import WithinDataset
from aucbench.stats.words import LEVEL, ROPE


@dataclass(frozen=True, slots=True)
class Advice:
    """A recommendation: sentences in plain words, the answer first, and what is behind them.

    Attributes
    ----------
    leader : str or None
        The solver with the best mean; None when there is nothing to choose from.
    best : BestSet or None
        Which solvers may be the best; None where there are fewer than two data sets or solvers.
    reference : tuple of Pair
        Each other solver against the reference, if there is one; of two solvers, their pair.
    fragile : tuple of Fragile
        Which of the verdicts on the reference hang on a detail.
    """

    sentences: tuple[str, ...]
    leader: str | None = None
    best: BestSet | None = None
    reference: tuple[Pair, ...] = ()
    fragile: tuple[Fragile, ...] = ()

    def __str__(self) -> str:
        """All sentences as one paragraph."""
        return " ".join(self.sentences)


def advise(
    values: ArrayLike,
    names: Sequence[str],
    data_sets: Sequence[str],
    *,
    reference: str | None = None,
    families: Sequence[str | None] | None = None,
    shares: bool = True,
    seconds: ArrayLike | None = None,
    nonzeros: ArrayLike | None = None,
    folds: ArrayLike | None = None,
    ratio: float = 0.0,
    pairs: Sequence[Pair] | None = None,
    within: WithinDataset | None = None,
    stars: Sequence[Sequence[str]] | None = None,
    measure: str = "AUC",
    smaller: bool = False,
    rope: float = ROPE,
    level: float = LEVEL,
    leave_out: bool = True,
) -> Advice:
    """Recommend a solver in words.

    Parameters
    ----------
    values : array of shape (N, k)
        As in `pairwise`: one value for each data set and solver, NaN where there is none.
    names, data_sets : sequence of str
        Of the k solvers and the N data sets.
    reference : str, optional
        A solver against which each other one is told.
    families, shares :
        As in `best_set`; `shares` counts only where a larger value is better.
    seconds, nonzeros : array of shape (N, k), optional
        Time of a fit, measured under the same conditions, and number of non-zero weights; NaN
        where one is not known.
    folds : array of shape (N, k, J), optional
        The values by split, so that it can be said what more splits would bring.
    ratio : float
        n_test / n_train of a split.
    pairs : sequence of Pair, optional
        What `pairwise` returns for the same arguments. None: it is computed here.
    within : WithinDataset, optional
        What `within` returns for the data set, when there is only one.
    stars : sequence of sequence of str, optional
        For each data set who may be the best on it; told where there are too few data sets to say
        anything across them.
    measure : str
        Its name.
    smaller, rope, level :
        As in `pairwise`.
    leave_out : bool
        Leave out each data set in turn, to say what hangs on one of them. It takes long where there
        are many data sets and many solvers.

    Raises
    ------
    DataError
        When the shapes do not agree.
    ParameterError
        When a number makes no sense.
    UnknownNameError
        When no solver has the name of the reference.
    """
    sign = -1.0 if smaller else 1.0
    table = checked(values, names, data_sets) * sign
    n, k = table.shape
    if np.isnan(table).all():
        return Advice((f"No solver has a value of {measure}, so that none can be recommended.",))
    if k == 1:
        return Advice(tuple(alone(sign * table[:, 0], names[0], measure)), names[0])
    if n == 1:
        one = OneTable(
            row=table[0],
            sign=sign,
            names=names,
            data_set=data_sets[0],
            measure=measure,
            compared=within,
            seconds=_shaped("seconds", seconds, (n, k))[0],
            level=level,
            reference=reference,
        )
        return Advice(tuple(one.sentences()), one.leader)
    if pairs is None:
        pairs = pairwise(values, names, families=families, rope=rope, level=level, smaller=smaller)
    leader = names[leader_of(by_family(table, families), names)]
    case = Across(
        table=table,
        sign=sign,
        names=[*names],
        data_sets=data_sets,
        reference=reference,
        families=families,
        shares=shares and not smaller,
        seconds=_shaped("seconds", seconds, (n, k)),
        nonzeros=_shaped("nonzeros", nonzeros, (n, k)),
        folds=sign * _shaped("folds", folds, (n, k), "J"),
        ratio=ratio,
        stars=stars,
        measure=measure,
        rope=rope,
        level=level,
        leave_out=leave_out,
        leader=leader,
        pairs=_from(leader, pairs),
    )
    return Advice(tuple(case.sentences()), leader, case.best, case.referred, case.weak)


def _from(leader: str, pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """Return the pairs of the leader, seen from it."""
    of_leader = (one for one in pairs if leader in (one.a, one.b))
    return tuple(one if one.a == leader else one.flipped() for one in of_leader)


def _shaped(what: str, values: ArrayLike | None, shape: tuple[int, int], last: str = "") -> Array:
    """Return an array of this shape, with another axis of any length if it is named."""
    array = np.full((*shape, 1) if last else shape, np.nan)
    if values is not None:
        array = floats(what, values)
    if array.ndim != 2 + bool(last) or array.shape[:2] != shape:
        wanted = f"{(*shape, last)}" if last else f"{shape} of the values"
        raise DataError(f"{what} must have the shape {wanted}, got {array.shape}")
    return array
