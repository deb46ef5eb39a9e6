"""What the statistics say of a results folder: the numbers that the page, figures and tables show.

Design
  a. Everything that is shown is computed here by one call of `aucbench.stats` each, and is kept as
     the record that the call returns. Templates and drawings only choose digits and places.
  b. Times are compared only when all of them were measured under the same conditions, or when the
     user asks for them all the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from aucbench.bench.addons import supervised
from aucbench.bench.measuring import measure_of
from aucbench.errors import DataError
from aucbench.report.evidence import Evidence, Place
from aucbench.report.inside import AUC, Inside, Row, inside, means_inside
from aucbench.report.pace import Pace, paces, profiles_of
from aucbench.stats.advice import Advice, advise
from aucbench.stats.measures import Measure
from aucbench.stats.pairs import Pair, pairwise
from aucbench.stats.profiles import Profile, shifted_geometric_mean
from aucbench.stats.ranking import Standing, average_ranks, bradley_terry
from aucbench.stats.words import LEVEL, ROPE, Difference, Word

NAN = float("nan")
TITLES = {"auc": "AUC", "ap": "AP", "brier": "Brier score"}
NUMBERS = 1_500_000  # of all curves; each takes 5 to 6 bytes of a page
FEWEST, MOST = 8, 40  # points of a curve
PER_POINT = 10  # numbers: four of a learning curve, three each of ROC and precision-recall
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the user chooses.

    Attributes
    ----------
    measure : str
        As in `aucbench.bench.measuring.measure_of`.
    rope, level : float
        As in `aucbench.stats.words`.
    mixed : bool
        Compare times that were measured under different conditions.
    curves : bool
        Make ROC and precision-recall curves.
    """

    measure: str = AUC
    rope: float = ROPE
    level: float = LEVEL
    mixed: bool = False
    curves: bool = True


