"""A mean over fewer data sets or splits than that of another solver is marked in all outputs."""

import json
from dataclasses import replace

import pytest
from result_folders import written_folder

from aucbench.bench import Store
from aucbench.records import CellStatus
from aucbench.report import notes, tables
from aucbench.report.document import markdown, tex, text
from aucbench.report.findings import findings_of
from aucbench.report.folder import read_frame
from aucbench.report.page import page_of
from aucbench.report.tables import grids, leaderboard
from aucbench.report.verdict import verdict_json

SETS, SOLVERS = ("t0", "t1", "t2"), ("logistic", "means")


def found(folder):
    return findings_of(read_frame(folder, stale=True))


@pytest.fixture
def partial(tmp_path):
    """The second solver has no value on the second data set."""
    return found(written_folder(tmp_path / "one", SETS, SOLVERS, failing=[(1, 1)]))


def test_a_mean_over_fewer_data_sets_is_marked_in_all_outputs(partial):
    whole, fewer = (f"{mean.estimate:.4f}" for mean in partial.means)
    shown = grids(partial)
    for told in (
        text(shown),
        markdown(shown),
        tex(shown),
        page_of(partial, folder="one").content.decode(),
    ):
        assert f"({fewer})" in told
        assert f"({whole})" not in told
    board = leaderboard(partial)
    assert board.facts == ("(…) is over fewer data sets: the solver has no value on the others",)
    column = board.header.index("mean AUC")
    assert {line[1]: line[column] for line in board.lines} == {
        "logistic": whole,
        "means": f"({fewer})",  # which a page sorts behind all others, since it is no number
    }
    assert board.lines[1][board.header.index("fit s")].startswith("(")
    solvers = {one["solver"]: one for one in json.loads(verdict_json(partial))["solvers"]}
    assert solvers["means"]["mean"] is None
    assert solvers["means"]["mean_of_values"] == pytest.approx(partial.means[1].estimate)
    assert solvers["logistic"]["mean"] == solvers["logistic"]["mean_of_values"]


def test_nothing_is_marked_where_all_solvers_have_all_values(tmp_path):
    whole = found(written_folder(tmp_path / "whole", SETS, SOLVERS))
    assert "(0." not in text(grids(whole))
    assert "(…)" not in " ".join([*leaderboard(whole).facts, *notes.notes(whole)])


def test_a_mean_over_fewer_splits_is_marked_too(tmp_path):
    folder = written_folder(tmp_path / "one", SETS, SOLVERS)
    with Store(folder) as store:
        record = next(one for one in store.records() if str(one.cell.solver) == "means")
        status = replace(record.status, status=CellStatus.TIMEOUT)
        store.write(replace(record, status=status))
    findings = found(folder)
    row = next(row for row in findings.rows if row.is_partial)
    assert (findings.frame.solvers[row.solver], row.ok) == ("means", 1)
    assert f"({row.estimate:.4f})" in text(tables.tables(findings))
    assert "(…) is over fewer splits: the solver has no value on the others" in [
        *notes.notes(findings)
    ]
    assert sum(row.is_partial for row in findings.rows) == 1
