"""Charts of pages and figures for print: what is plotted where, and what cannot be."""

import re
from dataclasses import replace
from math import nan

import numpy as np
import pytest

from aucbench.report import charts as charts_module
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


@pytest.fixture
def diagnosed(scored, records):
    """Findings in which one of three solvers has diagnostics, one of them with a gap."""

    def change(record):
        if record.cell.solver.name != "sht-auc":
            return record
        infos = (
            {"width": 5.0 - 0.5 * k, "ε": None if k == 2 else 10.0**-k}
            for k in range(len(record.curve))
        )
        points = zip(record.curve, infos, strict=True)
        return replace(record, curve=tuple({**point, "info": info} for point, info in points))

    return scored([*map(change, records)])


def diagnostics_of(findings):
    charts = curve_charts(findings, findings.datasets[0], 9)
    return {chart.y: chart for chart in charts if chart.title.startswith("Diagnostic")}


def test_diagnostics_of_fits_are_charts_of_the_page(diagnosed, monkeypatch):
    charts = diagnostics_of(diagnosed)
    assert {*charts} == {"width", "ε"}
    assert (charts["width"].log_y, charts["ε"].log_y) == (False, True)
    [name] = {name for chart in charts.values() for name in chart.lines}
    assert "sht-auc" in name
    widths = [y for _, y in charts["width"].points(name)]  # where half of the folds have begun
    assert 4.0 < widths[0] <= 5.0
    assert widths == sorted(widths, reverse=True)
    # The point without a number lies on a line between its neighbours.
    assert len(charts["ε"].points(name)) == len(widths)
    monkeypatch.setattr(charts_module, "MOST_DIAGNOSTICS", 1)
    [chart] = diagnostics_of(diagnosed).values()
    assert "1 more diagnostic" in chart.note


def plotted(findings, kind, ending=".svg"):
    return plot_figure(findings, kind, ending, "digits-8" if kind == CURVES else None)


@pytest.mark.parametrize("kind", FIGURES)
def test_a_figure_names_its_solvers_and_is_the_same_each_time(findings, kind):
    content = plotted(findings, kind)
    comments = "".join(re.findall(r"<!-- (.*?) -->", content.decode()))
    for solver in findings.frame.solvers:
        assert solver in comments
    assert plotted(findings, kind) == content
