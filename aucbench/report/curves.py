"""What is along a fit: learning curves, and how fast solvers come near the best test AUC.

Design
  a. A curve on the page is the median over the folds, at some of the passes or seconds that were
     stored. Each fit is interpolated there before the median is taken: medians of seconds and of
     AUCs at the same passes would make curves that run backwards in time. A fit that has ended
     keeps its last value, so that the median never jumps when one ends.
  b. No curve is smoothed. Between two points of a fit it is a line, and before the first one
     nothing is drawn. The number of points is chosen by who asks, and the page says it.
  c. A target is a share of the best AUC that any fit has at its end on the same test rows. It is
     taken fold by fold, since the folds of a data set differ more than solvers do. Points on the
     way are no targets: whoever stops at the best of them has looked at the test labels.
  d. A fit whose points have no test AUC is one point, its end. A failed cell never arrives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, nan

import numpy as np

from aucbench.bench.results.convergence import Optima
from aucbench.kernels.vectors import Vector
from aucbench.report.evidence import Evidence, FoldKey, Group
from aucbench.report.fits import CURVE, Fit
from aucbench.stats.profiles import Profile, anytime_score, performance_profiles, times_to_targets

TARGETS = (0.99, 0.995)  # of the best test AUC
SHARES = tuple(f"{100 * target:g} %" for target in TARGETS)
UNITS = ("seconds", "passes")
PASSES, SECONDS, OBJECTIVE, TEST_AUC = (
    CURVE.index(name) for name in ("passes", "seconds", "objective", "test_auc")
)


@dataclass(frozen=True, slots=True)
class Medians:
    """Medians of some fits at some x; NaN where less than half of the fits know the value."""

    x: Vector  # rises
    gap: Vector  # (f − f*)/(f(0) − f*), with the least objective f* that is known of the problem
    test_auc: Vector
    info: Mapping[str, Vector] = field(default_factory=dict)  # the diagnostics of the method


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """The median curves of some fits by passes and by seconds."""

    passes: Medians
    seconds: Medians


def learning_curve(fits: Sequence[Fit], optima: Optima, points: int) -> LearningCurve | None:
    """Return the median curves of fits at no more than `points` places; None when none has one."""
    fits = [fit for fit in fits if fit.curve.size]
    if not fits:
        return None
    return LearningCurve(*(_along(axis, fits, optima, points) for axis in (PASSES, SECONDS)))


def _along(axis: int, fits: Sequence[Fit], optima: Optima, points: int) -> Medians:
    """Return medians at some of the places on an axis at which the fits have points."""
    union = np.unique(np.concatenate([fit.curve[:, axis] for fit in fits]))
    union = union[~np.isnan(union)]
    chosen = np.unique(np.linspace(0, union.size - 1, min(points, union.size)).round().astype(int))
    x = union[chosen]
    gap, test_auc = _medians(
        [[_at(x, fit.curve[:, axis], y) for y in _columns(fit, optima)] for fit in fits]
    )
    names = sorted({name for fit in fits for name in fit.info})
    told = [[_at(x, fit.curve[:, axis], _info(fit, name)) for name in names] for fit in fits]
    info = dict(zip(names, _medians(told), strict=True)) if names else {}
    return Medians(x, gap, test_auc, info)


def _columns(fit: Fit, optima: Optima) -> tuple[Vector, Vector]:
    """Return gap and test AUC at the points of a fit."""
    gap = optima.gaps(fit.descent, fit.curve[:, OBJECTIVE])
    return gap, fit.curve[:, TEST_AUC]


def _info(fit: Fit, name: str) -> Vector:
    return fit.info.get(name, np.full(fit.curve.shape[:1], np.nan))


def _at(places: Vector, x: Vector, y: Vector) -> Vector:
    """Interpolate between the points of a fit that know both; NaN before the first of them."""
    known = ~(np.isnan(x) | np.isnan(y))
    if not known.any():
        return np.full(places.shape, np.nan)
    return np.interp(places, x[known], y[known], left=np.nan)


def _medians(several: Sequence[Sequence[Vector]]) -> Vector:
    """Median over the first axis, without NaN; NaN where less than half of the values are known."""
    table = np.array(several)
    known = ~np.isnan(table)
    enough = 2 * known.sum(axis=0) >= len(table)
    last = np.sort(table, axis=0)  # NaN comes last
    count = np.maximum(known.sum(axis=0), 1)
    low = np.take_along_axis(last, ((count - 1) // 2)[None], axis=0)[0]
    high = np.take_along_axis(last, (count // 2)[None], axis=0)[0]
    return np.where(enough, (low + high) / 2, np.nan)


def front(cost: Vector, auc: Vector) -> tuple[int, ...]:
    """Return the numbers of the points on the Pareto front, in the order of the cost.

    No other point has a cost as low and an AUC as high, and one of them better. Points with a NaN
    are not on it.
    """
    known = np.flatnonzero(~np.isnan(cost) & ~np.isnan(auc))
    best: list[int] = []
    highest = -np.inf
    for j in known[np.lexsort((-auc[known], cost[known]))]:
        twin = best and cost[best[-1]] == cost[j] and auc[best[-1]] == auc[j]
        if auc[j] > highest or twin:
            best.append(int(j))
            highest = auc[j]
    return tuple(best)


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a solver is on a data set; NaN is what is not known.

    Seconds and passes are those until each of `TARGETS` is reached: the median over the folds,
    infinite where half of the folds do not reach it, or a cell failed. `anytime` is the mean over
    the folds of `anytime_score`, from the first to the last second at which any fit on the data
    set has a point.
    """

    seconds: tuple[float, ...] = (nan,) * len(TARGETS)
    passes: tuple[float, ...] = (nan,) * len(TARGETS)
    anytime: float = nan


