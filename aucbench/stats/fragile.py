"""Verdicts that hang on a detail: a rule, a seed, or a single data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from aucbench.stats.bayes import DRAWS, sign_test
from aucbench.stats.pairs import Pair, pairwise
from aucbench.stats.signed_rank import without_each
from aucbench.stats.tables import Array, Rule, checked, differences
from aucbench.stats.words import LEVEL, ROPE, Difference, Word, holm

SEEDS = 5  # of the Bayesian test that are tried beside the given one
NEAR = 4.0  # standard errors from the level, beyond which no seed changes a verdict
SHOWN = 3  # data sets that a sentence names
SEED = "in the Bayesian test, depending on its seed"
RULES = {
    Rule.WORST_RANK: "if failed cells count as the worst rank",
    Rule.COMPLETE_CASES: "with complete cases only",
}


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

    def flipped(self) -> Fragile:
        """Return the same verdict as b against a."""
        changes = (replace(change, word=change.word.flipped) for change in self.changes)
        return Fragile(self.b, self.a, self.word.flipped, tuple(changes))

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
    *,
    rope: float = ROPE,
    level: float = LEVEL,
    rule: Rule = Rule.WORST_RANK,
    draws: int = DRAWS,
    seed: int = 0,
) -> tuple[Fragile, ...]:
    """Find the verdicts of `pairwise` that another way to count would change; larger is better.

    The other ways are the other rule for missing cells, other seeds of the Bayesian test, and the
    table without each single data set, adjusted by Holm's method as before. Those are left out
    whose verdict stays.

    Parameters
    ----------
    values, names, rope, level, rule, draws, seed :
        As in `pairwise`.
    data_sets : sequence of str
        Names of the N data sets.

    Raises
    ------
    DataError, ParameterError
        As `pairwise`, and when the number of names of data sets is not N.
    """
    table = checked(values, names, data_sets)
    pairs = pairwise(table, names, rope=rope, level=level, rule=rule, draws=draws, seed=seed)
    return fragile_of(pairs, table, names, data_sets, level, rule, draws, seed)


def fragile_of(
    pairs: Sequence[Pair],
    table: Array,
    names: Sequence[str],
    data_sets: Sequence[str],
    level: float,
    rule: Rule,
    draws: int,
    seed: int,
) -> tuple[Fragile, ...]:
    """Return `fragile` of the pairs that `pairwise` returns for the same arguments.

    In `table` larger is better: it has the negatives of losses.
    """
    by_rule = _by_rule(table, names, pairs, rule, level)
    by_seed = _by_seed(table, pairs, rule, level, draws, seed)
    by_data = _by_data(table, pairs, rule, level, data_sets)
    return tuple(
        Fragile(pair.a, pair.b, pair.word, tuple(changes))
        for pair, *ways in zip(pairs, by_rule, by_seed, by_data, strict=True)
        if (changes := [c for some in ways for c in some if c.word is not pair.word])
    )


def _by_rule(
    table: Array, names: Sequence[str], pairs: Sequence[Pair], rule: Rule, level: float
) -> list[list[Change]]:
    if not np.isnan(table).any() or not pairs:
        return [[] for _ in pairs]
    [other] = {*Rule} - {rule}
    others = pairwise(table, names, rope=pairs[0].rope, level=level, rule=other, draws=1)
    return [[Change(RULES[other], "", pair.word)] for pair in others]


def _by_seed(
    table: Array, pairs: Sequence[Pair], rule: Rule, level: float, draws: int, seed: int
) -> list[list[Change]]:
    """Return the words of the Bayesian test under all seeds, where they are not all the same."""
    near = NEAR * sqrt(level * (1.0 - level) / draws)
    changes = []
    for pair, columns in zip(pairs, combinations(table.T, 2), strict=True):
        test = pair.sign_test
        tests = [test]
        if abs(max(test.worse, test.equivalent, test.better) - level) < near:
            d, _ = differences(*columns, rule)
            others = range(seed + 1, seed + 1 + SEEDS)
            tests += [sign_test(d, pair.rope, draws=draws, seed=other) for other in others]
        words = {test.word(level): None for test in tests}  # in their order
        changes.append([Change(SEED, "", word) for word in words if len(words) > 1])
    return changes


def _by_data(
    table: Array, pairs: Sequence[Pair], rule: Rule, level: float, data_sets: Sequence[str]
) -> list[list[Change]]:
    """Return the words without each data set that has a difference."""
    left: list[dict[int, Difference]] = []
    p = np.array([[pair.p] * len(table) for pair in pairs]).reshape(len(pairs), len(table))
    for k, columns in enumerate(combinations(table.T, 2)):
        d, rows = differences(*columns, rule)
        without = without_each(d, level) if d.size > 1 else ()
        left.append(dict(zip(rows.tolist(), without, strict=False)))
        p[k, [*left[k]]] = [difference.p for difference in without]
    adjusted = np.array([holm(column) for column in p.T]).reshape(len(table), len(pairs))
    return [
        [
            Change("", data_sets[i], left[k].get(i, pair.difference).word(pair.rope, float(row[k])))
            for i, row in enumerate(adjusted)
        ]
        for k, pair in enumerate(pairs)
    ]
