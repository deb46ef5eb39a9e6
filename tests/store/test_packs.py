"""Packs: many shards in one file, through crashes, rewrites, damage and other processes."""

import os
import signal

import pytest

from aucbench.infra.store import DocumentStore
from aucbench.infra.store.shard_folder import Shards

PACK = """
import sys, os
from pathlib import Path
from aucbench.infra.store import DocumentStore
left = int(sys.argv[2])
def dying(act):
    def acts(*given, **more):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), 9)
        return act(*given, **more)
    return acts
with DocumentStore(Path(sys.argv[1])) as store:
    Path.rename, Path.replace, Path.unlink = map(dying, (Path.rename, Path.replace, Path.unlink))
    os.fsync, os.link = dying(os.fsync), dying(os.link)
    store.pack(many=2)
    print(left)
"""
COUNT = """
import sys
from pathlib import Path
from aucbench.infra.store import DocumentStore
with DocumentStore(Path(sys.argv[1])) as store:
    print("ready", flush=True)
    while not Path(sys.argv[2]).exists():
        found = {d["id"]: d["n"] for d in store.documents()}
        read = {key: (store.read(key) or {}).get("n") for key in found}
        finished = store.finished(["n"])
        print(len(found), read == found, all(finished(key) == {"n": n} for key, n in found.items()))
"""


def keys(count):
    return [f"{number * 37 % 256:02x}{number:04x}" for number in range(count)]


def fill(store, record, some, n):
    for key in some:
        store.write(record(key, n=n))


def found(folder):
    with DocumentStore(folder) as store:
        by_list = {document["id"]: document["n"] for document in store.documents()}
        assert [*by_list] == sorted(by_list)
        assert by_list == {key: store.read(key)["n"] for key in by_list}
        assert all(map(store.has, by_list))
        assert store.problems() == ()
        return by_list


def files(folder, kind):
    return sorted(path for path in (folder / kind).rglob("*") if path.is_file())


def test_packed_records_are_read_as_before(store, record, npz):
    fill(store, record, keys(20), 1)
    store.write(record("ff00", n=2), npz(scores=[1.0]))
    before = [*store.documents()]

    assert store.pack(many=21) == 21
    assert store.pack(many=1) == 0

    assert files(store.folder, "cells") == []
    assert len(files(store.folder, "packs")) == 1
    assert [*store.documents()] == before
    with DocumentStore(store.folder) as again:
        assert [*again.documents()] == before
        assert again.arrays("ff00")["scores"].tolist() == [1.0]
        finished = again.finished(["n", "status"])
        assert finished("ff00") == {"n": 2, "status": "ok"}
        assert finished(keys(20)[0]) == {"n": 1, "status": "ok"}
        assert (finished("00ff"), again.read("00ff"), again.has("00ff")) == (None, None, False)


def test_few_files_stay(store, record):
    fill(store, record, keys(5), 1)

    assert (store.pack(), store.pack(many=6)) == (0, 0)
    assert len(files(store.folder, "cells")) == 5


def test_the_newest_record_counts_in_any_pack_or_file(store, record):
    some = keys(30)
    fill(store, record, some, 1)
    store.pack(many=1)
    fill(store, record, some[:12], 2)
    store.pack(many=1)  # smaller than the first, which stays as it is
    fill(store, record, some[:5], 3)

    expected = dict.fromkeys(some, 1) | dict.fromkeys(some[:12], 2) | dict.fromkeys(some[:5], 3)
    assert len(files(store.folder, "packs")) == 2
    assert found(store.folder) == expected
    assert {d["id"]: d["n"] for d in store.documents()} == expected
    fill(store, record, keys(60)[30:], 4)
    store.pack(many=1)  # larger than both, which it takes in
    assert len(files(store.folder, "packs")) == 1
    assert found(store.folder) == expected | dict.fromkeys(keys(60)[30:], 4)


