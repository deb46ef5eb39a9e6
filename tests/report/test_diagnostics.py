"""`State.info` along a fit: from records to curves of the page."""

from dataclasses import replace
from itertools import product

import pytest

from aucbench.report import drawn as drawing
from aucbench.report.findings import findings_of
from aucbench.report.folder import read_frame
from aucbench.report.page import page_of
from aucbench.report.render import to_html

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


def drawn(folder):
    return page_of(findings_of(read_frame(folder, stale=True)), folder="out")


def test_they_are_curves_of_the_page(reported):
    page = drawn(reported)
    info = {one["name"]: one for one in page.data["diagnostics"]["of"]}
    assert {*info} == {"width", "ε", SCRIPT}
    assert page.data["diagnostics"]["left_out"] == 0
    assert (info["width"]["log"], info["ε"]["log"]) == (False, True)
    solver = page.data["rows"]["solver"]
    for unit, r in product(("passes", "seconds"), range(len(solver))):
        row = info["width"][unit].get(r)
        assert (row is None) == ("sht-auc" not in page.data["solvers"][solver[r]])
        if row is not None:
            assert len(row) == len(page.data["curves"][r][unit]["x"])
            widths = [x for x in row if x is not None]  # where half of the folds have begun
            if unit == "passes":  # in time, folds begin and end as fast as the machine lets them
                assert 4.0 < widths[0] <= 5.0
                assert widths == sorted(widths, reverse=True)
            # The point without a number lies on a line between its neighbours.
            assert len([x for x in info["ε"][unit][r] if x is not None]) == len(widths)


def test_a_page_with_too_many_says_so(reported, monkeypatch):
    monkeypatch.setattr(drawing, "DIAGNOSTICS", 0)
    page = drawn(reported)
    assert len(page.data["diagnostics"]["of"]) == 1
    assert "2 diagnostics are left out of this page" in to_html(page).decode()


def test_a_browser_draws_them(reported, browser, tmp_path):
    page = tmp_path / "page.html"
    page.write_bytes(to_html(drawn(reported)))
    browser.open(page.as_uri())
    for chart in ("diagnostic-passes", "diagnostic-seconds"):
        assert browser.run(f"return document.querySelectorAll('#{chart} svg .series').length") == 1
    choose = (
        "const s = document.querySelector('[name=diagnostic]'); s.value = arguments[0];"
        "s.dispatchEvent(new Event('input', {bubbles: true}));"
        "return document.querySelector('#diagnostic-passes svg').getAttribute('aria-label')"
    )
    labels = [browser.run(choose, str(k)) for k in range(3)]
    assert any(label.startswith("ε against passes") for label in labels)
    assert any(SCRIPT in label for label in labels)
    assert not [message for message in browser.console() if message["level"] == "SEVERE"]
