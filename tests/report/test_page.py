"""The page without a browser: its numbers, its sentences, and what it must not hold."""

import json
import re
from dataclasses import replace
from html import unescape

import pytest
from report_results import failed, with_cell

from aucbench.bench import Store
from aucbench.data.understood import Remark, Understood
from aucbench.errors import DataError
from aucbench.records import CellStatus
from aucbench.report import render
from aucbench.report.collecting import frame_of
from aucbench.report.findings import Settings, findings_of
from aucbench.report.page import page_of
from aucbench.stats import Fold, auc_interval
from aucbench.stats.pairs import pairwise
from aucbench.stats.tables import ResultTable


def words(page):
    """What a page says, without its tags."""
    text = render.to_html(page).decode().partition("<footer")[0]
    return " ".join(unescape(re.sub("<[^>]*>", " ", text)).split())


@pytest.fixture(scope="module")
def page(findings):
    return page_of(findings, folder="results")


def test_numbers_are_those_of_the_statistics(results, findings, page):
    row = findings.datasets[1].rows[0]
    store = Store(results)
    ids = findings.frame.facts["id"][findings.frame.rows(1, row.solver)]
    scores = [*map(store.scores, ids)]
    expected = auc_interval([Fold(one["y"], one["scores"]) for one in scores])
    assert row.within.delong == expected

    rows = page.data["rows"]
    place = list(zip(rows["dataset"], rows["solver"], strict=True)).index((1, 0))
    assert rows["estimate"][place] == pytest.approx(expected.estimate, rel=1e-5)
    assert rows["low"][place] == pytest.approx(expected.low, rel=1e-5)
    values = findings.frame.values("auc")
    assert findings.pairs == pairwise(ResultTable(values, findings.frame.solvers))
    a, b = findings.order[:2]
    assert f"<b>{(values[:, a] - values[:, b]).mean():+.4f}</b>" in render.to_html(page).decode()


def test_the_range_that_is_measured_is_told(frame):
    found = findings_of(frame, Settings(measure="pauc[max_fpr=.3,min_fpr=.1,min_tpr=.2]"))
    assert page_of(found, folder="results").data["range"] == (0.1, 0.3, 0.2, 1.0)
    assert found.row_test == "a t-test by the influence of rows"
    assert findings_of(frame).row_test == "DeLong's test with room for rows that nobody saw"
    assert findings_of(frame, Settings(measure="ap")).row_test == ""


def test_the_file_asks_for_nothing(page):
    text = render.to_html(page).decode()
    assert not re.findall(r"""(?:src|href)\s*=\s*["'](?!#|data:)""", text.partition("<script")[0])
    assert "http" not in re.sub(r"http://www\.w3\.org/2000/svg|http-equiv", "", text)
    assert text.count("<script>") == 4


def test_data_cannot_end_their_element():
    text = render.embedded({"name": "</script><!--", "x": [1.5, None]})
    assert "<" not in text
    assert json.loads(text) == {"name": "</script><!--", "x": [1.5, None]}


def test_without_labels_the_splits_alone_are_compared(records):
    found = findings_of(frame_of(records))
    [verdict] = {pair.verdict.method for one in found.datasets for pair in one.pairs}
    assert verdict == "corrected resampled t"
    assert {row.roc for row in found.rows} == {None}
    assert all("does not hold all scores" in row.note for row in found.rows)
    page = page_of(found, folder="results")
    assert {*page.data["roc"]["of"]} == {None}
    with pytest.raises(DataError, match="the measure ap needs the scores"):
        findings_of(frame_of(records), Settings(measure="ap"))


def test_times_under_different_conditions_are_compared_only_when_asked(scored, records):
    one = replace(records[0], machine={**records[0].machine, "threads": 4})

    page = page_of(scored([one, *records[1:]]), folder="results")
    assert "under 2 different conditions and are not compared" in words(page)
    assert {*page.data["rows"]["seconds"]} == {None}
    assert {*page.data["curves"][0]} == {"passes"}
    assert "faster" not in str(page.findings.advice)
    seconds = page.board.header.index("fit s")
    assert [line[seconds] for line in page.board.lines] == ["–"] * 3

    page = page_of(scored([one, *records[1:]], mixed=True), folder="results")
    assert None not in page.data["rows"]["seconds"]
    assert "different conditions" not in words(page)