def test_killed_at_any_step_it_loses_and_invents_nothing(folder, record, child):
    some = keys(6)
    with DocumentStore(folder, create=True) as store:
        fill(store, record, some, 1)
        store.pack(many=1)
        fill(store, record, some[:2], 2)  # the older ones are in the pack
        fill(store, record, keys(14)[6:], 3)
    expected = dict.fromkeys(some, 1) | dict.fromkeys(some[:2], 2) | dict.fromkeys(keys(14)[6:], 3)
    for steps in range(200):
        packer = child(PACK, folder, steps)
        told = packer.communicate()[0]
        assert found(folder) == expected
        if packer.returncode == 0:
            break
        assert packer.returncode == -signal.SIGKILL
    assert int(told) >= 0
    assert steps > 5
    with DocumentStore(folder) as store:
        store.pack(many=1)
    assert [files(folder, kind) for kind in ("cells", "tmp", "leases")] == [[], [], []]
    assert found(folder) == expected


def test_who_reads_while_others_pack_misses_nothing(folder, record, child, tmp_path):
    with DocumentStore(folder, create=True) as store:
        fill(store, record, keys(60), 1)
        end = tmp_path / "end"
        reader = child(COUNT, folder, end)
        assert reader.stdout.readline() == "ready\n"
        for begin in range(60, 400, 10):
            fill(store, record, keys(begin + 10)[begin:], 1)
            store.pack(many=1)
        end.touch()
        lines = [line.split() for line in reader.communicate()[0].splitlines()]

    assert len(lines) > 1
    assert all(line[1:] == ["True", "True"] for line in lines)
    counts = [int(line[0]) for line in lines]
    assert counts == sorted(counts)
    assert counts[0] >= 60


def test_a_shard_that_is_replaced_while_it_is_packed_stays(store, record, monkeypatch):
    fill(store, record, keys(4), 1)
    written = []

    def late(self, *given):
        if not written:
            written.append(store.write(record(keys(4)[1], n=2)))
        return remove(self, *given)

    remove = Shards._remove_packed
    monkeypatch.setattr(Shards, "_remove_packed", late)
    store.pack(many=1)

    assert found(store.folder) == {**dict.fromkeys(keys(4), 1), keys(4)[1]: 2}
    assert len(files(store.folder, "cells")) == 1


def test_one_process_packs_at_a_time(store, record):
    fill(store, record, keys(4), 1)
    with DocumentStore(store.folder) as other:
        assert other._leases.take("packing")
        assert store.pack(many=1) == 0
    assert store.pack(many=1) == 4


@pytest.mark.parametrize("keep", [0, 1, 60, 500, -1])
def test_a_pack_that_lost_its_end_is_told_about_and_set_aside(store, record, keep):
    fill(store, record, keys(4), 1)
    store.pack(many=1)
    (pack,) = files(store.folder, "packs")
    pack.write_bytes(pack.read_bytes()[:keep])

    with DocumentStore(store.folder) as again:
        assert [*again.documents()] == []
        (problem,) = again.problems()
        assert "is truncated or damaged: it was moved to" in problem
    assert files(store.folder, "packs") == []
    assert len(files(store.folder, "aside")) == 1


def test_a_flipped_bit_costs_one_record(store, record):
    some = keys(8)
    fill(store, record, some, 1)
    store.pack(many=1)
    (pack,) = files(store.folder, "packs")
    content = bytearray(pack.read_bytes())
    content[content.index(b"0.75")] ^= 1
    pack.write_bytes(content)

    with DocumentStore(store.folder) as again:
        left = {document["id"] for document in again.documents()}
        (lost,) = {*some} - left
        assert not again.has(lost)
        assert any(f"a damaged shard of {lost}" in problem for problem in again.problems())
        again.write(record(lost, n=2))
        again.pack(many=1)
    with DocumentStore(store.folder) as again:
        assert again.read(lost)["n"] == 2


def test_a_full_disk_leaves_the_files(store, record, monkeypatch):
    fill(store, record, keys(4), 1)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Exception, match=r"cannot (write|pack) .*No space left"):
        store.pack(many=1)
    monkeypatch.undo()

    assert found(store.folder) == dict.fromkeys(keys(4), 1)
    assert len(files(store.folder, "cells")) == 4
