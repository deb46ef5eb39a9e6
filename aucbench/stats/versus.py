"""Every solver against one of them, over data sets, and which of these verdicts are fragile.

Who names a reference before the run pays for one comparison with each other solver, and not for
those of all pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from aucbench.stats.best_set import FEWER_FLIPS, SignTest, enough_flips
from aucbench.stats.pairs import Pair, PairTest, of_losses
from aucbench.stats.signed_rank import signed_rank, without_each
from aucbench.stats.tables import ResultTable, Rule, differences
from aucbench.stats.words import Difference, Word

SHOWN = 3  # data sets that a sentence names
COMPLETE = "with complete cases only"


def versus(
    table: ResultTable, reference: str, test: PairTest | None = None, rule: Rule = Rule.WORST_RANK
) -> tuple[Pair, ...]:
    """Compare each solver with a reference: their pairs, with the p-values of `SignTest.against`.

    Effect and interval are those of `PairTest.pairs`, in units of the measure. `adjusted_p` is that
    of `SignTest.against`, whose scale is that of `SignTest.best_set`, and 1 where the two scales do
    not agree on who is ahead. Of two solvers it is the p-value of their pair.

    Parameters
    ----------
    table : ResultTable
    reference : str
        One of the names.
    test : PairTest, optional
        The rope, and the level of all tests.
    rule : Rule
        How missing cells count.

    Returns
    -------
    tuple of Pair
        In the order of the names, each with the reference as `b`.

    Raises
    ------
    DataError, UnknownNameError
        As `SignTest.against`.
    """
    test = test or PairTest()
    tested = SignTest(level=test.level).against(table, reference, rule)
    at = table.at(reference)
    others = np.delete(np.arange(len(table.names)), at)
    pairs = test.some(table, others, np.full(others.size, at), rule)
    return tuple(
        replace(pair, adjusted_p=_adjusted(pair.difference, t, p, others.size))
        for pair, t, p in zip(pairs, tested.t, tested.adjusted_p, strict=True)
    )


def _adjusted(difference: Difference, t: float, p: float, others: int) -> float:
    """Return the p-value of a word: its direction must be that of the effect."""
    if others == 1:
        return difference.p
    return 1.0 if t * difference.estimate * (-1.0 if difference.smaller else 1.0) < 0.0 else p


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
    table: ResultTable, reference: str, test: PairTest | None = None
) -> tuple[Fragile, ...]:
    """Find the verdicts of `versus` that another way to count would change.

    The other ways are the complete cases, and the table without each single data set. Those are
    left out whose verdict stays.

    Parameters
    ----------
    table, reference, test :
        As in `versus`.

    Raises
    ------
    DataError, UnknownNameError
        As `versus`.
    """
    test = test or PairTest()
    pairs = versus(table, reference, test)
    changes: list[list[Change]] = [[] for _ in pairs]
    if np.isnan(table.values).any():
        others = versus(table, reference, test, Rule.COMPLETE_CASES)
        for pair, mine in zip(others, changes, strict=True):
            mine.append(Change(COMPLETE, "", pair.word))
    signs = SignTest(level=test.level, flips=enough_flips(test.level, FEWER_FLIPS))
    without = [_differences(table, pair, test.level) for pair in pairs]
    for i, data_set in enumerate(table.data_sets):
        tested = signs.against(table.without(i), reference)
        for j, (t, p) in enumerate(zip(tested.t, tested.adjusted_p, strict=True)):
            d = without[j].get(i, pairs[j].difference)
            word = d.word(test.rope, _adjusted(d, t, p, len(pairs)))
            changes[j].append(Change("", data_set, word))
    told = (
        Fragile(pair.a, pair.b, pair.word, tuple(c for c in some if c.word is not pair.word))
        for pair, some in zip(pairs, changes, strict=True)
    )
    return tuple(one for one in told if one.changes)


def _differences(table: ResultTable, pair: Pair, level: float) -> dict[int, Difference]:
    """Return the difference of a pair without each data set that has one, by its number."""
    two = table.select(table.at(pair.a), table.at(pair.b))
    if len(two.units) == len(two.values):
        d, rows = differences(two.gains[:, 0], two.gains[:, 1], Rule.WORST_RANK)
        each = without_each(d, level) if d.size > 1 else ()
        known = dict(zip(rows.tolist(), each, strict=False))
    else:
        rest = (two.without(i).unit_gains for i in range(len(two.values)))
        known = {
            i: signed_rank(differences(gains[:, 0], gains[:, 1], Rule.WORST_RANK)[0], level)
            for i, gains in enumerate(rest)
        }
    return {i: of_losses(one) for i, one in known.items()} if table.smaller else known
