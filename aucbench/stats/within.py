"""Inside one data set: the interval of each solver, and the differences of all pairs.

Design
  a. Two things are random: which rows are tested, and which rows a model is fitted to. DeLong's
     variance is of the first and holds the fitted models fixed. The corrected variance over
     splits is of both, but it rests on few values and on a guess of their correlation. So a
     verdict is what both support: the wider interval on either side, and the larger p-value.
  b. Only splits count in which both solvers have scores. A solver that failed in some keeps its
     place in every table, and the number of its missing splits stands beside it.
  c. p-values are adjusted for the number of pairs (Holm), whatever pairs are looked at. A pair
     that is told apart by itself alone is "probably" better or worse: one in twenty of equal pairs
     is. One that five repeats of the splits would tell apart is not distinguishable "yet".
  d. A star is about one solver and not about pairs: it is lost to a single one of the m - 1 others
     that is better with a one-sided p of (1 - level) / (m - 1). So an equally good one loses it
     with a probability of 1 - level at most. Of two solvers, and where Holm's adjusted p says
     better, it follows the word. Pairs that are equivalent take no star, nor does a solver that
     failed more often. (Rejected: not worse than the leader, which depends on who leads.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import isnan, nan
from typing import Any, Protocol, TypeAlias

import numpy as np

from aucbench.errors import DataError
from aucbench.stats.delong import Placements, placed_rows
from aucbench.stats.influence import Influences
from aucbench.stats.measures import AUC, Measure
from aucbench.stats.resampled import Splits, corrected_interval, differences
from aucbench.stats.rows import Fold, Rows
from aucbench.stats.vectors import Vector
from aucbench.stats.words import LEVEL, PROBABLY, ROPE, Difference, Interval, Word, holm

Split: TypeAlias = tuple[int, int]  # repeat and fold; the same ones have the same test rows

NO_VARIANCE = "The variance of this measure over test rows is not known."
ENOUGH = 5  # repeats; more of them lower what a difference must be by a few per cent only


@dataclass(frozen=True, slots=True, eq=False)
class SolverWithin:
    """One solver on one data set."""

    name: str
    values: Vector  # the measure in each split in which any solver has scores; NaN without a value
    delong: Interval  # over test rows; without bounds for a measure other than the AUC
    resampled: Interval  # over splits, so that other training rows are covered too
    missing: int  # splits without a value
    not_worse: bool  # it may be the best: of no other solver it is shown that it is better
    groups: int = 0  # groups of its test rows, which DeLong's variance counts in place of rows

    @property
    def interval(self) -> Interval:
        """The interval that is shown: DeLong's, or else the one over splits."""
        return self.resampled if np.isnan(self.delong.low) else self.delong


@dataclass(frozen=True, slots=True)
class PairWithin:
    """The difference a - b of two solvers on one data set."""

    a: str
    b: str
    delong: Difference
    resampled: Difference
    verdict: Difference  # what both support
    adjusted_p: float  # the p-value of the verdict, for the number of pairs (Holm)
    word: Word  # by the adjusted p, and where that decides nothing by the own one
    splits: Splits  # the differences in the splits

    @property
    def ordered(self) -> tuple[str, str]:
        """The solver that is ahead, and the other one."""
        return (self.a, self.b) if self.verdict.ahead else (self.b, self.a)

    def later(self) -> Difference:
        """Return the verdict after `ENOUGH` repeats of the splits, if they scatter as these do.

        DeLong's part stays as it is, since repeats test no further row.
        """
        more = max(ENOUGH, self.splits.repeats)
        resampled = self.splits.repeated(more).difference(self.verdict.level)
        return both(self.delong, replace(resampled, smaller=self.verdict.smaller))

    def flipped(self) -> PairWithin:
        """Return the same pair as b against a."""
        delong, resampled = self.delong.flipped(), self.resampled.flipped()
        verdict, word = self.verdict.flipped(), self.word.flipped
        splits = replace(self.splits, mean=0.0 - self.splits.mean)
        return PairWithin(self.b, self.a, delong, resampled, verdict, self.adjusted_p, word, splits)


