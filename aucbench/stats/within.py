"""Inside one data set: the interval of each solver, and the differences of all pairs.

Design
  a. Two things are random: which rows are tested, and which rows a model is fitted to. DeLong's
     variance is of the first and holds the fitted models fixed. The corrected variance over
     splits is of both, but it rests on few values and on a guess of their correlation. So a
     verdict is what both support: the wider interval on either side, and the larger p-value.
  b. Only splits count in which both solvers have scores. A solver that failed in some keeps its
     place in every table, and the number of its missing splits stands beside it.
  c. p-values are adjusted for the number of pairs (Holm), whatever pairs are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan, nan
from typing import TypeAlias

import numpy as np

from aucbench.errors import DataError
from aucbench.kernels.vectors import Vector
from aucbench.stats.delong import PlacedRows, Placements, difference_of, interval_of, placed_rows
from aucbench.stats.measures import Measure, measure
from aucbench.stats.resampled import corrected_difference, corrected_interval
from aucbench.stats.rows import Fold
from aucbench.stats.words import LEVEL, ROPE, Difference, Interval, Word, holm

Split: TypeAlias = tuple[int, int]  # repeat and fold; the same ones have the same test rows

NOT_THE_AUC = "DeLong's variance is that of the AUC."


@dataclass(frozen=True, slots=True, eq=False)
class SolverWithin:
    """One solver on one data set."""

    name: str
    values: Vector  # the measure in each of `WithinDataset.splits`; NaN where there is none
    delong: Interval  # over test rows; without bounds for a measure other than the AUC
    resampled: Interval  # over splits, so that other training rows are covered too
    missing: int  # splits without a value
    not_worse: bool  # the verdict does not say that the best solver is better
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
    p: float  # that of the verdict, adjusted for the number of pairs
    word: Word  # of the verdict, with the adjusted p

    def flipped(self) -> PairWithin:
        """Return the same pair as b against a."""
        delong, resampled = self.delong.flipped(), self.resampled.flipped()
        verdict, word = self.verdict.flipped(), self.word.flipped
        return PairWithin(self.b, self.a, delong, resampled, verdict, self.p, word)


@dataclass(frozen=True, slots=True, eq=False)
class WithinDataset:
    """What can be said inside one data set."""

    measure: str  # its specification
    splits: tuple[Split, ...]  # all in which a solver has scores, ascending
    solvers: tuple[SolverWithin, ...]  # in the order in which they were given
    pairs: tuple[PairWithin, ...]  # each pair once
    best: str | None  # the best mean of those with the fewest missing splits; None: no value

    def pair(self, a: str, b: str) -> PairWithin:
        """Return the pair of two solvers, in this order; raise `KeyError` if there is none."""
        for pair in self.pairs:
            if (pair.a, pair.b) == (a, b):
                return pair
            if (pair.a, pair.b) == (b, a):
                return pair.flipped()
        raise KeyError((a, b))


def within(
    folds: Mapping[str, Mapping[Split, Fold]],
    ratio: float,
    *,
    repeats: int = 1,
    by: str | Measure = "auc",
    level: float = LEVEL,
    rope: float = ROPE,
) -> WithinDataset:
    """Compare solvers on one data set by the scores of its test rows.

    Parameters
    ----------
    folds : mapping of str to mapping of split to Fold
        For each solver its test rows in each split (repeat, fold). A split that is missing is one
        in which the solver failed. A fold of one class has no value.
    ratio : float
        Test rows divided by training rows of a split.
    repeats : int
        How often the splits go over the same rows.
    by : str or Measure
        As in `measure`. By another measure than the AUC there is the corrected variance only.
    level, rope : float
        As in `Difference.word`.

    Raises
    ------
    DataError
        When two solvers have different test rows in one split.
    AucbenchError
        As `measure`, `auc_interval`, `corrected_interval` and `Difference.word`, and as the
        measure for rows that it cannot use.
    """
    chosen = measure(by) if isinstance(by, str) else by
    splits = tuple(sorted({split for of in folds.values() for split in of}))
    _require_same_rows(folds, splits)
    if chosen.name == "auc":
        runs = {name: _placed(of, splits) for name, of in folds.items()}
    else:  # all at once, since a measure of a plugin is computed in another process
        values = chosen.values([of.get(split) for of in folds.values() for split in splits])
        table = values.reshape(len(folds), len(splits))
        runs = {name: _Runs(row, None, NOT_THE_AUC) for name, row in zip(folds, table, strict=True)}
    return _compared(runs, splits, ratio, repeats, chosen, level, rope)


def within_values(
    values: Mapping[str, Vector],
    ratio: float,
    *,
    by: str | Measure = "auc",
    level: float = LEVEL,
    rope: float = ROPE,
    note: str,
) -> WithinDataset:
    """Compare solvers as `within`, by their values alone: DeLong's variance needs scores.

    Parameters
    ----------
    values : mapping of str to array of shape (J,)
        The measure of each solver on the same splits, NaN where it has none.
    note : str
        Why there are no scores, in one sentence.
    ratio, by, level, rope :
        As in `within`.
    """
    chosen = measure(by) if isinstance(by, str) else by
    runs = {name: _Runs(v, None, note) for name, v in values.items()}
    return _compared(runs, (), ratio, 1, chosen, level, rope)


class _Runs:
    """One solver in all splits: its values, and its rows placed once for all pairs."""

    def __init__(self, values: Vector, placed: Mapping[Split, PlacedRows] | None, note: str):
        self.values, self.placed, self.note = values, placed, note
        self.missing = int(np.isnan(values).sum())
        self._joined: dict[tuple[Split, ...], Placements] = {}

    def joined(self, splits: Iterable[Split]) -> Placements:
        """Return the placements of these splits; the last ones asked for stay in memory."""
        assert self.placed is not None
        wanted = tuple(splits)
        if wanted not in self._joined:
            self._joined = {wanted: Placements.joined([self.placed[split] for split in wanted])}
        return self._joined[wanted]

    @property
    def groups(self) -> int:
        """Number of groups of the test rows; 0 where rows have none."""
        clusters = self.joined(self.placed).parts.clusters if self.placed else None
        return 0 if clusters is None else clusters.count

    def interval(self, level: float, repeats: int) -> Interval:
        """Return DeLong's interval; one without bounds where no row was placed."""
        if self.placed is not None:
            return interval_of(self.joined(self.placed), level, repeats)
        known = self.values[~np.isnan(self.values)]
        mean = float(known.mean()) if known.size else nan
        return Interval(mean, nan, nan, level, "none", self.note)

    def less(
        self, other: _Runs, ratio: float, level: float, repeats: int, *, smaller: bool
    ) -> tuple[Difference, Difference]:
        """Return the difference of this solver less another one by DeLong and over splits."""
        resampled = corrected_difference(self.values, other.values, ratio, level)
        if self.placed is None or other.placed is None:
            bare = Difference(resampled.effect, nan, nan, nan, level, "DeLong, paired", self.note)
            return replace(bare, smaller=smaller), replace(resampled, smaller=smaller)
        common = tuple(split for split in self.placed if split in other.placed)
        return difference_of(self.joined(common), other.joined(common), level, repeats), resampled


