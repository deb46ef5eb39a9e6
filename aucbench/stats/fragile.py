"""Verdicts that hang on a detail: a rule, a seed, or a single data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from aucbench.errors import DataError
from aucbench.stats.bayes import DRAWS, Posterior, SignTest
from aucbench.stats.missing import Rule, checked, differences
from aucbench.stats.pairs import Pair, pairwise
from aucbench.stats.signed_rank import Array, without_each
from aucbench.stats.words import LEVEL, ROPE, Difference, Word, holm

SEEDS = 5  # of the Bayesian test that are tried beside the given one
NEAR = 4.0  # standard errors from the level, beyond which no seed changes a verdict
SHOWN = 3  # data sets that a sentence names
SEED = "in the Bayesian test, depending on its seed"
RULES = {
    Rule.WORST_RANK: "if failed cells count as the worst rank",
    Rule.COMPLETE_CASES: "with complete cases only",
}
OPPOSITES = {Word.BETTER: Word.WORSE, Word.WORSE: Word.BETTER}
PREPOSITIONS = {
    Word.BETTER: "than",
    Word.WORSE: "than",
    Word.EQUIVALENT: "to",
    Word.UNCLEAR: "from",
}


@dataclass(frozen=True, slots=True)
class Change:
    """Another way to count, and what it says of the pair.

    Attributes
    ----------
    cause : str
        Such as "with complete cases only"; empty if a data set is left out.
    without : str
        Name of the data set that is left out, if one is.
    word : Word
        The verdict then.
    """

    cause: str
    without: str
    word: Word


@dataclass(frozen=True, slots=True)
class Fragile:
    """A verdict on two solvers that changes when something changes that should not matter.

    Attributes
    ----------
    a, b : str
        The solvers.
    word : Word
        How a compares with b.
    changes : tuple of Change
        At least one.
    """

    a: str
    b: str
    word: Word
    changes: tuple[Change, ...]

    def flipped(self) -> Fragile:
        """Return the same verdict as b against a."""
        changes = (replace(change, word=opposite(change.word)) for change in self.changes)
        return Fragile(self.b, self.a, opposite(self.word), tuple(changes))

    def __str__(self) -> str:
        """One sentence, which names a few of the data sets."""
        others = []
        for word in dict.fromkeys(change.word for change in self.changes):
            some = [change for change in self.changes if change.word is word]
            causes = [change.cause for change in some if change.cause]
            causes += _without([change.without for change in some if change.without])
            others.append(f"{word} {', or '.join(causes)}")
        return f"{self.a} is {between(self.word)} {self.b}, but {'; '.join(others)}."


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
    table without each single data set, adjusted by Holm's method as before.

    Parameters
    ----------
    values, names, rope, level, rule, draws, seed :
        As in `pairwise`.
    data_sets : sequence of str
        Names of the N data sets.

    Returns
    -------
    tuple of Fragile
        In the order of `pairwise`, without the pairs whose verdict stays.

    Raises
    ------
    DataError, ParameterError
        As `pairwise`, and when the number of names of data sets is not N.
    """
    table = checked(values, names)
    if len(data_sets) != len(table):
        raise DataError(f"{len(table)} rows of values have {len(data_sets)} names of data sets")
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
    """Return `fragile` of the pairs that `pairwise` has found with the same arguments.

    In `table` larger is better: it has the negatives of losses.
    """
    by_rule = _by_rule(table, names, pairs, rule, level)
    by_seed = _by_seed(table, pairs, rule, level, draws, seed)
    by_data = _by_data(table, pairs, rule, level, data_sets)
    return tuple(
        Fragile(pair.a, pair.b, pair.word, tuple(changes))
        for pair, *found in zip(pairs, by_rule, by_seed, by_data, strict=True)
        if (changes := [c for some in found for c in some if c.word is not pair.word])
    )


def _by_rule(
    table: Array, names: Sequence[str], pairs: Sequence[Pair], rule: Rule, level: float
) -> list[list[Change]]:
    if not np.isnan(table).any() or not pairs:
        return [[] for _ in pairs]
    [other] = {*Rule} - {rule}
    found = pairwise(table, names, rope=pairs[0].rope, level=level, rule=other, draws=1)
    return [[Change(RULES[other], "", pair.word)] for pair in found]


def _by_seed(
    table: Array, pairs: Sequence[Pair], rule: Rule, level: float, draws: int, seed: int
) -> list[list[Change]]:
    """Return the words of the Bayesian test under all seeds, where they are not all the same."""
    others = [Posterior(draws, seed + 1 + k) for k in range(SEEDS)]
    near = NEAR * sqrt(level * (1.0 - level) / draws)
    found = []
    for pair, columns in zip(pairs, combinations(table.T, 2), strict=True):
        tests = [pair.sign_test]
        if abs(_largest(pair.sign_test) - level) < near:
            d, _ = differences(*columns, rule)
            tests += [posterior.test(d, pair.rope) for posterior in others]
        words = {test.word(level): None for test in tests}  # in their order
        found.append([Change(SEED, "", word) for word in words if len(words) > 1])
    return found


def _by_data(
    table: Array, pairs: Sequence[Pair], rule: Rule, level: float, data_sets: Sequence[str]
) -> list[list[Change]]:
    """Return the words without each data set that has a difference."""
    left: list[dict[int, Difference]] = []
    p = np.array([[pair.p] * len(table) for pair in pairs]).reshape(len(pairs), len(table))
    for k, columns in enumerate(combinations(table.T, 2)):
        d, kept = differences(*columns, rule)
        without = without_each(d, level) if d.size > 1 else ()
        left.append(dict(zip(kept.tolist(), without, strict=False)))
        p[k, [*left[k]]] = [difference.p for difference in without]
    adjusted = np.array([holm(column) for column in p.T]).reshape(len(table), len(pairs))
    return [
        [
            Change("", data_sets[i], d.word(pair.rope, float(row[k])))
            for i, row in enumerate(adjusted)
            for d in [left[k].get(i, pair.difference)]
        ]
        for k, pair in enumerate(pairs)
    ]


def _largest(test: SignTest) -> float:
    return max(test.worse, test.equivalent, test.better)


def _without(names: Sequence[str]) -> list[str]:
    if len(names) <= SHOWN:
        return [f"without {name}" for name in names]
    return [f"without any one of {len(names)} data sets, such as {', '.join(names[:SHOWN])}"]


def between(word: Word) -> str:
    """Return the word with its preposition, as it stands between two names."""
    return f"{word} {PREPOSITIONS[word]}"


def opposite(word: Word) -> Word:
    """Return how b compares with a, when a is `word` b."""
    return OPPOSITES.get(word, word)
