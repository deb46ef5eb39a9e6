"""How fast the methods of both figures converge: their cells, and numbers of their curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import NamedTuple

import numpy as np

from aucbench.bench.plan.fields import Choice
from aucbench.bench.plan.plan import Plan
from aucbench.papers.parts import Claim, Line, Scale
from aucbench.papers.results import Results, Vector
from aucbench.papers.spdam.scaling import features_of
from aucbench.stats.resampled import METHOD, corrected_interval
from aucbench.stats.words import LEVEL, Interval

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


Curve = tuple[Vector, Vector]  # x and y along a fit


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
    return [fitted(at, np.log10(gap)) for at, gap in gaps(results, line, x)]


def gaps(results: Results, line: Line, x: str = "passes") -> list[Curve]:
    """Return the certified gaps of each cell, without a gap of 0, which has no logarithm."""
    return [(at[gap > 0], gap[gap > 0]) for at, gap in results.curves(line, x, "gap")]


def interval(results: Results, line: Line, values: Sequence[float]) -> Interval:
    """Return the interval of a mean over the splits of a line; NaN where there are too few."""
    if len(values) < 2:
        return Interval(nan, nan, nan, LEVEL, METHOD, "there are fewer than two splits")
    return corrected_interval(values, results.ratio(line))


def said(found: Interval, form: str = ".3g") -> str:
    """Return "0.1 (0.05 to 0.15)"."""
    return f"{found.estimate:{form}} ({found.low:{form}} to {found.high:{form}})"


def at(curve: Curve, passes: float) -> float:
    """Return y after so many passes, between points of the curve by log(passes); its ends hold."""
    x, y = curve
    return float(np.interp(np.log(passes), np.log(x), y))


def until(curve: Curve, level: float) -> float:
    """Return x from which on y stays at `level` or above; the last x if it does not.

    Between two points y is a line in log(x).
    """
    x, y = curve
    below = np.flatnonzero(y < level)
    if not below.size:
        return float(x[0])
    last = below[-1]
    if last + 1 == x.size:
        return float(x[last])
    share = (level - y[last]) / (y[last + 1] - y[last])
    return float(x[last] * (x[last + 1] / x[last]) ** share)


def medians(curves: Sequence[Curve], *, log: bool = False) -> tuple[list[float], list[float]]:
    """Return the median curve over splits, at x equally far apart in log(x).

    With `log`, y is taken between its points by its logarithm.
    """
    low, high = min(x[0] for x, _ in curves), max(x[-1] for x, _ in curves)
    grid = np.geomspace(low, high, POINTS)
    heights = [(x, np.log(y) if log else y) for x, y in curves]
    middle = np.median([np.interp(grid, x, y) for x, y in heights], axis=0)
    return grid.tolist(), (np.exp(middle) if log else middle).tolist()


def drawn(
    found: Mapping[str, Sequence[Curve]], *, log: bool = False
) -> dict[str, tuple[list[float], list[float]]]:
    """Return the median curve of each line that has one, by its name."""
    kept = {name: [c for c in curves if c[0].size] for name, curves in found.items()}
    return {name: medians(curves, log=log) for name, curves in kept.items() if curves}


def by_split(results: Results, line: Line, y: str = "test_auc") -> dict[tuple[int, int], Curve]:
    """Return the curves of a line against passes, by repeat and split."""
    records = [record for record in results.of(line) if record.ok]
    curves = results.curves(line, "passes", y)
    pairs = zip(records, curves, strict=True)
    return {(r.cell.repeat, r.cell.split): curve for r, curve in pairs if curve[0].size}


def listed(found: Mapping[str, str]) -> str:
    """Return "german: ...; splice: ..."."""
    return "; ".join(f"{name}: {text}" for name, text in found.items())


def decided(statement: str, found: Mapping[str, Interval], holds: bool, because: str) -> Claim:
    """Return the claim; it is open where a set has no interval."""
    missing = [name for name, one in found.items() if np.isnan(one.low)]
    if missing:
        return Claim(
            statement, None, f"too few runs, or runs that do not differ, on {', '.join(missing)}"
        )
    return Claim(statement, holds, because)
