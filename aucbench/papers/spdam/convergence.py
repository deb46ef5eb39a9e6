"""How fast the methods of both figures converge: their cells, and numbers of their curves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import NamedTuple

import numpy as np

from aucbench.bench.plan.fields import Choice
from aucbench.bench.plan.plan import Plan
from aucbench.kernels.vectors import Vector
from aucbench.papers.parts import Claim, Line, Scale
from aucbench.papers.ranges import Range, range_of
from aucbench.papers.results import Results
from aucbench.papers.spdam.methods import features_of

FOLDS = 5
REPEATS = {Scale.QUICK: 1, Scale.FULL: 2}
PASSES = 400.0  # of SPDAM: enough for some decades of the gap
GAP = 1e-8  # relative, at which SPDAM ends
POINTS = 60  # of a line of a chart
Curve = tuple[Vector, Vector]  # x and y along a fit
NOTES = (
    "The text of the paper does not say which data sets its figures show; german, splice and usps "
    "stand for them, with the features of table 3. λ is that which tuning SPDAM chose most often "
    "for table 3 at quick scale: 0.01, 0.01 and 0.001.",
    "The horizontal axis has passes over the rows in place of iterations: one iteration of SPDAM "
    "reads a batch, and one of regSOLAM a row. Passes of SPDAM count evaluations of the gap, of "
    "which there is one after four passes of steps, and with blocks the search for their norms.",
)


def note_of(scale: Scale) -> str:
    """Return how many splits the figures have."""
    repeats = "one repeat" if scale is Scale.QUICK else "two repeats"
    return f"Lines are medians over {repeats} of five folds; intervals are over the same splits."


@dataclass(frozen=True, slots=True)
class Rows:
    """A data set of the figures."""

    name: str
    lam: float  # the ridge that tuning SPDAM chose most often for table 3
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
    return [fitted(at, np.log10(gap)) for at, gap in gaps(results, line, x)]


def gaps(results: Results, line: Line, x: str = "passes") -> list[Curve]:
    """Return the certified gaps of each cell, without a gap of 0, which has no logarithm."""
    return [(at[gap > 0], gap[gap > 0]) for at, gap in results.curves(line, x, "gap")]


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
    lines: Mapping[str, Iterable[Curve]], *, log: bool = False
) -> dict[str, tuple[list[float], list[float]]]:
    """Return the median curve of each line that has one, by its name."""
    some = {name: [c for c in curves if c[0].size] for name, curves in lines.items()}
    return {name: medians(curves, log=log) for name, curves in some.items() if curves}


def by_split(results: Results, line: Line, y: str = "test_auc") -> dict[tuple[int, int], Curve]:
    """Return the curves of a line against passes, by repeat and split."""
    records = [record for record in results.of(line) if record.ok]
    curves = results.curves(line, "passes", y)
    pairs = zip(records, curves, strict=True)
    return {(r.cell.repeat, r.cell.split): curve for r, curve in pairs if curve[0].size}


def interval(results: Results, line: Line, values: Sequence[float]) -> Range:
    """Return the mean over the splits of a line with its interval."""
    return range_of(values, results.ratio(line), results.repeats(line))


class Tested(NamedTuple):
    """What decides a statement on one data set."""

    interval: Range
    holds: bool
    told: str


def decided(
    statement: str, because: str, test: Callable[[Results, Rows], Tested], results: Results
) -> Claim:
    """Return the claim, which holds where it does on every set; open where one has no interval."""
    tested = {rows.name: test(results, rows) for rows in SETS}
    missing = [n for n, one in tested.items() if not one.interval.low < one.interval.high]
    if missing:
        why = f"too few runs, or runs that do not differ, on {', '.join(missing)}"
        return Claim(statement, None, why)
    told = "; ".join(f"{name}: {one.told}" for name, one in tested.items())
    return Claim(statement, all(one.holds for one in tested.values()), because.format(told))
