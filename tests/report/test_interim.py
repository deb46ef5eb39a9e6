"""Tables and words of a run that has not ended, and families of data sets."""

from dataclasses import replace

import numpy as np
import pytest

from aucbench.bench.plan.plan import Plan
from aucbench.report import document, notes, tables
from aucbench.report.collecting import frame_of
from aucbench.report.findings import findings_of
from aucbench.report.page import page_of
from aucbench.report.tables import grids
from aucbench.report.verdict import verdict

PLAN = Plan.of(
    {
        "data": tuple(f"d{number}" for number in range(20)),
        "solvers": ("logistic", "svm-or"),
        "holdout": 0.5,
    }
)


@pytest.fixture
def records_of(records):
    """Return a function that makes records of the first data sets of a plan.

    The first solver is better by 0.01 on each of them.
    """

    def made(plan, count):
        datasets = plan.data[:count]
        noise = dict(zip(datasets, np.linspace(0.6, 0.8, count), strict=True))
        for cell in plan.cells():
            if cell.dataset in noise:
                auc = noise[cell.dataset] + 0.01 * (cell.solver == plan.solvers[0].spec)
                measures = replace(records[0].measures, auc=auc)
                yield replace(records[0], id=str(cell), cell=cell, measures=measures)

    return made


def text_of(findings):
    return document.text(grids(findings)), notes.sentences(findings)


def test_every_table_of_a_run_that_goes_on_says_interim(records_of):
    findings = findings_of(frame_of(records_of(PLAN, 19), [PLAN]), curves=False)
    text, sentences = text_of(findings)

    assert verdict(findings)["state"] == "interim"
    assert text.count("(interim)") == 21  # and that over all data sets
    assert sentences[0] == ("Interim: the run has not ended, and 2 of 40 cells were not run yet.")
    assert "1 of 20 data sets have cells that were not run yet" in sentences[-1]
    for form in (document.markdown, document.tex):
        assert form(tables.tables(findings)).count("interim") == 20
    page = page_of(findings, folder="results").content.decode()
    assert page.count("(interim)") == 21
    assert sentences[0] in page

    ended = findings_of(frame_of(records_of(PLAN, 20), [PLAN]), curves=False)
    assert "interim" not in page_of(ended, folder="results").content.decode().lower()
    assert not ended.state
