"""What `merge` joins, and what it says of it."""

import shutil
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
from joining.conftest import DATASETS, Forger, joined, plan, ran

from aucbench.bench import merge, submit
from aucbench.bench.overview import folder_status
from aucbench.bench.plan.toml import parse_plans
from aucbench.bench.results.origins import origins_of, verified
from aucbench.bench.results.store import Store
from aucbench.errors import DataError, ParameterError
from aucbench.report.folder import FolderReader


def content(folder):
    """Everything that a folder says, without the dates at which something was packed or merged."""
    store = Store(folder)
    cells = {
        record.id: (record.to_json(), scores and {n: a.tolist() for n, a in scores.items()})
        for record in store.records()
        for scores in [store.scores(record.id)]
    }
    origins = [replace(one, made="") for one in origins_of(store)]
    return cells, origins, {path.name: text for path, text in store.plans().items()}


def test_a_board_and_a_submission_become_one_folder(folders):
    done = joined(folders)
    assert (done.solvers, done.cells, done.added) == (("sht-auc", "toy"), 8, 8)
    assert (done.failed, done.verified, done.notes) == (0, 0, ())
    store = Store(done.folder)
    assert {one.name: one.solvers for one in origins_of(store)} == {
        "board": ("sht-auc",),
        "toy": ("toy",),
    }
    assert {one.by for one in origins_of(store)} == {"", "Ada"}
    evidence = FolderReader(done.folder).read()
    assert {*evidence.solvers} == {"sht-auc", "toy"}
    assert not evidence.pending
    assert not evidence.unchecked
    assert evidence.stale == 0
    plans = parse_plans(store.plans())
    assert folder_status(store, plans).statuses == {"ok": 8}
    for record in store.records():
        assert "host" not in record.machine
        assert "y" in store.scores(record.id)  # the targets of this machine
    assert store.problems() == ()


def test_a_run_of_ones_own_verifies_what_it_repeats(folders, tmp_path):
    once = joined(folders)
    again = merge(once.folder, once.folder, own=[folders.mine])
    assert (again.verified, again.added) == (4, 4)  # those of broken are new
    assert again.failed == 2
    store = Store(once.folder)
    ids = {record.id for record in store.records() if str(record.cell.solver) == "toy"}
    assert verified(store) == ids
    assert {one.name: one.own for one in origins_of(store)} == {
        "board": False,
        "mine": True,
        "toy": False,
    }


def test_a_second_submission_of_the_same_verifies_nothing(folders, tmp_path):
    submit(folders.mine, "toy", tmp_path / "twice", name="friend")
    done = merge([folders.board, folders.sent, tmp_path / "twice"], tmp_path / "out")
    assert (done.cells, done.verified) == (8, 0)


def test_a_board_grows_and_the_same_again_changes_nothing(folders, tmp_path):
    once = joined(folders)
    before = content(once.folder)
    again = merge([once.folder, folders.sent], once.folder)
    assert (again.added, again.cells) == (0, 8)
    assert content(once.folder) == before
    submit(folders.mine, "broken", tmp_path / "broken")
    grown = merge([once.folder, tmp_path / "broken"], once.folder)
    assert (grown.added, grown.cells, grown.failed) == (4, 12, 2)
    for key, cell in before[0].items():
        assert content(once.folder)[0][key] == cell


def test_the_order_of_submissions_does_not_matter(folders, tmp_path):
    submit(folders.mine, "broken", tmp_path / "broken")
    merge([folders.board, folders.sent, tmp_path / "broken"], tmp_path / "one")
    merge([folders.board, tmp_path / "broken", folders.sent], tmp_path / "two")
    assert content(tmp_path / "one") == content(tmp_path / "two")


def test_what_was_run_into_a_board_is_of_who_has_it(folders, tmp_path):
    once = joined(folders)
    ran(once.folder, plan("logistic"))
    submit(ran(tmp_path / "run", plan("logistic")), "logistic", tmp_path / "sent-2")
    done = merge([once.folder, tmp_path / "sent-2"], once.folder)
    assert (done.added, done.verified) == (0, 4)


def test_two_halves_of_a_plan_are_whole_together(folders, tmp_path):
    half = plan("sht-auc", "svm-or")
    first = ran(tmp_path / "first", half)
    forger = Forger(first)
    gone = [k for k, r in forger.records().items() if r.cell.dataset == DATASETS[0]]
    shutil.copytree(first, tmp_path / "second")
    for key in gone:
        forger.remove(key)
    for key in {*forger.keys} - {*gone}:
        Forger(tmp_path / "second").remove(key)
    done = merge(first, tmp_path / "half")
    assert sorted(done.notes) == [
        f"2 cells of sht-auc are not run yet in {first}",
        f"2 cells of svm-or are not run yet in {first}",
    ]
    assert merge(first, tmp_path / "whole", own=[tmp_path / "second"]).cells == 8
    with pytest.raises(DataError, match=r"second lacks 2 cells of s.*run the plan to its end"):
        merge(folders.board, tmp_path / "out", own=[tmp_path / "second"])


