"""`State.info` along a fit: from the yield of a solver to curves of the page."""

from dataclasses import dataclass, field, replace
from itertools import product
from typing import ClassVar

import numpy as np
import pytest

from aucbench import solve
from aucbench.data import Data
from aucbench.errors import PluginError
from aucbench.protocols import Needs, Problem, State
from aucbench.report.drawn import MOST_NAMES
from aucbench.report.findings import findings_of
from aucbench.report.folder import read_evidence
from aucbench.report.page import page_of
from aucbench.report.render import to_html

SCRIPT = "</script><b>width"


@dataclass(frozen=True)
class Tells:
    """Yields diagnostics."""

    info: dict = field(default_factory=dict)
    space: ClassVar = {}
    needs: ClassVar = Needs()

    def problem(self, data, rng):
        return Problem(None, train=data)

    def iterates(self, problem, rng):
        m_neg, m_pos = problem.data.means
        for t in range(1, 4):
            yield State(t, m_pos - m_neg, t * problem.data.n, info=self.info)


DATA = Data.of(np.arange(12.0).reshape(6, 2), [0, 1, 0, 1, 0, 1])


@pytest.mark.parametrize(
    ("info", "told"),
    [
        ([1.0], "State.info must be a mapping of at most 20 names to numbers, got an object of"),
        ({str(k): 1.0 for k in range(21)}, "a mapping of at most 20 names to numbers, got an ob"),
        ({5: 1.0}, "a mapping whose keys are texts of at most 40 characters, got 5"),
        ({41 * "a": 1.0}, "a mapping whose keys are texts of at most 40 characters, got an object"),
        ({"width": "wide"}, "State.info['width'] must be a number, got an object of the class str"),
        ({"width": True}, "State.info['width'] must be a number, got True"),
        ({"width": None}, "State.info['width'] must be a number, got None"),
    ],
)
def test_what_is_no_mapping_of_names_to_numbers_is_refused(info, told):
    with pytest.raises(PluginError) as caught:
        solve(Tells(info), DATA, passes=3)
    assert told in str(caught.value)
    assert f"({__file__}, line " in str(caught.value)


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
    return page_of(findings_of(read_evidence(folder, stale=True)), folder="out")


def test_they_are_curves_of_the_page(reported):
    page = drawn(reported)
    info = page.data["info"]
    assert {*info["names"]} == {"width", "ε", SCRIPT}
    assert info["left_out"] == 0
    k, epsilon = info["names"].index("width"), info["names"].index("ε")
    assert (info["log"][k], info["log"][epsilon]) == (False, True)
    assert all(f'<figure id="info-{x}">' in to_html(page).decode() for x in ("passes", "seconds"))
    solver = page.data["rows"]["solver"]
    for unit, r in product(("passes", "seconds"), range(len(solver))):
        row = info[unit][r]
        assert (row is None) == ("sht-auc" not in page.data["solvers"][solver[r]])
        if row is not None:
            assert len(row[k]) == len(page.data["curves"][r][unit]["x"])
            widths = [x for x in row[k] if x is not None]  # where half of the folds have begun
            if unit == "passes":  # in time, folds begin and end as fast as the machine lets them
                assert 4.0 < widths[0] <= 5.0
                assert widths == sorted(widths, reverse=True)
            # The point without a number lies on a line between its neighbours.
            assert len([x for x in row[epsilon] if x is not None]) == len(widths)


def test_a_page_with_too_many_says_so(doctored):
    def change(record):
        name = record.cell.solver.name
        curve = [
            {**p, "info": {f"{name}{k}": 1.0 for k in range(25)}, "junk": 1} for p in record.curve
        ]
        return replace(record, curve=tuple(curve))

    page = drawn(doctored(change))
    assert len(page.data["info"]["names"]) == MOST_NAMES  # of 3 solvers with 20 each
    assert "20 diagnostics are left out of this page" in to_html(page).decode()


def test_a_browser_draws_them(reported, browser, tmp_path):
    page = tmp_path / "page.html"
    page.write_bytes(to_html(drawn(reported)))
    browser.open(page.as_uri())
    browser.press("nav a", "For authors of solvers")
    for chart in ("info-passes", "info-seconds"):
        assert browser.run(f"return document.querySelectorAll('#{chart} svg .series').length") == 1
    choose = (
        "const s = document.querySelector('[name=diagnostic]'); s.value = arguments[0];"
        "s.dispatchEvent(new Event('input', {bubbles: true}));"
        "return document.querySelector('#info-passes svg').getAttribute('aria-label')"
    )
    labels = [browser.run(choose, str(k)) for k in range(3)]
    assert any(label.startswith("ε against passes") for label in labels)
    assert any(SCRIPT in label for label in labels)
    assert not [message for message in browser.console() if message["level"] == "SEVERE"]
