"""One recommendation in words: which solver, by how much, how sure, and what next.

Design
  a. A sentence says no more than its number. What is not shown is not said, and what would show it
     stands at the end.
  b. The order of the sentences is that of what a reader needs: the set of possibly best solvers on
     a typical data set, see `SignTest`; the mean, which a few data sets can decide; who is behind,
     how much depends on one data set, the reference, what is as good and faster, failures, and
     what would give a more certain answer.
  c. A solver without a value on some data set cannot have the highest mean, because its mean is
     one over other data sets. Where one leads on the complete cases, a sentence says so.
  d. Of two solvers the set says what their pair says.
  e. Inside one data set there is another rule, see `advice_inside`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from aucbench.errors import DataError
from aucbench.stats.advice_inside import OneTable, alone
from aucbench.stats.advice_more import MOST, POWER, settle
from aucbench.stats.best_set import BestSet, RankSets, SignTest, Steadiness
from aucbench.stats.pairs import Pair, PairTable, PairTest
from aucbench.stats.ranking import Bootstrap
from aucbench.stats.tables import ROUNDING, Array, ResultTable, Rule, differences, filled
from aucbench.stats.vectors import floats
from aucbench.stats.versus import Fragile, fragile, versus
from aucbench.stats.within import WithinDataset
from aucbench.stats.words import (
    NAMED,
    Word,
    counted,
    listed,
    times,
    top,
    with_interval,
)

CHANCE = f"{POWER * 100:g} %"
MUCH = 1.5  # times faster or sparser that are worth a word
FRAGILE = 2  # verdicts of which it is told what changes them
MEMBERS = 20  # of a set that are named
MANY = 10  # solvers, from which it is said how many neighbours cannot be told apart
MOST_VALUES = 8_000  # of a table whose data sets are left out in turn, and drawn again


@dataclass(frozen=True, kw_only=True, eq=False)
class Advice:
    """A recommendation in plain words, and what is behind it.

    Parameters
    ----------
    table : ResultTable
        The values of one measure.
    test : PairTest
        The rope, and the level of all tests.
    against : str, optional
        A solver against which each other one is told.
    seconds, nonzeros : array of shape (N, k), optional
        Time of a fit, measured under the same conditions, and number of non-zero weights; NaN
        where one is not known.
    folds : array of shape (N, k, J), optional
        The values by split, so that it can be said what more splits would bring.
    ratio : float
        n_test / n_train of a split.
    within : WithinDataset, optional
        What `within` returns for the data set, when there is only one.
    stars : sequence of sequence of str, optional
        For each data set who may be the best on it, as `WithinDataset.possible` says of all of
        them at once; told where there are too few data sets to say anything across them.
    measure : str
        Its name.

    Raises
    ------
    DataError
        When the shapes do not agree.
    UnknownNameError
        When no solver has the name `against`.
    """

    table: ResultTable
    test: PairTest = field(default_factory=PairTest)
    against: str | None = None
    seconds: Any = None
    nonzeros: Any = None
    folds: Any = None
    ratio: float = 0.0
    within: WithinDataset | None = None
    stars: Sequence[Sequence[str]] | None = None
    measure: str = "AUC"

    def __post_init__(self) -> None:
        shape = self.table.values.shape
        for name, last in (("seconds", ""), ("nonzeros", ""), ("folds", "J")):
            object.__setattr__(self, name, _shaped(name, getattr(self, name), shape, last))

    def __str__(self) -> str:
        """All sentences as one paragraph."""
        return " ".join(self.sentences)

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The answer first, then how sure it is, and what would give a more certain answer."""
        table = self.table
        if self.leader is None:
            return (f"No solver has a value of {self.measure}, so that none can be recommended.",)
        if len(table.names) == 1:
            return tuple(alone(table.values[:, 0], table.names[0], self.measure))
        if len(table.values) > 1:
            return tuple(self._across())
        one = OneTable(
            table=table,
            measure=self.measure,
            compared=self.within,
            seconds=self.seconds[0],
            level=self.level,
            reference=self.against,
        )
        return tuple(one.sentences())

    @cached_property
    def leader(self) -> str | None:
        """The solver with the highest mean among those with all values; else the best rank.

        None when there is nothing to choose from.
        """
        gains = self.table.unit_gains
        if np.isnan(self.table.values).all():
            return None
        if len(self.table.values) == 1:
            return self.names[int(np.nanargmax(gains[0]))]
        complete = np.flatnonzero(~np.isnan(gains).any(axis=0))
        if complete.size:
            means = np.round(gains[:, complete].mean(axis=0), ROUNDING)
            return self.names[int(complete[np.argmax(means)])]
        return self.names[int(np.argmin(self._ranks))]

    @property
    def _is_across(self) -> bool:
        """Whether several solvers have values on several data sets."""
        n, k = self.table.values.shape
        return n > 1 and k > 1 and self.leader is not None

    @cached_property
    def best(self) -> BestSet | None:
        """Which solvers may be the best; None where there are fewer than two data sets or solvers.

        Of two solvers it is what their pair says.
        """
        return self._best if self._is_across else None

    @cached_property
    def reference(self) -> tuple[Pair, ...]:
        """Each other solver against the reference, if there is one; of two solvers, their pair."""
        if not self._is_across or self.referent is None:
            return ()
        return versus(self.table, self.referent, self.test)

    @cached_property
    def fragile(self) -> tuple[Fragile, ...]:
        """Which of the verdicts on the reference hang on a detail."""
        if not self._is_across or self.referent is None or self.is_large or self._best.note:
            return ()
        return fragile(self.table, self.referent, self.test)

    @property
    def names(self) -> Sequence[str]:
        """The solvers."""
        return self.table.names

    @cached_property
    def _best(self) -> BestSet:
        tested = self._signs.best_set(self.table)
        return tested.following(self.led[0]) if len(self.names) == 2 else tested

    @cached_property
    def ranks(self) -> RankSets | None:
        """Between which ranks each solver lies; None where `best` is."""
        return self._signs.rank_sets(self.table) if self._is_across else None

    @cached_property
    def pairs(self) -> PairTable:
        """All pairs of solvers over the data sets."""
        return self.test.pairs(self.table)

    @property
    def is_large(self) -> bool:
        """Whether it would take long to draw samples of the data sets, as without one of them."""
        return bool(self.table.values.size > MOST_VALUES)

    @property
    def _signs(self) -> SignTest:
        return SignTest(level=self.level)

    @property
    def level(self) -> float:
        """The level of all tests."""
        return self.test.level

    @property
    def rope(self) -> float:
        """Half the width of the region of practical equivalence."""
        return self.test.rope

    @cached_property
    def led(self) -> tuple[Pair, ...]:
        """The pairs of the leader, seen from it."""
        return self.pairs.of(str(self.leader))

    @cached_property
    def steadiness(self) -> Steadiness | None:
        """What becomes of the set without each single data set; None where none is tested."""
        if self._best.note or len(self.names) == 2 or self.is_large:
            return None
        return self._signs.steadiness(self.table)

    @property
    def counted_units(self) -> str:
        """What means are over, for people: "12 data sets", "7 families of 12 data sets"."""
        n, units = len(self.table.values), len(self.table.units)
        return counted(n) if units == n else f"{units} families of {counted(n)}"

    @property
    def referent(self) -> str | None:
        """The reference; of two solvers the one that does not lead."""
        return self.led[0].b if len(self.names) == 2 else self.against

    @cached_property
    def _ranks(self) -> list[float]:
        return [rank.estimate for rank in Bootstrap(draws=1).ranks(self.table)]

    def _across(self) -> Iterator[str]:
        """Yield what several data sets say."""
        yield from self.first()
        yield from self.mean()
        yield from self.behind()
        yield from self.neighbours()
        yield from self.fragility()
        yield from self.against_reference()
        yield from self.gaining()
        yield from self.failures()
        yield from self.next_steps()

    def columns(self, table: Array, rival: str) -> tuple[Array, Array]:
        """Return the columns of the leader and of a rival."""
        assert self.leader is not None
        return table[:, self.table.at(self.leader)], table[:, self.table.at(rival)]

    def first(self) -> Iterator[str]:
        """Say who may be the best on a typical data set."""
        best, m = self._best, len(self.names)
        if best.note:
            yield f"Nothing can be ruled out: {best.note[0].lower()}{best.note[1:]}"
            for data_set, names in zip(self.table.data_sets, self.stars or (), strict=False):
                if names:
                    yield f"On {data_set} alone the best may be {listed(names, 'or')}."
            if any(self.stars or ()):
                yield (
                    f"All of this holds at once with {100 * self.level:g} % confidence; a star is "
                    "of one data set by itself."
                )
            return
        order = np.argsort(best.s, kind="stable")
        members = [best.names[j] for j in order]
        possible = {*best.of(best.possible)}
        chosen = [name for name in members if name in possible]
        certain = f"With {100 * self.level:g} % confidence the best solver on a typical data set is"
        if len(chosen) == m:
            which = "either solver" if m == 2 else f"each of the {m} solvers"
            yield (
                f"Nothing can be ruled out: with {counted(len(self.table.values))}, {which} may be "
                "the best on a typical one."
            )
        elif len(chosen) == 1:
            yield f"{certain} {chosen[0]}."
        else:
            yield f"{certain} one of these {len(chosen)}: {listed(chosen, 'and', MEMBERS)}."

    def mean(self) -> Iterator[str]:
        """Say who has the best mean, and whether it is in the set."""
        name, values = str(self.leader), self.table.values
        n, j = len(values), self.table.at(name)
        if np.isnan(values[:, j]).any():
            rank = self._ranks[j]
            yield (
                f"No solver has a value on all {counted(n)}. {name} has the best average rank, "
                f"{rank:.2f} of {len(self.names)}, if a missing value counts as the worst."
            )
            return
        means = np.round(self.table.unit_gains.mean(axis=0), ROUNDING)
        equal = [self.names[j] for j in np.flatnonzero(means == means[j]).tolist()]
        who = f"{name} has" if len(equal) == 1 else f"{listed(equal)} have"
        doubt = "" if len(equal) == 1 else f"; {name} stands for them below"
        possible = self._best.of(self._best.possible)
        if name not in possible:
            doubt += f", but it is not in the set: {self.why_not(possible)}"
        yield (
            f"{who} the {top(self.table.sign)} mean {self.measure}, "
            f"{self.table.sign * means[j]:.4f} over {self.counted_units}{doubt}."
        )

    def why_not(self, possible: Sequence[str]) -> str:
        """Say why the highest mean is not that of a solver that may be the best."""
        lacks = [n for n in possible if np.isnan(self.table.values[:, self.table.at(n)]).any()]
        if lacks:
            have = "has" if len(lacks) == 1 else "have"
            return f"{listed(lacks)} {have} no value somewhere, and so no such mean"
        return "its mean comes from a few data sets"

    def behind(self) -> Iterator[str]:
        """Say who is certainly behind, and who is probably not the best."""
        best = self._best
        if len(self.names) == 2:
            return
        parts = []
        for which, word in (
            (best.behind, "certainly behind"),
            (best.unlikely, "probably not the best"),
        ):
            if some := best.of(which):
                one = len(some) == 1
                parts.append(
                    f"{some[0]} is {word}" if one else f"{len(some)} are {word}: {listed(some)}"
                )
        if parts:
            yield f"{'; '.join(parts)}."
        if near := best.of(best.borderline):
            be = "is" if len(near) == 1 else "are"
            yield f"{listed(near)} {be} borderline: other random flips could decide otherwise."

    def neighbours(self) -> Iterator[str]:
        """Say how many neighbours cannot be told apart where a table of many suggests an order."""
        if self.ranks is None or self.ranks.note or len(self.names) < MANY:
            return
        places = range(len(self.names))
        order = sorted(places, key=lambda j: (self.names[j] != self.leader, self._best.s[j]))
        yield self.ranks.describe_neighbours(order)

    def fragility(self) -> Iterator[str]:
        """Say what becomes of the set without one data set."""
        if self.is_large:
            yield (
                "Left out, since it takes long: what depends on one data set, of "
                f"{self.table.values.size} values."
            )
        steady = self.steadiness
        if steady is None:
            return
        possible = {*self._best.of(self._best.possible)}
        if possible == {*self.names} or possible == {*steady.always} == {*steady.ever}:
            return  # nothing was said that could change, or nothing changes it
        if steady.always == steady.ever:
            same = f"the set is {listed(steady.always, 'and', MEMBERS)}"
            if steady.fewest == len(self.names):
                same = "nothing can be ruled out"
            yield f"Fragile: without one data set, whichever it is, {same}."
            return
        sizes = f"{steady.fewest} to {steady.most}"
        if steady.fewest == steady.most:
            sizes = f"{steady.fewest}, but not always the same"
        always = listed(steady.always, "and", MEMBERS) if steady.always else "no solver"
        be = "are" if len(steady.always) > 1 else "is"
        yield f"Fragile: without one data set the set has {sizes}; always in it {be} {always}."

    def against_reference(self) -> Iterator[str]:
        """Say how each other solver compares with the reference; of two, how they compare."""
        two = len(self.names) == 2
        for word in Word:
            some = [pair for pair in self.reference if pair.word is word]
            if some and two:
                yield f"{some[0].a} is {word.between} {some[0].b} ({_effect(some[0])})."
            elif some and word is Word.UNCLEAR:
                yield f"Not distinguishable from {self.against}: {listed([p.a for p in some])}."
            elif some:
                yield f"{word.between.capitalize()} {self.against}: {_with_effects(some)}."
        # Of many, only what was said can be taken back.
        weak = [one for one in self.fragile if two or one.word is not Word.UNCLEAR]
        for verdict in weak[:FRAGILE]:
            yield f"Fragile: {verdict}"
        if rest := [verdict.a for verdict in weak[FRAGILE:]]:
            verdicts = f"the verdict{'s' if len(rest) > 1 else ''} on {listed(rest)} against"
            yield f"Fragile too: {verdicts} {self.referent}."

    def gaining(self) -> Iterator[str]:
        """Say who is as good as the leader, or may be, and is faster or sparser."""
        equivalent = [pair.b for pair in self.led if pair.word is Word.EQUIVALENT]
        equivalent = [] if len(self.names) == 2 else equivalent  # their sentence has said it
        behind = self._best.of(self._best.behind)
        for rival in sorted(equivalent, key=lambda name: -self.faster(name))[:NAMED]:
            gains = self.gains(rival)
            gains = f" and {gains}" if gains else ""
            but = "behind, but " if rival in behind else ""
            yield f"{rival} is {but}equivalent to {self.leader} within {self.rope:g}{gains}."
        if rest := equivalent[NAMED:]:
            yield f"Equivalent to it too: {listed(rest)}."
        possible = self._best.of(self._best.possible)
        too = " too" if self.leader in possible else ""
        rivals = [name for name in possible if name not in (self.leader, *equivalent)]
        if rivals and not self._best.note:
            extremes = (max(rivals, key=self.faster), max(rivals, key=self.sparser))
            for rival in dict.fromkeys(extremes):
                if gains := self.gains(rival):
                    verb = "" if gains.startswith("has") else "is "
                    yield f"{rival}, which may be the best{too}, {verb}{gains}."

    def failures(self) -> Iterator[str]:
        """Say who has no value where, and what the complete cases say."""
        lacks = np.isnan(self.table.values)
        if not lacks.any():
            return
        counts = zip(self.names, lacks.sum(axis=0).tolist(), strict=True)
        failed = ", ".join(f"{name} on {count}" for name, count in counts if count)
        yield f"Without a value: {failed} of {counted(len(lacks))}; there they count as the worst."
        some = np.flatnonzero(~lacks.all(axis=0))  # solvers that have a value anywhere
        complete = filled(self.table.gains[:, some], Rule.COMPLETE_CASES)
        if not len(complete):
            yield "No data set has a value of every solver."
            return
        means = np.round(complete.mean(axis=0), ROUNDING)
        best = [self.names[j] for j in some[means == means.max()]]
        name = self.leader if self.leader in best else best[0]
        yield (
            f"With complete cases only, {counted(len(complete))}, {name} has the "
            f"{top(self.table.sign)} mean {self.measure}, {self.table.sign * means.max():.4f}."
        )

    def next_steps(self) -> Iterator[str]:
        """Say what would make the set smaller, or settle the two."""
        if self._best.note:
            yield "For a more certain answer, run more data sets; more splits do not replace them."
        elif len(self.names) == 2:
            if self.led[0].word is Word.UNCLEAR and self.led[0].data_sets:
                yield self.settling(self.led[0])
        elif (size := sum(self._best.possible)) > 1 and not self.is_large:
            sizes = self._signs.set_sizes(self.table)
            n = len(self.table.values)
            said = [f"{(t - 1) * n} more data sets like these about {k}" for t, k in sizes.items()]
            yield (
                f"For a more certain answer: the set has {size} now, and with "
                f"{', with '.join(said)}; more splits do not replace data sets."
            )

    def settling(self, pair: Pair) -> str:
        """Say how many data sets would settle a pair, and whether splits would."""
        mine, other = self.columns(self.table.sign * self.folds, pair.b)
        by_split = mine - other
        d, _ = differences(*self.columns(self.table.gains, pair.b), Rule.WORST_RANK)
        settling = settle(d, by_split=by_split, ratio=self.ratio, test=self.test)
        if settling.note:
            return f"For a more certain answer about {pair.b}: {settling.note}"
        which = f"{self.leader} against {pair.b}"
        what = f"even {MOST} data sets like these would not settle {which}"
        if settling.more is not None:
            sets = f"about {settling.more} more data set{'s' if settling.more > 1 else ''}"
            what = f"{sets} like these would settle {which}, with a probability of {CHANCE}"
        splits = "more splits do not replace data sets"
        if settling.by_splits is not None:
            splits = f"more splits {'would not' if settling.by_splits < POWER else 'might do too'}"
        return f"For a more certain answer: {what}; {splits}."

    def faster(self, rival: str) -> float:
        """How many times faster than the leader a rival is; 0 if that is not known."""
        return _ratio(*self.columns(self.seconds, rival))

    def sparser(self, rival: str) -> float:
        """How many times fewer non-zero weights it has; 0 if that is not known."""
        return _ratio(*self.columns(self.nonzeros, rival))

    def gains(self, rival: str) -> str:
        """Say how much faster and sparser than the leader a rival is, if it is much."""
        faster, sparser = self.faster(rival), self.sparser(rival)
        gains = [f"{times(faster)} faster"] if faster >= MUCH else []
        gains += [f"has {times(sparser)} fewer non-zero weights"] if sparser >= MUCH else []
        return " and ".join(gains)


