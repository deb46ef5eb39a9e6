"""The page without a browser: its numbers, its sentences, and what it must not hold."""

import re
from dataclasses import replace
from html import unescape

from result_folders import failed, with_cell

from aucbench.bench import Store
from aucbench.bench.options import ShowOptions
from aucbench.data.understood import Remark, Understood
from aucbench.records import CellStatus
from aucbench.report.collecting import frame_of
from aucbench.report.document import Listing, Section, markdown, text
from aucbench.report.findings import findings_of
from aucbench.report.html_page import make_page
from aucbench.report.page import page_of, page_sections, warnings_of
from aucbench.report.tables import leaderboard, pair_table, tables
from aucbench.stats import Fold, auc_interval
from aucbench.stats.pairs import PairTest
from aucbench.stats.tables import ResultTable


def words(findings):
    """What a page says, without its tags."""
    page = page_of(findings, folder="results").content.decode()
    body = page.partition("<body>")[2].partition("<footer")[0]
    return " ".join(unescape(re.sub("<[^>]*>", " ", body)).split())


def parts_of(findings, title):
    """The parts of a section of the page; none if the page does not have it."""
    return next((s.parts for s in page_sections(findings) if s.title == title), ())


def test_numbers_are_those_of_the_statistics(results_folder, findings):
    row = findings.datasets[1].rows[0]
    store = Store(results_folder)
    ids = findings.frame.facts["id"][findings.frame.rows(1, row.solver)]
    scores = [*map(store.scores, ids)]
    expected = auc_interval([Fold(one["y"], one["scores"]) for one in scores])
    assert row.within.delong == expected

    [line] = [x for x in tables(findings)[1].lines if x[1] == findings.frame.solvers[0]]
    assert line[2] == f"{expected.estimate:.4f}"
    assert line[3] == f"{expected.low:.3f}–{expected.high:.3f}"
    assert line[2] in words(findings)
    values = findings.frame.values("auc")
    assert [*findings.pairs] == [*PairTest().pairs(ResultTable(values, findings.frame.solvers))]
    a, b = findings.order[:2]
    assert pair_table(findings).lines[0][1] == f"{(values[:, a] - values[:, b]).mean():+.4f}"


def test_of_each_pair_there_is_one_cell(findings):
    table = pair_table(findings)
    assert [line.count("") for line in table.lines] == [0, 1]
    first, *others = (findings.frame.solvers[j] for j in findings.order)
    assert table.header == ("line − column", *others)
    [pair] = [one for one in findings.pairs if {one.a, one.b} == {first, others[0]}]
    word = pair.word if pair.a == first else pair.flipped().word
    assert table.details[0][1].startswith(f"{word}, p ")


def test_the_range_that_is_measured_is_said(frame):
    found = findings_of(frame, ShowOptions(metrics=("pauc[max_fpr=.3,min_fpr=.1,min_tpr=.2]",)))
    assert "rates from 0.1 to 0.3 and true positive rates from 0.2 to 1" in words(found)
    assert found.row_test == "a t-test by the influence of rows"
    assert findings_of(frame).row_test == "DeLong's test with room for rows that nobody saw"
    assert findings_of(frame, ShowOptions(metrics=("ap",))).row_test == ""


def test_the_file_asks_for_nothing(findings):
    text = page_of(findings, folder="results").content.decode()
    assert not re.findall(r"""(?:src|href)\s*=\s*["']?(?!["']?[#]|["']?data:)""", text)
    assert "http" not in re.sub(r"http-equiv", "", text)
    assert text.count("<script>") == 1


def test_all_numbers_and_curves_are_in_the_page_without_its_script(findings):
    page = page_of(findings, folder="results").content.decode().partition("<script>")[0]
    for one in findings.datasets:
        for row in one.rows:
            assert f"{row.estimate:.4f}" in page
    assert page.count("<svg class=plot") >= 3 * 6
    assert page.count("<title>logistic (tuned C=0.1|1.0|10.0)</title>") >= 3 * 5


def test_nothing_of_a_text_is_markup():
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