def test_failures_are_listed_by_reason_and_count(scored, records):
    def broken(record):
        if "sht-auc" in record.cell.label and record.cell.dataset != "digits-3":
            return failed(record, CellStatus.TIMEOUT, "killed after 5 s", "last words")
        return record

    found = scored([*map(broken, records)])
    page = page_of(found, folder="results")
    [failure] = page.failures
    assert (failure.status, failure.count, failure.why) == ("timeout", 6, "killed after 5 s")
    assert failure.log == "last words"
    assert "6 cells have no AUC: 6 timeout." in words(page)
    solvers = found.frame.solvers
    solver = next(j for j, name in enumerate(solvers) if "sht" in name)
    assert page.board.lines[found.order.index(solver)][-2:] == ("2", "3/9")
    assert solver not in found.leading or found.advice.leader is not None


def test_one_data_set_has_intervals_in_its_leaderboard(scored, records):
    found = scored([r for r in records if str(r.cell.dataset) == "digits-8"])
    page = page_of(found, folder="results")
    told = words(page)
    assert "solver AUC over splits fit s non-zeros ok" in told
    train, test = (found.frame.numbers[name][0] for name in ("n_train", "n_test"))
    assert f"The data {train + test:.0f} rows, " in told
    for several in ("average rank", "no value", "Data set by data set"):
        assert several not in told
    assert '<select name="dataset">' not in render.to_html(page).decode()
    assert all(re.fullmatch(r"0\.\d{4} – [01]\.\d{4}", line[2]) for line in page.board.ranges)
    seconds = float(found.frame.medians("seconds")[0, found.order[0]])
    assert page.board.keys[0][4] == repr(seconds)
    assert found.leading == {row.solver for row in found.rows if row.leading}
    assert render.to_html(page).count(b'<tr class="leading" ') == len(found.leading)


def test_a_folder_whose_cells_were_not_run_yet_has_a_page(records):
    from aucbench.bench import Choice, Plan

    found = findings_of(
        frame_of([], [Plan.of({"data": ("digits-8",), "solvers": (Choice("logistic"),)})])
    )
    page = page_of(found, folder="results")
    assert "5 not run yet" in page.facts
    assert "Interim: the run has not ended, and 5 of 5 cells" in words(page)
    assert b"logistic" in render.to_html(page)


def test_warnings_are_grouped_and_can_be_unfolded(scored, records):
    remarks = tuple(
        Remark(f"column 'c{k}' is suspicious: constant", "constant", f"c{k}") for k in range(12)
    )
    known = Understood(label="column 'y'", dropped={f"d{k}": "a key" for k in range(20)})
    found = scored([r for r in records if str(r.cell.dataset) == "digits-8"])

    def told(**more):
        about = {"understood": replace(known, **more).to_json()}
        source = replace(found.frame.source, about=lambda _: about)
        return page_of(replace(found, frame=replace(found.frame, source=source)), folder="x")

    page = told(remarks=remarks)
    assert page.warnings == ("12 columns are suspicious: constant: 'c0', 'c1', 'c2' and 9 more",)
    assert "and 11 more" in page.data_sets[0].lines[-1]
    everything = " ".join(page.all_warnings[0].lines)
    assert all(f"'c{k}'" in everything for k in range(12))
    assert all(f"d{k} (a key)" in everything for k in range(20))
    assert "All warnings about the data" in words(page)
    assert not told(dropped={}).all_warnings


def test_names_are_shown_with_escapes_where_they_cannot_be_printed(scored, records):
    odd = [with_cell(r, dataset="a\x00\u202e\ud800") if str(r.cell.dataset) == "digits-8" else r
           for r in records]  # fmt: skip
    text = render.to_html(page_of(scored(odd), folder="results"))
    assert rb"a\x00\u202e\ud800" in text.replace(rb"\\", b"\\")
    assert "\u202e" not in text.decode()
