"""Text, page, Markdown, LaTeX and JSON say what the findings say, and the same of each."""

import json
import re
from dataclasses import replace
from html import unescape
from math import isnan

import pytest
from command_line import done, flat, strict
from result_folders import failed, written_folder

from aucbench.bench import Choice, Plan, Store
from aucbench.bench.options import ShowOptions
from aucbench.records import CellStatus
from aucbench.report import notes
from aucbench.report.collecting import frame_of
from aucbench.report.document import Listing, Section, markdown, tex, text
from aucbench.report.findings import findings_of
from aucbench.report.folder import read_frame
from aucbench.report.grid import Grid
from aucbench.report.html_page import make_page
from aucbench.report.page import page_of, page_sections
from aucbench.report.tables import grids, leaderboard, pair_table, tables
from aucbench.report.verdict import verdict, verdict_json
from aucbench.stats import Fold, auc_interval
from aucbench.stats.pairs import PairTest
from aucbench.stats.tables import ResultTable

NUMBERS = ("estimate", "low", "high", "p")


def content_of(findings):
    return page_of(findings, folder="results").content.decode()


def words(findings):
    """What a page says, without its tags."""
    body = content_of(findings).partition("<body>")[2].partition("<footer")[0]
    return " ".join(unescape(re.sub("<[^>]*>", " ", body)).split())


def parts_of(findings, title):
    """The parts of a section of the page; none if the page does not have it."""
    return next((s.parts for s in page_sections(findings) if s.title == title), ())


def test_the_verdict_is_the_same_in_findings_text_page_and_json(results_folder, findings, tmp_path):
    ended = done("report", results_folder, "--json", tmp_path / "verdict.json", "--stale")
    known, names = strict(tmp_path / "verdict.json"), findings.frame.solvers
    assert known["measure"] == "AUC"
    assert known["answer"] == verdict(findings)["answer"] == notes.sentences(findings)
    outputs = words(findings), flat(ended.stdout)
    assert all(flat(sentence) in said for sentence in known["answer"] for said in outputs)
    assert [one["solver"] for one in known["solvers"]] == [names[j] for j in findings.order]
    leading = {one["solver"] for one in known["solvers"] if one["possible_best"]}
    assert leading == {names[j] for j in findings.leading}
    means = [f"{one['mean']:.4f}" for one in known["solvers"]]
    shown = words(findings), text(grids(findings))
    assert all(mean in said for mean in means for said in shown)
    for pair, one in zip(findings.pairs, known["pairs"], strict=True):
        assert (one["a"], one["b"], one["word"]) == (pair.a, pair.b, str(pair.word))
        numbers = [getattr(pair.difference, name) for name in NUMBERS]
        assert [one[name] for name in NUMBERS] == [None if isnan(x) else x for x in numbers]
    for inside, one in zip(findings.datasets, known["data_sets"], strict=True):
        assert [pair["word"] for pair in one["pairs"]] == [str(pair.word) for pair in inside.pairs]
        values = [row.within.values.tolist() for row in inside.rows]
        assert [row["values"] for row in one["solvers"]] == values


def test_numbers_are_those_of_the_statistics(results_folder, findings):
    row = findings.datasets[1].rows[0]
    ids = findings.frame.facts["id"][findings.frame.rows(1, row.solver)]
    scores = [*map(Store(results_folder).scores, ids)]
    expected = auc_interval([Fold(one["y"], one["scores"]) for one in scores])
    assert row.within.delong == expected
    [line] = [x for x in tables(findings)[1].lines if x[1] == findings.frame.solvers[0]]
    assert line[2] == f"{expected.estimate:.4f}"
    assert line[3] == f"{expected.low:.3f}–{expected.high:.3f}"

    values, names = findings.frame.values("auc"), findings.frame.solvers
    assert [*findings.pairs] == [*PairTest().pairs(ResultTable(values, names))]
    table = pair_table(findings)
    assert [line.count("") for line in table.lines] == [0, 1]  # of each pair there is one cell
    first, *others = (names[j] for j in findings.order)
    assert table.header == ("line − column", *others)
    a, b = findings.order[:2]
    assert table.lines[0][1] == f"{(values[:, a] - values[:, b]).mean():+.4f}"
    [pair] = [one for one in findings.pairs if {one.a, one.b} == {first, others[0]}]
    word = pair.word if pair.a == first else pair.flipped().word
    assert table.details[0][1].startswith(f"{word}, p ")


def test_a_page_asks_for_nothing_and_has_all_without_its_script(findings):
    page = content_of(findings)
    assert not re.findall(r"""(?:src|href)\s*=\s*["']?(?!["']?[#]|["']?data:)""", page)
    assert "http" not in page.replace("http-equiv", "")
    assert page.count("<script>") == 1
    before = page.partition("<script>")[0]
    assert all(f"{row.estimate:.4f}" in before for row in findings.rows)
    assert before.count("<svg class=plot") >= 3 * 6
    assert before.count("<title>logistic (tuned C=0.1|1.0|10.0)</title>") >= 3 * 5


