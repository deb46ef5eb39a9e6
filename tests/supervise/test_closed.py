"""What a fence closes for the process of a job, and for all that it starts."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from supervise.asking import job

from aucbench.processes import landlock
from aucbench.processes.records import Fence

needs_landlock = pytest.mark.skipif(not landlock.version(), reason="this kernel has no Landlock")
OPEN = ("data/notes.txt", "data/deep/notes.txt", "closed/code/mine.py", "modules/package/x")
CLOSED = ("data/closed.csv", "closed/rows.npy", "closed/deep/rows.npy", "closed/code/closed.csv")


@pytest.fixture
def tree(tmp_path):
    """Files, of which those whose names begin with `closed` are to be closed."""
    for name in (*OPEN, *CLOSED, "modules/mine.py", "modules/package/__init__.py", "modules/y.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "data" / "link.txt").symlink_to("closed.csv")
    return tmp_path


@pytest.fixture
def fence(tree, monkeypatch):
    monkeypatch.setenv("PLACE", str(tree))
    closed = ("data/closed.csv", "closed", "closed/code/closed.csv", "modules", "absent")
    closed = (*(str(tree / name) for name in closed[1:]), f"$PLACE/{closed[0]}", "$UNKNOWN/x")
    return Fence(closed, (f"{tree}/closed/code", f"{tree}/modules"))


@needs_landlock
def test_all_can_be_read_but_what_is_closed_and_code_in_it_can(ended, tree, fence):
    files = [*map(str, tree.rglob("*.*")), str(tree / "modules/package/x"), "/etc/passwd"]
    outcome = ended("reads", {"read": files}, fence=fence)

    expected = {*(str(tree / name) for name in (*OPEN, "modules/mine.py")), "/etc/passwd"}
    expected.add(str(tree / "modules/package/__init__.py"))
    assert {*outcome.result["read"]} == {*outcome.result["below"]} == expected
    assert outcome.fence == f"landlock {landlock.version()}"


@needs_landlock
def test_files_that_come_later_are_as_closed_as_their_names(ended, tree, fence):
    ended("echo", fence=fence)
    (tree / "data" / "closed.csv").unlink()
    (tree / "data" / "closed.csv").write_text("it is new")
    (tree / "data" / "deep" / "new.txt").write_text("it is new")
    asked = [str(tree / "data" / name) for name in ("closed.csv", "deep/new.txt")]

    assert ended("reads", {"read": asked}, fence=fence).result["read"] == asked[1:]


@needs_landlock
def test_a_fence_does_not_hinder_a_job_and_holds_for_its_own_process_only(supervisor, tree, fence):
    path = str(tree / "closed" / "rows.npy")
    fenced, free = job("reads", {"read": [path]}, fence=fence), job("reads", {"read": [path]})
    with ThreadPoolExecutor(2) as pool:
        closed, opened = pool.map(supervisor.call, (fenced, free))
    healthy = supervisor.call(job("healthy", fence=fence))

    assert (closed.result["read"], opened.result["read"]) == ([], [path])
    assert opened.fence is None
    assert (healthy.ending, healthy.files) == ("ok", {"scores.bin": bytes([1, 2, 3])})


def test_without_landlock_a_job_runs_and_its_outcome_says_that_nothing_is_closed(
    monkeypatch, ended, tree, fence
):
    monkeypatch.setattr(landlock, "version", lambda: 0)
    outcome = ended("reads", {"read": [str(tree / "data" / "closed.csv")]}, fence=fence)

    assert len(outcome.result["read"]) == 1
    assert outcome.fence.startswith("none: ")