def _placed(folds: Mapping[Split, Fold], splits: tuple[Split, ...]) -> _Runs:
    placed = {split: placed_rows(fold) for split, fold in folds.items()}
    aucs = [Placements.joined([rows]).aucs[0] if (rows := placed.get(x)) else nan for x in splits]
    return _Runs(np.array(aucs, np.float64), placed, "")


def _compared(
    runs: Mapping[str, _Runs],
    splits: tuple[Split, ...],
    ratio: float,
    repeats: int,
    chosen: Measure,
    level: float,
    rope: float,
) -> WithinDataset:
    pairs = [
        (a, b, *runs[a].less(runs[b], ratio, level, repeats, smaller=chosen.smaller))
        for a, b in combinations(runs, 2)
    ]
    verdicts = [both(delong, resampled) for _, _, delong, resampled in pairs]
    adjusted = holm([verdict.p for verdict in verdicts])
    judged = tuple(
        PairWithin(*pair, verdict, float(p), verdict.word(rope, float(p)))
        for pair, verdict, p in zip(pairs, verdicts, adjusted, strict=True)
    )
    best = _best(runs, smaller=chosen.smaller)
    beaten = {pair.b for pair in judged if pair.a == best and pair.word is Word.BETTER}
    beaten |= {pair.a for pair in judged if pair.b == best and pair.word is Word.WORSE}
    solvers = tuple(
        SolverWithin(
            name,
            run.values,
            run.interval(level, repeats),
            corrected_interval(run.values, ratio, level),
            run.missing,
            run.missing < run.values.size and name not in beaten,
            run.groups,
        )
        for name, run in runs.items()
    )
    return WithinDataset(chosen.name, splits, solvers, judged, best)


def both(delong: Difference, resampled: Difference) -> Difference:
    """Return what two tests of one effect support: the wider interval, the larger p-value.

    Where one has no interval, it is the other one, and the note says so.
    """
    if isnan(delong.low):
        return replace(resampled, note=f"{resampled.note} {delong.note}".strip())
    if isnan(resampled.low):
        return replace(delong, note=f"{delong.note} {resampled.note}".strip())
    return Difference(
        resampled.effect,
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
    loss = {name: sign * float(np.nanmean(run.values)) for name, run in known.items()}
    return min(known, key=lambda name: (known[name].missing, loss[name]), default=None)


def _require_same_rows(
    folds: Mapping[str, Mapping[Split, Fold]], splits: tuple[Split, ...]
) -> None:
    for split in splits:
        first, *others = (name for name, of in folds.items() if split in of)
        for name in others:
            if not folds[name][split].has_rows_of(folds[first][split]):
                raise DataError(
                    f"{first} and {name} have other labels or weights in the split {split}; give "
                    "the same test rows in the same order"
                )