@dataclass(frozen=True, slots=True, eq=False)
class WithinDataset:
    """What can be said inside one data set."""

    solvers: tuple[SolverWithin, ...]  # in the order in which they were given
    pairs: tuple[PairWithin, ...]  # each pair once
    best: str | None  # the best mean of those with the fewest missing splits; None: no value
    repeats: int = 1  # how often the splits go over the same rows
    redrawn: bool = True  # whether further repeats would divide the rows otherwise

    @property
    def tests(self) -> int:
        """Number of pairs with a p-value, which Holm's adjustment counts."""
        return sum(not isnan(pair.adjusted_p) for pair in self.pairs)

    def possible(self, data_sets: int, level: float = LEVEL) -> frozenset[str]:
        """Return the solvers that may be the best, if that is said of several data sets at once.

        One is left out if another one is better with an adjusted p of (1 - level) / data_sets. So
        the probability that any equally good one is left out anywhere is 1 - level at most.
        """
        missing = {one.name: one.missing for one in self.solvers}
        beaten = _beaten(self.pairs, missing, lambda pair: pair.adjusted_p * data_sets <= 1 - level)
        known = {one.name for one in self.solvers if one.missing < one.values.size}
        return frozenset(known - (beaten - {self.best}))

    def pair(self, a: str, b: str) -> PairWithin:
        """Return the pair of two solvers, in this order; raise `KeyError` if there is none."""
        for pair in self.pairs:
            if (pair.a, pair.b) == (a, b):
                return pair
            if (pair.a, pair.b) == (b, a):
                return pair.flipped()
        raise KeyError((a, b))


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitTest:
    """How solvers are compared on the splits of one data set.

    Parameters
    ----------
    ratio : float
        Test rows divided by training rows of a split.
    repeats : int
        How often the splits go over the same rows.
    redrawn : bool
        Whether further repeats would divide the rows otherwise. If not, as with windows of time,
        no word says that repeats would help.
    by : Measure
        Such as `aucbench.metrics.measure` returns. By one whose variance over test rows is not
        known, there is the corrected variance only.
    level, rope : float
        As in `Difference.word`.
    pairs : bool
        Compare each pair, which takes long where there are many solvers. Without it, the solvers
        have their intervals only, and of none is said that it may be the best.
    """

    ratio: float
    repeats: int = 1
    redrawn: bool = True
    by: Measure = AUC
    level: float = LEVEL
    rope: float = ROPE
    pairs: bool = True

    def of_rows(self, folds: Mapping[str, Mapping[Split, Rows]]) -> WithinDataset:
        """Compare solvers by the scores of their test rows.

        Parameters
        ----------
        folds : mapping of str to mapping of split to Fold
            For each solver its test rows in each split (repeat, fold). A split that is missing is
            one in which the solver failed. A fold of one class has no value.

        Raises
        ------
        DataError
            When two solvers have different test rows in one split.
        AucbenchError
            As `auc_interval`, `corrected_interval` and `Difference.word`, and as the
            measure for rows that it cannot use.
        """
        chosen = self.by
        splits = tuple(sorted({split for of in folds.values() for split in of}))
        _require_same_rows(folds, splits)
        if chosen.name == "auc":
            runs = {name: _placed(of, splits) for name, of in folds.items()}
        elif chosen.has_variance:
            runs = {name: _influenced(of, splits, chosen) for name, of in folds.items()}
        else:  # all at once, since a measure of a plugin is computed in another process
            values = chosen.values([of.get(split) for of in folds.values() for split in splits])
            table = zip(folds, values.reshape(len(folds), len(splits)), strict=True)
            runs = {name: _Runs(row, None, NO_VARIANCE) for name, row in table}
        return self._compared(runs)

    def of_values(self, values: Mapping[str, Vector], note: str = "") -> WithinDataset:
        """Compare solvers by their values alone: DeLong's variance needs scores.

        Parameters
        ----------
        values : mapping of str to array of shape (J,)
            The measure of each solver on the same splits, NaN where it has none.
        note : str
            Why there are no scores, in one sentence.
        """
        return self._compared({name: _Runs(v, None, note) for name, v in values.items()})

    def _compared(self, runs: Mapping[str, _Runs]) -> WithinDataset:
        """Return all that can be said, of the pairs if they are asked for."""
        known = self._pairs(runs) if self.pairs else ()
        best = _best(runs, smaller=self.by.smaller)
        missing = {name: run.missing for name, run in runs.items()}
        beaten = _starless(known, missing, self.level) - {best} if self.pairs else {*runs}
        solvers = tuple(
            SolverWithin(
                name,
                run.values,
                run.interval(self.level, self.repeats),
                corrected_interval(run.values, self.ratio, self.level, self.repeats),
                run.missing,
                run.missing < run.values.size and name not in beaten,
                run.groups,
            )
            for name, run in runs.items()
        )
        return WithinDataset(solvers, known, best, self.repeats, self.redrawn)

    def _pairs(self, runs: Mapping[str, _Runs]) -> tuple[PairWithin, ...]:
        """Return each pair once, with the words."""
        tested = [self._tested(a, b, runs) for a, b in combinations(runs, 2)]
        adjusted = holm([pair.verdict.p for pair in tested]).tolist()
        return tuple(
            replace(pair, adjusted_p=p, word=self._word(pair, p))
            for pair, p in zip(tested, adjusted, strict=True)
        )

    def _tested(self, a: str, b: str, runs: Mapping[str, _Runs]) -> PairWithin:
        """Return a pair by itself."""
        delong, splits = runs[a].less(runs[b], self.ratio, self.level, self.repeats)
        delong, resampled = (
            replace(one, smaller=self.by.smaller) for one in (delong, splits.difference(self.level))
        )
        verdict = both(delong, resampled)
        return PairWithin(a, b, delong, resampled, verdict, nan, Word.UNCLEAR, splits)

    def _word(self, pair: PairWithin, adjusted: float) -> Word:
        """Return the word of a pair, by its p-value among all pairs, alone, and after repeats."""
        word = pair.verdict.word(self.rope, adjusted)
        if word is not Word.UNCLEAR:
            return word
        by_itself = pair.verdict.word(self.rope)
        if by_itself is not Word.UNCLEAR:
            return PROBABLY[by_itself]
        if self.redrawn and pair.later().word(self.rope) is not Word.UNCLEAR:
            return Word.NOT_YET
        return Word.UNCLEAR


