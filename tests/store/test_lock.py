"""One run at a time works in a folder; a second one waits, says so, and then goes on."""

import json
import os
import signal
from contextlib import contextmanager
from queue import Queue
from threading import Event, Thread

import pytest
from filelock import FileLock

from aucbench.errors import DataError
from aucbench.store import DocumentStore, lock

PATIENCE = 60.0  # seconds, also on a machine that has much else to do
HOLD = """
with DocumentStore(folder) as store, store.alone(print):
    print("ready", flush=True)
    sys.stdin.readline()
"""
FORK = """
store = DocumentStore(folder)
with store.alone(print):
    if not os.fork():
        store.close()
        os._exit(0)
    os.wait()
    print("ready", flush=True)
    sys.stdin.readline()
"""
COUNT = """
for _ in range(20):
    with DocumentStore(folder) as store, store.alone(lambda sentence: None):
        n = (store.read("0a1b") or {"n": 0})["n"]
        store.write({"id": "0a1b", "n": n + 1})
"""


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch):
    monkeypatch.setattr(lock, "PAUSE", 0.01)


@pytest.fixture
def holder(store, child):
    """holder(script) -> a process that has the lock, until it reads a line."""

    def start(script=HOLD):
        process = child(script, store.folder)
        assert process.stdout.readline() == "ready\n"
        return process

    return start


@contextmanager
def waiting(folder):
    """What a thread that waits for the lock was told, and the event that it has got it.

    At the end it gets it.
    """
    told, got = Queue(), Event()

    def wait():
        with DocumentStore(folder) as store, store.alone(told.put):
            got.set()

    thread = Thread(target=wait)
    thread.start()
    yield told.get(timeout=PATIENCE), got
    thread.join(PATIENCE)
    assert got.is_set()


@pytest.mark.parametrize("script", [HOLD, FORK], ids=["held", "a fork gives nothing back"])
def test_a_second_run_waits_and_says_for_which_process(store, holder, script):
    first = holder(script)
    assert (store.folder / "run.json").exists()
    with waiting(store.folder) as (told, got):
        assert told == (
            f"process {first.pid} on {os.uname().nodename} writes into {store.folder}; this run "
            "begins when that one ends"
        )
        assert not got.is_set()
        first.communicate("\n")
    assert not (store.folder / "run.json").exists()


def test_the_lock_of_a_killed_process_is_free_and_what_it_left_is_replaced(store, holder):
    first = holder()
    with waiting(store.folder):
        first.send_signal(signal.SIGKILL)
    second = holder()
    second.send_signal(signal.SIGKILL)
    second.wait()
    assert (store.folder / "run.json").exists()
    with store.alone(pytest.fail):
        assert json.loads((store.folder / "run.json").read_bytes())["process"] == os.getpid()
    assert not (store.folder / "run.json").exists()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"host": 3}', None])
def test_a_process_that_is_not_known_is_waited_for_too(store, holder, text):
    first, path = holder(), store.folder / "run.json"
    path.unlink() if text is None else path.write_text(text)
    with waiting(store.folder) as (told, _):
        assert told.startswith(f"another process writes into {store.folder}; this run begins")
        first.communicate("\n")


def test_of_several_processes_one_at_a_time_has_the_lock(store, child):
    others = [child(COUNT, store.folder) for _ in range(3)]
    assert [other.wait() for other in others] == [0, 0, 0]
    assert store.read("0a1b")["n"] == 60


@pytest.mark.parametrize("same", [True, False])
def test_a_process_that_would_wait_for_itself_is_told_so(store, same):
    with DocumentStore(store.folder) as other, store.alone(pytest.fail):
        second = store if same else other
        with pytest.raises(DataError, match="end it first"):
            second.alone(lambda sentence: None).__enter__()
        assert (store.folder / "run.json").exists()
    with store.alone(pytest.fail):
        pass


def test_closing_a_store_returns_the_lock_of_a_run_that_was_left(store):
    with DocumentStore(store.folder) as other:
        left = other.alone(pytest.fail)
        left.__enter__()
    with store.alone(pytest.fail):
        pass


@pytest.mark.parametrize("others", [(), ("notes.txt",)])
@pytest.mark.parametrize("attempt", [1, 2])
def test_a_folder_that_goes_away_while_a_run_waits_is_not_made_again(
    store, holder, monkeypatch, attempt, others
):
    """It goes away after the last look before `acquire`, which makes it with its lock."""
    first, real, left = holder(), FileLock.acquire, [attempt - 1]

    def late(taken, **how):
        if not left[0]:
            store.folder.rename(store.folder.with_name("elsewhere"))
            first.communicate("\n")
            for name in others:  # of somebody who has taken the name of the folder
                store.folder.mkdir()
                (store.folder / name).touch()
        left[0] -= 1
        return real(taken, **how)

    monkeypatch.setattr(FileLock, "acquire", late)
    told = []
    with pytest.raises(DataError, match="moved or deleted"):
        store.alone(told.append).__enter__()
    assert len(told) == attempt - 1
    assert store.folder.exists() == bool(others)
    monkeypatch.undo()
    with DocumentStore(store.folder.with_name("elsewhere")) as moved, moved.alone(pytest.fail):
        pass  # nothing of this process holds it
