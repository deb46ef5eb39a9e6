"""What the process of a job cannot get: what others were asked, and what a fence closes."""

import os
from dataclasses import replace

import pytest
from supervise.asking import HERE, job, outcome_of, supervising

from aucbench.processes import Limits, Step
from aucbench.processes.linux import fence, landlock
from aucbench.processes.records import Fence

needs_landlock = pytest.mark.skipif(not landlock.version(), reason="this kernel has no Landlock")
MARK = "these-are-results"

SECRET = "labels of training rows, which are test rows of another split; "
PATTERN = "labels of training r[o]ws"
TIMES = 2000  # so long that not all of what was thrown away is overwritten


def test_no_request_is_in_the_memory_of_another_job():
    told = {"secret": SECRET * TIMES, "pattern": PATTERN}
    step = Step("data", f"{HERE}:leaked", told, Limits(timeout=20.0))
    with supervising() as supervisor:
        first = outcome_of(supervisor, job("remembers", told, (step,)))
        other = outcome_of(supervisor, job("remembers", {"pattern": PATTERN}))

    assert first.result["found"] >= TIMES
    assert other.result["found"] == 0


def test_a_request_is_in_no_file_while_its_job_runs():
    with supervising() as supervisor:
        told = {"folder": str(supervisor._folder), "text": SECRET}
        found = outcome_of(supervisor, job("finds", told))

    assert found.result == {"files": []}


def tried(supervisor, within, name="tries", **request):
    """The outcome of a job that tries things within a fence; paths as texts."""
    asked = {key: [*map(str, given)] for key, given in request.items()}
    return outcome_of(supervisor, replace(job(name, asked), fence=within))


@pytest.fixture
def tree(tmp_path):
    """Files, of which those whose names begin with `closed` are to be closed."""
    for name in (
        *("data/closed.csv", "data/notes.txt", "data/deep/notes.txt", f"old/{MARK}", "old/y.npz"),
        *(
            "closed/rows.npy",
            "closed/deep/rows.npy",
            "closed/code/mine.py",
            "closed/code/closed.csv",
        ),
        *("modules/mine.py", "modules/package/__init__.py", "modules/package/x", "modules/y.csv"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "data" / "link.txt").symlink_to("closed.csv")
    return tmp_path


@pytest.fixture
def within(tree):
    closed = ("data/closed.csv", "closed", "closed/code/closed.csv", "modules", "absent")
    closed = (*(str(tree / name) for name in closed), "$UNKNOWN/x")
    return Fence(closed, (f"{tree}/closed/code", f"{tree}/modules"), (MARK,))


@pytest.mark.linux("it closes no files")
@needs_landlock
def test_all_can_be_read_but_what_is_closed(supervisor, tree, within):
    files = [path for path in tree.rglob("*") if path.is_file()]
    first = tried(supervisor, within, read=[*files, "/etc/passwd", "/proc/self/stat"])
    new, closed = (tree / "data" / name for name in ("new.txt", "closed.csv"))
    closed.unlink()
    for path in (new, closed):
        path.write_text("it is new")
    later = tried(supervisor, within, read=[new, closed])

    open_files = {
        *("data/notes.txt", "data/deep/notes.txt", "closed/code/mine.py"),
        *("modules/mine.py", "modules/package/__init__.py", "modules/package/x"),
    }
    expected = {*(str(tree / name) for name in open_files), "/etc/passwd", "/proc/self/stat"}
    assert {*first.result["read"]} == expected
    assert later.result["read"] == [str(new)]
    assert first.fence == f"landlock {landlock.version()}"


@pytest.mark.linux("it closes no files")
@needs_landlock
def test_only_the_own_folder_and_devices_can_be_written(supervisor, tree, within):
    asked = [tree / "data" / "notes.txt", tree / "new", supervisor._folder / "new", "/dev/null"]
    closed = tried(supervisor, within, write=[*asked, "mine", "../own", "../tmp/own"]).result
    free = tried(supervisor, replace(within, writes=True), write=[*asked[:2], "mine"]).result

    assert closed["written"] == ["/dev/null", "mine", "../own", "../tmp/own"]
    assert free["written"] == [*map(str, asked[:2]), "mine"]


@pytest.mark.linux("it closes no files")
@needs_landlock
def test_nothing_of_other_processes_and_jobs_can_be_read(supervisor, within):
    outcome_of(supervisor, job("echo", {"x": SECRET}))
    others = [f"/proc/{pid}/mem" for pid in (os.getpid(), supervisor._server._process.pid)]
    found = tried(supervisor, within, read=[*others, "/proc/self/maps"]).result
    asked = {"folder": str(supervisor._folder), "text": SECRET}
    files = outcome_of(supervisor, replace(job("finds", asked), fence=within))

    assert found["read"] == ["/proc/self/maps"]
    assert len(found["signalled"]) == (1 if landlock.version() >= 6 else 2)
    assert files.result == {"files": []}


@pytest.mark.linux("it closes no files")
@needs_landlock
def test_processes_below_work_and_are_fenced_too(supervisor, tree, within):
    asked = {"closed": str(tree / "closed" / "rows.npy")}
    found = outcome_of(supervisor, replace(job("computes_in_processes", asked), fence=within))

    assert found.result == {"squares": [1, 2], "closed": 1}


@pytest.mark.linux("it closes no files")
@needs_landlock
def test_a_folder_that_the_user_opens_is_open(monkeypatch, tree, within):
    monkeypatch.setenv(fence.OPEN, f"{tree}/closed:{tree}/absent")
    monkeypatch.setenv("PLACE_OF_LABELS", "x")
    monkeypatch.setenv("OTHER_PLACE", "x")
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    names = ("PLACE_OF_LABELS", "OTHER_PLACE", "NUMBA_CACHE_DIR")
    file = tree / "closed" / "rows.npy"
    with supervising(hidden=names) as supervisor:
        hidden = replace(within, hidden=names[:1])
        found = tried(supervisor, hidden, names=names, read=[file], write=[file])
        free = tried(supervisor, None, names=names)

    assert found.result["read"] == found.result["written"] == [str(file)]
    assert found.fence == f"landlock {landlock.version()}, open: {tree}/closed:{tree}/absent"
    assert found.result["environment"] == ["OTHER_PLACE", "NUMBA_CACHE_DIR"]
    assert free.result["environment"] == ["PLACE_OF_LABELS", "OTHER_PLACE"]
    assert free.result["began"] == []
    assert free.fence is None


@pytest.mark.linux("it never closes files, see test_portable.py")
def test_without_landlock_jobs_run_and_say_so(monkeypatch, tmp_path):
    monkeypatch.setattr(landlock, "version", lambda: 0)
    fences = fence.Fences(tmp_path)

    assert fence.level() == "none: this kernel has no Landlock"
    assert fences.rules(Fence(("/etc",))) is None
    assert fence.told(Fence(("/etc",), hidden=("X",))) == Fence(hidden=("X",))
    monkeypatch.setenv(fence.OPEN, "/srv:/")
    assert fence.level() == "none: AUCBENCH_OPEN opens all"