class Placed(Protocol):
    """What the rows of several folds say of a mean: `Placements`, or `Influences`."""

    @property
    def groups(self) -> int:
        """Number of groups; 0 where rows have none."""
        ...

    def interval(self, level: float = ..., repeats: int = ...) -> Interval:
        """Return the interval of the mean."""
        ...

    def difference(self, other: Any, level: float = ..., repeats: int = ...) -> Difference:
        """Return the mean less that of other scores of the same rows."""
        ...


class _Runs:
    """One solver in all splits: its values, and its rows placed once for all pairs."""

    def __init__(
        self,
        values: Vector,
        placed: Mapping[Split, Any] | None,
        note: str,
        join: Callable[[Sequence[Any]], Placed] = Placements.joined,
    ):
        self.values, self.placed, self.note, self._join = values, placed, note, join
        known = values[~np.isnan(values)]
        self.missing = values.size - known.size
        self.mean = float(known.mean()) if known.size else nan
        self._joined: dict[tuple[Split, ...], Placed] = {}

    def joined(self, splits: Iterable[Split]) -> Placed:
        """Return what the rows of these splits say; the last ones asked for stay in memory."""
        assert self.placed is not None
        wanted = tuple(splits)
        if wanted not in self._joined:
            self._joined = {wanted: self._join([self.placed[split] for split in wanted])}
        return self._joined[wanted]

    @property
    def groups(self) -> int:
        """Number of groups of the test rows; 0 where rows have none."""
        return self.joined(self.placed).groups if self.placed else 0

    def interval(self, level: float, repeats: int) -> Interval:
        """Return the interval over test rows; one without bounds where no row was placed."""
        if self.placed is not None:
            return self.joined(self.placed).interval(level, repeats)
        return Interval(self.mean, nan, nan, level, "none", self.note)

    def less(
        self, other: _Runs, ratio: float, level: float, repeats: int
    ) -> tuple[Difference, Splits]:
        """Return the difference of this solver less another one, over rows and over splits."""
        splits = Splits.of(differences(self.values, other.values), ratio, repeats)
        if self.placed is None or other.placed is None:
            bare = Difference(splits.mean, nan, nan, nan, level, "none", self.note)
            return bare, splits
        common = tuple(split for split in self.placed if split in other.placed)
        return self.joined(common).difference(other.joined(common), level, repeats), splits


