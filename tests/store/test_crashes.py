"""Killed writers, full disks, folders that cannot be written: what was stored stays."""

import itertools
import json
import os
import random
import shutil
import signal
import time
import traceback
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from aucbench.bench.results.store import Store as Records
from aucbench.data.packed import unpack_arrays
from aucbench.errors import DataError
from aucbench.store import DocumentStore, index
from aucbench.store.files import file_clock, unfinished

WRITE = """
from io import BytesIO
import numpy as np
store = DocumentStore(folder)
for number in range(10**6):
    cell = f"{number % 256:02x}-{sys.argv[2]}-{number}"
    file = BytesIO()
    np.savez(file, test=np.full(2000, number))
    store.write({"id": cell, "number": number, "log": "x" * 20_000}, file.getvalue())
    print(number, flush=True)
"""
FILL = """
def attempt(act):
    try:
        act()
    except DataError as error:
        return str(error)
with DocumentStore(folder, create=True) as store:
    told, size = None, 8000
    for number in range(10**4):
        cell = f"{number % 16:02x}{number:04x}"
        record = {"id": cell, "log": "x" * size}
        told = attempt(lambda: store.write(record, b"y" * size))
        if told:
            break
        stored = number + 1
    locked = attempt(lambda: store.alone(print).__enter__())
    litter = [p.name for p in (folder / "tmp").iterdir()]
    opened = attempt(lambda: DocumentStore(folder, create=True).write({"id": "new"}))
    finished = store.finished(["log"])
    keys = [f"{number % 16:02x}{number:04x}" for number in range(stored)]
    finished = sum(finished(key) is not None for key in keys)
with DocumentStore(folder) as store:
    kept = [len(r["log"]) for r in store.documents()]
    whole = [p.stat().st_size for p in (folder / "scores").rglob("*.npz")]
    problems = store.problems()
    first = next((folder / "cells").rglob("*.json"))
    first.unlink()
    after = attempt(lambda: store.write({"id": first.stem}))
print(json.dumps({name: globals()[name] for name in (
    "told", "stored", "locked", "litter", "opened", "finished", "kept", "whole", "problems",
    "after", "size")}))
"""
LIMITED = """
import resource
from aucbench.bench.results.export import export
from aucbench.bench.results.store import Store as Records
from aucbench.errors import AucbenchError
with DocumentStore(folder) as store, Records(folder) as records:
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
    told = []
    for act in (
        lambda: store.write({"id": "0a1c"}, b"y" * 6000),
        lambda: store.write({"id": "0a1d", "log": "x" * 6000}, b"y"),
        lambda: store.write({"id": "0a1b", "log": "x" * 6000}),
        lambda: records.keep_plan("#" * 6000),
        lambda: export(store.documents(), Path(sys.argv[2])),
    ):
        try:
            act()
        except AucbenchError as error:
            told.append(str(error))
    store.write({"id": "0a1e"}, b"small")
print(json.dumps([told, [r["id"] for r in store.documents()]]))
"""
READ_ONLY = """
from aucbench.bench.results.store import Store as Records
store, records = DocumentStore(folder), Records(folder)
told = []
for act in (
    lambda: DocumentStore(folder / "new", create=True),
    lambda: store.write({"id": "0a1c"}),
    lambda: store.alone(print).__enter__(),
    lambda: records.keep_plan("new"),
):
    try:
        act()
    except DataError as error:
        told.append(str(error))
records.keep_plan("old")
finished = store.finished(["auc"])
told.append([finished("0a1b"), finished("0a1d")])
ids = [r["id"] for r in store.documents()]
store.close()
print(json.dumps([told, ids, [*records.plans().values()], store.problems()]))
"""