def test_without_labels_the_splits_alone_are_compared(records):
    found = findings_of(frame_of(records))
    [verdict] = {pair.verdict.method for one in found.datasets for pair in one.pairs}
    assert verdict == "corrected resampled t"
    assert {row.roc for row in found.rows} == {None}
    assert "The folder does not hold all scores of this data set" in words(found)
    assert "ROC curves" not in words(found)
    by_ap = findings_of(frame_of(records), ShowOptions(metrics=("ap",)))
    assert by_ap.missing[0].startswith("ap is missing: the measure ap needs the scores")
    assert by_ap.measure == "AUC"


def test_times_under_different_conditions_are_compared_only_when_asked(scored, records):
    one = replace(records[0], machine={**records[0].machine, "threads": 4})

    found = scored([one, *records[1:]])
    assert "under 2 different conditions and are not compared" in words(found)
    assert "against time" not in words(found)
    assert "faster" not in str(found.advice)
    board = leaderboard(found)
    seconds = board.header.index("fit s")
    assert [line[seconds] for line in board.lines] == ["-"] * 3

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
    solvers = found.frame.solvers
    solver = next(j for j, name in enumerate(solvers) if "sht" in name)
    assert leaderboard(found).lines[found.order.index(solver)][-2:] == ("2", "3/9")
    assert solver not in found.leading or found.advice.leader is not None


def test_one_data_set_has_one_table_and_all_charts(scored, records):
    found = scored([r for r in records if str(r.cell.dataset) == "digits-8"])
    said = words(found)
    train, test = (found.frame.numbers[name][0] for name in ("n_train", "n_test"))
    assert f"Data {train + test:.0f} rows, " in said
    for several in ("average rank", "no value", "Data sets"):
        assert several not in said
    table = parts_of(found, "Solvers")[0]
    assert [line[1] for line in table.lines] == [found.frame.solvers[j] for j in found.order]
    assert table.header[:4] == ("", "solver", "AUC", "95 % interval")
    assert all(re.fullmatch(r"0\.\d{3}–[01]\.\d{3}", line[3]) for line in table.details)
    assert found.leading == {row.solver for row in found.rows if row.leading}
    assert [line[0] for line in table.lines].count("*") == len(found.leading)
    for chart in ("ROC curves", "Precision and recall", "AUC against sparsity", "Gap of the"):
        assert chart in said


def test_a_folder_whose_cells_were_not_run_yet_has_a_page(records):
    from aucbench.bench import Choice, Plan

    found = findings_of(
        frame_of([], [Plan.of({"data": ("digits-8",), "solvers": (Choice("logistic"),)})])
    )
    assert "5 not run yet" in words(found)
    assert "Interim: the run has not ended, and 5 of 5 cells" in words(found)
    assert "logistic" in words(found)


def test_warnings_are_grouped_and_can_be_unfolded(scored, records):
    remarks = tuple(
        Remark(f"column 'c{k}' is suspicious: constant", "constant", f"c{k}") for k in range(12)
    )
    known = Understood(label="column 'y'", dropped={f"d{k}": "a key" for k in range(20)})
    found = scored([r for r in records if str(r.cell.dataset) == "digits-8"])

    def told(**more):
        about = {"understood": replace(known, **more).to_json()}
        source = replace(found.frame.source, about=lambda _: about)
        return replace(found, frame=replace(found.frame, source=source))

    many = told(remarks=remarks)
    [warning] = warnings_of(many)
    assert warning.endswith("12 columns are suspicious: constant: 'c0', 'c1', 'c2' and 9 more")
    first, *_, folded = parts_of(many, "Data")
    assert "and 11 more" in first
    everything = " ".join(folded.parts)
    assert folded.title.startswith("All warnings about the data")
    assert all(f"'c{k}'" in everything for k in range(12))
    assert all(f"d{k} (a key)" in everything for k in range(20))
    assert "All warnings" not in words(told(dropped={}))


def test_names_are_shown_with_escapes_where_they_cannot_be_printed(scored, records):
    odd = [with_cell(r, dataset="a\x00\u202e\ud800") if str(r.cell.dataset) == "digits-8" else r
           for r in records]  # fmt: skip
    page = page_of(scored(odd), folder="results").content
    assert rb"a\x00\u202e\ud800" in page.replace(rb"\\", b"\\")
    assert "\u202e" not in page.decode()
