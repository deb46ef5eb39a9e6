"""Killed writers, full disks, folders that cannot be written: what was stored stays."""

import errno
import itertools
import os
import resource
import shutil
import signal
import traceback
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from aucbench.bench.results.export import export
from aucbench.bench.results.store import Store as Records
from aucbench.errors import AucbenchError, DataError
from aucbench.store import DocumentStore
from aucbench.store.files import file_clock, unfinished

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
CHANGES = ("replace", "rename", "unlink", "mkdir", "rmdir", "open")  # methods of Path


def files(folder):
    return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def told(acts):
    """What the errors of these calls say, each of which raises one."""
    sentences = []
    for act in acts:
        with pytest.raises(AucbenchError) as error:
            act()
        sentences.append(str(error.value))
    return sentences


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
        for name in CHANGES:
            monkeypatch.setattr(Path, name, killed(getattr(Path, name)))
        act()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def test_a_run_that_is_killed_at_any_change_keeps_all_that_other_runs_have_stored(
    folder, record, npz, monkeypatch, indexing
):
    def run(folder, plan, data, cell):
        with Records(folder, create=True) as records, records.alone(pytest.fail):
            records.keep_plan(plan)
            records.keep_about({data: {"n": 1}})
            records.keep_targets({data: npz(y=np.ones(1))})
            DocumentStore.write(records, record(cell), npz(scores=np.ones(1)))
            assert records.finished(["auc"])("0a1b") == {"auc": 0.75}

    run(folder, "splits = 5\n", "aa", "0a1b")
    before = files(folder)
    for number in itertools.count():
        copy = shutil.copytree(folder, folder.with_name(f"copy-{number}"))
        act = partial(run, copy, "splits = 4\n", "bb", "0a1c")
        is_killed = killed_at_change(number, act, monkeypatch)
        found = files(copy)
        kept = {path: content for path, content in before.items() if path.name != "index.json"}
        assert all(found[copy / path.relative_to(folder)] == kept[path] for path in kept)
        with DocumentStore(copy) as store:
            assert store.finished(["auc"])("0a1b") == {"auc": 0.75}
            assert store.problems() == ()
        if not is_killed:
            break
    assert number > 12
    assert {"aa.npz", "bb.npz"} == {path.name for path in (copy / "targets").iterdir()}


@pytest.mark.parametrize(
    ("number", "cure"),
    [
        (errno.ENOSPC, "No space left on device; free some space and run it again"),
        (errno.EROFS, "Read-only file system; make the folder writable or name another one"),
        (errno.EIO, "Input/output error; repair the folder or name another one"),
    ],
)
def test_a_disk_that_takes_nothing_can_be_read_and_is_an_error_to_write(
    store, record, number, cure, monkeypatch, indexing
):
    def refuse(*_, **__):
        raise OSError(number, os.strerror(number))

    opened, records = os.open, Records(store.folder)
    for key in ("0a1b", "0a1d"):
        store.write(record(key))
    records.keep_plan("old")
    spoilt = store.folder / "cells" / "0a" / "0a1d.json"
    spoilt.write_bytes(spoilt.read_bytes()[:-5])
    before = files(store.folder)
    with monkeypatch.context() as patch:
        for name in ("open", "mkdir", "rename", "replace", "touch"):
            patch.setattr(Path, name, refuse)
        patch.setattr(os, "open", lambda *a, **k: (refuse if a[1] & WRITING else opened)(*a, **k))
        patch.setattr(os, "access", lambda *_: number != errno.EROFS)
        acts = (
            lambda: DocumentStore(store.folder / "new", create=True),
            lambda: store.write(record("0a1c")),
            lambda: store.alone(print).__enter__(),
            lambda: records.keep_plan("new"),
        )
        assert all(cure in sentence for sentence in told(acts))
        records.keep_plan("old")
        assert [found["id"] for found in store.documents()] == ["0a1b"]
        if number == errno.EROFS:
            finished = store.finished(["auc"])
            assert [finished("0a1b"), finished("0a1d")] == [{"auc": 0.75}, None]
    assert "it cannot be moved away" in store.problems()[0]
    assert files(store.folder) == before


