"""Figures 1 and 2: how fast SPDAM converges, beside regSOLAM and for batches of several sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import nan
from typing import NamedTuple

import numpy as np

from aucbench.papers.parts import Line
from aucbench.papers.ranges import Range, range_of
from aucbench.papers.reading import Answers, Found, Tested
from aucbench.papers.results import Results
from aucbench.report.chart import Chart
from aucbench.stats.vectors import Vector
from aucbench.stats.words import ROPE

METHODS = ("SPDAM-ridge", "regSOLAM-ridge", "least")  # of figure 1
SOLAM_PASSES = 100.0  # after which the gap of SPDAM is compared with the excess of regSOLAM
ROUNDING = 1e-9  # a gap, or an excess of an objective, that is rounding
BOUND = -0.5  # the exponent of 1/√t
STRAIGHT = 0.95  # r² from which on points are on a line
SMALL, USUAL = "1%", "10%"  # batches of figure 2
EARLY = 20.0  # passes after which a small batch should be poor
POINTS = 60  # of a line of a chart
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


def on_every_set(test: Callable[..., tuple[Range, bool, str]]) -> Callable[..., Tested]:
    """Return a test that holds where it does on every set; open where one has no interval."""

    def tested(found: Found, because: str, **more: str) -> Tested:
        each = {row: test(found, row, **more) for row in found.rows}
        if missing := [row for row, (one, *_) in each.items() if not one.low < one.high]:
            return None, f"too few runs, or runs that do not differ, on {', '.join(missing)}"
        told = "; ".join(f"{row}: {words}" for row, (*_, words) in each.items())
        return all(holds for _, holds, _ in each.values()), because.format(told)

    return tested


def _lines(found: Found, row: str) -> list[Line]:
    return [found.one(method, row) for method in METHODS]


def _convergence(found: Found) -> list[Chart]:
    """Return the AUC of both methods on each set, and how they come near their minima."""
    charts, falls, results = [], {}, found.results
    for row in found.rows:
        own, other, _ = _lines(found, row)
        aucs = {"SPDAM": results.curves(own), "regSOLAM": results.curves(other)}
        if lines := drawn(aucs):
            title = f"{row}: test AUC, median of the splits"
            charts.append(Chart(title, "passes", "test AUC", lines, log_x=True))
        falls[f"{row}, SPDAM"] = gaps(results, own)
        falls[f"{row}, regSOLAM"] = [*_excess(found, row).values()]
    if lines := drawn(falls, log=True):
        title = "certified gap of SPDAM, and objective of regSOLAM above its minimum"
        charts.append(Chart(title, "passes", "above the minimum", lines, log_y=True))
    return charts


def _excess(found: Found, row: str) -> dict[tuple[int, int], Curve]:
    """Return the objective of regSOLAM above its exact minimum, from the first pass on."""
    _, other, lowest = _lines(found, row)
    least = {s: y[-1] for s, (_, y) in by_split(found.results, lowest, "objective").items()}
    curves = {}
    for split, (x, y) in by_split(found.results, other, "objective").items():
        if split in least:
            above = y - least[split]
            clear = (x >= 1) & (above > ROUNDING)
            if clear.any():
                curves[split] = x[clear], above[clear]
    return curves


@on_every_set
def _linear(found: Found, row: str) -> tuple[Range, bool, str]:
    """Test whether log(gap) is a falling line in passes."""
    line = _lines(found, row)[0]
    fits = gap_fits(found.results, line)
    falls = [gap for _, gap in gaps(found.results, line) if gap.size]
    slope = interval(found.results, line, [fit.slope for fit in fits])
    r2 = min((fit.r2 for fit in fits), default=np.nan)
    decades = float(np.median([np.log10(gap[0] / gap[-1]) for gap in falls])) if falls else 0.0
    told = f"{slope}, r² at least {r2:.3f}, over {decades:.1f} decades"
    return (slope, slope.high < 0 and r2 >= STRAIGHT, told)


@on_every_set
def _root(found: Found, row: str) -> tuple[Range, bool, str]:
    """Test whether regSOLAM converges like a power of the passes, at least as fast as 1/√t."""
    curves = _excess(found, row).values()
    power = [fitted(np.log(x), np.log(y)) for x, y in curves]
    line = [fitted(x, np.log(y)) for x, y in curves]
    exponent = interval(found.results, _lines(found, row)[1], [fit.slope for fit in power])
    r2, r2_linear = (
        float(np.median([fit.r2 for fit in fits])) if fits else np.nan for fits in (power, line)
    )
    told = f"{exponent}, r² {r2:.3f}, and {r2_linear:.3f} of a linear rate"
    return (exponent, exponent.high <= BOUND and r2 > r2_linear, told)


@on_every_set
def _sooner(found: Found, row: str) -> tuple[Range, bool, str]:
    """Test whether the AUC of SPDAM is near its limit after fewer passes."""
    own, other, lowest = (by_split(found.results, line) for line in _lines(found, row))
    shared = sorted(own.keys() & other.keys() & lowest.keys())
    first = [until(own[s], own[s][1][-1] - ROPE) for s in shared]
    second = [until(other[s], lowest[s][1][-1] - ROPE) for s in shared]
    logs = [float(v) for v in np.log2(first) - np.log2(second)]
    ratio = interval(found.results, _lines(found, row)[0], logs)
    told = (
        f"{np.median(first):.0f} and {np.median(second):.0f} passes, log2 of their ratio {ratio}"
        if shared
        else ""
    )
    return (ratio, ratio.high < 0, told)


@on_every_set
def _nearer(found: Found, row: str) -> tuple[Range, bool, str]:
    """Test whether SPDAM is nearer to its minimum at the end of regSOLAM."""
    line = _lines(found, row)[0]
    own, other = by_split(found.results, line, "gap"), _excess(found, row)
    logs = [
        float(np.interp(SOLAM_PASSES, own[s][0], np.log10(np.fmax(own[s][1], ROUNDING))))
        - float(np.log10(other[s][1][-1]))
        for s in sorted(own.keys() & other.keys())
    ]
    ratio = interval(found.results, line, logs)
    return (ratio, ratio.high < 0, str(ratio))


def _by_batch(found: Found, row: str, sampling: str) -> dict[str, Line]:
    return {b: found.one(f"{sampling} {b}", row) for b in found.told["batches"]}


def _batches(found: Found) -> Iterator[Chart]:
    """Yield a chart of AUC and one of gaps for each set and each way to draw batches with cells."""
    results = found.results
    for row in found.rows:
        for what in ("test AUC", "certified gap"):
            for sampling, how in found.told["samplings"].items():
                gap = what == "certified gap"
                curves = {
                    batch: gaps(results, line) if gap else results.curves(line, "step")
                    for batch, line in _by_batch(found, row, sampling).items()
                }
                if lines := drawn(curves, log=gap):
                    axis = "passes" if gap else "iterations"
                    title = f"{row}, {how}: {what}"
                    yield Chart(title, axis, what, lines, log_x=not gap, log_y=gap)


@on_every_set
def _faster(found: Found, row: str, x: str, sampling: str) -> tuple[Range, bool, str]:
    """Test whether the exponent e of rate ∝ batch^e over the splits is above 0."""
    lines = _by_batch(found, row, sampling)
    by_batch = [gap_fits(found.results, line, x) for line in lines.values()]
    exponents = [
        fitted(
            np.log([*found.told["batches"].values()]), np.log([-fit.slope for fit in fits])
        ).slope
        for fits in zip(*by_batch, strict=False)
        if all(fit.slope < 0 for fit in fits)
    ]
    power = interval(found.results, lines[USUAL], exponents)
    return (power, power.low > 0, str(power))


@on_every_set
def _poor(found: Found, row: str) -> tuple[Range, bool, str]:
    """Test whether the smallest batch has a lower AUC than that of 10 %."""
    lines = _by_batch(found, row, "uniform")
    small, usual = (by_split(found.results, lines[b]) for b in (SMALL, USUAL))
    gains = [at(small[s], EARLY) - at(usual[s], EARLY) for s in small if s in usual]
    gain = interval(found.results, lines[USUAL], gains)
    return (gain, gain.high < -ROPE, f"{gain:+.4f}")


FIGURE_1 = Answers(
    shown=_convergence,
    tests={"linear": _linear, "root": _root, "sooner": _sooner, "nearer": _nearer},
)
FIGURE_2 = Answers(shown=lambda found: [*_batches(found)], tests={"faster": _faster, "poor": _poor})
