"""`State.info` along a fit: from records to curves of the page."""

from dataclasses import replace

import pytest

from aucbench.report import charts as charts_module
from aucbench.report.charts import curve_charts
from aucbench.report.findings import findings_of
from aucbench.report.folder import read_frame
from aucbench.report.page import page_of

SCRIPT = "</script><b>width"


def told(number, name):
    """The diagnostics of a point: a curve, one with a gap, and a name that is markup."""
    gap = None if number == 2 else float(10.0**-number)
    return {"width": 5.0 - 0.5 * number, "ε": gap, SCRIPT: 1.0} if name == "sht-auc" else None


@pytest.fixture
def reported(doctored):
    """A folder in which one of three solvers has diagnostics."""

    def change(record):
        curve = [
            {**point, "info": info} if (info := told(k, record.cell.solver.name)) else point
            for k, point in enumerate(record.curve)
        ]
        return replace(record, curve=tuple(curve))

    return doctored(change)


def found(folder):
    return findings_of(read_frame(folder, stale=True))


def diagnostics_of(findings):
    charts = curve_charts(findings, findings.datasets[0], 9)
    return {chart.y: chart for chart in charts if chart.title.startswith("Diagnostic")}


def test_they_are_charts_of_the_page(reported):
    findings = found(reported)
    charts = diagnostics_of(findings)
    assert {*charts} == {"width", "ε", SCRIPT}
    assert (charts["width"].log_y, charts["ε"].log_y) == (False, True)
    for chart in charts.values():
        [name] = chart.lines
        assert "sht-auc" in name
    [name] = charts["width"].lines
    widths = [y for _, y in charts["width"].points(name)]  # where half of the folds have begun
    assert 4.0 < widths[0] <= 5.0
    assert widths == sorted(widths, reverse=True)
    # The point without a number lies on a line between its neighbours.
    assert len(charts["ε"].points(name)) == len(widths)


def test_a_page_with_too_many_says_so(reported, monkeypatch):
    monkeypatch.setattr(charts_module, "MOST_DIAGNOSTICS", 1)
    [chart] = diagnostics_of(found(reported)).values()
    assert "2 more diagnostics are not on this page" in chart.note


def test_a_browser_shows_them(reported, browser, tmp_path):
    page_of(found(reported), folder="out").save(tmp_path / "page.html")
    browser.open((tmp_path / "page.html").as_uri())
    titles = browser.texts("figcaption h3")
    assert any(title == f"Diagnostic {SCRIPT}" for title in titles)
    assert browser.console() == []
