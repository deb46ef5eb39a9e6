"""What one data set says in words: who leads on it, how the others compare, and what next.

Design
  a. Somebody with one table chooses a model for it. So nothing here asks for more data sets: it is
     said what repeats of the folds would change while they do, and then what else would.
  b. What `better` takes is said in units of the measure: the least difference that the test over
     splits calls so among all pairs, with the scatter of this pair, now and after `ENOUGH` repeats.
     Where DeLong's test is the one that does not, repeats are not offered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from aucbench.stats.resampled import Splits
from aucbench.stats.tables import Array, ResultTable
from aucbench.stats.within import ENOUGH, PairWithin, WithinDataset
from aucbench.stats.words import Word, counted, listed, times, top, with_interval

MUCH = 1.5  # times faster that are worth a word
LISTED = 4  # solvers whose differences are listed; of more, the range is said
REPEATS = f"{ENOUGH} repeats of the folds (`--repeats {ENOUGH}`)"
PROBABLY = (Word.PROBABLY_BETTER, Word.PROBABLY_WORSE)


def alone(column: Array, name: str, measure: str) -> Iterator[str]:
    """Say what is known of the only solver, by its value on each data set."""
    known = column[~np.isnan(column)]
    yield f"{name} has a mean {measure} of {known.mean():.4f} over {counted(known.size)}."
    if known.size < column.size:
        yield f"It has no value on {column.size - known.size} of {counted(column.size)}."
    yield "There is no other solver to compare it with."


@dataclass(frozen=True, slots=True, kw_only=True)
class OneTable:
    """The solvers on one data set; `sentences` has what is said of them."""

    table: ResultTable  # of one row
    measure: str
    compared: WithinDataset | None  # None: nothing is known of their differences
    seconds: Array  # of a fit; NaN where they are not known or not compared
    level: float
    reference: str | None = None  # a solver against which the others are told too

    @property
    def names(self) -> Sequence[str]:
        """The solvers."""
        return self.table.names

    @property
    def row(self) -> Array:
        """Their values, or the negatives where a smaller value is better."""
        return np.asarray(self.table.gains[0])

    @property
    def leader(self) -> str:
        """The solver with the best value."""
        return self.names[int(np.nanargmax(self.row))]

    @property
    def rivals(self) -> list[PairWithin]:
        """The leader against each other one."""
        return self.pairs_of(self.leader)

    def pairs_of(self, solver: str) -> list[PairWithin]:
        """Return a solver against each other one."""
        pairs = self.compared.pairs if self.compared else ()
        of_solver = (pair for pair in pairs if solver in (pair.a, pair.b))
        return [pair if pair.a == solver else pair.flipped() for pair in of_solver]

    def sentences(self) -> Iterator[str]:
        """Yield the answer, how sure it is, and what would give a more certain answer."""
        sign, [data_set] = self.table.sign, self.table.data_sets
        best = sign * float(np.nanmax(self.row))
        first = f"{self.leader} has the {top(sign)} {self.measure}, {best:.4f}"
        yield f"On {data_set}, {first}."
        yield from self.possible()
        for word in Word:
            if some := [pair for pair in self.rivals if pair.word is word]:
                yield f"It is {word.between} {_with_effects(some)}{self.doubt(word)}."
        yield from self.against_reference()
        if failed := [n for n, x in zip(self.names, self.row, strict=True) if np.isnan(x)]:
            yield f"{listed(failed)} {'has' if len(failed) == 1 else 'have'} no value."
        yield from self.next()
        yield f"This holds for data like {data_set}; it says nothing about other data sets."

    def possible(self) -> Iterator[str]:
        """Say which solvers may be the best, where some are ruled out."""
        known = dict(zip(self.names, ~np.isnan(self.row), strict=True))
        solvers = [s for s in (self.compared.solvers if self.compared else ()) if known[s.name]]
        stars = [s.name for s in solvers if s.not_worse]
        sure = f"With {self.level * 100:g} % confidence"
        if len(stars) == len(solvers) or not stars:
            return
        if len(stars) == 1:
            yield f"{sure} it is the best of them."
        else:
            yield f"{sure} the best of them is one of these {len(stars)}: {_joined(stars)}."

    def against_reference(self) -> Iterator[str]:
        """Say how the reference compares with each other solver, where the leader has not."""
        if self.reference is None or self.reference == self.leader:
            return
        pairs = self.pairs_of(self.reference)
        for word in Word:
            if some := [pair for pair in pairs if pair.word is word]:
                yield f"{self.reference} is {word.between} {_with_effects(some)}{self.doubt(word)}."

    def doubt(self, word: Word) -> str:
        """Return how sure the word is, where a pair alone says it."""
        if word not in PROBABLY:
            return ""
        return f", each pair by itself: 1 in {1 / (1 - self.level):.0f} such words is chance"

    def next(self) -> Iterator[str]:
        """Say what would separate the leader from its rivals, and who is faster."""
        unsure = [p for p in self.rivals if p.word in (*PROBABLY, Word.NOT_YET, Word.UNCLEAR)]
        helped = [pair for pair in unsure if self.is_helped(pair)]
        yield from self.by_repeats(helped)
        if others := [pair.b for pair in unsure if pair not in helped]:
            against = f"against {listed(others)} " if helped else ""
            said = f"{against}more rows would decide, or accept the cheaper one."
            if self.compared and self.compared.redrawn:
                said = f"{against}more repeats will not help; more rows, or accept the cheaper one."
            yield said[0].upper() + said[1:]
        yield from self.cheaper(
            [p.b for p in self.rivals if p.word is Word.EQUIVALENT or p in unsure]
        )

    def is_helped(self, pair: PairWithin) -> bool:
        """Whether `ENOUGH` repeats may change the word of a pair."""
        compared = self.compared
        if compared is None or not compared.redrawn or compared.repeats >= ENOUGH:
            return False
        if pair.word in PROBABLY:  # DeLong's part stays
            return isnan(pair.delong.p) or pair.delong.p * compared.tests < 1 - self.level
        return pair.word is Word.NOT_YET

    def by_repeats(self, pairs: Sequence[PairWithin]) -> Iterator[str]:
        """Say what `ENOUGH` repeats would lower, in units of the measure."""
        if not pairs or self.compared is None:
            return
        tests = self.compared.tests
        among = 1 - (1 - self.level) / tests
        probable = [pair for pair in pairs if pair.word in PROBABLY]
        others = [pair for pair in pairs if pair.word is Word.NOT_YET]
        larger = [p for p in others if abs(p.splits.mean) > _after(p).half(self.level)]
        if probable:
            takes = f'the difference that "better" takes among {tests} pairs'
            yield f"{REPEATS} would lower {takes}: {_lowered(probable, among)}."
        if larger:
            takes = (
                f'the difference that "{Word.PROBABLY_BETTER if tests > 1 else Word.BETTER}" takes'
            )
            yield f"{REPEATS} would lower {takes}: {_lowered(larger, self.level)}."
        if equal := [pair.b for pair in others if pair not in larger]:
            yield f"{REPEATS} may show that it is equivalent to {listed(equal)}."

    def cheaper(self, rivals: Sequence[str]) -> Iterator[str]:
        """Say which of the leader and these solvers is the fastest, if times are known."""
        time = dict(zip(self.names, self.seconds.tolist(), strict=True))
        own, known = time[self.leader], {name: time[name] for name in rivals if time[name] > 0}
        if not known or not own > 0:
            return
        first = min(known, key=lambda name: known[name])
        if own / known[first] >= MUCH:
            yield f"{first} is {times(own / known[first])} faster than {self.leader}."
        elif own < min(known.values()) and len(known) == len(rivals):
            yield f"{self.leader} is also the fastest of them."


def _after(pair: PairWithin) -> Splits:
    return pair.splits.repeated(ENOUGH)


def _lowered(pairs: Sequence[PairWithin], level: float) -> str:
    """Return by how much repeats lower what a difference must exceed at a level, for each pair."""
    each = [
        f"from {pair.splits.half(level):.4f} to {_after(pair).half(level):.4f} for {pair.b}"
        for pair in pairs[:LISTED]
    ]
    return ", ".join(each)


def _joined(names: Sequence[str]) -> str:
    """Return all names; where one of them has a comma, semicolons stand between them."""
    return ("; " if any(", " in name for name in names) else ", ").join(names)


def _with_effects(pairs: Sequence[PairWithin]) -> str:
    """Return names with their differences; of many, how many and the range."""
    if len(pairs) <= LISTED:
        return ", ".join(f"{pair.b} ({with_interval(pair.verdict)})" for pair in pairs)
    ordered = sorted(pairs, key=lambda pair: abs(pair.verdict.estimate))
    ends = (ordered[0], ordered[-1])
    least, most = (f"{pair.verdict.estimate:+.4f} ({pair.b})" for pair in ends)
    return f"{len(pairs)} solvers, from {least} to {most}"