def _placed(folds: Mapping[Split, Rows], splits: tuple[Split, ...]) -> _Runs:
    labelled = {split: fold for split, fold in folds.items() if isinstance(fold, Fold)}
    placed = {split: placed_rows(fold) for split, fold in labelled.items()}
    aucs = [Placements.joined([rows]).aucs[0] if (rows := placed.get(x)) else nan for x in splits]
    return _Runs(np.array(aucs, np.float64), placed, "")


def _influenced(folds: Mapping[Split, Rows], splits: tuple[Split, ...], chosen: Measure) -> _Runs:
    """Return what the rows of each split say of a measure of pairs."""
    placed = {split: chosen.influence(fold) for split, fold in folds.items()}
    values = [nan if (one := placed.get(x)) is None else one.value for x in splits]
    grouped = any(fold.groups is not None for fold in folds.values())
    return _Runs(np.array(values), placed, "", partial(Influences.joined, grouped=grouped))


def _starless(pairs: Sequence[PairWithin], missing: Mapping[str, int], level: float) -> set[str]:
    """Return the solvers of which it is shown, of each by itself, that another one is better."""
    tests = Counter(name for p in pairs if not isnan(p.adjusted_p) for name in (p.a, p.b))

    def is_shown(pair: PairWithin) -> bool:
        own = tests[pair.ordered[1]]
        by_itself = own > 1 and pair.verdict.p / 2 <= (1 - level) / own
        return by_itself or pair.word in (Word.BETTER, Word.WORSE)

    return _beaten(pairs, missing, is_shown)


def _beaten(
    pairs: Iterable[PairWithin],
    missing: Mapping[str, int],
    is_shown: Callable[[PairWithin], bool],
) -> set[str]:
    """Return the solvers that are behind one that failed no more often, if that is shown."""
    told = [pair.ordered for pair in pairs if pair.word is not Word.EQUIVALENT and is_shown(pair)]
    return {loser for winner, loser in told if missing[winner] <= missing[loser]}


def both(delong: Difference, resampled: Difference) -> Difference:
    """Return what two tests of one effect support: the wider interval, the larger p-value.

    Where one has no interval, it is the other one, and the note says so.
    """
    if isnan(delong.low):
        return replace(resampled, note=f"{resampled.note} {delong.note}".strip())
    if isnan(resampled.low):
        return replace(delong, note=f"{delong.note} {resampled.note}".strip())
    return Difference(
        resampled.estimate,
        min(delong.low, resampled.low),
        max(delong.high, resampled.high),
        max(delong.p, resampled.p),
        resampled.level,
        f"{delong.method} and {resampled.method}",
        " ".join(dict.fromkeys(note for note in (delong.note, resampled.note) if note)),
    )


def _best(runs: Mapping[str, _Runs], *, smaller: bool) -> str | None:
    known = {name: run for name, run in runs.items() if run.missing < run.values.size}
    sign = 1.0 if smaller else -1.0
    loss = {name: sign * run.mean for name, run in known.items()}
    return min(known, key=lambda name: (known[name].missing, loss[name]), default=None)


def _require_same_rows(
    folds: Mapping[str, Mapping[Split, Rows]], splits: tuple[Split, ...]
) -> None:
    for split in splits:
        first, *others = (name for name, of in folds.items() if split in of)
        for name in others:
            if not folds[name][split].has_rows_of(folds[first][split]):
                raise DataError(
                    f"{first} and {name} have other labels or weights in the split {split}; give "
                    "the same test rows in the same order"
                )
