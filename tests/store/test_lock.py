"""One run at a time works in a folder; a second one waits, says so, and then goes on."""

import json
import os
import signal
import time
from threading import Thread

import pytest
from filelock import FileLock

from aucbench.errors import DataError
from aucbench.store import DocumentStore

HOLD = """
with DocumentStore(folder) as store, store.alone(print):
    print("ready", flush=True)
    sys.stdin.readline()
print("over", flush=True)
"""
COUNT = """
for _ in range(20):
    with DocumentStore(folder) as store, store.alone(lambda sentence: None):
        n = (store.read("0a1b") or {"n": 0})["n"]
        store.write({"id": "0a1b", "n": n + 1})
"""


@pytest.fixture
def first(store, child):
    """A process that has the lock, until it reads a line."""
    process = child(HOLD, store.folder)
    assert process.stdout.readline() == "ready\n"
    return process


def wait_in_thread(folder):
    """Begin to wait for the lock; return the thread, what was told, and when it was got."""
    told, got = [], []

    def wait():
        with DocumentStore(folder) as store, store.alone(told.append):
            got.append(time.monotonic())

    thread = Thread(target=wait)
    thread.start()
    deadline = time.monotonic() + 10
    while not told and thread.is_alive():
        assert time.monotonic() < deadline
        time.sleep(0.005)
    return thread, told, got


def test_a_second_run_waits_and_says_for_which_process(store, first):
    thread, told, got = wait_in_thread(store.folder)
    assert told == [
        f"process {first.pid} on {os.uname().nodename} writes into {store.folder}; this run begins "
        "when that one ends"
    ]
    assert not got
    first.communicate("\n")
    thread.join(10)
    assert got
    assert not (store.folder / "run.json").exists()


def test_the_lock_of_a_killed_process_is_free_at_once(store, first):
    thread, _, got = wait_in_thread(store.folder)
    first.send_signal(signal.SIGKILL)
    thread.join(10)
    assert got
    with store.alone(pytest.fail):
        pass


def test_what_a_killed_run_left_beside_its_lock_is_replaced(store, first):
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert (store.folder / "run.json").exists()
    with store.alone(pytest.fail):
        assert json.loads((store.folder / "run.json").read_bytes())["process"] == os.getpid()
    assert not (store.folder / "run.json").exists()


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"host": 3}', "null", None])
def test_a_process_that_is_not_known_is_waited_for_too(store, first, text):
    path = store.folder / "run.json"
    path.unlink() if text is None else path.write_text(text)
    thread, told, _ = wait_in_thread(store.folder)
    assert told[0].startswith(f"another process writes into {store.folder}; this run begins")
    first.communicate("\n")
    thread.join(10)


def test_of_several_processes_one_at_a_time_has_the_lock(store, child):
    others = [child(COUNT, store.folder) for _ in range(3)]
    assert [other.wait() for other in others] == [0, 0, 0]
    assert store.read("0a1b")["n"] == 60


@pytest.mark.parametrize("same", [True, False])
def test_a_process_that_would_wait_for_itself_is_told_so(store, same):
    with DocumentStore(store.folder) as other, store.alone(pytest.fail):
        second = store if same else other
        with pytest.raises(DataError, match=r"this process has begun a run into .*; end it first"):
            second.alone(lambda sentence: None).__enter__()
        assert (store.folder / "run.json").exists()
    with store.alone(pytest.fail):
        pass


def test_closing_a_store_returns_the_lock_of_a_run_that_was_left(folder):
    with DocumentStore(folder, create=True) as store:
        left = store.alone(pytest.fail)
        left.__enter__()
    with DocumentStore(folder) as store, store.alone(pytest.fail):
        pass


def test_a_fork_gives_nothing_of_its_parent_back(store, child):
    script = """
store = DocumentStore(folder)
with store.alone(print):
    if not os.fork():
        store.close()
        os._exit(0)
    os.wait()
    print("ready", flush=True)
    sys.stdin.readline()
"""
    first = child(script, store.folder)
    assert first.stdout.readline() == "ready\n"
    assert (store.folder / "run.json").exists()
    thread, told, got = wait_in_thread(store.folder)
    assert told
    assert not got
    first.communicate("\n")
    thread.join(10)
    assert got


def test_a_folder_that_goes_away_while_a_run_waits_is_an_error(store, first):
    errors = []

    def wait():
        with DocumentStore(store.folder) as other:
            try:
                other.alone(told.append).__enter__()
            except DataError as error:
                errors.append(str(error))

    told = []
    thread = Thread(target=wait)
    thread.start()
    while not told:
        time.sleep(0.005)
    store.folder.rename(store.folder.with_name("elsewhere"))
    first.communicate("\n")
    thread.join(10)
    assert "was moved or deleted while it was in use" in errors[0]
    assert not store.folder.exists()


@pytest.mark.parametrize("others", [(), ("notes.txt",)])
@pytest.mark.parametrize("attempt", [1, 2])
def test_a_folder_that_filelock_makes_again_is_no_results_folder(
    store, child, monkeypatch, attempt, others
):
    """It goes away after the last look before `acquire`, which makes it with its lock."""
    first = child(HOLD, store.folder)
    assert first.stdout.readline() == "ready\n"
    real, left = FileLock.acquire, [attempt - 1]

    def late(lock, **how):
        if not left[0]:
            store.folder.rename(store.folder.with_name("elsewhere"))
            first.communicate("\n")
            for name in others:  # of somebody who has taken the name of the folder
                store.folder.mkdir()
                (store.folder / name).touch()
        left[0] -= 1
        return real(lock, **how)

    monkeypatch.setattr(FileLock, "acquire", late)
    told = []
    with pytest.raises(DataError, match="was moved or deleted while it was in use"):
        store.alone(told.append).__enter__()
    assert len(told) == attempt - 1
    assert store.folder.exists() == bool(others)
    monkeypatch.undo()
    with DocumentStore(store.folder.with_name("elsewhere")) as moved, moved.alone(pytest.fail):
        pass  # nothing of this process holds it
