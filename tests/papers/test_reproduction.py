"""Ours beside theirs: values, verdicts, what is kept, and what is printed."""

import json
from dataclasses import replace
from math import inf, isnan, sqrt

import numpy as np
import pytest
from command_line import done
from scipy import stats

from aucbench.bench import Choice, Plan, Store, make_engine, run
from aucbench.errors import DataError, ParameterError
from aucbench.papers import experiment as catalogue
from aucbench.papers.experiment import Experiment, Paper, results_in
from aucbench.papers.parts import Claim, Entry, Line, Protocol, Published, Scale
from aucbench.papers.reproduction import Reproduction
from aucbench.papers.results import MEASURES, Results, by_cell
from aucbench.papers.sections import Agreement, compared
from aucbench.registry import get_features, get_solver
from aucbench.registry.specs import Spec, parse_chain
from aucbench.report.chart import Chart

pytestmark = pytest.mark.usefixtures("in_process")

SETS, MAP = (Spec("breast-cancer"), Spec("digits-8")), parse_chain("standard")
RIDGE = Choice(Spec("ls-svm", {"lam": 0.1}))
LINES = {
    "one": Line(SETS[:1], RIDGE, MAP),
    "both": Line(SETS, RIDGE, MAP),
    "other": Line(SETS[1:], RIDGE, MAP),
    "none": Line((Spec("linear"),), RIDGE, MAP),
}