@dataclass(frozen=True, kw_only=True)
class Findings:
    """All that is shown.

    Attributes
    ----------
    measure : str
        Its name for people.
    smaller : bool
        Whether a smaller value of it is better.
    insides : tuple of Inside
        In the order of the data sets.
    values, seconds, nonzeros : array of shape (finished data sets, solvers)
        Means over the splits; NaN where a cell failed, and of all seconds when they are not
        compared.
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
    unmeasured : tuple of str
        Why a metric of a plugin has no value on some fits.
    mean_seconds : tuple of float
        Shifted geometric mean of the seconds of a fit over the data sets with a value.
    points : int
        Points of each curve.
    """

    evidence: Evidence
    settings: Settings
    measure: str
    smaller: bool
    insides: tuple[Inside, ...]
    values: Array
    seconds: Array
    nonzeros: Array
    pairs: tuple[Pair, ...]
    ranks: tuple[Standing, ...]
    ratings: tuple[Standing, ...]
    advice: Advice
    order: tuple[int, ...]
    leading: frozenset[int]
    times: str
    unmeasured: tuple[str, ...]
    mean_seconds: tuple[float, ...]
    points: int

    @property
    def gains(self) -> Array:
        """The values, or their negatives where a smaller one is better."""
        return -self.values if self.smaller else self.values

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows, by data set."""
        return tuple(row for one in self.insides for row in one.rows)

    @property
    def pairs_both_ways(self) -> Mapping[tuple[int, int], Pair]:
        """The pairs across data sets by the numbers of both solvers, in either order."""
        number = {name: j for j, name in enumerate(self.evidence.solvers)}
        both = (*self.pairs, *(pair.flipped() for pair in self.pairs))
        return {(number[pair.a], number[pair.b]): pair for pair in both}

    @cached_property
    def paces(self) -> Mapping[Place, Pace]:
        """How fast each solver comes near the best test AUC of a data set."""
        return {
            (dataset, solver): pace
            for dataset in range(len(self.evidence.datasets))
            for solver, pace in paces(self.evidence, dataset, timed=not self.times).items()
        }

    @cached_property
    def profiles(self) -> Mapping[tuple[str, float], tuple[Profile, ...]]:
        """The profiles of all solvers by unit, seconds or passes, and target."""
        return profiles_of(self.evidence, self.paces)


@dataclass(frozen=True, slots=True)
class Means:
    """The means of a measure, without what else can be found of it.

    Attributes
    ----------
    measure : str
        Its name for people.
    values : mapping of (data set, solver) to float
        Means over the splits; a place without a value is not there, or NaN.
    failures : tuple of str
        Why a metric of a plugin has no value somewhere.
    """

    measure: str
    values: Mapping[Place, float]
    failures: tuple[str, ...] = ()


def means_of(evidence: Evidence, measure_name: str) -> Means:
    """Return the means of a measure; it costs a part of `findings_of`.

    Raises
    ------
    DataError
        As `findings_of`.
    """
    chosen = measure_of(measure_name)
    with supervised():
        values = {
            (dataset, solver): value
            for dataset in range(len(evidence.datasets))
            for solver, value in means_inside(evidence, dataset, chosen).items()
        }
    if not chosen.failures:  # else the column stays empty, and the failures say why
        _require_values(chosen, evidence, np.array([*values.values()]))
    return Means(_title(chosen.name), values, chosen.failures)


def findings_of(evidence: Evidence, settings: Settings | None = None) -> Findings:
    """Ask the statistics about every data set, and about all of them together.

    Parameters
    ----------
    evidence : Evidence
        Its scores are read here, one data set at a time.

    Raises
    ------
    DataError
        When scores cannot be read, or a measure other than the AUC is asked for and there are none.
    AucbenchError
        When a setting makes no sense.
    """
    s = settings or Settings()
    chosen = measure_of(s.measure)
    name, sign = chosen.name, -1.0 if chosen.smaller else 1.0
    points = _points(len(evidence.groups)) if s.curves else 0
    with supervised():
        insides = tuple(
            inside(evidence, dataset, points, measure=chosen, level=s.level, rope=s.rope)
            for dataset in range(len(evidence.datasets))
        )
    folds = _by_fold(evidence, insides)
    values = _means(folds)
    _require_values(chosen, evidence, values)
    times = _times(evidence, mixed=s.mixed)
    seconds = np.full(values.shape, NAN) if times else evidence.values("seconds")
    nonzeros = evidence.values("nnz")
    names = evidence.solvers
    ratings = bradley_terry(sign * values, names, rope=s.rope, level=s.level)
    pairs = pairwise(values, names, rope=s.rope, level=s.level, smaller=chosen.smaller)
    advice = advise(
        values,
        names,
        [evidence.datasets[i] for i in evidence.finished],
        seconds=seconds,
        nonzeros=nonzeros,
        folds=folds,
        ratio=evidence.ratio(*evidence.finished),
        pairs=pairs,
        within=_only(evidence, insides),
        measure=_title(name),
        smaller=chosen.smaller,
        rope=s.rope,
        level=s.level,
    )
    return Findings(
        evidence=evidence,
        settings=s,
        measure=_title(name),
        smaller=chosen.smaller,
        insides=insides,
        values=values,
        seconds=seconds,
        nonzeros=nonzeros,
        pairs=pairs,
        ranks=average_ranks(sign * values, names, level=s.level),
        ratings=ratings,
        advice=advice,
        order=_order(advice.leader, ratings, sign * values),
        leading=_leading(evidence, advice, insides),
        times=times,
        unmeasured=chosen.failures,
        mean_seconds=tuple(map(_mean_time, seconds.T)),
        points=points,
    )


def _title(name: str) -> str:
    """Return the name of a measure for people: AUC, AP, pAUC[max_fpr=.1]."""
    return TITLES.get(name, name.replace("pauc", "pAUC"))


def _points(groups: int) -> int:
    return max(FEWEST, min(MOST, NUMBERS // (PER_POINT * max(1, groups))))


def _by_fold(evidence: Evidence, insides: Sequence[Inside]) -> Array:
    """Return the values of the finished data sets by split, shape (N, k, J).

    NaN where a solver has none, and everywhere where one of its cells failed. J is the largest
    number of splits of a data set.
    """
    kept = [insides[dataset] for dataset in evidence.finished]
    most = max((r.known.values.size for one in kept for r in one.rows if r.known), default=1)
    found = np.full((len(kept), len(evidence.solvers), most), NAN)
    for i, one in enumerate(kept):
        for row in one.rows:
            if row.known is not None and row.group.complete:
                found[i, row.solver, : row.known.values.size] = row.known.values
    return found


def _means(values: Array) -> Array:
    """Mean over the last axis, without NaN; NaN where all are."""
    known = ~np.isnan(values)
    sums = np.where(known, values, 0.0).sum(axis=-1)
    means = np.full(sums.shape, NAN)
    np.divide(sums, known.sum(axis=-1), out=means, where=known.any(axis=-1))
    return means


def _require_values(chosen: Measure, evidence: Evidence, values: Array) -> None:
    if chosen.name != AUC and evidence.finished and np.isnan(values).all():
        if chosen.failures:
            raise DataError("; ".join(chosen.failures))
        raise DataError(
            f"the measure {chosen.name} needs the scores of the test rows and their labels, and "
            "the folder has none for which it can be computed; use auc, or run the plan again "
            "when no other run is going on"
        )


def _only(evidence: Evidence, insides: Sequence[Inside]) -> dict[tuple[str, str], Difference]:
    """Return the differences inside the only finished data set; none when there are more."""
    if len(evidence.finished) != 1:
        return {}
    [dataset] = evidence.finished
    return {(pair.a, pair.b): pair.verdict for pair in insides[dataset].pairs}


def _order(leader: str | None, ratings: Sequence[Standing], gains: Array) -> tuple[int, ...]:
    """Return the leader, then the others by rating; those of equal rating by their mean."""
    means = np.nan_to_num(_means(gains.T), nan=-np.inf)
    rating = np.nan_to_num([standing.value.estimate for standing in ratings], nan=-np.inf)
    after = np.array([standing.name != leader for standing in ratings])
    return tuple(np.lexsort((-means, -rating, after)).tolist())


def _leading(evidence: Evidence, advice: Advice, insides: Sequence[Inside]) -> frozenset[int]:
    """Return which solvers are not worse than the recommended one; none when there is none."""
    if advice.leader is None:
        return frozenset()
    if len(evidence.finished) == 1:
        [only] = evidence.finished
        return frozenset(row.solver for row in insides[only].rows if row.leading)
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


def _mean_time(seconds: Array) -> float:
    known = seconds[~np.isnan(seconds)]
    return shifted_geometric_mean(known) if known.size else NAN
