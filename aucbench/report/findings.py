"""What the statistics say of a results folder: the numbers that the page, figures and tables show.

Design
  a. Everything that is shown is computed here by one call of `aucbench.stats` each, and is kept as
     the record that the call returns. Templates and drawings only choose digits and places.
  b. The scores of one data set are in memory at a time; ROC curves are made in the same turn.
  c. Times are compared only when all of them were measured under the same conditions, or when the
     user asks for them all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from aucbench.report.evidence import Evidence, FoldKey, Group
from aucbench.stats.advice import Advice, advise
from aucbench.stats.delong import Fold, Placements, difference_of, interval_of
from aucbench.stats.pairs import Pair, pairwise
from aucbench.stats.profiles import Profile, performance_profiles, shifted_geometric_mean
from aucbench.stats.ranking import Standing, average_ranks, bradley_terry
from aucbench.stats.resampled import corrected_interval
from aucbench.stats.roc import Band, pr_band, roc_band
from aucbench.stats.words import LEVEL, ROPE, Difference, Interval, Word, holm

NAN = float("nan")
NUMBERS = 1_500_000  # of all curves; each takes 5 to 6 bytes of a page
FEWEST, MOST = 8, 40  # points of a curve
PER_POINT = 10  # numbers: four of a learning curve, three each of ROC and precision-recall
TARGET = 0.995  # of the best AUC of a data set; who reaches it has solved the data set
Array = NDArray[np.float64]
BandOf = Callable[[Sequence[tuple[ArrayLike, ArrayLike]], int], Band]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the user chooses.

    Attributes
    ----------
    rope, level : float
        As in `aucbench.stats.words`.
    mixed : bool
        Compare times that were measured under different conditions.
    points : int, optional
        Points of each curve. Default: as many as keep all curves together below `NUMBERS`.
    """

    rope: float = ROPE
    level: float = LEVEL
    mixed: bool = False
    points: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A solver on a data set.

    Attributes
    ----------
    dataset, solver : int
        Numbers of `Evidence`.
    auc : Interval
        The AUC of the fitted models, with an interval where one can be had.
    rank : float
        Among the solvers without a failed cell; NaN for the others.
    leading : bool
        Whether it is not worse than the best.
    roc, pr : Band or None
        Mean curves over the folds.
    """

    dataset: int
    solver: int
    auc: Interval
    rank: float = NAN
    leading: bool = False
    roc: Band | None = None
    pr: Band | None = None


@dataclass(frozen=True, slots=True)
class LocalPair:
    """Two solvers on a data set; `holm` is the p-value adjusted for all pairs of the data set."""

    dataset: int
    a: int
    b: int
    difference: Difference
    holm: float
    word: Word

    def flipped(self) -> LocalPair:
        """Return the same pair as b against a."""
        d = self.difference
        turned = replace(d, effect=0.0 - d.effect, low=0.0 - d.high, high=0.0 - d.low)
        word = {Word.BETTER: Word.WORSE, Word.WORSE: Word.BETTER}.get(self.word, self.word)
        return LocalPair(self.dataset, self.b, self.a, turned, self.holm, word)


@dataclass(frozen=True)
class Findings:
    """All that is shown.

    Attributes
    ----------
    rows : tuple of Row
        By data set, then by solver, in the order of `Evidence`.
    local_pairs : tuple of LocalPair
        By data set.
    pairs : tuple of Pair
        Over the finished data sets.
    ranks, ratings : tuple of Standing
        In the order of the solvers.
    advice : Advice
        The recommendation in words.
    order : tuple of int
        The solvers: the recommended one, then the others, best rating first.
    leading : frozenset of int
        The recommended solver, and those than which it is not better.
    times : str
        Why times are not compared; empty when they are.
    profiles : tuple of Profile
        In the order of the solvers: seconds until `TARGET` times the best AUC of the data set is
        reached, infinite where the fitted model does not reach it. All empty without times.
    mean_seconds : tuple of float
        Shifted geometric mean of the seconds of a fit over the data sets with a value.
    points : int
        Points of each curve.
    """

    evidence: Evidence
    settings: Settings
    rows: tuple[Row, ...]
    local_pairs: tuple[LocalPair, ...]
    pairs: tuple[Pair, ...]
    ranks: tuple[Standing, ...]
    ratings: tuple[Standing, ...]
    advice: Advice
    order: tuple[int, ...]
    leading: frozenset[int]
    times: str
    profiles: tuple[Profile, ...]
    mean_seconds: tuple[float, ...]
    points: int


@dataclass(frozen=True, slots=True)
class _Scored:
    """A solver whose cells of a data set are all ok, and its folds where scores can be had."""

    solver: int
    group: Group
    folds: dict[FoldKey, Fold]


def findings_of(evidence: Evidence, settings: Settings | None = None) -> Findings:
    """Ask the statistics about every data set, and about all of them together.

    Parameters
    ----------
    evidence : Evidence
        Its scores are read here, one data set at a time.

    Raises
    ------
    DataError
        When scores cannot be read.
    ParameterError
        When a setting makes no sense.
    """
    chosen = settings or Settings()
    points = chosen.points or _points(len(evidence.groups))
    rows: list[Row] = []
    local: list[LocalPair] = []
    for dataset in range(len(evidence.datasets)):
        found, pairs = _inside(evidence, dataset, chosen, points)
        rows += found
        local += pairs
    values, names = evidence.values(), evidence.solvers
    ratings = bradley_terry(values, names, rope=chosen.rope, level=chosen.level)
    between = pairwise(values, names, rope=chosen.rope, level=chosen.level)
    times = _times(evidence, mixed=chosen.mixed)
    advice = _advice(evidence, local, chosen, times)
    order = _order(advice.leader, ratings, values)
    return Findings(
        evidence,
        chosen,
        tuple(rows),
        tuple(local),
        between,
        average_ranks(values, names, level=chosen.level),
        ratings,
        advice,
        order,
        _leading(evidence, advice, rows),
        times,
        performance_profiles(_solved(evidence, timed=not times), names),
        tuple(_mean_time(column, timed=not times) for column in evidence.values("seconds").T),
        points,
    )


def _points(groups: int) -> int:
    return max(FEWEST, min(MOST, NUMBERS // (PER_POINT * max(1, groups))))


def _solved(evidence: Evidence, *, timed: bool) -> Array:
    """Return the seconds of the fits whose AUC is near the best one; infinity for the others."""
    values, seconds = evidence.values(), evidence.values("seconds")
    best = np.where(np.isnan(values), -np.inf, values).max(axis=1, keepdims=True, initial=-np.inf)
    near = ~np.isnan(values) & (values >= TARGET * best) & ~np.isnan(seconds)
    return np.where(near & timed, seconds, np.inf)


def _mean_time(seconds: Array, *, timed: bool) -> float:
    known = seconds[~np.isnan(seconds)]
    return shifted_geometric_mean(known) if timed and known.size else NAN


def _inside(
    evidence: Evidence, dataset: int, settings: Settings, points: int
) -> tuple[list[Row], list[LocalPair]]:
    """Return the rows and pairs of one data set, whose scores are read and forgotten here."""
    groups = [*evidence.row(dataset)]
    folds = {solver: _folds(evidence, group) for solver, group in groups}
    placed = {
        solver: Placements.of([*folds[solver].values()])
        for solver, group in groups
        if group.complete and len(folds[solver]) == len(group.fits)
    }
    repeats = {solver: len({fold.seed for fold in group.fits}) for solver, group in groups}
    pairs = _local_pairs(dataset, placed, repeats, settings)
    means = {solver: group.mean("auc") for solver, group in groups if group.complete}
    ranks = dict(zip(means, rankdata([-mean for mean in means.values()]), strict=True))
    beaten = _beaten(means, pairs)
    rows = [
        Row(
            dataset=dataset,
            solver=solver,
            auc=_interval(evidence, group, placed.get(solver), repeats[solver], settings),
            rank=float(ranks.get(solver, NAN)),
            leading=solver in means and solver not in beaten,
            roc=_band(roc_band, folds[solver], points),
            pr=_band(pr_band, folds[solver], points),
        )
        for solver, group in groups
    ]
    return rows, pairs


def _folds(evidence: Evidence, group: Group) -> dict[FoldKey, Fold]:
    """Return the scores of the ok fits, where they come with labels of two kinds."""
    found = {}
    for key, fit in group.fits.items():
        arrays = evidence.scores(fit.id) if fit.ok else None
        if arrays is not None and "y" in arrays:
            found[key] = Fold(arrays["y"], arrays["scores"])
    return found


def _interval(
    evidence: Evidence,
    group: Group,
    placed: Placements | None,
    repeats: int,
    settings: Settings,
) -> Interval:
    """Return DeLong's interval; without scores that of the resampled splits."""
    mean = group.mean("auc")
    if not group.complete:
        return Interval(mean, NAN, NAN, settings.level, "none", _missing(group))
    if placed is not None:
        return interval_of(placed, settings.level, repeats)
    aucs = [fit.auc for fit in group.ok]
    return corrected_interval(aucs, evidence.ratio or 1.0, settings.level)