UNKNOWN = Pace()


@dataclass(frozen=True, slots=True, eq=False)
class _Course:
    """The points of a fit with a test AUC."""

    seconds: Vector
    passes: Vector
    auc: Vector

    @staticmethod
    def of(fit: Fit) -> _Course:
        points = fit.curve[:, [SECONDS, PASSES, TEST_AUC]]
        points = points[~np.isnan(points[:, 2])]
        if not len(points):
            points = np.array([[fit.seconds, fit.passes, fit.auc]])
        return _Course(*np.where(points >= 0.0, points, inf).T)  # what is not known comes never

    def until(self, unit: str, best: float) -> Vector:
        """Seconds or passes until each of `TARGETS`, shares of the best AUC."""
        return times_to_targets(getattr(self, unit), self.auc, np.multiply(TARGETS, best))


def paces(evidence: Evidence, dataset: int, *, timed: bool) -> dict[int, Pace]:
    """Return the pace of each solver on a data set; without seconds where they are not compared."""
    groups = dict(evidence.row(dataset))
    courses = {
        solver: {key: _Course.of(fit) for key, fit in group.fits.items() if fit.ok}
        for solver, group in groups.items()
    }
    best: dict[FoldKey, float] = {}
    for group in groups.values():
        for key, fit in group.fits.items():
            best[key] = max(best.get(key, -inf), fit.auc if fit.ok else -inf)
    whole = [course.seconds for of in courses.values() for course in of.values()]
    span = _span(whole) if timed else None
    return {
        solver: _pace(group, courses[solver], best, span, timed=timed)
        for solver, group in groups.items()
    }


def _pace(
    group: Group,
    courses: Mapping[FoldKey, _Course],
    best: Mapping[FoldKey, float],
    span: tuple[float, float] | None,
    *,
    timed: bool,
) -> Pace:
    if group.pending or not group.fits:
        return UNKNOWN

    def reached(unit: str) -> tuple[float, ...]:
        if not group.complete:
            return (inf,) * len(TARGETS)
        until = [course.until(unit, best[key]) for key, course in courses.items()]
        return tuple(np.median(until, axis=0).tolist())

    anytime = nan
    if span is not None:
        nothing = _Course(np.empty(0), np.empty(0), np.empty(0))
        ran = [courses.get(key, nothing) for key in group.fits]
        anytime = float(np.mean([anytime_score(c.seconds, c.auc, *span) for c in ran]))
    return Pace(reached("seconds") if timed else UNKNOWN.seconds, reached("passes"), anytime)


def _span(seconds: list[Vector]) -> tuple[float, float] | None:
    """Return the first and the last second of some fits; None where they are one."""
    known = np.concatenate(seconds) if seconds else np.empty(0)
    known = known[np.isfinite(known) & (known > 0.0)]
    if not known.size or known.min() == known.max():
        return None
    return float(known.min()), float(known.max())


def profiles_of(
    evidence: Evidence, known: Mapping[tuple[int, int], Pace]
) -> dict[tuple[str, float], tuple[Profile, ...]]:
    """Return the performance profiles of the solvers for each unit and target.

    They are over the finished data sets. What is not known counts as a failure.
    """
    shape = len(evidence.finished), len(evidence.solvers)
    places = [(i, j) for i in evidence.finished for j in range(len(evidence.solvers))]

    def times(unit: str, k: int) -> Vector:
        amounts = [getattr(known.get(place, UNKNOWN), unit)[k] for place in places]
        return np.array(amounts, np.float64).reshape(shape)

    return {
        (unit, share): performance_profiles(times(unit, k), evidence.solvers)
        for unit in UNITS
        for k, share in enumerate(TARGETS)
    }