def test_nothing_of_a_text_is_markup_in_any_form():
    nasty = "</script><!--<b>\x1b\u202e\ud800\"'&"
    parts = (nasty, Listing(f"{nasty}\n{nasty}"), Section(nasty, nasty, (nasty,)))
    page = make_page(nasty, [nasty], [Section(nasty, nasty, parts)]).content.decode()
    body = page.partition("<body>")[2].partition("<script>")[0]
    assert "<b>" not in page
    assert "<!--" not in page
    assert "</script" not in body
    assert not {"\x1b", "\u202e", "\ud800"} & {*page}
    assert r"\x1b\u202e\ud800" in page
    assert "\x1b" not in text(parts) + markdown(parts)
    odd = [Section("# t\x1b[31m", "", ("- a\n<b>*x*", Grid(["|"], [("a|b",)])))]
    marked = markdown(odd)
    assert "## \\# t\\\\x1b\\[31m" in marked
    assert "\\- a\n\\<b\\>\\*x\\*" in marked
    assert "| a\\|b |" in marked
    assert r"\textbackslash{}x1b" in tex([Grid(("\x1b",), ())])


def test_without_labels_the_splits_alone_are_compared(records):
    found = findings_of(frame_of(records))
    [method] = {pair.verdict.method for one in found.datasets for pair in one.pairs}
    assert method == "corrected resampled t"
    assert {row.roc for row in found.rows} == {None}
    assert "The folder does not hold all scores of this data set" in words(found)
    assert "ROC curves" not in words(found)
    by_ap = findings_of(frame_of(records), ShowOptions(metrics=("ap",)))
    assert "ap is missing" in by_ap.missing[0]
    assert by_ap.measure == "AUC"


def test_times_under_different_conditions_are_compared_only_when_asked(scored, records):
    one = replace(records[0], machine={**records[0].machine, "threads": 4})
    found = scored([one, *records[1:]])
    assert "under 2 different conditions and are not compared" in words(found)
    assert "against time" not in words(found)
    assert "faster" not in str(found.advice)
    board = leaderboard(found)
    assert {line[board.header.index("fit s")] for line in board.lines} == {"-"}
    mixed = scored([one, *records[1:]], mixed=True)
    assert "against time" in words(mixed)
    assert "different conditions" not in words(mixed)


def test_failures_are_listed_by_reason_and_count(scored, records):
    def broken(record):
        if "sht-auc" in str(record.cell.solver) and str(record.cell.dataset) != "digits-3":
            return failed(record, CellStatus.TIMEOUT, "killed after 5 s", "last words")
        return record

    found = scored([*map(broken, records)])
    *_, failure = parts_of(found, "Failures")
    assert re.search(r"sht-auc.*: timeout in 6 cell\(s\) of ", failure.title)
    assert failure.parts == ("killed after 5 s", Listing("last words"))
    assert "6 cells have no AUC: 6 timeout." in words(found)
    solver = next(j for j, name in enumerate(found.frame.solvers) if "sht" in name)
    assert leaderboard(found).lines[found.order.index(solver)][-2:] == ("2", "3/9")


def of_folder(folder):
    return findings_of(read_frame(folder, stale=True))


SETS, SOLVERS = ("t0", "t1", "t2"), ("logistic", "means")


def test_a_mean_over_fewer_data_sets_is_marked_in_all_outputs(tmp_path):
    """The second solver has no value on the second data set."""
    partial = of_folder(written_folder(tmp_path / "one", SETS, SOLVERS, failing=[(1, 1)]))
    whole, fewer = (f"{mean.estimate:.4f}" for mean in partial.means)
    shown = grids(partial)
    for said in (text(shown), markdown(shown), tex(shown), content_of(partial)):
        assert f"({fewer})" in said
        assert f"({whole})" not in said
    board = leaderboard(partial)
    assert board.facts == ("(…) is over fewer data sets: the solver has no value on the others",)
    column = board.header.index("mean AUC")
    means = {line[1]: line[column] for line in board.lines}
    assert means == {"logistic": whole, "means": f"({fewer})"}  # no number: a page sorts it last
    assert board.lines[1][board.header.index("fit s")].startswith("(")
    solvers = {one["solver"]: one for one in json.loads(verdict_json(partial))["solvers"]}
    assert solvers["means"]["mean"] is None
    assert solvers["means"]["mean_of_values"] == pytest.approx(partial.means[1].estimate)
    assert solvers["logistic"]["mean"] == solvers["logistic"]["mean_of_values"]


def test_a_run_that_goes_on_says_interim_in_all_outputs(records):
    asked = {"solvers": (Choice("sht-auc[k=10]"),), "splits": 3, "passes": 10}
    going = frame_of(records, [Plan.of({"data": ("digits-1",), **asked})])
    found, ended = (findings_of(one, curves=False) for one in (going, frame_of(records)))
    first, *_ = notes.sentences(found)
    assert verdict(found)["state"] == "interim"
    assert "3 of 30 cells were not run yet" in first
    assert first in content_of(found)
    assert all("interim" in form(tables(found)) for form in (text, markdown, tex))
    assert "interim" not in content_of(ended).lower()
    assert not ended.state
