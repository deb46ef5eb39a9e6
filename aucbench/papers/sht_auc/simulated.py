"""Figures 1 and 2: simulated sets by their share of positives r."""

from __future__ import annotations

import numpy as np

from aucbench.papers.parts import AUC, Line
from aucbench.papers.reading import Answers, Found, Tested
from aucbench.papers.results import Results
from aucbench.papers.sht_auc.comparisons import SHT, against, mean_over, means_along
from aucbench.report.chart import Chart
from aucbench.report.grid import Grid
from aucbench.stats.vectors import Vector
from aucbench.stats.words import ROPE

FOR_AUC = (SHT, "SPAM-ℓ1", "SPAM-ℓ2", "FSAUC", "SOLAM")
OTHERS = ("StoIHT", "HSG-HT")
RARE = 0.1  # shares of positives up to this one are the imbalanced ones
NEAR = 0.05  # of the way of the objective to its end
GRID = np.concatenate([np.arange(1.0, 20.0), np.arange(20.0, 301.0, 5.0)])
CURVES = {"train_auc": "AUC of the training rows", "test_auc": "AUC of the test rows"}
REACHED = {
    "objective": f"objective, within {NEAR:.0%} of its way",
    "train_auc": f"training AUC, within {ROPE}",
    "test_auc": f"test AUC, within {ROPE}",
}


def curves(found: Found) -> list[Chart | Grid]:
    """Return a chart for each step, k* and AUC, with a line for each r, and the passes needed."""
    charts = []
    for step, k in dict.fromkeys((line.method, line.at["k"]) for line in found.lines):
        for y, title in CURVES.items():
            means = {
                f"r = {line.at['r']}": mean_curve(found.results, line, y)
                for line in found.where(step, k=k)
            }
            known = {name: curve for name, curve in means.items() if curve is not None}
            if known:
                charts.append(Chart(f"{title}, k* = {k}, {step}", "passes", "AUC", known))
    rows = [
        (
            line.method,
            str(line.at["k"]),
            str(line.at["r"]),
            *(f"{np.median(v):.3g}" if v.size else None for v in both),
        )
        for line in found.lines
        for both in [[needed(found.results, line, y) for y in REACHED]]
    ]
    header = ("step", "k*", "r", *(f"passes by {said}" for said in REACHED.values()))
    return [*charts, Grid(header, rows)]


def mean_curve(results: Results, line: Line, y: str) -> tuple[list[float], list[float]] | None:
    """Return the mean over the runs at the passes of `GRID`; None without a run."""
    curves = results.curves(line, "passes", y)
    inside = [np.interp(GRID, passes, values) for passes, values in curves if passes.size]
    return ([*GRID], [*np.mean(inside, axis=0)]) if inside else None


def needed(results: Results, line: Line, y: str) -> Vector:
    """Return for each run the passes from which on y is near its end, in the sense of `REACHED`."""
    curves = [curve for curve in results.curves(line, "passes", y) if curve[0].size]
    return np.array([reached(*curve, y) for curve in curves])


def reached(passes: Vector, values: Vector, y: str) -> float:
    """Return the first passes from which on a curve is near its end, for good.

    The end is the mean over the last tenth of the passes, since the last iterates are noisy. An
    AUC is near if it differs by at most 0.005. The objective, which is 1 at w = 0, is near if at
    most 5 % of its way from there are left.
    """
    end = float(values[passes >= 0.9 * passes[-1]].mean())
    near = NEAR * abs(1.0 - end) if y == "objective" else ROPE
    far = np.flatnonzero(np.abs(values - end) > near)
    return float(passes[min(far[-1] + 1, passes.size - 1)]) if far.size else float(passes[0])


def slower(found: Found, step: str, y: str) -> Tested:
    """Compare log2 of the passes of the same trial and fold at the smallest r and at each other."""
    least, *larger = shares(found)
    doublings = {
        r: mean_over(np.log2(needed(found.results, line, y)) for line in found.where(step, r=r))
        for r in (least, *larger)
    }
    return against(found, doublings[least], {f"r = {r}": doublings[r] for r in larger})


def against_share(found: Found) -> list[Chart]:
    """Return the mean AUC and the mean F1 of each method against r."""
    return [
        Chart(
            f"{title}, k* = 20",
            "share of positives r",
            title,
            means_along(found, "r", measure),
        )
        for measure, title in ((AUC, "test AUC"), ("support-f1", "F1 of the support"))
    ]


def falls(found: Found, method: str, measure: str) -> Tested:
    """Test that a measure falls with r, by the slope of least squares of each trial and fold."""
    columns = [found.results.values(line, measure) for line in found.where(method)]
    slope: Vector = np.empty(0)  # where a cell was not run
    if len({column.size for column in columns}) == 1:
        centred = np.array(shares(found)) - np.mean(shares(found))
        slope = centred @ np.array(columns) / (centred @ centred)
    return against(found, slope, {"a slope of 0": np.zeros(slope.size)})


def ahead(found: Found) -> Tested:
    """Test that methods for the AUC are ahead of the others where classes are imbalanced."""
    gain = _gain(found, rare=True)
    return against(found, gain, {"no gain": np.zeros(gain.size)})


def ahead_where_rare(found: Found) -> Tested:
    """Test that methods for the AUC are ahead most where classes are imbalanced."""
    common = {f"the gain for r > {RARE}": _gain(found, rare=False)}
    return against(found, _gain(found, rare=True), common)


def _gain(found: Found, *, rare: bool) -> Vector:
    some = [r for r in shares(found) if (r <= RARE) is rare]
    theirs, ours = (
        mean_over(
            found.results.values(line)
            for method in methods
            for r in some
            for line in found.where(method, r=r)
        )
        for methods in (OTHERS, FOR_AUC)
    )
    return ours - theirs if ours.size == theirs.size else np.empty(0)


def shares(found: Found) -> list[float]:
    """Return the shares of positives, sorted."""
    return sorted({line.at["r"] for line in found.lines})


FIGURE_1 = Answers(shown=curves, tests={"slower": slower})
FIGURE_2 = Answers(
    shown=against_share,
    tests={"falls": falls, "ahead": ahead, "ahead-where-rare": ahead_where_rare},
)