def _missing(group: Group) -> str:
    waiting = f"{group.pending} of {group.planned} cells were not run yet." if group.pending else ""
    failed = f"{len(group.failed)} of {group.planned} cells failed." if group.failed else ""
    return " ".join(filter(None, (failed, waiting)))


def _local_pairs(
    dataset: int,
    placed: Mapping[int, Placements],
    repeats: Mapping[int, int],
    settings: Settings,
) -> list[LocalPair]:
    """Compare solvers on the same test rows; their p-values are adjusted together."""
    found = [
        (a, b, difference_of(placed[a], placed[b], settings.level, repeats[a]))
        for a, b in combinations(placed, 2)
        if placed[a].values.size == placed[b].values.size
    ]
    adjusted = holm([difference.p for *_, difference in found])
    return [
        LocalPair(dataset, a, b, difference, float(p), difference.word(settings.rope, float(p)))
        for (a, b, difference), p in zip(found, adjusted, strict=True)
    ]


def _beaten(means: Mapping[int, float], pairs: Sequence[LocalPair]) -> set[int]:
    """Return the solvers that are worse than the one with the highest mean."""
    best = max(means, key=means.__getitem__, default=None)
    worse = {pair.b for pair in pairs if pair.a == best and pair.word is Word.BETTER}
    return worse | {pair.a for pair in pairs if pair.b == best and pair.word is Word.WORSE}


