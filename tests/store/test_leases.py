import errno
import json
import os
import signal
import time
from contextlib import contextmanager
from dataclasses import asdict, replace
from itertools import count
from pathlib import Path

import pytest

from aucbench.errors import DataError
from aucbench.store import DocumentStore, lease_files, leases
from aucbench.store.files import file_clock
from aucbench.store.lease_files import read_lease
from aucbench.store.leases import Leases
from aucbench.store.processes import this_process

ELSEWHERE = "0" * 16
CLAIM = """
import sys
from pathlib import Path
from aucbench.store import DocumentStore
store = DocumentStore(Path(sys.argv[1]))
print("ready", flush=True)
cells = sys.stdin.readline().split()
print(*[cell for cell in cells if store.claim(cell)], flush=True)
sys.stdin.read()
"""
WORK = """
import sys
from pathlib import Path
from aucbench.store import DocumentStore
with DocumentStore(Path(sys.argv[1])) as store:
    print("ready", flush=True)
    done = []
    for cell in sys.stdin.readline().split():
        if not store.has(cell) and store.claim(cell):
            if not store.has(cell):
                store.write({"id": cell, "by": sys.argv[2]})
                done.append(cell)
            store.release(cell)
print(*done, flush=True)
"""


def lease_file(folder, cell):
    return folder / "leases" / f"{cell}.lease"


def leave(path, process, *, token="a" * 32, age=0.0):
    """Leave the lease of another process, last touched `age` seconds ago."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"token": token, **asdict(process)}))
    then = file_clock(path.parent) - int(age * 1e9)
    os.utime(path, ns=(then, then))


@pytest.fixture
def dead(child):
    """A process of this host that has ended."""
    process = child("pass")
    process.communicate()
    return replace(this_process(), pid=process.pid, start=this_process().start + 1)


@pytest.fixture
def open_leases(tmp_path):
    """Objects that compete for the same leases, as processes would."""
    opened = []

    def start(patience=60.0):
        opened.append(Leases(tmp_path / "leases", tmp_path / "tmp", patience, pytest.fail))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def test_a_cell_is_claimed_once_until_it_is_released(store):
    assert store.claim("0a1b")
    assert not store.claim("0a1b")
    with DocumentStore(store.folder) as other:
        assert not other.claim("0a1b")
        other.release("0a1b")
        assert lease_file(store.folder, "0a1b").exists()
        store.release("0a1b")
        assert other.claim("0a1b")
        assert not store.claim("0a1b")
    assert [*(store.folder / "leases").iterdir()] == []
    store.release("0a1b")


def race(child, script, folder, cells):
    workers = [child(script, folder, number) for number in range(2)]
    for worker in workers:
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        worker.stdin.write(" ".join(cells) + "\n")
        worker.stdin.flush()
    return [worker.stdout.readline().split() for worker in workers]


@pytest.mark.parametrize("left_by_the_dead", [False, True])
def test_of_two_processes_each_cell_goes_to_exactly_one(store, child, dead, left_by_the_dead):
    cells = [f"{number:04x}" for number in range(500)]
    for number, cell in enumerate(cells if left_by_the_dead else ()):
        leave(lease_file(store.folder, cell), dead, token=f"{number:032x}")

    one, two = race(child, CLAIM, store.folder, cells)

    assert sorted([*one, *two]) == cells
    assert not [*(store.folder / "leases").glob("*.taking")]


def test_two_processes_that_work_on_one_folder_write_each_cell_once(store, child):
    cells = [f"{number:04x}" for number in range(100)]

    one, two = race(child, WORK, store.folder, cells)

    assert sorted([*one, *two]) == cells
    assert [r["id"] for r in store.documents()] == cells
    assert {r["id"] for r in store.documents() if r["by"] == "0"} == {*one}


def test_the_lease_of_a_killed_process_is_free_at_once(store, child):
    worker = child(CLAIM, store.folder)
    worker.stdin.write("0a1b\n")
    worker.stdin.flush()
    assert worker.stdout.readline() == "ready\n"
    assert worker.stdout.readline() == "0a1b\n"
    assert not store.claim("0a1b")

    worker.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOWAIT)  # dead, its number still in use
    assert store.claim("0a1b")


def test_a_number_that_was_given_out_again_is_another_process(store):
    leave(lease_file(store.folder, "0a1a"), this_process())
    leave(lease_file(store.folder, "0a1b"), replace(this_process(), start=this_process().start - 1))
    leave(lease_file(store.folder, "0a1c"), this_process(), age=1e6)

    assert not store.claim("0a1a")
    assert store.claim("0a1b")
    assert not store.claim("0a1c")


@pytest.mark.parametrize("ago", [0, 100])
def test_the_lease_of_another_host_is_stale_after_its_heartbeat(folder, dead, ago):
    with DocumentStore(folder, create=True, patience=50) as store:
        leave(lease_file(folder, "0a1b"), replace(dead, place=ELSEWHERE), age=ago)
        leave(lease_file(folder, "0a1c"), replace(this_process(), place=ELSEWHERE), age=ago)
        assert store.claim("0a1b") == store.claim("0a1c") == (ago > 50)


def test_the_local_clock_decides_nothing(folder, dead, monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 0.0)
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    with DocumentStore(folder, create=True, patience=50) as store:
        leave(lease_file(folder, "0a1b"), replace(dead, place=ELSEWHERE), age=100)
        assert store.claim("0a1b")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"token": 3}',
        '{"token": "../../../x", "host": "h", "place": "p", "pid": 1, "start": 1}',
        json.dumps({"token": "a" * 32, "host": "h", "place": "p", "pid": "1", "start": 1}),
        json.dumps({"token": "a" * 32, "host": "h", "place": "p", "pid": -1, "start": 1}),
    ],
)
def test_a_lease_that_makes_no_sense_is_stale_by_its_age_only(folder, text):
    with DocumentStore(folder, create=True, patience=50) as store:
        path = lease_file(folder, "0a1b")
        path.write_text(text)
        assert not store.claim("0a1b")
        then = file_clock(folder) - 100 * 10**9
        os.utime(path, ns=(then, then))
        assert store.claim("0a1b")
        assert read_lease(path).holder == this_process()


def test_a_heartbeat_touches_what_is_claimed(store):
    assert store.claim("0a1b")
    path = lease_file(store.folder, "0a1b")
    os.utime(path, (0, 0))
    store._leases.beat()
    assert file_clock(store.folder) - path.stat().st_mtime_ns < 10**9


def test_a_thread_beats_while_cells_are_claimed(folder):
    with DocumentStore(folder, create=True, patience=0.08) as store:
        assert store.claim("0a1b")
        path = lease_file(folder, "0a1b")
        os.utime(path, (0, 0))
        deadline = time.monotonic() + 10
        while path.stat().st_mtime == 0:
            assert time.monotonic() < deadline
            time.sleep(0.005)


def test_a_lost_lease_is_told_about_and_not_taken_from_its_new_holder(store, dead):
    path = lease_file(store.folder, "0a1b")
    assert store.claim("0a1a")
    assert store.claim("0a1b")
    leave(path, replace(dead, host="node7", place=ELSEWHERE))
    lease_file(store.folder, "0a1a").unlink()
    store._leases.beat()
    store.release("0a1b")

    assert read_lease(path).holder.host == "node7"
    removed, taken = store.problems()
    assert "0a1a.lease was removed; its work may be done twice" in removed
    assert f"0a1b.lease was taken over by process {dead.pid} on node7" in taken


def test_a_fork_gives_back_and_keeps_alive_nothing_of_its_parent(store, child):
    script = """
