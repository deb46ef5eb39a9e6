"""How fast solvers come near the best test AUC of a data set, along their fits.

Design
  a. A target is a share of the best AUC that any fit has at its end on the same test rows. It is
     taken fold by fold, since the folds of a data set differ more than solvers do. Points on the
     way are no targets: whoever stops at the best of them has looked at the test labels.
  b. A fit whose points have no test AUC is one point, its end. A failed cell never arrives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, nan

import numpy as np

from aucbench.report.evidence import Evidence, FoldKey, Group
from aucbench.report.fits import CURVE, Array, Fit
from aucbench.stats.profiles import Profile, anytime_score, performance_profiles, times_to_targets

TARGETS = (0.99, 0.995)  # of the best test AUC
SHARES = tuple(f"{100 * target:g} %" for target in TARGETS)
UNITS = ("seconds", "passes")
PASSES, SECONDS, TEST_AUC = (CURVE.index(name) for name in ("passes", "seconds", "test_auc"))


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

    seconds: Array
    passes: Array
    auc: Array

    @staticmethod
    def of(fit: Fit) -> _Course:
        points = fit.curve[:, [SECONDS, PASSES, TEST_AUC]]
        points = points[~np.isnan(points[:, 2])]
        if not len(points):
            points = np.array([[fit.seconds, fit.passes, fit.auc]])
        return _Course(*np.where(points >= 0.0, points, inf).T)  # what is not known comes never

    def until(self, unit: str, best: float) -> Array:
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


def _span(seconds: list[Array]) -> tuple[float, float] | None:
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

    def times(unit: str, k: int) -> Array:
        amounts = [getattr(known.get(place, UNKNOWN), unit)[k] for place in places]
        return np.array(amounts, np.float64).reshape(shape)

    return {
        (unit, share): performance_profiles(times(unit, k), evidence.solvers)
        for unit in UNITS
        for k, share in enumerate(TARGETS)
    }