def _ratio(mine: Array, other: Array) -> float:
    """Geometric mean of mine / other over the data sets that know both; 0 if there is none."""
    both = (mine > 0.0) & (other > 0.0) & np.isfinite(mine) & np.isfinite(other)
    return float(np.exp(np.mean(np.log(mine[both] / other[both])))) if both.any() else 0.0


def _with_effects(pairs: Sequence[Pair]) -> str:
    """Return names with their differences; of many, how many and the range."""
    if len(pairs) <= NAMED:
        return listed([f"{pair.a} ({_effect(pair)})" for pair in pairs])
    ordered = sorted(pairs, key=lambda pair: pair.difference.estimate)
    ends = (ordered[0], ordered[-1])
    least, most = (f"{pair.difference.estimate:+.4f} ({pair.a})" for pair in ends)
    return f"{len(pairs)} solvers, from {least} to {most}"


def _effect(pair: Pair) -> str:
    """Return the difference and its interval; where it is infinite, who failed most often."""
    if isfinite(pair.difference.estimate):
        return with_interval(pair.difference)
    return f"{pair.b if pair.difference.ahead else pair.a} has no value on most data sets"


def _shaped(what: str, values: ArrayLike | None, shape: tuple[int, int], last: str = "") -> Array:
    """Return an array of this shape, with another axis of any length if it is named."""
    array = np.full((*shape, 1) if last else shape, np.nan)
    if values is not None:
        array = floats(what, values)
    if array.ndim != 2 + bool(last) or array.shape[:2] != shape:
        wanted = f"{(*shape, last)}" if last else f"{shape} of the values"
        raise DataError(f"{what} must have the shape {wanted}, got {array.shape}")
    return array
