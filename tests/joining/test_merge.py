"""What `merge` joins, and what it says of it."""

import os
import shutil
import signal
from dataclasses import replace
from multiprocessing import get_context
from threading import Event, Thread

import pytest
from joining.conftest import DATASETS, Forger, joined, plan, ran

from aucbench.bench import merge, submit
from aucbench.bench.joining.submitting import keep_plan
from aucbench.bench.overview import folder_status
from aucbench.bench.plan.toml import parse_plans
from aucbench.bench.results.origins import origins_of, verified
from aucbench.bench.results.store import Store
from aucbench.data.packed import pack_arrays
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
    ran(once.folder, plan("broken"))
    submit(folders.mine, "broken", tmp_path / "sent-2")
    done = merge([once.folder, tmp_path / "sent-2"], once.folder)
    assert (done.added, done.verified) == (0, 4)


def test_two_halves_of_a_plan_are_whole_together(folders, tmp_path):
    first, second = folders.mine, shutil.copytree(folders.mine, tmp_path / "second")
    for key, record in Forger(first).records().items():
        Forger(first if record.cell.dataset == DATASETS[0] else second).remove(key)
    done = merge(first, tmp_path / "half")
    assert sorted(done.notes) == [
        f"2 cells of broken are not run yet in {first}",
        f"2 cells of toy are not run yet in {first}",
    ]
    assert merge(first, tmp_path / "whole", own=[second]).cells == 8
    with pytest.raises(DataError, match=r"second lacks 2 cells of .*run the plan to its end"):
        merge(folders.board, tmp_path / "out", own=[second])


def test_families_are_those_of_the_first_folder(folders, tmp_path):
    families = {"both": DATASETS}
    [path] = (folders.board / "plans").glob("*.toml")
    path.unlink()
    keep_plan(Store(folders.board), replace(plan("sht-auc"), families=families))
    done = joined(folders)
    plans = parse_plans(Store(done.folder).plans())
    assert [one.families for one in plans] == [families, families]


def test_records_of_no_plan_are_left_out(folders):
    mine, board = Forger(folders.mine), Store(folders.board)
    for key, record in mine.records().items():
        if record.cell.label == "broken":
            board.write(record, pack_arrays(mine.arrays(key)) if record.ok else None)
    done = joined(folders)
    assert (done.solvers, done.cells) == (("sht-auc", "toy"), 8)
    assert done.notes == (
        f"4 records of {folders.board} are left out, since no plan asks for them",
    )


def test_a_solver_with_the_scores_of_another_one_is_named(folders, tmp_path):
    board = shutil.copytree(folders.sent, tmp_path / "run")
    submit(ran(tmp_path / "copy", plan("toy[step=1.0]")), "toy", tmp_path / "sent-2", name="copy")
    done = merge([board, tmp_path / "sent-2"], tmp_path / "out")
    assert done.notes == ("toy[step=1.0] has the very scores of toy in 4 of 4 cells",)


def test_cells_that_a_limit_of_seconds_ended_may_differ(folders, tmp_path):
    mine = ran(tmp_path / "timed", plan("svm-or", "toy", passes=None, seconds=0.1))
    for name in ("svm-or", "toy"):
        submit(mine, name, tmp_path / name)
    forger = Forger(mine)
    key = forger.key(dataset=DATASETS[0], label="toy")
    arrays = forger.arrays(key)
    scores = arrays["scores"] * arrays["scores"] ** 2  # of the same order
    forger.write(key, arrays={**arrays, "scores": scores})
    done = merge([tmp_path / "svm-or", tmp_path / "toy"], tmp_path / "out", own=[mine])
    assert done.verified == 7
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


def killed_at(cell, folders, out, patch):
    """Merge in a process that ends before it writes the cell of this number."""
    write, left = Store.write, [cell]

    def killed(store, *what):
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1
        write(store, *what)

    patch.setattr(Store, "write", killed)
    process = get_context("fork").Process(target=merge, args=(folders, out))
    process.start()
    process.join()
    patch.setattr(Store, "write", write)
    return process.exitcode


@pytest.mark.linux("a process can be killed so that nothing of it runs any more")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # the threads of libraries wait
@pytest.mark.parametrize("cell", [0, 3])
def test_a_kill_leaves_what_can_be_merged_again(folders, tmp_path, monkeypatch, cell):
    """Above all, no cell that came half counts as run by who has the board."""
    whole = content(joined(folders).folder)  # after which the data are known
    for out, first in ((tmp_path / "new", folders.board), (folders.board, folders.board)):
        ended = killed_at(cell, [first, folders.sent], out, monkeypatch)
        assert ended == -signal.SIGKILL
        if out is not first:
            assert not out.exists()
        assert (out / "run.json").exists() == (out is first)
        again = merge([first, folders.sent], out)
        assert (again.cells, again.verified) == (8, 0)
        assert content(out)[0] == whole[0]
        assert content(out)[2] == whole[2]


def test_what_another_merge_brings_meanwhile_is_no_run_of_ones_own(folders, monkeypatch):
    real, asked = Store.alone, [folders.board, folders.sent]

    def late(store, tell):
        monkeypatch.setattr(Store, "alone", real)
        assert merge(asked, folders.board).added == 4
        return store.alone(tell)

    monkeypatch.setattr(Store, "alone", late)
    done = merge(asked, folders.board)
    assert (done.cells, done.added, done.verified) == (8, 0, 0)
    assert {one.name: one.own for one in origins_of(Store(folders.board))} == {
        "board": True,
        "toy": False,
    }


def test_a_merge_into_a_board_waits_for_a_run(folders):
    held, over, told = Event(), Event(), []

    def run():
        with Store(folders.board).alone(pytest.fail):
            held.set()
            over.wait(60)

    def tell(sentence):
        told.append(sentence)
        over.set()

    running = Thread(target=run)
    running.start()
    held.wait()
    done = merge([folders.board, folders.sent], folders.board, tell=tell)
    running.join()
    assert (done.cells, done.verified) == (8, 0)
    assert len(told) == 1
    assert f"writes into {folders.board}; this run begins when that one ends" in told[0]


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
