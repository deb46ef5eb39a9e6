"""Packs: many shards in one file, through crashes, rewrites, damage and other processes."""

import os
import signal

import pytest

from aucbench.store import DocumentStore
from aucbench.store.shard import found_in
from aucbench.store.shard_folder import Shards

PACK = """
import sys, os
from pathlib import Path
from aucbench.store import DocumentStore
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
from aucbench.store import DocumentStore
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


@pytest.mark.parametrize(
    ("spoil", "left"),
    [
        (lambda content: b"", 0),
        (lambda content: content[:60], 0),
        (lambda content: content[: len(content) // 4], 1),
        (lambda content: content[:-1], 4),
        (lambda content: content + b"\n", 4),
        (lambda content: content[1:], 3),
        (lambda content: content[:-30] + bytes([content[-30] ^ 1]) + content[-29:], 4),
        (lambda content: content.replace(b" 0 ", b" 1 "), 4),  # in its lines
        (lambda content: content[:-1].replace(b'"id"', b'"iD"', 1), 3),
        (lambda content: content[:-1].replace(b'"seal"', b'"sea1"', 1), 3),
        (lambda content: content[:-1].replace(b'{\n"record"', b'[\n"record"', 2)[9:], 2),
        (lambda content: content + content[:-1], 4),
        (lambda content: b"not a pack at all", 0),
    ],
)
def test_a_damaged_pack_loses_nothing_that_is_whole(store, record, spoil, left):
    fill(store, record, keys(4), 1)
    store.pack(many=1)
    (pack,) = files(store.folder, "packs")
    damaged = spoil(pack.read_bytes())
    pack.write_bytes(damaged)

    with DocumentStore(store.folder) as again:
        whole = {document["id"]: document["n"] for document in again.documents()}
        assert len(whole) == left
        (problem,) = again.problems()
        assert problem.startswith(f"{pack} is truncated or damaged: it was moved to")
        assert f"{left} result(s) of it are kept, and " in problem
    assert found(store.folder) == whole  # without a problem, since it was mended
    assert len(files(store.folder, "packs")) == bool(left)
    (aside,) = files(store.folder, "aside")
    assert aside.read_bytes() == damaged


def test_a_mended_pack_stays_older_than_a_newer_one(store, record):
    some = keys(30)
    fill(store, record, some, 1)
    store.pack(many=1)
    (first,) = files(store.folder, "packs")
    fill(store, record, some[:4], 2)
    store.pack(many=1)
    first.write_bytes(first.read_bytes()[:-1])

    with DocumentStore(store.folder) as again:
        assert again.read(some[0])["n"] == 2
    assert found(store.folder) == dict.fromkeys(some, 1) | dict.fromkeys(some[:4], 2)


def test_a_damaged_pack_of_a_full_disk_is_read_where_it_is(store, record, monkeypatch):
    fill(store, record, keys(4), 1)
    store.pack(many=1)
    (pack,) = files(store.folder, "packs")
    pack.write_bytes(pack.read_bytes()[:-1])

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with DocumentStore(store.folder) as again:
        assert len([*again.documents()]) == 4
        assert all(map(again.has, keys(4)))
        (problem,) = again.problems()
        assert "it cannot be mended (No space left on device)" in problem
    assert files(store.folder, "packs") == [pack]


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
        assert f"7 result(s) of it are kept, and {lost} counts as missing" in again.problems()[0]
    with DocumentStore(store.folder) as again:
        assert {document["id"] for document in again.documents()} == left
        assert again.problems() == ()
        again.write(record(lost, n=2))
        again.pack(many=1)
    with DocumentStore(store.folder) as again:
        assert again.read(lost)["n"] == 2


def test_a_changed_byte_costs_the_shard_in_which_it_is(store, record):
    fill(store, record, keys(4), 1)
    store.pack(many=1)
    (path,) = files(store.folder, "packs")
    content = path.read_bytes()
    shards = [*found_in(content)]
    assert [key for key, _, _ in shards] == sorted(keys(4))
    for place in range(sum(length for _, _, length in shards)):
        changed = bytearray(content)
        changed[place] ^= 1
        assert [*found_in(bytes(changed))] == [
            shard for shard in shards if not 0 <= place - shard[1] < shard[2]
        ]


def test_a_lost_record_does_not_bring_an_older_one_back(store, record):
    some = keys(30)
    fill(store, record, some, 1)
    store.pack(many=1)
    fill(store, record, some[:4], 2)
    store.pack(many=1)
    newer = files(store.folder, "packs")[1]
    content = newer.read_bytes()
    newer.write_bytes(content.replace(b'"n": 2', b'"n": 3', 1))

    for _ in range(3):
        with DocumentStore(store.folder) as again:
            assert [again.read(key) and again.read(key)["n"] for key in some[:3]] == [None, 2, 2]
            assert some[0] not in {document["id"] for document in again.documents()}
            again.write(record("ff99", n=1))
            again.pack(many=1)


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
