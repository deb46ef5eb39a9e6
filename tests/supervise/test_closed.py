"""What a fence closes for the process of a job, and for all that it starts."""

import pytest
from supervise.asking import call_all, code, job

from aucbench.processes import landlock
from aucbench.processes.records import Fence
from aucbench.processes.starting import FORK

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
def test_a_fence_closes_files_but_code_for_all_processes_of_its_own_job(supervisor, tree, fence):
    call_all(supervisor, [job("echo", fence=fence)])
    for name in ("data/closed.csv", "data/deep/new.txt"):  # that come later
        (tree / name).unlink(missing_ok=True)
        (tree / name).write_text("it is new")
    files = [*map(str, tree.rglob("*.*")), str(tree / "modules/package/x"), "/etc/passwd"]
    jobs = [job("read_files", {"read": files}, fence=each) for each in (fence, None)]
    jobs.append(job("run_code", code("room.hand('scores', b'1')"), fence=fence))
    fenced, free, hands_over = call_all(supervisor, jobs)

    more = ("modules/mine.py", "modules/package/__init__.py", "data/deep/new.txt")
    expected = {*(str(tree / name) for name in (*OPEN, *more)), "/etc/passwd"}
    assert {*fenced.result["read"]} == {*fenced.result["below"]} == expected
    assert (fenced.fence, free.fence) == (f"landlock {landlock.version()}", None)
    assert free.result["read"] == files
    assert (hands_over.ending, hands_over.files) == ("ok", {"scores": b"1"})


@pytest.mark.starts(FORK)
def test_without_landlock_a_job_runs_and_its_outcome_says_that_nothing_is_closed(
    monkeypatch, ended, tree, fence
):
    monkeypatch.setattr(landlock, "version", lambda: 0)
    outcome = ended("read_files", {"read": [str(tree / "data" / "closed.csv")]}, fence=fence)

    assert len(outcome.result["read"]) == 1
    assert outcome.fence.startswith("none: ")
