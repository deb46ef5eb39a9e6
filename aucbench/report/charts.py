"""The charts of findings: curves of each data set, and quality against time and sparsity.

Solvers have the same style in all of them, and in the tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from aucbench.errors import shown
from aucbench.metrics.roc import Band
from aucbench.report.chart import Chart, Numbers
from aucbench.report.curves import MedianCurves, front
from aucbench.report.findings import Findings
from aucbench.report.frame import Array
from aucbench.report.within import DatasetFindings, SolverFindings
from aucbench.stats.vectors import Vector

MOST_LINES = 24  # solvers in a chart
FRONT = "Pareto front"
GREY = 6  # number of the style of the front
SECONDS = "seconds inside the solver"
GAP = "(f − f*) / (f(0) − f*)"
NOTE_ON_GAP = (
    "f* is the least objective that any fit of the same problem has reached; a fit that has "
    "reached it leaves the chart."
)
WIDE = 100.0  # ratio of the numbers of a diagnostic from which its axis is logarithmic
MOST_DIAGNOSTICS = 6  # charts of diagnostics; of more names, those that most solvers report
Lines = dict[str, tuple[Numbers, Numbers]]


def band_charts(
    findings: Findings, one: DatasetFindings, most: int, *, bands: bool
) -> Iterator[Chart]:
    """Yield the ROC curves and precision against recall on a data set, of the first solvers."""
    mean = "Mean over the splits"
    spread = "; the band goes from the lowest to the highest split" if bands else ""
    of_classes = " Of three or more classes, the mean over the classes, each against the rest."
    note = f"{mean}{spread}.{of_classes if one.by_class else ''}"
    area = findings.range
    measured = "" if area is None else (
        " The {} is that of false positive rates from {:g} to {:g} and true positive rates from "
        "{:g} to {:g}."
    ).format(findings.measure, *area)  # fmt: skip
    axes = ("false positive rate", "true positive rate")
    roc = {row.solver: row.roc for row in one.rows if row.roc is not None}
    if roc:
        yield _bands(findings, "ROC curves", axes, roc, most, note + measured, is_roc=True)
    pr = {row.solver: row.pr for row in one.rows if row.pr is not None}
    if pr and bands:
        yield _bands(findings, "Precision and recall", ("recall", "precision"), pr, most, note)


def _bands(
    findings: Findings,
    title: str,
    axes: tuple[str, str],
    of: Mapping[int, Band],
    most: int,
    note: str,
    *,
    is_roc: bool = False,
) -> Chart:
    start = [0.0] if is_roc else []
    names = _first(findings, of, most)
    return Chart(
        title,
        *axes,
        {n: ([*start, *of[j].x], [*start, *of[j].mean]) for n, j in names.items()},
        bands={n: ([*start, *of[j].low], [*start, *of[j].high]) for n, j in names.items()}
        if "band" in note
        else {},
        diagonal=is_roc,
        note=note,
        styles=names,
    )


def curve_charts(
    findings: Findings, dataset: DatasetFindings, most: int, *, diagnostics: bool = True
) -> Iterator[Chart]:
    """Yield quality against time and passes, the gap of the objective, and the diagnostics."""
    seconds = {} if findings.times else _medians(findings, dataset, "seconds")
    passes = _medians(findings, dataset, "passes")
    thinned = f"Median over the splits, at no more than {findings.points} of the stored points."
    title, y = f"{findings.quality} against", f"test {findings.quality}"
    along = {j: (one.x, one.test_auc) for j, one in seconds.items()}
    yield from _curves(findings, f"{title} time", (SECONDS, y), along, most, thinned)
    along = {j: (one.x, one.test_auc) for j, one in passes.items()}
    yield from _curves(findings, f"{title} passes", ("passes", y), along, most, thinned)
    along = {j: (one.x, np.where(one.gap > 0.0, one.gap, np.nan)) for j, one in passes.items()}
    note = f"{thinned} {NOTE_ON_GAP}"
    yield from _curves(findings, "Gap of the objective", ("passes", GAP), along, most, note)
    if diagnostics:
        yield from _diagnostics(findings, passes, most)


def _medians(findings: Findings, one: DatasetFindings, unit: str) -> dict[int, MedianCurves]:
    curves = ((row.solver, findings.curves(row, unit)) for row in one.rows)
    return {solver: medians for solver, medians in curves if medians is not None}


def _diagnostics(
    findings: Findings, passes: Mapping[int, MedianCurves], most: int
) -> Iterator[Chart]:
    """Yield what the methods report along a fit."""
    known: dict[str, dict[int, tuple[Vector, Vector]]] = {}
    for solver, medians in passes.items():
        for name, values in medians.info.items():
            known.setdefault(name, {})[solver] = (medians.x, values)
    names = sorted(known, key=lambda name: -len(known[name]))
    left = len(names) - len(names[:MOST_DIAGNOSTICS])
    note = "What the methods themselves report along a fit; nobody has checked it."
    note += f" {left} more diagnostics are not on this page." if left else ""
    for name in names[:MOST_DIAGNOSTICS]:
        every = np.concatenate([values for _, values in known[name].values()])
        least, largest = np.nanmin(every), np.nanmax(every)
        log = bool(least > 0.0 and largest >= WIDE * least)
        title, axes = f"Diagnostic {shown(name)}", ("passes", shown(name))
        yield from _curves(findings, title, axes, known[name], most, note, log=log)


def _curves(
    findings: Findings,
    title: str,
    axes: tuple[str, str],
    lines: Mapping[int, tuple[Array, Array]],
    most: int,
    note: str,
    *,
    log: bool | None = None,
) -> Iterator[Chart]:
    """Yield the chart of some curves; none if no curve has a point."""
    names = _first(findings, [j for j, (_, y) in lines.items() if not np.isnan(y).all()], most)
    if names:
        some: Lines = {n: (lines[j][0].tolist(), lines[j][1].tolist()) for n, j in names.items()}
        log_y = axes[1] == GAP if log is None else log
        yield Chart(title, *axes, some, log_x=True, log_y=log_y, note=note, styles=names)


def cost_charts(findings: Findings, one: DatasetFindings) -> Iterator[Chart]:
    """Yield quality on a data set against the time of a fit, and against sparsity."""
    rows = [row for row in one.rows if not np.isnan(row.estimate)]
    values = {row.solver: row.estimate for row in rows}
    seconds = {} if findings.times else _costs(rows, findings.frame.medians("seconds"))
    nonzeros = _costs(rows, findings.frame.means("nnz"))
    yield from _scatter(findings, "time of a fit", "seconds of a fit", seconds, values)
    yield from _scatter(findings, "sparsity", "non-zero weights", nonzeros, values)


def standing_charts(findings: Findings) -> Iterator[Chart]:
    """Yield the mean over the data sets against the time of a fit."""
    some = [j for j in findings.order if j not in findings.partial]
    means = {j: findings.means[j].estimate for j in some}
    seconds = {j: findings.mean_seconds[j] for j in some}
    title = "time of a fit, over the data sets"
    yield from _scatter(findings, title, "seconds of a fit", seconds, means)


def _costs(rows: Iterable[SolverFindings], costs: Array) -> dict[int, float]:
    return {row.solver: float(costs[row.dataset, row.solver]) for row in rows}


def _scatter(
    findings: Findings, what: str, x: str, cost: Mapping[int, float], value: Mapping[int, float]
) -> Iterator[Chart]:
    """Yield a point for each solver, and the line through those that no other one beats."""
    known = [j for j in cost if cost[j] > 0.0 and not np.isnan(value[j])]
    if len(known) < 2:
        return
    costs = np.array([cost[j] for j in known])
    gains = np.array([-value[j] if findings.smaller else value[j] for j in known])
    names = _first(findings, known, len(known))
    lines: Lines = {n: ([cost[j]], [value[j]]) for n, j in names.items()}
    best = [known[k] for k in front(costs, gains)]
    styles = dict(names)
    note = ""
    if len(best) > 1:
        note = "The grey line joins the solvers that no other one beats in both."
        lines = {FRONT: ([cost[j] for j in best], [value[j] for j in best]), **lines}
        styles[FRONT] = GREY
    title = f"{findings.measure} against {what}"
    yield Chart(title, x, findings.measure, lines, log_x=True, note=note, styles=styles)


def _first(findings: Findings, of: Iterable[int], most: int) -> dict[str, int]:
    """Return the first of some solvers, in the order of the table: the number of each name."""
    some = {*of}
    names: Sequence[str] = findings.frame.solvers
    return {names[j]: j for j in [j for j in findings.order if j in some][:most]}