def test_families_are_those_of_the_first_folder(folders, tmp_path):
    families = {"both": DATASETS}
    first = ran(tmp_path / "first", replace(plan("sht-auc"), families=families))
    merge([first, folders.sent], tmp_path / "out")
    plans = parse_plans(Store(tmp_path / "out").plans())
    assert [one.families for one in plans] == [families, families]


def test_records_of_no_plan_are_left_out(folders, tmp_path):
    mixed = ran(folders.board, plan("sht-auc", splits=3))
    [path] = [p for p, text in Store(mixed).plans().items() if "splits = 3" in text]
    path.unlink()
    done = joined(folders)
    assert done.cells == 8
    assert done.notes == (f"6 records of {mixed} are left out, since no plan asks for them",)


def test_a_solver_with_the_scores_of_another_one_is_named(folders, tmp_path):
    board = ran(tmp_path / "run", plan("toy"))
    submit(ran(tmp_path / "copy", plan("toy[step=1.0]")), "toy", tmp_path / "sent-2", name="copy")
    done = merge([board, tmp_path / "sent-2"], tmp_path / "out")
    assert done.notes == ("toy[step=1.0] has the very scores of toy in 4 of 4 cells",)


@pytest.mark.slow
def test_cells_that_a_limit_of_seconds_ended_may_differ(folders, tmp_path):
    timed = plan("toy", passes=None, seconds=1.0)
    board = ran(tmp_path / "run", replace(timed, solvers=plan("sht-auc").solvers))
    mine = ran(tmp_path / "timed", timed)
    submit(mine, "toy", tmp_path / "sent-2")
    forger = Forger(mine)
    key = forger.key(dataset=DATASETS[0])
    arrays = forger.arrays(key)
    scores = arrays["scores"] * arrays["scores"] ** 2  # of the same order
    forger.write(key, arrays={**arrays, "scores": scores})
    done = merge([board, tmp_path / "sent-2"], tmp_path / "out", own=[mine])
    assert done.verified == 3
    assert len(done.notes) == 1
    assert "1 cells of toy are not verified" in done.notes[0]
    kept = Store(tmp_path / "out").scores(key)["scores"]
    assert kept.tolist() == arrays["scores"].tolist()


def test_rounding_on_another_machine_is_no_difference(folders, tmp_path):
    forger = Forger(folders.mine)
    for key, record in forger.records().items():
        if record.ok:
            arrays = forger.arrays(key)
            forger.write(key, arrays={**arrays, "scores": arrays["scores"] * (1 + 1e-12)})
    done = joined(folders, own=[folders.mine])
    assert done.verified == 4


KILLED = """
import os, signal, sys
from aucbench.bench import merge
from aucbench.bench.results.store import Store
write, left = Store.write, [int(sys.argv[1])]

def killed(self, *what):
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    left[0] -= 1
    write(self, *what)

Store.write = killed
merge(sys.argv[3:], sys.argv[2])
"""


@pytest.mark.slow
@pytest.mark.linux("a process can be killed so that nothing of it runs any more")
@pytest.mark.parametrize("cells", [0, 3])
def test_a_kill_leaves_what_can_be_merged_again(folders, tmp_path, cells):
    """Above all, no cell that came half counts as run by who has the board."""
    whole = content(joined(folders).folder)
    for out, first in ((tmp_path / "new", folders.board), (folders.board, folders.board)):
        command = [sys.executable, "-c", KILLED, str(cells), str(out), str(first)]
        ended = subprocess.run([*command, str(folders.sent)], capture_output=True, text=True)
        assert ended.returncode == -signal.SIGKILL, ended.stderr
        if out is not first:
            assert not out.exists()
        (out / "run.json").unlink(missing_ok=True)
        again = merge([first, folders.sent], out)
        assert (again.cells, again.verified) == (8, 0)
        assert content(out)[0] == whole[0]
        assert content(out)[2] == whole[2]


@pytest.mark.parametrize("there", ["file", "folder", "results"])
def test_what_is_there_is_not_overwritten(folders, tmp_path, there):
    out = tmp_path / "out"
    if there == "file":
        out.write_text("x")
    elif there == "folder":
        out.mkdir()
        (out / "x").write_text("x")
    else:
        shutil.copytree(folders.mine, out)
    with pytest.raises(ParameterError, match="is there already; name a folder that is new"):
        merge([folders.board, folders.sent], out)


def test_no_folder_and_a_folder_that_is_none_are_refused(folders, tmp_path):
    with pytest.raises(ParameterError, match="no folder was named"):
        merge([], tmp_path / "out")
    with pytest.raises(DataError, match="nowhere"):
        merge([folders.board, tmp_path / "nowhere"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_board_is_no_run_of_ones_own(folders):
    once = joined(folders)
    with pytest.raises(DataError, match="name the folder into which you have run them"):
        merge(once.folder, once.folder, own=[once.folder])
