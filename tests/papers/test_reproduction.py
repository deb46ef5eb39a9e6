"""Ours beside theirs: values, verdicts, what is kept, and what is printed."""

import json
import re
from dataclasses import replace
from math import isnan, sqrt
from pathlib import Path

import numpy as np
import pytest
from command_line import done
from refusals import assert_refused
from scipy import stats
from toys import cells_in_process

from aucbench.bench import Choice, Plan, Store, make_engine, run
from aucbench.errors import DataError
from aucbench.papers.comparison import Agreement, compare_number
from aucbench.papers.parts import Entry, Experiment, Line, Published
from aucbench.papers.reproduction import Reproduction
from aucbench.papers.results import Results, index_records, read_results
from aucbench.registry.specs import Spec, parse_chain

SETS, MAP = (Spec("breast-cancer"), Spec("digits-8")), parse_chain("standard")
RIDGE, BROKEN = Choice(Spec("ls-svm", {"lam": 0.1})), Choice("sht-auc[k=5,gamma=1e300]")
PLAN = Plan.of(
    {"data": SETS, "solvers": (RIDGE, BROKEN), "features": (MAP,), "splits": 3}
    | {"repeats": 2, "passes": 5}
)
LINES = {
    name: Line(method=name, row="r", datasets=sets, choice=RIDGE, features=MAP)
    for name, sets in {
        **{"one": SETS[:1], "both": SETS, "other": SETS[1:], "none": (Spec("linear"),)}
    }.items()
}
THEIRS = Published(0.9, 0.02, 25)


def experiment(*entries, **more):
    toy = {"paper": "toy", "place": "table 1", "title": "toys", "plans": (PLAN,)}
    return Experiment(**toy, entries=entries, **more)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("toy") / "results"
    with Store(folder, create=True) as store, cells_in_process():
        yield Results(experiment(), index_records(run(PLAN, store, make_engine())), store)


def entry(published, name="one", **more):
    return Entry(row="r", column="c", line=LINES[name], published=published, **more)


def test_values_are_those_of_the_records_of_a_line_also_read_from_the_folder(results):
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
    again = read_results(experiment(), results.store)
    for line in LINES.values():
        np.testing.assert_array_equal(again.values(line), results.values(line))


def test_the_interval_of_a_difference_is_that_of_two_corrected_means(results):
    """Splits share rows within a trial only."""
    for name, share in (("one", 1), ("both", 2)):
        found = compare_number(entry(THEIRS, name), results)
        values, ratio = results.values(LINES[name]), results.ratio(LINES[name]) / share
        error = sqrt(1 / values.size + ratio) * values.std(ddof=1)
        theirs, t = sqrt(1 / 25 + ratio) * 0.02, stats.t(values.size - 1).ppf(0.975)
        assert found.half == pytest.approx(t * np.hypot(error, theirs))
        assert found.difference == pytest.approx(values.mean() - 0.9)
        assert found.in_sd == pytest.approx(found.difference / 0.02)
    values = results.values(LINES["one"])
    fresh = compare_number(entry(THEIRS, fresh=True), results)
    half = stats.t(5).ppf(0.975) * np.hypot(values.std(ddof=1) / sqrt(6), 0.02 / 5)
    assert fresh.half == pytest.approx(half)


@pytest.mark.parametrize(
    ("shift", "measure", "word"),
    [
        *((0.004, "auc", Agreement.AGREES), (-0.004, "auc", Agreement.AGREES)),
        *((0.2, "auc", Agreement.BETTER), (-0.2, "auc", Agreement.WORSE)),
        *((100.0, "nnz", Agreement.WORSE), (-100.0, "nnz", Agreement.BETTER)),
    ],
)
def test_the_words(results, shift, measure, word):
    mean = float(results.values(LINES["one"], measure).mean())
    found = compare_number(entry(Published(mean - shift, 0.01, 25), measure=measure), results)
    assert found.agreement is word


