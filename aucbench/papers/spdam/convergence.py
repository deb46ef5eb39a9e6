"""How fast the methods of both figures converge: their cells, and numbers of their curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import NamedTuple

import numpy as np

from aucbench.bench.plan.plan import Choice, Plan
from aucbench.papers.experiment import Line, Scale
from aucbench.papers.results import Results, Vector
from aucbench.papers.spdam.scaling import features_of
from aucbench.stats.resampled import corrected_interval
from aucbench.stats.words import Interval

FOLDS = 5
REPEATS = {Scale.QUICK: 1, Scale.FULL: 2}
PASSES = 400.0  # of SPDAM: enough for some decades of the gap
GAP = 1e-8  # relative, at which SPDAM ends
STRAIGHT = 0.95  # r² from which on points are on a line
POINTS = 60  # of a line of a chart


@dataclass(frozen=True, slots=True)
class Rows:
    """A data set of the figures.

    Attributes
    ----------
    name : str
    lam : float
        The ridge that tuning SPDAM chose most often for table 3.
    positives, n : int
        Positive rows, and all.
    """

    name: str
    lam: float
    positives: int
    n: int

    @property
    def features(self) -> str:
        """The feature map."""
        return features_of(self.name, taken=False)

    @property
    def unit(self) -> float:
        """p(1 − p), in which regSOLAM measures its ridge."""
        p = self.positives / self.n
        return p * (1 - p)

    def line(self, choice: Choice) -> Line:
        """Return the cells of a choice."""
        return Line((self.name,), choice, self.features)

    def plan(self, choices: Sequence[Choice], scale: Scale, passes: float, gap: float) -> Plan:
        """Return the plan of some choices; tuning tries all steps of regSOLAM."""
        return Plan(
            (self.name,),
            tuple(choices),
            (self.features,),
            splits=FOLDS,
            repeats=REPEATS[scale],
            inner_splits=3 if scale is Scale.QUICK else 5,
            passes=passes,
            gap_tol=gap,
        )


SETS = (
    Rows("german", 1e-2, 300, 1000),
    Rows("splice", 1e-2, 1648, 3175),
    Rows("usps", 1e-3, 3863, 9298),
)


class Fitted(NamedTuple):
    """The least-squares line through points: its slope, and r²."""

    slope: float
    r2: float


def fitted(x: Vector, y: Vector) -> Fitted:
    """Return the line through at least three different points, else NaN."""
    if np.unique(x).size < 3 or np.ptp(y) == 0:
        return Fitted(nan, nan)
    slope = float(np.polyfit(x, y, 1)[0])
    return Fitted(slope, float(np.corrcoef(x, y)[0, 1] ** 2))


def gap_fits(results: Results, line: Line, x: str = "passes") -> list[Fitted]:
    """Return the line through log10(gap) against passes or steps, of each cell."""
    return [fitted(at, np.log10(gap)) for at, gap in results.curves(line, x, "gap")]


def interval(results: Results, line: Line, values: Sequence[float]) -> Interval:
    """Return the interval of a mean over the splits of a line."""
    return corrected_interval(values, results.ratio(line))


def said(found: Interval, form: str = ".3g") -> str:
    """Return "0.1 (0.05 to 0.15)"."""
    return f"{found.estimate:{form}} ({found.low:{form}} to {found.high:{form}})"


def at(curve: tuple[Vector, Vector], passes: float) -> float:
    """Return y after so many passes, between points of the curve by log(passes); its ends hold."""
    x, y = curve
    return float(np.interp(np.log(passes), np.log(x), y))


def until(curve: tuple[Vector, Vector], level: float) -> float:
    """Return x from which on y stays at `level` or above; the last x if it does not."""
    x, y = curve
    below = np.flatnonzero(y < level)
    if not below.size:
        return float(x[0])
    return float(x[min(below[-1] + 1, x.size - 1)])


def medians(curves: Sequence[tuple[Vector, Vector]]) -> tuple[list[float], list[float]]:
    """Return the median curve over splits, at x equally far apart in log(x)."""
    low, high = min(x[0] for x, _ in curves), max(x[-1] for x, _ in curves)
    grid = np.geomspace(low, high, POINTS)
    values = np.array([np.interp(np.log(grid), np.log(x), y) for x, y in curves])
    return grid.tolist(), np.median(values, axis=0).tolist()


def drawn(
    results: Results, lines: Mapping[str, Line], x: str, y: str
) -> dict[str, tuple[list[float], list[float]]]:
    """Return the median curve of each line that has cells, by its name."""
    found = {name: results.curves(line, x, y) for name, line in lines.items()}
    kept = {name: [c for c in curves if c[0].size] for name, curves in found.items()}
    return {name: medians(curves) for name, curves in kept.items() if curves}