def _band(make: BandOf, folds: Mapping[FoldKey, Fold], points: int) -> Band | None:
    """Return a mean curve, None when no fold has one."""
    band = make([(fold.positive, fold.scores) for fold in folds.values()], points)
    return band if band.folds else None


def _advice(
    evidence: Evidence, local: Sequence[LocalPair], settings: Settings, times: str
) -> Advice:
    names, datasets = evidence.solvers, evidence.finished
    inside = {
        (names[p.a], names[p.b]): p.difference
        for p in local
        if len(datasets) == 1 and p.dataset == datasets[0]
    }
    return advise(
        evidence.values(),
        names,
        [evidence.datasets[i] for i in datasets],
        seconds=None if times else evidence.values("seconds"),
        nonzeros=evidence.values("nnz"),
        folds=evidence.by_fold(),
        ratio=evidence.ratio,
        within=inside,
        rope=settings.rope,
        level=settings.level,
    )


def _order(leader: str | None, ratings: Sequence[Standing], values: Array) -> tuple[int, ...]:
    """Return the leader, then the others by rating; those of equal rating by their mean."""
    known = ~np.isnan(values)
    sums = np.where(known, values, 0.0).sum(axis=0)
    means = np.divide(sums, known.sum(axis=0), out=np.zeros(sums.size), where=known.any(axis=0))
    rating = np.nan_to_num([standing.value.estimate for standing in ratings], nan=-np.inf)
    after = [standing.name != leader for standing in ratings]
    return tuple(np.lexsort((-means, -rating, after)).tolist())


def _leading(evidence: Evidence, advice: Advice, rows: Sequence[Row]) -> frozenset[int]:
    """Return which solvers are not worse than the recommended one; none when there is none."""
    if advice.leader is None:
        return frozenset()
    if len(evidence.finished) == 1:
        [only] = evidence.finished
        return frozenset(row.solver for row in rows if row.dataset == only and row.leading)
    beaten = {pair.b for pair in advice.pairs if pair.word is Word.BETTER}
    return frozenset(j for j, name in enumerate(evidence.solvers) if name not in beaten)


def _times(evidence: Evidence, *, mixed: bool) -> str:
    count = len(evidence.conditions)
    if count < 2 or mixed:
        return ""
    return (
        f"Times were measured under {count} different conditions and are not compared; "
        "--mixed compares them all the same."
    )
