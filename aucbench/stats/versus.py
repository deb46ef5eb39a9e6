"""Every solver against one of them, over data sets, and which of these verdicts are fragile.

Who names a reference before the run pays for one comparison with each other solver, and not for
those of all pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from aucbench.stats.best_set import FEWER_FLIPS, against, enough_flips
from aucbench.stats.pairs import Pair, PairOptions, by_family, pairs_of
from aucbench.stats.signed_rank import signed_rank, without_each
from aucbench.stats.tables import Array, Rule, checked, differences
from aucbench.stats.words import LEVEL, ROPE, Difference, Word

SHOWN = 3  # data sets that a sentence names
COMPLETE = "with complete cases only"


def versus(
    values: ArrayLike,
    names: Sequence[str],
    reference: str,
    *,
    families: Sequence[str | None] | None = None,
    shares: bool = True,
    smaller: bool = False,
    rope: float = ROPE,
    level: float = LEVEL,
    rule: Rule = Rule.WORST_RANK,
) -> tuple[Pair, ...]:
    """Compare each solver with a reference: their pairs, with the p-values of `against`.

    Effect and interval are those of `pairwise`, in units of the measure. `adjusted` is the
    `stepwise` of `against`, whose scale is that of `best_set`, and 1 where the two scales do not
    agree on who is ahead. Of two solvers it is the p-value of their pair.

    Parameters
    ----------
    values, names, rope, level, smaller, rule :
        As in `pairwise`.
    reference : str
        One of the names.
    families, shares :
        As in `best_set`.

    Returns
    -------
    tuple of Pair
        In the order of the names, each with the reference as `b`.

    Raises
    ------
    DataError, ParameterError, UnknownNameError
        As `pairwise` and `against`.
    """
    tested = against(
        values,
        names,
        reference,
        families=families,
        shares=shares,
        smaller=smaller,
        level=level,
        rule=rule,
        flips=enough_flips(level),
    )
    at = [*names].index(reference)
    others = [j for j in range(len(names)) if j != at]
    options = PairOptions(rope, level, smaller, rule, families=families)
    pairs = pairs_of(values, names, ((j, at) for j in others), options)
    return tuple(
        replace(pair, adjusted=_adjusted(pair.difference, t, p, len(others)))
        for pair, t, p in zip(pairs, tested.t, tested.stepwise, strict=True)
    )


def _adjusted(difference: Difference, t: float, p: float, others: int) -> float:
    """Return the p-value of a word: its direction must be that of the effect."""
    if others == 1:
        return difference.p
    return 1.0 if t * difference.effect * (-1.0 if difference.smaller else 1.0) < 0.0 else p


@dataclass(frozen=True, slots=True)
class Change:
    """Another way to count, and what it says of the pair."""

    cause: str  # such as "with complete cases only"; empty if a data set is left out
    without: str  # name of the data set that is left out, if one is
    word: Word  # the verdict then


@dataclass(frozen=True, slots=True)
class Fragile:
    """A verdict on two solvers that changes when something changes that should not matter."""

    a: str
    b: str
    word: Word  # how a compares with b
    changes: tuple[Change, ...]  # at least one

    def __str__(self) -> str:
        """One sentence, which names a few of the data sets."""
        others = []
        for word in dict.fromkeys(change.word for change in self.changes):
            some = [change for change in self.changes if change.word is word]
            causes = [change.cause for change in some if change.cause]
            sets = [change.without for change in some if change.without]
            if len(sets) <= SHOWN:
                causes += [f"without {name}" for name in sets]
            else:
                few = ", ".join(sets[:SHOWN])
                causes.append(f"without any one of {len(sets)} data sets, such as {few}")
            others.append(f"{word} {', or '.join(causes)}")
        return f"{self.a} is {self.word.between} {self.b}, but {'; '.join(others)}."


def fragile(
    values: ArrayLike,
    names: Sequence[str],
    data_sets: Sequence[str],
    reference: str,
    *,
    families: Sequence[str | None] | None = None,
    shares: bool = True,
    smaller: bool = False,
    rope: float = ROPE,
    level: float = LEVEL,
) -> tuple[Fragile, ...]:
    """Find the verdicts of `versus` that another way to count would change.

    The other ways are the complete cases, and the table without each single data
    set. Those are left out whose verdict stays.

    Parameters
    ----------
    values, names, reference, families, shares, smaller, rope, level :
        As in `versus`.
    data_sets : sequence of str
        Names of the N data sets.

    Raises
    ------
    DataError, ParameterError, UnknownNameError
        As `versus`, and when the number of names of data sets is not N.
    """
    table = checked(values, names, data_sets)
    ask = partial(versus, names=names, reference=reference, shares=shares, smaller=smaller)
    ask = partial(ask, rope=rope, level=level)
    pairs = ask(table, families=families)
    changes: list[list[Change]] = [[] for _ in pairs]
    if np.isnan(table).any():
        others = ask(table, families=families, rule=Rule.COMPLETE_CASES)
        for pair, mine in zip(others, changes, strict=True):
            mine.append(Change(COMPLETE, "", pair.word))
    test = partial(against, names=names, reference=reference, shares=shares, smaller=smaller)
    test = partial(test, level=level, flips=enough_flips(level, FEWER_FLIPS))
    options = PairOptions(rope, level, smaller)
    without = [_differences(table, names, pair, families, options) for pair in pairs]
    for i, data_set in enumerate(data_sets):
        tested = test(np.delete(table, i, axis=0), families=_without_one(families, i))
        for j, (t, p) in enumerate(zip(tested.t, tested.stepwise, strict=True)):
            d = without[j].get(i, pairs[j].difference)
            changes[j].append(Change("", data_set, d.word(rope, _adjusted(d, t, p, len(pairs)))))
    told = (
        Fragile(pair.a, pair.b, pair.word, tuple(c for c in some if c.word is not pair.word))
        for pair, some in zip(pairs, changes, strict=True)
    )
    return tuple(one for one in told if one.changes)


def _differences(
    table: Array,
    names: Sequence[str],
    pair: Pair,
    families: Sequence[str | None] | None,
    options: PairOptions,
) -> dict[int, Difference]:
    """Return the difference of a pair without each data set that has one, by its number."""
    sign = -1.0 if options.smaller else 1.0
    columns = sign * table[:, [[*names].index(pair.a), [*names].index(pair.b)]]
    if len(by_family(columns, families)) == len(columns):
        d, rows = differences(columns[:, 0], columns[:, 1], options.rule)
        each = without_each(d, options.level) if d.size > 1 else ()
        known = dict(zip(rows.tolist(), each, strict=False))
    else:
        known = {i: _without(columns, families, i, options) for i in range(len(columns))}
    if options.smaller:
        known = {i: replace(one.flipped(), smaller=True) for i, one in known.items()}
    return known


def _without(
    columns: Array, families: Sequence[str | None] | None, i: int, options: PairOptions
) -> Difference:
    """Return the difference of two columns without a data set, whose family may stay."""
    rest = by_family(np.delete(columns, i, axis=0), _without_one(families, i))
    d, _ = differences(rest[:, 0], rest[:, 1], options.rule)
    return signed_rank(d, options.level)


def _without_one(families: Sequence[str | None] | None, i: int) -> list[str | None] | None:
    return None if families is None else [*families[:i], *families[i + 1 :]]