def files(folder):
    return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_killed_writers_leave_whole_shards_only(folder, child):
    moments = random.Random(5)
    with DocumentStore(folder, create=True) as store:
        store.home.prepare()
    promised = set()
    for attempt in range(15):
        writer = child(WRITE, folder, attempt)
        promised.add((attempt, int(writer.stdout.readline())))
        time.sleep(moments.uniform(0, 0.02))
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        promised |= {(attempt, int(line)) for line in writer.stdout}

        with DocumentStore(folder) as store:
            found = [*store.documents()]
            assert store.problems() == ()
            stored = {tuple(map(int, r["id"].split("-")[1:])) for r in found}
            assert promised <= stored
            for record in found[:: 1 + len(found) // 20]:
                assert set(store.blob(record["id"], unpack_arrays)["test"]) == {record["number"]}
    assert len(promised) >= 15
    for path in (folder / "tmp").iterdir():
        os.utime(path, (0, 0))
    DocumentStore(folder).close()
    assert [*(folder / "tmp").iterdir()] == []


def killed_at_change(number, act, monkeypatch):
    """Whether a process is killed at this change of its files, before `act` has ended."""
    changes = itertools.count()

    def killed(change):
        def changed(*given, **options):
            if next(changes) == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return change(*given, **options)

        return changed

    pid = os.fork()
    if pid:
        status = os.waitpid(pid, 0)[1]
        assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
        return os.WIFSIGNALED(status)
    try:
        for name in ("replace", "rename", "unlink", "mkdir", "rmdir", "open"):
            monkeypatch.setattr(Path, name, killed(getattr(Path, name)))
        act()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def test_a_run_that_is_killed_at_any_change_keeps_all_that_other_runs_have_stored(
    folder, record, npz, monkeypatch
):
    def run(folder, plan, data, cell):
        with Records(folder, create=True) as records, records.alone(pytest.fail):
            records.keep_plan(plan)
            records.keep_about({data: {"n": 1}})
            records.keep_targets({data: npz(y=np.ones(1))})
            DocumentStore.write(records, record(cell), npz(scores=np.ones(1)))

    run(folder, "splits = 5\n", "aa", "0a1b")
    before = files(folder)
    for number in itertools.count():
        copy = shutil.copytree(folder, folder.with_name(f"copy-{number}"))
        act = partial(run, copy, "splits = 4\n", "bb", "0a1c")
        is_killed = killed_at_change(number, act, monkeypatch)
        found = files(copy)
        assert all(found[copy / path.relative_to(folder)] == before[path] for path in before)
        if not is_killed:
            break
    assert number > 10
    assert {"aa.npz", "bb.npz"} == {path.name for path in (copy / "targets").iterdir()}


def test_a_full_disk_is_an_error_that_keeps_what_was_stored(tmp_path, mounted):
    folder = tmp_path / "disk"
    folder.mkdir()
    end = mounted(f"mount -t tmpfs -o size=400k tmpfs '{folder}'", FILL, folder / "results")

    told = "No space left on device; free some space and run it again; what was finished is kept"
    assert end["told"].endswith(told)
    assert end["told"].startswith(f"cannot write {folder}/results/")
    assert end["stored"] > 5
    assert end["kept"] == [end["size"]] * end["stored"]
    assert set(end["whole"]) == {end["size"]}
    assert end["finished"] == end["stored"]
    assert end["locked"].endswith(told)
    assert end["opened"].endswith(told)
    assert end["litter"] == end["problems"] == []
    assert end["after"] is None


def test_a_limit_on_file_sizes_is_an_error_that_keeps_what_was_stored(
    store, record, child, tmp_path
):
    store.write(record("0a1b", log="x" * 5500))
    Records(store.folder).keep_plan("old")
    before = files(store.folder)
    target = tmp_path / "out.csv"
    told, ids = json.loads(child(LIMITED, store.folder, target).communicate()[0])

    assert len(told) == 5
    assert all("File too large; free some space" in sentence for sentence in told[:4])
    assert told[4] == f"cannot write {target}: File too large; name another file"
    assert [*tmp_path.iterdir()] == [store.folder]
    assert ids == ["0a1b", "0a1e"]
    assert before.items() <= files(store.folder).items()
    assert [*(store.folder / "tmp").iterdir()] == []


def test_a_read_only_folder_can_be_read_and_is_an_error_to_write(store, record, mounted):
    store.write(record("0a1b"))
    store.write(record("0a1d"))
    Records(store.folder).keep_plan("old")
    spoilt = store.folder / "cells" / "0a" / "0a1d.json"
    spoilt.write_bytes(spoilt.read_bytes()[:-5])
    before = files(store.folder)
    where = f"'{store.folder}'"
    mount = f"mount --bind {where} {where}; mount -o remount,ro,bind {where}"
    told, ids, plan, problems = mounted(mount, READ_ONLY, store.folder)

    assert told.pop() == [{"auc": 0.75}, None]
    assert len(told) == 4
    for sentence in told:
        assert "Read-only file system; make the folder writable or name another one" in sentence
    assert ids == ["0a1b"]
    assert plan == ["old"]
    assert problems == [
        f"{spoilt} is truncated or damaged: it cannot be moved away (Read-only file system), and "
        "its result counts as missing"
    ]
    assert files(store.folder) == before


@pytest.mark.parametrize("name", ["cells", "scores", "tmp"])
def test_a_file_in_place_of_a_folder_is_told_about_before_the_run(store, name):
    (store.folder / name).rmdir()
    (store.folder / name).touch()
    with pytest.raises(DataError, match=r"cannot open .*: File exists; repair the folder or"):
        DocumentStore(store.folder, create=True).alone(pytest.fail)


def test_a_folder_that_cannot_be_written_keeps_the_older_record(store, record):
    store.write(record("0a1b"))
    (store.folder / "tmp").rmdir()
    (store.folder / "tmp").touch()
    with pytest.raises(DataError, match=r"cannot write .*0a1b\.json: File exists; repair"):
        store.write(record("0a1b", auc=0.5))
    assert store.read("0a1b")["auc"] == 0.75


def test_a_folder_in_place_of_a_shard_is_an_error(store):
    (store.folder / "cells" / "0a" / "0a1b.json").mkdir(parents=True)
    with pytest.raises(DataError, match=r"cannot read .*Is a directory; repair the folder"):
        store.read("0a1b")


def test_opening_removes_what_killed_writers_left_and_nothing_else(store):
    scratch = store.folder / "tmp"
    left, young = unfinished(scratch, "a.json"), unfinished(scratch, "b.json")
    others = [scratch / "mine.tmp", scratch / "a.json"]
    for path in (left, young, *others):
        path.touch()
    now = file_clock(scratch)
    for path in (left, *others):
        os.utime(path, ns=(now, now - 3601 * 10**9))

    DocumentStore(store.folder).close()
    assert {*scratch.iterdir()} == {young, *others}


def test_a_full_disk_costs_the_index_and_no_result(store, record, monkeypatch):
    monkeypatch.setattr(index, "MANY", 1)
    monkeypatch.setattr(index, "SETTLED", -(10**18))
    store.write(record("0a1b"))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert store.finished(["auc"])("0a1b") == {"auc": 0.75}
    (problem,) = store.problems()
    assert problem.startswith(f"cannot write {store.folder}/index.json: No space left on device")
    assert not (store.folder / "index.json").exists()
    assert [*(store.folder / "tmp").iterdir()] == []
