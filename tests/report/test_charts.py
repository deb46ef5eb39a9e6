"""Charts of pages and figures for print: what is plotted where, and what cannot be."""

import re
from dataclasses import replace
from math import nan

import numpy as np
import pytest

from aucbench.report.chart import Chart
from aucbench.report.charts import curve_charts
from aucbench.report.curves import median_curves
from aucbench.report.figures import CURVES, FIGURES, plot_figure
from aucbench.report.frame import Frame, Place
from aucbench.report.svg import BOTTOM, LEFT, RIGHT, TOP, plot


def test_a_path_has_the_places_of_its_points():
    chart = Chart("t", "x", "y", {"a": ([0, 1, None, 3], [0, 1, 9, 0])})
    [path] = re.findall(r'<path class="line s0 marks" d="(.*?)">', plot(chart))
    numbers = [*map(int, re.findall(r"-?\d+", path))]
    x, y = np.cumsum(np.reshape(numbers, (-1, 2)), axis=0).T
    assert len(x) == 3
    assert LEFT <= x.min() <= x.max() <= RIGHT
    assert TOP <= y.min() <= y.max() <= BOTTOM
    assert y[0] == y[2] > y[1]


def test_a_curve_in_time_is_the_median_of_fits_at_the_same_second():
    """Medians of seconds and of AUCs at the same passes would go back from 3 s to 2 s."""
    first, slow, late = [(1, 1, 0.5), (2, 2, 0.9)], [(3, 1, 0.6), (4, 2, 0.8)], [(1.5, 2, 0.7)]
    curves = [[[p, s, nan, auc] for s, p, auc in points] for points in (first, slow, late)]
    rows = [
        (Place(0, 0, 0, k), {"status": "ok", "curve": np.array(one)})
        for k, one in enumerate(curves)
    ]
    some = Frame.of(["d"], ["a"], rows)
    curve = median_curves(some, some.rows(0, 0), "seconds", 40)
    assert curve.x.tolist() == [1.0, 1.5, 2.0, 3.0, 4.0]
    assert np.isnan(curve.test_auc[0])  # one fit of three has begun
    assert curve.test_auc[1:].tolist() == pytest.approx([0.7, 0.8, 0.7, 0.8])
    two = median_curves(some, some.rows(0, 0)[:2], "seconds", 3)
    assert two.x.tolist() == [1.0, 3.0, 4.0]


def test_diagnostics_of_fits_are_charts_of_the_page(scored, records):
    """One of three solvers has diagnostics, one of them with a gap."""
    infos = [{"width": 5.0 - 0.5 * k, "ε": None if k == 2 else 10.0**-k} for k in range(99)]
    some = [
        replace(r, curve=tuple({**p, "info": i} for p, i in zip(r.curve, infos, strict=False)))
        if r.cell.solver.name == "sht-auc"
        else r
        for r in records
    ]
    found = scored(some)
    made = curve_charts(found, found.datasets[0], 9)
    charts = {chart.y: chart for chart in made if chart.title.startswith("Diagnostic")}
    assert {*charts} == {"width", "ε"}
    assert (charts["width"].log_y, charts["ε"].log_y) == (False, True)
    [name] = charts["width"].lines
    widths = [y for _, y in charts["width"].points(name)]
    assert "sht-auc" in name
    assert widths == sorted(widths, reverse=True)
    # The point without a number lies on a line between its neighbours.
    assert len(charts["ε"].points(name)) == len(widths)


def plotted(findings, kind, ending=".svg"):
    return plot_figure(findings, kind, ending, "digits-8" if kind == CURVES else None)


@pytest.mark.parametrize("kind", FIGURES)
def test_a_figure_names_its_solvers_and_is_the_same_each_time(findings, kind):
    content = plotted(findings, kind)
    comments = "".join(re.findall(r"<!-- (.*?) -->", content.decode()))
    for solver in findings.frame.solvers:
        assert solver in comments
    assert plotted(findings, kind) == content