import os, sys
from pathlib import Path
from aucbench.store import DocumentStore
with DocumentStore(Path(sys.argv[1])) as store:
    store.claim("0a1b")
    if not os.fork():
        own = store.claim("0a1c")
        os.utime(Path(sys.argv[1]) / "leases/0a1b.lease", (0, 0))
        store._leases.beat()
        store.close()
        os._exit(not own)
    left = Path(sys.argv[1], "leases").iterdir()
    print(os.wait()[1], *[(path.name, path.stat().st_mtime) for path in left])
"""
    worker = child(script, store.folder)
    assert worker.communicate()[0] == "0 ('0a1b.lease', 0.0)\n"


class Interleaved:
    """Runs another party before the k-th step on files that the first one does."""

    def __init__(self, monkeypatch, at, other):
        self.left = at
        self.other = other
        for name in ("read_lease", "whole_file"):
            monkeypatch.setattr(leases, name, self.before(getattr(leases, name)))
        for name in ("hardlink_to", "unlink", "replace"):
            monkeypatch.setattr(Path, name, self.before(getattr(Path, name)))

    def before(self, step):
        def stepped(*arguments, **options):
            self.left -= 1
            if self.left == -1:
                self.other()
            return step(*arguments, **options)

        return stepped

    @property
    def ran(self):
        return self.left < 0


@contextmanager
def interleaved(at, other):
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield Interleaved(monkeypatch, at, other)


def takes(q, r):
    return [q] if q.take("x") else []


def takes_and_drops(q, r):
    if q.take("x"):
        q.drop("x")
    return []


def takes_drops_and_another_takes(q, r):
    """The ABA case: what was judged stale is gone, and a lease of the same name is alive."""
    if q.take("x"):
        q.drop("x")
    return [r] if r.take("x") else []


@pytest.mark.parametrize("left", ["nothing", "a lease", "a lease and half a takeover"])
@pytest.mark.parametrize("meanwhile", [takes, takes_and_drops, takes_drops_and_another_takes])
def test_whatever_happens_between_two_steps_there_is_one_holder_at_most(
    open_leases, dead, tmp_path, left, meanwhile
):
    path = tmp_path / "leases" / "x.lease"
    for at in count():
        p, q, r = open_leases(), open_leases(), open_leases()
        if left != "nothing":
            leave(path, dead)
        if left == "a lease and half a takeover":
            leave(path.with_name(f"{'a' * 32}.taking"), dead, token="b" * 32)
        holders = []
        with interleaved(at, lambda: holders.extend(meanwhile(q, r))) as schedule:  # noqa: B023
            if p.take("x"):
                holders.append(p)
        if not schedule.ran:
            break
        assert len(holders) <= 1
        for holder in holders:
            assert path.exists()
            holder.drop("x")
        assert p.take("x"), "the lease is lost for ever"
        p.drop("x")
        assert [*path.parent.iterdir()] == []
    assert at >= (2 if left == "nothing" else 7)


def test_a_holder_that_stalled_for_long_does_not_remove_the_lease_of_its_successor(
    open_leases, tmp_path
):
    path = tmp_path / "leases" / "x.lease"
    for at in count():
        p, q, r = open_leases(), open_leases(patience=1e-6), open_leases()
        assert p.take("x")
        mine = read_lease(path)
        leave(
            path, replace(this_process(), place=ELSEWHERE), token=mine.token, age=100
        )  # as q sees p
        holders = []
        with interleaved(at, lambda: holders.extend(takes_drops_and_another_takes(q, r))) as plan:  # noqa: B023
            p.drop("x")
        if not plan.ran:
            break
        assert path.exists() == bool(holders)
        for holder in holders:
            holder.drop("x")
        assert [*path.parent.iterdir()] == []
    assert at >= 5


def test_opening_removes_what_the_dead_left_half_done(store, record, dead):
    store.write(record("0a1a"))
    for cell in ("0a1a", "0a1b"):
        leave(lease_file(store.folder, cell), dead, token=cell * 8)
    guards = [store.folder / "leases" / f"{letter * 32}.taking" for letter in "cde"]
    leave(guards[0], dead, token="1" * 32)
    leave(guards[1], this_process(), token="2" * 32)
    leave(guards[2], replace(this_process(), place=ELSEWHERE), token="3" * 32)
    (store.folder / "leases" / "notes.txt").touch()

    with DocumentStore(store.folder) as later:
        left = {p.name for p in (store.folder / "leases").iterdir()}
        assert left == {"0a1b.lease", guards[1].name, guards[2].name, "notes.txt"}
        assert later.claim("0a1b")
        assert later.problems() == ()


def test_a_claim_that_cannot_be_written_is_an_error(store):
    (store.folder / "leases").rmdir()
    (store.folder / "leases").touch()
    with pytest.raises(DataError, match=r"cannot claim 0a1b in .*results: File exists"):
        store.claim("0a1b")


def test_a_dangling_link_is_nobodys_to_take(store):
    lease_file(store.folder, "0a1b").symlink_to("nowhere")
    assert not store.claim("0a1b")


def test_a_process_knows_itself():
    assert this_process().lives() is True
    assert replace(this_process(), start=this_process().start + 1).lives() is False
    assert replace(this_process(), place=ELSEWHERE).lives() is None
    assert replace(this_process(), pid=2**40).lives() is False
    assert this_process().host == os.uname().nodename
    assert Path("/proc", str(this_process().pid)).exists()


def no_links(path, target):
    raise OSError(errno.EPERM, "Operation not permitted")


def links_and_loses_the_answer(path, target):
    os.link(target, path)
    raise FileExistsError


@pytest.mark.parametrize("link", [no_links, links_and_loses_the_answer])
def test_file_systems_with_odd_links_have_leases_too(store, monkeypatch, link):
    monkeypatch.setattr(Path, "hardlink_to", link)
    assert store.claim("0a1b")
    assert not store.claim("0a1b")
    assert read_lease(lease_file(store.folder, "0a1b")).holder == this_process()
    store.release("0a1b")
    assert [*(store.folder / "leases").iterdir()] == [*(store.folder / "tmp").iterdir()] == []


def test_without_links_a_lease_that_cannot_be_written_leaves_nothing(store, monkeypatch):
    def full(token):
        monkeypatch.setattr(lease_files, "lease_text", disk_is_full)
        return b"beside"

    def disk_is_full(token):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "hardlink_to", no_links)
    monkeypatch.setattr(lease_files, "lease_text", full)
    with pytest.raises(DataError, match="No space left on device; free some space"):
        store.claim("0a1b")
    assert [*(store.folder / "leases").iterdir()] == []


def test_without_links_who_stalled_between_creating_and_writing_has_nothing(
    store, dead, monkeypatch
):
    path = lease_file(store.folder, "0a1b")
    text = lease_files.lease_text

    def stalled(token):
        if path.exists():  # created by us, empty, and taken over by another host since then
            path.unlink()
            leave(path, replace(dead, place=ELSEWHERE))
        return text(token)

    monkeypatch.setattr(Path, "hardlink_to", no_links)
    monkeypatch.setattr(lease_files, "lease_text", stalled)
    assert not store.claim("0a1b")
    assert read_lease(path).token == "a" * 32