def experiment(*entries, **more):
    plan = Plan.of(
        {
            "data": SETS,
            "solvers": (RIDGE,),
            "features": (MAP,),
            "splits": 3,
            "repeats": 2,
            "passes": 5,
        }
    )
    return Experiment(
        **{"paper": "toy", "place": "table 1", "title": "toys", "plans": (plan,)},
        entries=entries,
        **more,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("toy") / "results"


@pytest.fixture(scope="module")
def results(folder):
    store = Store(folder, create=True)
    [plan] = experiment().plans
    found = by_cell(run(plan, store, make_engine(jobs=2)))
    yield Results(found, store)
    store.close()


def test_values_are_those_of_the_records_of_a_line(results):
    assert results.values(LINES["one"]).shape == (6,)
    both = results.values(LINES["both"])
    alone = [results.values(LINES[name]) for name in ("one", "other")]
    np.testing.assert_array_equal(both, np.concatenate(alone))
    assert 0.9 < both.min() < both.max() <= 1.0
    assert results.ratio(LINES["one"]) == pytest.approx(0.5, abs=0.01)
    assert results.values(LINES["none"]).size == 0
    assert (results.values(LINES["one"], "seconds") > 0).all()
    passes, aucs = results.curves(LINES["one"])[0]
    assert passes.size == aucs.size > 0
    assert aucs[-1] == both[0]


def test_a_folder_says_the_same_as_its_run(results):
    again = results_in(experiment(), results.store)
    for line in LINES.values():
        np.testing.assert_array_equal(again.values(line), results.values(line))


def entry(published, name="one", **more):
    return Entry(row="r", column="c", line=LINES[name], published=published, **more)


def test_the_interval_of_a_difference_is_that_of_two_corrected_means(results):
    found = compared(entry(Published(0.9, 0.02, 25)), results)
    values = results.values(LINES["one"])
    error = sqrt(1 / 6 + results.ratio(LINES["one"])) * values.std(ddof=1)
    theirs = sqrt(1 / 25 + results.ratio(LINES["one"])) * 0.02
    assert found.half == pytest.approx(stats.t(5).ppf(0.975) * np.hypot(error, theirs))
    assert found.difference == pytest.approx(values.mean() - 0.9)
    assert found.in_sd == pytest.approx(found.difference / 0.02)
    fresh = compared(entry(Published(0.9, 0.02, 25), fresh=True), results)
    assert fresh.half == pytest.approx(
        stats.t(5).ppf(0.975) * np.hypot(values.std(ddof=1) / sqrt(6), 0.02 / 5)
    )


def test_splits_share_rows_within_a_trial_only(results):
    found = compared(entry(Published(0.9, 0.02, 25), "both"), results)
    values, ratio = results.values(LINES["both"]), results.ratio(LINES["both"]) / 2
    error = sqrt(1 / 12 + ratio) * values.std(ddof=1)
    theirs = sqrt(1 / 25 + ratio) * 0.02
    assert found.half == pytest.approx(stats.t(11).ppf(0.975) * np.hypot(error, theirs))


@pytest.mark.parametrize(
    ("shift", "measure", "word"),
    [
        (0.004, "auc", Agreement.AGREES),
        (-0.004, "auc", Agreement.AGREES),
        (0.2, "auc", Agreement.BETTER),
        (-0.2, "auc", Agreement.WORSE),
        (100.0, "nnz", Agreement.WORSE),
        (-100.0, "nnz", Agreement.BETTER),
    ],
)
def test_the_words(results, shift, measure, word):
    mean = float(results.values(LINES["one"], measure).mean())
    found = compared(entry(Published(mean - shift, 0.01, 25), measure=measure), results)
    assert found.agreement is word


def test_numbers_on_other_ground_are_not_judged(results):
    assert compared(entry(None), results).agreement is Agreement.NEW
    found = compared(entry(Published(0.1, 0.01, 25), why="other halves"), results)
    assert found.words == "not comparable: other halves"
    assert (
        "another machine"
        in compared(entry(Published(9.0, 1.0, 5), measure="seconds"), results).words
    )
    assert "how much its number varies" in compared(entry(Published(0.1)), results).words
    assert compared(entry(Published(0.1, 0.1, 5), "none"), results).words == (
        "not measured: its cells were not run"
    )


def test_of_rivals_the_best_counts(results):
    means = {name: results.values(LINES[name]).mean() for name in ("one", "other")}
    best = max(means, key=means.get)
    found = compared(entry(Published(0.9, 0.1, 9), rivals=(LINES["other"],)), results)
    assert found.mean == pytest.approx(means[best])
    found = compared(entry(None, "other", rivals=(LINES["one"], LINES["none"])), results)
    assert found.mean == pytest.approx(means[best])


def test_failed_cells_are_counted_and_said(tmp_path):
    plan = Plan.of(
        {
            "data": SETS[:1],
            "solvers": (RIDGE, Choice("sht-auc[k=5,gamma=1e300]")),
            "features": (MAP,),
            "splits": 3,
            "passes": 2,
        }
    )
    with Store(tmp_path / "results", create=True) as store:
        found = Results(by_cell(run(plan, store, make_engine(jobs=2))), store)
        line = Line(SETS[:1], plan.solvers[1], MAP)
        lost = compared(Entry(row="r", column="c", line=line, published=Published(0.5)), found)
        assert lost.agreement is Agreement.UNMEASURED
        assert isnan(lost.mean)
        assert lost.why
        ok = Line(SETS[:1], RIDGE, MAP)
        cell = found.of(ok)[0].cell
        broken = {**found.records, cell: found.of(line)[0]}
        part = compared(entry(Published(0.99, 0.01, 25)), replace(found, records=broken))
        assert part.runs == 2
        assert part.words.endswith("1 run(s) failed")


@pytest.fixture
def section(results):
    shown = experiment(
        entry(Published(0.9, 0.02, 25)),
        entry(Published(1.0, 0.02, 25), "other"),
        shown=lambda _: [Chart("Figure", "x", "y", {"<b>": ([1, 2], [3, 4])})],
        claims=lambda _: [Claim("It grows", True, "by 2"), Claim("It falls", False, "it grows")],
        notes=("The paper does not say how.",),
    )
    return Reproduction.of(shown, results)


def test_what_is_kept_is_read_again(section, tmp_path):
    path = section.write(tmp_path)
    assert path.name == "toy-table-1-quick.json"
    assert Reproduction.read(path) == section
    named = replace(section, protocol="as-published")
    assert named.write(tmp_path).name == "toy-table-1-quick-as-published.json"
    for text, word in (("{", "cannot be read"), ("{}", "format 1"), ('{"format": 1}', "lacks")):
        path.write_text(text)
        with pytest.raises(DataError, match=word):
            Reproduction.read(path)
    path.write_text(json.dumps({**named.to_json(), "section": 3}))
    with pytest.raises(DataError, match="no section"):
        Reproduction.read(path)


def toy(monkeypatch, made):
    paper = Paper(
        name="toy",
        experiments={"table 1": lambda scale, protocol: made},
    )
    monkeypatch.setattr(catalogue, "paper", lambda name: {"toy": paper}[name])
    return paper


def test_the_command_runs_goes_on_and_shows(monkeypatch, tmp_path):
    toy(monkeypatch, experiment(entry(Published(0.9, 0.02, 25))))
    out = tmp_path / "folder"
    command = ["reproduce", "toy", "--table", "1", "--out", str(out)]

    first = done(*command, "--jobs", "2").stdout
    assert "Of 1 numbers: 1 better." in first
    assert (out / "reproduction.html").is_file()
    stamps = {path: path.stat().st_mtime_ns for path in (out / "cells").rglob("*.json")}
    assert len(stamps) == 12
    second = done(*command, "--quiet", "--md")
    assert {path: path.stat().st_mtime_ns for path in stamps} == stamps
    assert "| row | column |" in second.stdout
    assert second.stderr == ""
    assert done(*command, "--no-run", "--quiet").stdout == first


def cells_of(name, place, scale, protocol=Protocol.CLEAN):
    made = catalogue.paper(name).experiment(place, scale, protocol)
    return made, [cell for plan in made.plans for cell in plan.cells()]


@pytest.mark.parametrize("name", catalogue.paper_names())
@pytest.mark.parametrize("scale", Scale)
def test_every_experiment_is_well_formed(name, scale):
    paper = catalogue.paper(name)
    assert paper.name == name
    for place in paper.experiments:
        made, cells = cells_of(name, place, scale)
        assert (made.paper, made.place, made.scale) == (name, place, scale)
        assert made.notes
        assert made.plans or made.measurements
        assert len(cells) == len({*cells})
        for spec in {cell.solver for cell in cells}:
            assert get_solver(spec).needs is not None
        for features in {cell.features for cell in cells}:
            assert get_features(features) is not None
        planned = {(c.dataset, c.choice, c.features) for c in cells}
        for one in made.entries:
            assert one.measure in MEASURES
            for line in (one.line, *one.rivals):
                wanted = {(d, line.choice, line.features) for d in line.datasets}
                assert wanted <= planned or one.why or one.left_out, (
                    f"{place}, {one.row}, {one.column}"
                )
            assert one.published is None or 0 < abs(one.published.mean) < inf
    for place in paper.as_published:
        made = paper.experiment(place, scale, Protocol.AS_PUBLISHED)
        assert made.protocol is not Protocol.CLEAN


@pytest.mark.parametrize(
    ("name", "place", "quick", "full"),
    [
        ("sht-auc", "table 1", 4 * 10 * 7, 4 * 25 * 7),
        ("sht-auc", "table 2", 4 * 10 * 7, 4 * 25 * 7),
        ("sht-auc", "figure 1", 2 * 3 * 10 * 2, 4 * 3 * 25 * 2),
        ("sht-auc", "figure 2", 4 * 10 * 7, 10 * 15 * 7),
        ("spdam", "table 3", 5 * 8 * 10 + 2 * 5 * 5, 7 * 8 * 25 + 2 * 20 * 5),
        ("spdam", "figure 1", 3 * 3 * 5, 3 * 3 * 10),
        ("spdam", "figure 2", 3 * 10 * 5, 3 * 10 * 10),
    ],
)
def test_plans_have_the_cells_of_the_paper(name, place, quick, full):
    assert len(cells_of(name, place, Scale.QUICK)[1]) == quick
    assert len(cells_of(name, place, Scale.FULL)[1]) == full
    if place in catalogue.paper(name).as_published:
        assert len(cells_of(name, place, Scale.FULL, Protocol.AS_PUBLISHED)[1]) == full


@pytest.mark.parametrize(("name", "place"), [("sht-auc", {"figure": 1}), ("spdam", {"table": 3})])
def test_there_is_no_protocol_of_the_code_where_it_is_not_known(name, place):
    with pytest.raises(ParameterError, match="as-published is not known for"):
        catalogue.experiments(catalogue.paper(name), **place, protocol=Protocol.AS_PUBLISHED)