def test_numbers_on_other_ground_are_not_judged(results):
    assert compare_number(entry(None), results).agreement is Agreement.NEW
    for published, more, words in (
        (Published(0.1, 0.01, 25), {"why": "other halves"}, "not comparable: other halves"),
        (Published(9.0, 1.0, 5), {"measure": "seconds"}, "another machine"),
        (Published(0.1), {}, "how much its number varies"),
        (Published(0.1, 0.1, 5), {"name": "none"}, "not measured: its cells were not run"),
        (Published(0.1, 0.1, 5), {"name": "none", "left_out": "long"}, "not measured: long"),
    ):
        assert words in compare_number(entry(published, **more), results).words


def test_of_rivals_the_best_counts(results):
    best = max(results.values(LINES[name]).mean() for name in ("one", "other"))
    for one in (
        entry(Published(0.9, 0.1, 9), rivals=(LINES["other"],)),
        entry(None, "other", rivals=(LINES["one"], LINES["none"])),
    ):
        assert compare_number(one, results).mean == pytest.approx(best)


def test_failed_cells_are_counted_and_said(results):
    broken = replace(LINES["one"], choice=PLAN.solvers[1])
    lost = compare_number(replace(entry(Published(0.5)), line=broken), results)
    assert lost.agreement is Agreement.UNMEASURED
    assert isnan(lost.mean)
    assert lost.why
    cell = results.of(LINES["one"])[0].cell
    records = {**results.records, cell: results.of(broken)[0]}
    part = compare_number(entry(Published(0.99, 0.01, 25)), replace(results, records=records))
    assert part.runs == 5
    assert part.words.endswith("1 run(s) failed")


def test_what_is_kept_is_read_again(results, tmp_path):
    drawing = {"form": "given", "title": "Figure", "x": "x", "y": "y"}
    shown = experiment(
        *(entry(THEIRS), entry(Published(1.0, 0.02, 25), "other")),
        drawings=({**drawing, "lines": {"<b>": ([1, 2], [3, 4])}},),
        claims=({"form": "open", "statement": "It grows", "why": "by 2"},),
        notes=("The paper does not say how.",),
    )
    section = Reproduction.of(replace(results, experiment=shown))
    path = section.write(tmp_path)
    assert path.name == "toy-table-1-quick.json"
    assert Reproduction.read(path) == section
    named = replace(section, protocol="as-published")
    assert named.write(tmp_path).name == "toy-table-1-quick-as-published.json"
    other = json.dumps({**named.to_json(), "section": 3})
    wrong = (("{", "Expect"), ('{"format": 2}', "1"), ('{"format": 1}', "pap"), (other, "no file"))
    for text, word in wrong:
        path.write_text(text)
        assert_refused(lambda: Reproduction.read(path), DataError, word)


@pytest.mark.usefixtures("in_process")
def test_the_experiment_of_the_page_runs_goes_on_and_shows(tmp_path):
    """From a file to a verdict, without a line of code."""
    page = (Path(__file__).parents[2] / "docs" / "reproduce.md").read_text(encoding="utf-8")
    [text] = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    fewer = text.replace("splits = 5", "splits = 2")
    (tmp_path / "mine.toml").write_text(fewer, encoding="utf-8")
    out = tmp_path / "folder"
    command = ["reproduce", tmp_path / "mine.toml", "--table", "1", "--out", out]
    first = done(*command).stdout
    for words in (
        "mine, table 1: test AUC on two small sets",
        "Of 4 numbers: 4 agree.",
        "The hinge has a higher AUC than the square on both sets (section 4) — does not",
        "The paper does not say how it scales features",
    ):
        assert words in first
    assert (out / "reproduction.html").is_file()
    stamps = {path: path.stat().st_mtime_ns for path in (out / "cells").rglob("*.json")}
    assert len(stamps) == 8
    second = done(*command, "--quiet", "--md")
    assert {path: path.stat().st_mtime_ns for path in stamps} == stamps
    assert "| row | column |" in second.stdout
    assert second.stderr == ""
    assert done(*command, "--no-run", "--quiet").stdout == first
