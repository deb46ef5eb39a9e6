"""Tables and words of a run that has not ended, and of one that stopped at a look."""

from dataclasses import replace

import numpy as np
import pytest

from aucbench.bench.plan.fields import choices
from aucbench.bench.plan.looks import in_order
from aucbench.bench.plan.plan import Plan
from aucbench.errors import DataError
from aucbench.report import document, terminal
from aucbench.report.board import grids
from aucbench.report.comparison import Results
from aucbench.report.evidence import evidence_of
from aucbench.report.findings import Settings, findings_of
from aucbench.report.page import page_of
from aucbench.report.render import to_html
from aucbench.report.verdict import verdict

PLAN = Plan(
    tuple(f"d{number}" for number in range(20)),
    choices(("logistic", "svm-or")),
    holdout=0.5,
    looks=4,
)


@pytest.fixture
def records_of(records):
    """Return a function that makes records of the first data sets of a plan, in its order.

    `ahead` is how much better the first solver is on each of them.
    """

    def made(plan, count, ahead=0.01):
        datasets = in_order(plan)[:count]
        noise = dict(zip(datasets, np.linspace(0.6, 0.8, count), strict=True))
        for cell in plan.cells():
            if cell.dataset in noise:
                auc = noise[cell.dataset] + ahead * (cell.solver == plan.solvers[0].spec)
                measures = replace(records[0].measures, auc=auc)
                yield replace(records[0], id=str(cell), cell=cell, measures=measures)

    return made


def text_of(findings):
    return document.text(grids(findings)), terminal.sentences(findings)


def test_every_table_of_a_run_that_goes_on_says_interim(records_of):
    plan = replace(PLAN, looks=None)
    findings = findings_of(evidence_of(records_of(plan, 19), [plan]), Settings(curves=False))
    tables, sentences = text_of(findings)

    assert verdict(findings)["state"] == "interim"
    assert tables.count("(interim)") == 21  # and that over all data sets
    assert sentences[0] == ("Interim: the run has not ended, and 2 of 40 cells were not run yet.")
    assert "1 of 20 data sets have cells that were not run yet" in sentences[-1]
    for form in (document.markdown, document.tex):
        assert form(terminal.tables(findings)).count("interim") == 20
    page = to_html(page_of(findings, folder="results")).decode()
    assert page.count('<small class="mark">interim</small>') >= 3
    assert sentences[0] in page

    ended = findings_of(evidence_of(records_of(plan, 20), [plan]), Settings(curves=False))
    assert "interim" not in to_html(page_of(ended, folder="results")).decode().lower()
    assert (ended.evidence.mark, ended.evidence.state) == ("", "")


def test_a_run_that_stopped_is_not_interim(records_of):
    evidence = evidence_of(records_of(PLAN, 10), [PLAN])

    assert (evidence.mark, evidence.pending) == ("stopped at look 2 of 4", 0)
    assert evidence.state == (
        "Stopped at look 2 of 4, as planned: a difference counts there if p < 0.0042, and 20 "
        "cells were not run."
    )
    assert evidence.counts == {"ok": 20, "not run: stopped at look 2 of 4": 20}
    assert (len(evidence.datasets), len(evidence.finished), evidence.left_out) == (10, 10, "")


def test_between_two_looks_the_last_one_counts(records_of):
    early = evidence_of(records_of(PLAN, 4), [PLAN])
    assert early.finished == ()
    assert early.state.startswith("Interim: the run has not ended, and 32 of 40 cells")
    assert early.state.endswith(
        "The first of 4 looks is at 5 data sets; before it nothing is said."
    )

    between = evidence_of(records_of(PLAN, 12, ahead=0.0), [PLAN])
    assert [between.datasets[i] for i in between.finished] == in_order(PLAN)[:10]
    assert "is that of look 2 of 4, after 10 data sets" in between.state
    assert "2 of 20 data sets are finished before their look" in between.left_out


def test_a_run_that_goes_on_after_its_stop_keeps_the_bound(records_of):
    plain = replace(PLAN, looks=None)
    going_on = evidence_of(records_of(PLAN, 12), [plain, PLAN])
    whole = evidence_of(records_of(PLAN, 20), [plain, PLAN])

    assert (going_on.mark, going_on.pending) == ("interim", 16)
    assert (whole.mark, len(whole.finished)) == ("", 20)
    assert whole.state == "At look 4 of 4, as planned: a difference counts there if p < 0.043."


def test_looks_hold_for_no_other_plan(records_of):
    with pytest.raises(DataError, match="bounds hold for no other plan"):
        evidence_of(records_of(PLAN, 10), [PLAN, replace(PLAN, looks=None, holdout=0.4)])


def test_results_in_python_know_the_looks_and_families_of_their_plan(records_of):
    said = Results(records_of(PLAN, 10), plan=PLAN).answer().splitlines()
    assert said[0].startswith("Stopped at look 2 of 4, as planned")

    plan = replace(PLAN, looks=None, families={"f": PLAN.datasets[:15]})
    assert "here are 6" not in Results(records_of(plan, 20), plan=plan).answer()
    few = replace(plan, families={"f": PLAN.datasets[:16]})
    assert "families of data sets; here are 5" in Results(records_of(few, 20), plan=few).answer()


def test_words_are_those_of_the_look(records_of):
    stopped = findings_of(evidence_of(records_of(PLAN, 10), [PLAN]), Settings(curves=False))
    said = terminal.sentences(stopped)

    told = verdict(stopped)
    assert (told["state"], told["level_across_data_sets"]) == (
        "stopped at look 2 of 4",
        stopped.level,
    )
    assert stopped.level == pytest.approx(1 - 0.0042, abs=1e-4)
    assert said[0].startswith("Stopped at look 2 of 4")
    assert said[1] == "With 95 % confidence the best solver on a typical data set is logistic."
    assert "99.58 % interval" in " ".join(said)
    assert findings_of(evidence_of(records_of(PLAN, 4), [PLAN])).advice.leader is None


def test_against_a_reference_the_first_look_can_decide(records_of):
    solvers = choices(("logistic", "svm-or", "sht-auc"))
    plan = Plan(tuple(f"d{n}" for n in range(80)), solvers, holdout=0.5, looks=4,
                reference="logistic")  # fmt: skip
    evidence = evidence_of(records_of(plan, 20), [plan])
    findings = findings_of(evidence, Settings(curves=False, reference="logistic"))

    assert evidence.mark == "stopped at look 1 of 4"
    assert {str(pair.word) for pair in findings.advice.reference} == {"worse"}
    assert findings.advice.fragile == ()
