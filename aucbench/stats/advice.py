"""One recommendation in words: which solver, by how much, how sure, and what would make it surer.

Design
  a. The leader has the highest mean. Whether it deserves that is read from its pairs, by the
     signed-rank test with Holm's adjustment for all pairs. A sentence says no more than its number.
  b. A solver without a value on some data set cannot have the highest mean, because its mean is
     one over other data sets. Where one leads on the complete cases, a sentence says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from aucbench.errors import DataError
from aucbench.kernels.vectors import floats
from aucbench.stats.advice_inside import OneTable, alone
from aucbench.stats.bayes import DRAWS
from aucbench.stats.fragile import Fragile, fragile_of
from aucbench.stats.pairs import Pair, pairwise
from aucbench.stats.power import MOST, POWER, Spread, detectable_difference
from aucbench.stats.ranking import average_ranks
from aucbench.stats.settling import FEWEST, settle
from aucbench.stats.signed_rank import smallest_n
from aucbench.stats.tables import ROUNDING, Array, Rule, checked, differences, filled
from aucbench.stats.telling import NAMED, counted, listed, top, with_interval
from aucbench.stats.within import WithinDataset
from aucbench.stats.words import LEVEL, ROPE, Word

CHANCE = f"{POWER * 100:g} %"
MUCH = 1.5  # times faster or sparser that are worth a word
Verdict = TypeVar("Verdict", Pair, Fragile)


@dataclass(frozen=True, slots=True)
class Advice:
    """A recommendation: sentences in plain words, the answer first, and what is behind them.

    `leader` is None when there is nothing to choose from. `pairs` are the leader against each
    other solver, and `fragile` says which of these verdicts hang on a detail.
    """

    sentences: tuple[str, ...]
    leader: str | None = None
    pairs: tuple[Pair, ...] = ()
    fragile: tuple[Fragile, ...] = ()

    def __str__(self) -> str:
        """All sentences as one paragraph."""
        return " ".join(self.sentences)


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
    within: WithinDataset | None = None,
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
    within : WithinDataset, optional
        What `within` returns for the data set, when there is only one.
    measure : str
        Its name.
    smaller, rope, level, rule, seed :
        As in `pairwise`.

    Raises
    ------
    DataError
        When the shapes do not agree.
    ParameterError
        When a number makes no sense.
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
        )
        return Advice(tuple(one.sentences()), one.leader)
    if pairs is None:
        pairs = pairwise(
            values, names, rope=rope, level=level, smaller=smaller, rule=rule, seed=seed
        )
    leader = _leader(table, names)
    case = _Case(
        table=table,
        sign=sign,
        names=[*names],
        data_sets=data_sets,
        seconds=_shaped("seconds", seconds, (n, k)),
        nonzeros=_shaped("nonzeros", nonzeros, (n, k)),
        folds=sign * _shaped("folds", folds, (n, k), "J"),
        ratio=ratio,
        measure=measure,
        rope=rope,
        level=level,
        rule=rule,
        seed=seed,
        leader=leader,
        pairs=_from(names[leader], pairs),
        weak=_from(
            names[leader],
            fragile_of(pairs, table, names, data_sets, level, rule, DRAWS, seed),
        ),
    )
    return Advice(tuple(case.sentences()), names[leader], case.pairs, case.weak)


def _from(leader: str, verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """Return the verdicts on the leader, seen from it."""
    of_leader = (one for one in verdicts if leader in (one.a, one.b))
    return tuple(one if one.a == leader else one.flipped() for one in of_leader)


def _leader(table: Array, names: Sequence[str]) -> int:
    """Return the highest mean among solvers with all values; else the best average rank."""
    complete = np.flatnonzero(~np.isnan(table).any(axis=0))
    if complete.size:
        means = np.round(table[:, complete].mean(axis=0), ROUNDING)
        return int(complete[np.argmax(means)])
    return int(np.argmin(_ranks(table, names)))


def _ranks(table: Array, names: Sequence[str]) -> list[float]:
    ranks = average_ranks(table, names, rule=Rule.WORST_RANK, draws=1)
    return [standing.value.estimate for standing in ranks]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """What `advise` was given, and the leader with its pairs; from it come the sentences.

    Where smaller is better, `table` and `folds` have the negatives; times `sign` they are values.
    """

    table: Array
    sign: float
    names: list[str]
    data_sets: Sequence[str]
    seconds: Array
    nonzeros: Array
    folds: Array
    ratio: float
    measure: str
    rope: float
    level: float
    rule: Rule
    seed: int
    leader: int
    pairs: tuple[Pair, ...]
    weak: tuple[Fragile, ...]

    def sentences(self) -> Iterator[str]:
        yield from self.first()
        yield from self.verdicts()
        yield from self.failures()
        yield from self.hanging()
        yield from self.surer()

    def columns(self, table: Array, rival: str) -> tuple[Array, Array]:
        return table[:, self.leader], table[:, self.names.index(rival)]

    def first(self) -> Iterator[str]:
        table, name, n = self.table, self.names[self.leader], len(self.table)
        if np.isnan(table[:, self.leader]).any():
            rank = _ranks(table, self.names)[self.leader]
            yield (
                f"No solver has a value on all {counted(n)}. {name} has the best average rank, "
                f"{rank:.2f} of {len(self.names)}, if a missing value counts as the worst."
            )
            return
        means = np.round(table.mean(axis=0), ROUNDING)
        equal = [self.names[j] for j in np.flatnonzero(means == means[self.leader])]
        who = f"{name} has" if len(equal) == 1 else f"{listed(equal)} have"
        yield (
            f"{who} the {top(self.sign)} mean {self.measure}, "
            f"{self.sign * means[self.leader]:.4f} over {counted(n)}"
            f"{'' if len(equal) == 1 else f'; {name} stands for them below'}."
        )

    def verdicts(self) -> Iterator[str]:
        """Say how it compares with the others, and which equal one is faster or sparser."""
        by_word = {word: [pair for pair in self.pairs if pair.word is word] for word in Word}
        if better := by_word[Word.BETTER]:
            yield f"It is better than {_with_effects(better)}."
        equivalent = sorted(by_word[Word.EQUIVALENT], key=lambda pair: -self.faster(pair.b))
        for pair in equivalent[:NAMED]:
            gains = self.gains(pair.b)
            yield f"{pair.b} is equivalent within {self.rope:g}{f' and {gains}' if gains else ''}."
        if rest := equivalent[NAMED:]:
            be = "is" if len(rest) == 1 else "are"
            yield f"Equivalent too {be} {listed([pair.b for pair in rest])}."
        if unclear := by_word[Word.UNCLEAR]:
            yield f"It is not distinguishable from {_with_effects(unclear)}."
            rivals = [pair.b for pair in unclear]
            extremes = (max(rivals, key=self.faster), max(rivals, key=self.sparser))
            for rival in dict.fromkeys(extremes):
                if gains := self.gains(rival):
                    yield f"{rival} {'' if gains.startswith('has') else 'is '}{gains}."
        if worse := by_word[Word.WORSE]:
            yield (
                f"On most data sets it is behind: by the signed-rank test it is worse than "
                f"{_with_effects(worse)}, and its mean is better because of a few data sets."
            )

    def failures(self) -> Iterator[str]:
        """Say who has no value where, and what the complete cases say."""
        lacks = np.isnan(self.table)
        if not lacks.any():
            return
        counts = zip(self.names, lacks.sum(axis=0).tolist(), strict=True)
        failed = ", ".join(f"{name} on {count}" for name, count in counts if count)
        rule = "count as the worst" if self.rule is Rule.WORST_RANK else "are left out"
        yield f"Without a value: {failed} of {counted(len(lacks))}; there they {rule}."
        some = np.flatnonzero(~lacks.all(axis=0))  # solvers that have a value anywhere
        complete = filled(self.table[:, some], Rule.COMPLETE_CASES)
        if not len(complete):
            yield "No data set has a value of every solver."
            return
        means = np.round(complete.mean(axis=0), ROUNDING)
        best = [self.names[j] for j in some[means == means.max()]]
        name = self.names[self.leader] if self.names[self.leader] in best else best[0]
        yield (
            f"With complete cases only, {counted(len(complete))}, {name} has the {top(self.sign)} "
            f"mean {self.measure}, {self.sign * means.max():.4f}."
        )

    def hanging(self) -> Iterator[str]:
        """Say what hangs on a detail: first the leader itself, then its verdicts."""
        if not np.isnan(self.table[:, self.leader]).any():
            others: dict[str, list[str]] = {}
            for i, data_set in enumerate(self.data_sets):
                left = np.delete(self.table, i, axis=0)
                j = _leader(left, self.names)
                mine, best = (np.round(left[:, who].mean(), ROUNDING) for who in (self.leader, j))
                if best > mine:
                    others.setdefault(self.names[j], []).append(data_set)
            for name, data_sets in others.items():
                those = listed(data_sets, "or")
                yield f"Fragile: {name} has the {top(self.sign)} mean without {those}."
        for verdict in self.weak[:NAMED]:
            yield f"Fragile: {verdict}"
        if rest := [verdict.b for verdict in self.weak[NAMED:]]:
            yield f"Fragile too: the verdict{'s' if len(rest) > 1 else ''} on {listed(rest)}."

    def surer(self) -> Iterator[str]:
        """Say what would settle the open pairs."""
        open_pairs = [pair for pair in self.pairs if pair.word is Word.UNCLEAR and pair.data_sets]
        n, k = self.table.shape
        tests = k * (k - 1) // 2
        least = smallest_n((1.0 - self.level) / tests)
        if not open_pairs:
            return
        if n < least:
            yield (
                f"{counted(n)} cannot show that one of {k} solvers is better; this takes at least "
                f"{least}."
            )
        if n < FEWEST:
            yield "To be surer, run more data sets; more splits do not replace them."
            return
        both = [
            differences(*self.columns(self.table, pair.b), Rule.COMPLETE_CASES)[0]
            for pair in open_pairs
        ]
        sds = [np.std(d, ddof=1) for d in both if d.size > 1]
        if sds and n >= least:
            sd = float(np.median(sds))
            shown = detectable_difference(n, sd, level=self.level, pairs=tests)
            yield (
                f"With {counted(n)} and this spread, a difference below {shown:.4f} may well stay "
                "unseen."
            )
        for pair in open_pairs[:NAMED]:
            yield self.settling(pair, tests)
        if rest := [pair.b for pair in open_pairs[NAMED:]]:
            yield f"Open too: {listed(rest)}."

    def settling(self, pair: Pair, tests: int) -> str:
        """Say how many data sets would settle a pair, and whether splits would."""
        mine, other = self.columns(self.folds, pair.b)
        by_split = mine - other
        spread = None
        if np.count_nonzero(~np.isnan(by_split).all(axis=1)) > 1:
            spread = Spread.of(by_split, self.ratio)
        d, _ = differences(*self.columns(self.table, pair.b), self.rule)
        settling = settle(
            d, spread=spread, rope=self.rope, level=self.level, pairs=tests, seed=self.seed
        )
        if settling.note:
            return f"To be surer about {pair.b}: {settling.note}"
        which = f"{self.names[self.leader]} against {pair.b}"
        what = f"even {MOST} data sets like these would not settle {which}"
        if settling.more is not None:
            sets = f"about {settling.more} more data set{'s' if settling.more > 1 else ''}"
            what = f"{sets} like these would settle {which}, with a probability of {CHANCE}"
        splits = "more splits do not replace data sets"
        if settling.by_splits is not None:
            splits = f"more splits {'would not' if settling.by_splits < POWER else 'might do too'}"
        return f"To be surer: {what}; {splits}."

    def faster(self, rival: str) -> float:
        """How many times faster than the leader a rival is; 0 if that is not known."""
        return _ratio(*self.columns(self.seconds, rival))

    def sparser(self, rival: str) -> float:
        """How many times fewer non-zero weights it has; 0 if that is not known."""
        return _ratio(*self.columns(self.nonzeros, rival))

    def gains(self, rival: str) -> str:
        """Say how much faster and sparser than the leader a rival is, if it is much."""
        faster, sparser = self.faster(rival), self.sparser(rival)
        gains = [f"{_times(faster)} faster"] if faster >= MUCH else []
        gains += [f"has {_times(sparser)} fewer non-zero weights"] if sparser >= MUCH else []
        return " and ".join(gains)


def _ratio(mine: Array, other: Array) -> float:
    """Geometric mean of mine / other over the data sets that know both; 0 if there is none."""
    both = (mine > 0.0) & (other > 0.0) & np.isfinite(mine) & np.isfinite(other)
    return float(np.exp(np.mean(np.log(mine[both] / other[both])))) if both.any() else 0.0


def _shaped(what: str, values: ArrayLike | None, shape: tuple[int, int], last: str = "") -> Array:
    """Return an array of this shape, with another axis of any length if it is named."""
    array = np.full((*shape, 1) if last else shape, np.nan)
    if values is not None:
        array = floats(what, values)
    if array.ndim != 2 + bool(last) or array.shape[:2] != shape:
        wanted = f"{(*shape, last)}" if last else f"{shape} of the values"
        raise DataError(f"{what} must have the shape {wanted}, got {array.shape}")
    return array


def _with_effects(pairs: Sequence[Pair]) -> str:
    """Return names with their differences; of many, how many and the range."""
    if len(pairs) <= NAMED:
        return listed([f"{pair.b} ({_effect(pair)})" for pair in pairs])
    ordered = sorted(pairs, key=lambda pair: pair.difference.effect)
    ends = (ordered[0], ordered[-1])
    least, most = (f"{pair.difference.effect:+.4f} ({pair.b})" for pair in ends)
    return f"{len(pairs)} solvers, from {least} to {most}"


def _effect(pair: Pair) -> str:
    """Return the difference and its interval; where it is infinite, who failed most often."""
    if isfinite(pair.difference.effect):
        return with_interval(pair.difference)
    return f"{pair.b if pair.difference.ahead else pair.a} has no value on most data sets"


def _times(factor: float) -> str:
    return f"{factor:.0f} times" if factor >= 9.95 else f"{factor:.1f} times"
