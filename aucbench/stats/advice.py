"""One recommendation in words: which solver, by how much, how sure, and what would make it surer.

Design
  a. The leader has the highest mean. Whether it deserves that is read from its pairs, by the
     signed-rank test with Holm's adjustment for all pairs. A sentence says no more than its number.
  b. A solver without a value on some data set cannot have the highest mean, because its mean is
     one over other data sets. Where one leads on the complete cases, a sentence says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from aucbench.errors import DataError
from aucbench.kernels.vectors import floats
from aucbench.stats.bayes import DRAWS
from aucbench.stats.fragile import Fragile, between, fragile_of
from aucbench.stats.missing import ROUNDING, Array, Rule, checked, differences, filled
from aucbench.stats.pairs import Pair, pairwise
from aucbench.stats.phrases import NAMED, have, interval, listed, number, times, with_effects
from aucbench.stats.power import MOST, POWER, Spread, detectable_difference
from aucbench.stats.ranking import average_ranks
from aucbench.stats.settling import FEWEST, settle
from aucbench.stats.signed_rank import smallest_n
from aucbench.stats.words import LEVEL, ROPE, Difference, Word, holm

MUCH = 1.5  # times faster or sparser that are worth a word


@dataclass(frozen=True, slots=True)
class Advice:
    """A recommendation.

    Attributes
    ----------
    sentences : tuple of str
        In plain words, the answer first.
    leader : str or None
        The recommended solver; None when there is nothing to choose from.
    pairs : tuple of Pair
        The leader against each other solver, in the order of the names.
    fragile : tuple of Fragile
        Which of these verdicts hang on a detail.
    """

    sentences: tuple[str, ...]
    leader: str | None = None
    pairs: tuple[Pair, ...] = ()
    fragile: tuple[Fragile, ...] = ()

    def __str__(self) -> str:
        """All sentences as one paragraph."""
        return " ".join(self.sentences)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """What `advise` was given, and the leader.

    Where smaller is better, `table` and `folds` have the negatives; times `sign` they are values.
    """

    table: Array
    sign: float
    names: list[str]
    data_sets: Sequence[str]
    seconds: Array
    nonzeros: Array
    folds: Array | None
    ratio: float
    measure: str
    rope: float
    level: float
    rule: Rule
    leader: int

    def spread(self, rival: str) -> Spread | None:
        """Return the spread of the leader against a rival by split; None: not known."""
        if self.folds is None:
            return None
        d = self.folds[:, self.leader] - self.folds[:, self.names.index(rival)]
        if np.count_nonzero(~np.isnan(d).all(axis=1)) < 2:
            return None
        return Spread.of(d, self.ratio)


def advise(
    values: ArrayLike,
    names: Sequence[str],
    data_sets: Sequence[str],
    *,
    seconds: ArrayLike | None = None,
    nonzeros: ArrayLike | None = None,
    folds: ArrayLike | None = None,
    ratio: float = 0.0,
    pairs: Sequence[Pair] | None = None,
    within: Mapping[tuple[str, str], Difference] | None = None,
    measure: str = "AUC",
    smaller: bool = False,
    rope: float = ROPE,
    level: float = LEVEL,
    rule: Rule = Rule.WORST_RANK,
    seed: int = 0,
) -> Advice:
    """Recommend a solver in words.

    Parameters
    ----------
    values : array of shape (N, k)
        As in `pairwise`: one value for each data set and solver, NaN where there is none.
    names, data_sets : sequence of str
        Of the k solvers and the N data sets.
    seconds, nonzeros : array of shape (N, k), optional
        Time of a fit, measured under the same conditions, and number of non-zero weights; NaN
        where one is not known.
    folds : array of shape (N, k, J), optional
        The values by split, so that it can be said what more splits would bring.
    ratio : float
        n_test / n_train of a split.
    pairs : sequence of Pair, optional
        What `pairwise` returns for the same arguments. None: it is computed here.
    within : mapping of (str, str) to Difference, optional
        The differences a - b inside the data set, when there is only one.
    measure : str
        Its name.
    smaller, rope, level, rule, seed :
        As in `pairwise`.

    Returns
    -------
    Advice

    Raises
    ------
    DataError
        When the shapes do not agree.
    ParameterError
        When a number makes no sense.
    """
    sign = -1.0 if smaller else 1.0
    table = checked(values, names) * sign
    n, k = table.shape
    if len(data_sets) != n:
        raise DataError(f"{n} rows of values have {len(data_sets)} names of data sets")
    present = ~np.isnan(table)
    if not present.any():
        return Advice((f"No solver has a value of {measure}, so that none can be recommended.",))
    if k == 1:
        return Advice(tuple(_alone(sign * table[:, 0], names[0], measure)), names[0])
    if n == 1:
        return _inside(table[0], sign, names, data_sets[0], within or {}, measure, rope)
    leader = _leader(table, names, rule)
    case = _Case(
        table=table,
        sign=sign,
        names=[*names],
        data_sets=data_sets,
        seconds=_beside(seconds, (n, k), "seconds"),
        nonzeros=_beside(nonzeros, (n, k), "nonzeros"),
        folds=None if folds is None else sign * _folds(folds, (n, k)),
        ratio=ratio,
        measure=measure,
        rope=rope,
        level=level,
        rule=rule,
        leader=leader,
    )
    every = pairs
    if every is None:
        every = pairwise(
            values, names, rope=rope, level=level, smaller=smaller, rule=rule, seed=seed
        )
    of_leader = tuple(
        pair if pair.a == names[leader] else pair.flipped()
        for pair in every
        if names[leader] in (pair.a, pair.b)
    )
    weak = tuple(
        found if found.a == names[leader] else found.flipped()
        for found in fragile_of(every, table, names, data_sets, level, rule, DRAWS, seed)
        if names[leader] in (found.a, found.b)
    )
    sentences = (
        *_first_sentences(case),
        *_verdicts(case, of_leader),
        *_failures(case),
        *_fragile(case, weak),
        *_surer(case, of_leader, seed),
    )
    return Advice(sentences, names[leader], of_leader, weak)


def _top(sign: float) -> str:
    return "highest" if sign > 0.0 else "lowest"


def _leader(table: Array, names: Sequence[str], rule: Rule) -> int:
    """Return the highest mean among solvers with all values; else the best average rank."""
    complete = np.flatnonzero(~np.isnan(table).any(axis=0))
    if complete.size:
        means = np.round(table[:, complete].mean(axis=0), ROUNDING)
        return int(complete[np.argmax(means)])
    ranks = average_ranks(table, names, rule=Rule.WORST_RANK, draws=1)
    return int(np.argmin([standing.value.estimate for standing in ranks]))


def _alone(column: Array, name: str, measure: str) -> Iterator[str]:
    known = column[~np.isnan(column)]
    yield f"{name} has a mean {measure} of {known.mean():.4f} over {number(known.size)}."
    if known.size < column.size:
        yield f"It has no value on {column.size - known.size} of {number(column.size)}."
    yield "There is no other solver to compare it with."


def _inside(
    row: Array,
    sign: float,
    names: Sequence[str],
    data_set: str,
    within: Mapping[tuple[str, str], Difference],
    measure: str,
    rope: float,
) -> Advice:
    """Return what a single data set says, by the differences inside it."""
    best = int(np.nanargmax(row))
    leader = names[best]
    sentences = [f"On {data_set}, {leader} has the {_top(sign)} {measure}, {sign * row[best]:.4f}."]
    rivals = _rivals(within, leader)
    adjusted = holm([d.p for d in within.values()])
    of_pair = dict(zip(within, adjusted.tolist(), strict=True))
    for word in Word:
        some = [(name, d) for name, d, pair in rivals if d.word(rope, of_pair[pair]) is word]
        if some:
            alone = f"; Holm's correction for {len(within)} pairs makes it unclear"
            texts = [
                f"{name} ({interval(d)}{alone if d.word(rope, d.p) is not word else ''})"
                for name, d in some
            ]
            sentences.append(f"There it is {between(word)} {', '.join(texts)}.")
    if failed := [name for name, value in zip(names, row, strict=True) if np.isnan(value)]:
        sentences.append(f"{listed(failed)} {have(failed)} no value.")
    sentences.append("One data set says nothing about others: run more of them.")
    return Advice(tuple(sentences), leader)


def _rivals(
    within: Mapping[tuple[str, str], Difference], leader: str
) -> list[tuple[str, Difference, tuple[str, str]]]:
    """Return the rivals, the differences of the leader less them, and their keys."""
    return [
        (pair[1], d, pair) if pair[0] == leader else (pair[0], d.flipped(), pair)
        for pair, d in within.items()
        if leader in pair
    ]


def _first_sentences(case: _Case) -> Iterator[str]:
    table, name = case.table, case.names[case.leader]
    n = len(table)
    if np.isnan(table[:, case.leader]).any():
        ranks = average_ranks(table, case.names, rule=Rule.WORST_RANK, draws=1)
        rank = ranks[case.leader].value.estimate
        yield (
            f"No solver has a value on all {number(n)}. {name} has the best average rank, "
            f"{rank:.2f} of {len(case.names)}, if a missing value counts as the worst."
        )
        return
    means = np.round(table.mean(axis=0), ROUNDING)
    equal = [case.names[j] for j in np.flatnonzero(means == means[case.leader])]
    who = f"{name} has" if len(equal) == 1 else f"{listed(equal)} have"
    yield (
        f"{who} the {_top(case.sign)} mean {case.measure}, "
        f"{case.sign * means[case.leader]:.4f} over {number(n)}"
        f"{'' if len(equal) == 1 else f'; {name} stands for them below'}."
    )


def _verdicts(case: _Case, pairs: Sequence[Pair]) -> Iterator[str]:
    """Say how the leader compares with the others, and which equal one is faster or sparser."""
    by_word = {word: [pair for pair in pairs if pair.word is word] for word in Word}
    if better := by_word[Word.BETTER]:
        yield f"It is better than {with_effects(better)}."
    equivalent = sorted(by_word[Word.EQUIVALENT], key=lambda pair: -_factor(case, pair.b))
    for pair in equivalent[:NAMED]:
        gains = _gains(case, pair.b)
        yield f"{pair.b} is equivalent within {case.rope:g}{f' and {gains}' if gains else ''}."
    if rest := equivalent[NAMED:]:
        yield f"Equivalent too {'is' if len(rest) == 1 else 'are'} {listed([p.b for p in rest])}."
    if unclear := by_word[Word.UNCLEAR]:
        yield f"It is not distinguishable from {with_effects(unclear)}."
        rivals = [pair.b for pair in unclear]
        fastest = max(rivals, key=lambda rival: _factor(case, rival))
        sparsest = max(rivals, key=lambda rival: _ratio(case, case.nonzeros, rival))
        for rival in dict.fromkeys((fastest, sparsest)):
            if gains := _gains(case, rival):
                yield f"{rival} {'' if gains.startswith('has') else 'is '}{gains}."
    if worse := by_word[Word.WORSE]:
        yield (
            f"On most data sets it is behind: by the signed-rank test it is worse than "
            f"{with_effects(worse)}, and its mean is better because of a few data sets."
        )


def _failures(case: _Case) -> Iterator[str]:
    """Say who has no value where, and what the complete cases say."""
    lacks = np.isnan(case.table)
    if not lacks.any():
        return
    n = len(lacks)
    failed = ", ".join(
        f"{name} on {count}"
        for name, count in zip(case.names, lacks.sum(axis=0).tolist(), strict=True)
        if count
    )
    counts = "count as the worst" if case.rule is Rule.WORST_RANK else "are left out"
    yield f"Without a value: {failed} of {number(n)}; there they {counts}."
    some = np.flatnonzero(~lacks.all(axis=0))  # solvers that have a value anywhere
    complete = filled(case.table[:, some], Rule.COMPLETE_CASES)
    if not len(complete):
        yield "No data set has a value of every solver."
        return
    means = np.round(complete.mean(axis=0), ROUNDING)
    best = [case.names[j] for j in some[means == means.max()]]
    name = case.names[case.leader] if case.names[case.leader] in best else best[0]
    yield (
        f"With complete cases only, {number(len(complete))}, {name} has the {_top(case.sign)} "
        f"mean {case.measure}, {case.sign * means.max():.4f}."
    )


def _fragile(case: _Case, weak: Sequence[Fragile]) -> Iterator[str]:
    """Say what hangs on a detail: first the leader itself, then its verdicts."""
    if not np.isnan(case.table[:, case.leader]).any():
        others: dict[str, list[str]] = {}
        for i, data_set in enumerate(case.data_sets):
            left = np.delete(case.table, i, axis=0)
            j = _leader(left, case.names, case.rule)
            mine, best = (np.round(left[:, who].mean(), ROUNDING) for who in (case.leader, j))
            if best > mine:
                others.setdefault(case.names[j], []).append(data_set)
        for name, data_sets in others.items():
            those = listed(data_sets, "or")
            yield f"Fragile: {name} has the {_top(case.sign)} mean without {those}."
    for found in weak[:NAMED]:
        yield f"Fragile: {found}"
    if rest := [found.b for found in weak[NAMED:]]:
        yield f"Fragile too: the verdict{'s' if len(rest) > 1 else ''} on {listed(rest)}."


def _surer(case: _Case, pairs: Sequence[Pair], seed: int) -> Iterator[str]:
    """Say what would settle the open pairs."""
    open_pairs = [pair for pair in pairs if pair.word is Word.UNCLEAR and pair.data_sets]
    name, n, k = case.names[case.leader], len(case.table), len(case.names)
    tests = k * (k - 1) // 2
    least = smallest_n((1.0 - case.level) / tests)
    if not open_pairs:
        return
    if n < least:
        yield (
            f"{number(n)} cannot show that one of {k} solvers is better; this takes at least "
            f"{least}."
        )
    if n < FEWEST:
        yield "To be surer, run more data sets; more splits do not replace them."
        return
    sds = [np.std(d, ddof=1) for pair in open_pairs if (d := _finite(case, pair.b)).size > 1]
    if sds and n >= least:
        shown = detectable_difference(n, float(np.median(sds)), level=case.level, pairs=tests)
        yield (
            f"With {number(n)} and this spread, a difference below {shown:.4f} may well stay "
            "unseen."
        )
    for pair in open_pairs[:NAMED]:
        yield from _settling(case, pair, name, tests, seed)
    if rest := [pair.b for pair in open_pairs[NAMED:]]:
        yield f"Open too: {listed(rest)}."


def _settling(case: _Case, pair: Pair, name: str, tests: int, seed: int) -> Iterator[str]:
    columns = case.table[:, case.leader], case.table[:, case.names.index(pair.b)]
    d, _ = differences(*columns, case.rule)
    found = settle(
        d,
        spread=case.spread(pair.b),
        rope=case.rope,
        level=case.level,
        pairs=tests,
        seed=seed,
    )
    if found.note:
        yield f"To be surer about {pair.b}: {found.note}"
        return
    which = f"{name} against {pair.b}"
    if found.more is None:
        what = f"even {MOST} data sets like these would not settle {which}"
    else:
        more = f"about {found.more} more data set{'s' if found.more > 1 else ''} like these"
        what = f"{more} would settle {which}, with a probability of {POWER * 100:g} %"
    if found.by_splits is None:
        splits = "more splits do not replace data sets"
    elif found.by_splits < POWER:
        splits = "more splits would not"
    else:
        splits = "more splits might do too"
    yield f"To be surer: {what}; {splits}."


def _finite(case: _Case, rival: str) -> Array:
    d = case.table[:, case.leader] - case.table[:, case.names.index(rival)]
    return d[np.isfinite(d)]


def _gains(case: _Case, rival: str) -> str:
    """Say how much faster and sparser than the leader a rival is, if it is much."""
    faster, sparser = _factor(case, rival), _ratio(case, case.nonzeros, rival)
    gains = [f"{times(faster)} faster"] if faster >= MUCH else []
    gains += [f"has {times(sparser)} fewer non-zero weights"] if sparser >= MUCH else []
    return " and ".join(gains)


def _factor(case: _Case, rival: str) -> float:
    return _ratio(case, case.seconds, rival)


def _ratio(case: _Case, numbers: Array, rival: str) -> float:
    """Geometric mean of leader / rival over the data sets that know both; 0 if there is none."""
    mine, other = numbers[:, case.leader], numbers[:, case.names.index(rival)]
    both = (mine > 0.0) & (other > 0.0) & np.isfinite(mine) & np.isfinite(other)
    if not both.any():
        return 0.0
    return float(np.exp(np.mean(np.log(mine[both] / other[both]))))


def _beside(given: ArrayLike | None, shape: tuple[int, int], what: str) -> Array:
    if given is None:
        return np.full(shape, np.nan)
    found = floats(what, given)
    if found.shape != shape:
        raise DataError(f"{what} must have the shape {shape} of the values, got {found.shape}")
    return found


def _folds(given: ArrayLike, shape: tuple[int, int]) -> Array:
    found = floats("folds", given)
    if found.ndim != 3 or found.shape[:2] != shape:
        raise DataError(f"folds must have the shape {(*shape, 'J')}, got {found.shape}")
    return found
