"""Ours beside theirs: values, verdicts, what is kept, and what is printed."""

import json
import re
from dataclasses import replace
from math import isnan, sqrt
from pathlib import Path

import numpy as np
import pytest
from command_line import done
from scipy import stats

from aucbench.bench import Choice, Plan, Store, make_engine, run
from aucbench.errors import DataError
from aucbench.papers.comparison import Agreement, compare_number
from aucbench.papers.parts import Entry, Experiment, Line, Published
from aucbench.papers.reproduction import Reproduction
from aucbench.papers.results import Results, index_records, read_results
from aucbench.registry.specs import Spec, parse_chain

pytestmark = pytest.mark.usefixtures("in_process")

SETS, MAP = (Spec("breast-cancer"), Spec("digits-8")), parse_chain("standard")
RIDGE = Choice(Spec("ls-svm", {"lam": 0.1}))
LINES = {
    name: Line(method=name, row="r", datasets=sets, choice=RIDGE, features=MAP)
    for name, sets in (
        *(("one", SETS[:1]), ("both", SETS), ("other", SETS[1:]), ("none", (Spec("linear"),))),
    )
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
    found = index_records(run(plan, store, make_engine(jobs=2)))
    yield Results(experiment(), found, store)
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
    passes, aucs = next(iter(results.curves(LINES["one"], "test_auc").values()))
    assert passes.size == aucs.size > 0
    assert aucs[-1] == both[0]


def test_a_folder_says_the_same_as_its_run(results):
    again = read_results(experiment(), results.store)
    for line in LINES.values():
        np.testing.assert_array_equal(again.values(line), results.values(line))


def entry(published, name="one", **more):
    return Entry(row="r", column="c", line=LINES[name], published=published, **more)


def test_the_interval_of_a_difference_is_that_of_two_corrected_means(results):
    found = compare_number(entry(Published(0.9, 0.02, 25)), results)
    values = results.values(LINES["one"])
    error = sqrt(1 / 6 + results.ratio(LINES["one"])) * values.std(ddof=1)
    theirs = sqrt(1 / 25 + results.ratio(LINES["one"])) * 0.02
    assert found.half == pytest.approx(stats.t(5).ppf(0.975) * np.hypot(error, theirs))
    assert found.difference == pytest.approx(values.mean() - 0.9)
    assert found.in_sd == pytest.approx(found.difference / 0.02)
    fresh = compare_number(entry(Published(0.9, 0.02, 25), fresh=True), results)
    assert fresh.half == pytest.approx(
        stats.t(5).ppf(0.975) * np.hypot(values.std(ddof=1) / sqrt(6), 0.02 / 5)
    )


def test_splits_share_rows_within_a_trial_only(results):
    found = compare_number(entry(Published(0.9, 0.02, 25), "both"), results)
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
    found = compare_number(entry(Published(mean - shift, 0.01, 25), measure=measure), results)
    assert found.agreement is word


def test_numbers_on_other_ground_are_not_judged(results):
    assert compare_number(entry(None), results).agreement is Agreement.NEW
    found = compare_number(entry(Published(0.1, 0.01, 25), why="other halves"), results)
    assert found.words == "not comparable: other halves"
    assert (
        "another machine"
        in compare_number(entry(Published(9.0, 1.0, 5), measure="seconds"), results).words
    )
    assert "how much its number varies" in compare_number(entry(Published(0.1)), results).words
    assert compare_number(entry(Published(0.1, 0.1, 5), "none"), results).words == (
        "not measured: its cells were not run"
    )


def test_of_rivals_the_best_counts(results):
    means = {name: results.values(LINES[name]).mean() for name in ("one", "other")}
    best = max(means, key=means.get)
    found = compare_number(entry(Published(0.9, 0.1, 9), rivals=(LINES["other"],)), results)
    assert found.mean == pytest.approx(means[best])
    found = compare_number(entry(None, "other", rivals=(LINES["one"], LINES["none"])), results)
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
        found = Results(experiment(), index_records(run(plan, store, make_engine(jobs=2))), store)
        line = replace(LINES["one"], choice=plan.solvers[1])
        lost = compare_number(
            Entry(row="r", column="c", line=line, published=Published(0.5)), found
        )
        assert lost.agreement is Agreement.UNMEASURED
        assert isnan(lost.mean)
        assert lost.why
        cell = found.of(LINES["one"])[0].cell
        broken = {**found.records, cell: found.of(line)[0]}
        part = compare_number(entry(Published(0.99, 0.01, 25)), replace(found, records=broken))
        assert part.runs == 2
        assert part.words.endswith("1 run(s) failed")


LINE = {"lines": {"<b>": ([1, 2], [3, 4])}}


@pytest.fixture
def section(results):
    shown = experiment(
        entry(Published(0.9, 0.02, 25)),
        entry(Published(1.0, 0.02, 25), "other"),
        drawings=({"form": "given", "title": "Figure", "x": "x", "y": "y", **LINE},),
        claims=({"form": "open", "statement": "It grows", "why": "by 2"},),
        notes=("The paper does not say how.",),
    )
    return Reproduction.of(replace(results, experiment=shown))


def test_what_is_kept_is_read_again(section, tmp_path):
    path = section.write(tmp_path)
    assert path.name == "toy-table-1-quick.json"
    assert Reproduction.read(path) == section
    named = replace(section, protocol="as-published")
    assert named.write(tmp_path).name == "toy-table-1-quick-as-published.json"
    for text, word in (
        ("{", "Expect"),
        ('{"format": 2}', "1 is read"),
        ('{"format": 1}', "pap"),
    ):
        path.write_text(text)
        with pytest.raises(DataError, match=word):
            Reproduction.read(path)
    path.write_text(json.dumps({**named.to_json(), "section": 3}))
    with pytest.raises(DataError, match="no file of a reproduction"):
        Reproduction.read(path)


def test_the_experiment_of_the_page_runs_goes_on_and_shows(tmp_path):
    """One file, without a line of code."""
    page = (Path(__file__).parents[2] / "docs" / "reproduce.md").read_text(encoding="utf-8")
    [text] = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    out = tmp_path / "folder"
    command = ["reproduce", str(tmp_path / "mine.toml"), "--table", "1", "--out", str(out)]

    first = done(*command, "--jobs", "2").stdout
    assert first.startswith("mine, table 1: test AUC on two small sets")
    assert "Of 4 numbers: 4 agree." in first
    assert "The hinge has a higher AUC than the square on both sets (section 4) — does not" in first
    assert "The paper does not say how it scales features" in first
    assert (out / "reproduction.html").is_file()
    stamps = {path: path.stat().st_mtime_ns for path in (out / "cells").rglob("*.json")}
    assert len(stamps) == 20
    second = done(*command, "--quiet", "--md")
    assert {path: path.stat().st_mtime_ns for path in stamps} == stamps
    assert "| row | column |" in second.stdout
    assert second.stderr == ""
    assert done(*command, "--no-run", "--quiet").stdout == first