def test_a_limit_on_file_sizes_is_an_error_that_keeps_what_was_stored(store, record, tmp_path):
    store.write(record("0a1b", log="x" * 5500))
    records, target = Records(store.folder), tmp_path / "out.csv"
    records.keep_plan("old")
    before, limits = files(store.folder), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, limits[1]))
    try:
        acts = (
            lambda: store.write({"id": "0a1c"}, b"y" * 6000),
            lambda: store.write({"id": "0a1d", "log": "x" * 6000}, b"y"),
            lambda: store.write({"id": "0a1b", "log": "x" * 6000}),
            lambda: records.keep_plan("#" * 6000),
            lambda: export(store.documents(), target),
        )
        *sentences, of_export = told(acts)
        store.write({"id": "0a1e"}, b"small")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert all("File too large; free some space" in sentence for sentence in sentences)
    assert of_export == f"cannot write {target}: File too large; name another file"
    assert [*tmp_path.iterdir()] == [store.folder]
    assert [found["id"] for found in store.documents()] == ["0a1b", "0a1e"]
    assert before.items() <= files(store.folder).items()
    assert [*(store.folder / "tmp").iterdir()] == []


@pytest.mark.parametrize("name", ["cells", "scores", "tmp"])
def test_a_file_in_place_of_a_folder_is_an_error_before_the_run(store, name):
    (store.folder / name).rmdir()
    (store.folder / name).touch()
    with pytest.raises(DataError, match=r"cannot open .*: File exists; repair the folder or"):
        DocumentStore(store.folder, create=True).alone(pytest.fail)


def test_a_folder_in_place_of_a_file_is_an_error(store, record):
    store.write(record("0a1b"))
    (store.folder / "cells" / "0a" / "0a1c.json").mkdir()
    with pytest.raises(DataError, match=r"cannot read .*0a1c\.json: .*; repair the folder"):
        store.read("0a1c")
    (store.folder / "tmp").rmdir()
    (store.folder / "tmp").touch()
    with pytest.raises(DataError, match=r"cannot write .*0a1b\.json: File exists; repair"):
        store.write(record("0a1b", auc=0.5))
    assert store.read("0a1b")["auc"] == 0.75


def test_a_link_to_a_disk_that_is_not_there_is_no_empty_folder(store):
    (store.folder / "cells").rmdir()
    (store.folder / "cells").symlink_to("not mounted")
    with pytest.raises(DataError, match=r"cannot read .*cells: No such file"):
        [*store.documents()]


def test_opening_removes_what_killed_writers_left_and_nothing_else(store, monkeypatch):
    scratch = store.folder / "tmp"
    left, young = unfinished(scratch, "a.json"), unfinished(scratch, "b.json")
    others = [scratch / "mine.tmp", scratch / "a.json"]
    for path in (left, young, *others):
        path.touch()
    now = file_clock(scratch)
    for path in (left, *others):
        os.utime(path, ns=(now, now - 3601 * 10**9))

    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda *_: False)  # a folder that is read-only stays as it is
        assert DocumentStore(store.folder).problems() == ()
    assert left.exists()
    DocumentStore(store.folder).close()
    assert {*scratch.iterdir()} == {young, *others}


def test_a_full_disk_costs_the_index_and_no_result(store, record, monkeypatch, indexing):
    store.write(record("0a1b"))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert store.finished(["auc"])("0a1b") == {"auc": 0.75}
    (problem,) = store.problems()
    assert problem.startswith(f"cannot write {store.folder}/index.json: No space left on device")
    assert not (store.folder / "index.json").exists()
    assert [*(store.folder / "tmp").iterdir()] == []
