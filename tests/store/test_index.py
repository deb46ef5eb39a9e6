"""The index makes a resume fast; whatever happens to it or to the shards, these are the truth."""

import json
import os
import shutil

import pytest

from aucbench.store import DocumentStore, index
from aucbench.store import shard as shard_module

pytestmark = pytest.mark.usefixtures("indexing")

KEYS = [f"{number * 37 % 256:02x}{number:04x}" for number in range(20)]
NUMBERS = dict(zip(KEYS, range(20), strict=True))


@pytest.fixture
def reads(monkeypatch):
    """The keys of the shards whose texts were read."""
    found, fault_of = [], shard_module.fault_of
    monkeypatch.setattr(
        shard_module, "fault_of", lambda key, text: found.append(key) or fault_of(key, text)
    )
    return found


@pytest.fixture
def indexed(store, record):
    for number, key in enumerate(KEYS):
        store.write(record(key, n=number))
    assert numbers(store.folder) == NUMBERS
    return store.folder


def path_of(folder, key):
    return folder / "cells" / key[:2] / f"{key}.json"


def numbers(folder):
    """What the index and the shards say, which is the same as what the shards say."""
    with DocumentStore(folder) as store:
        finished = store.finished(["n", "status"])
        found = {key: values["n"] for key in KEYS if (values := finished(key)) is not None}
        assert found == {d["id"]: d["n"] for d in store.documents()}
        return found


def test_a_resume_reads_only_shards_that_the_index_does_not_know(indexed, record, reads):
    with DocumentStore(indexed) as store:
        store.finished(["n", "status"])
        assert reads == []
        store.write(record(KEYS[3], n=99))
        store.write(record("ff99", n=100))
        finished = store.finished(["n", "status"])
        assert sorted(reads) == sorted([KEYS[3], "ff99"])
        assert finished(KEYS[3]) == {"n": 99, "status": "ok"}
        assert finished("ff99") == {"n": 100, "status": "ok"}
        assert finished("ff98") is None
        reads.clear()
        store.finished(["n", "status"])
        assert reads == []


SPOILT = [
    lambda content: None,  # it is deleted
    lambda content: b"",
    lambda content: content[: len(content) // 2],
    lambda content: content.rpartition(b', "seal"')[0] + b"}\n",
    lambda content: b"[" * 10**5,
]


@pytest.mark.parametrize("spoil", SPOILT)
def test_an_index_that_is_damaged_or_gone_is_built_anew(indexed, reads, spoil):
    path = indexed / "index.json"
    whole = path.read_bytes()
    path.unlink()
    if (spoilt := spoil(whole)) is not None:
        path.write_bytes(spoilt)
    with DocumentStore(indexed) as store:
        finished = store.finished(["n", "status"])
        assert [finished(key)["n"] for key in KEYS] == [*range(20)]
        assert store.problems() == ()
    assert sorted(reads) == sorted(KEYS)
    assert path.read_bytes() == whole


def test_no_changed_bit_of_it_changes_an_answer(indexed):
    path = indexed / "index.json"
    whole = path.read_bytes()
    for place in range(0, len(whole), 61):
        changed = bytearray(whole)
        changed[place] ^= 1 << place % 8
        path.write_bytes(changed)
        with DocumentStore(indexed) as store:
            finished = store.finished(["n"])
            assert {key: finished(key)["n"] for key in KEYS} == NUMBERS


def test_shards_that_others_change_add_or_take_are_seen(indexed, tmp_path, record):
    path_of(indexed, KEYS[0]).unlink()
    shutil.rmtree(path_of(indexed, KEYS[1]).parent)
    with DocumentStore(tmp_path / "other", create=True) as other:
        other.write(record(KEYS[2], n=77))
    shutil.copy(path_of(tmp_path / "other", KEYS[2]), path_of(indexed, KEYS[2]))
    expected = {**NUMBERS, KEYS[2]: 77}
    del expected[KEYS[0]], expected[KEYS[1]]
    assert numbers(indexed) == expected


def test_changed_bytes_and_swapped_shards_are_found_though_times_are_set_back(indexed):
    changed, one, other = (path_of(indexed, key) for key in KEYS[5:8])
    before = changed.stat()
    changed.write_bytes(changed.read_bytes().replace(b"0.75", b"0.76"))
    os.utime(changed, ns=(before.st_atime_ns, before.st_mtime_ns))
    kept = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(kept)
    with DocumentStore(indexed) as store:
        finished = store.finished(["n", "status"])
        assert [finished(key) for key in KEYS[5:8]] == [None] * 3
        assert len(store.problems()) == 3


def test_a_shard_that_has_just_changed_is_read_again(indexed, record, reads, monkeypatch):
    monkeypatch.setattr(index, "SETTLED", 10**12)
    with DocumentStore(indexed) as store:
        store.write(record(KEYS[5], n=5))
        for _ in range(2):
            reads.clear()
            store.finished(["n", "status"])
            assert reads == [KEYS[5]]


def test_an_index_of_other_values_is_built_anew(indexed):
    with DocumentStore(indexed) as store:
        assert store.finished(["auc"])(KEYS[5]) == {"auc": 0.75}
        assert store.finished(["n"])(KEYS[5]) == {"n": 5}
    assert json.loads((indexed / "index.json").read_bytes())["names"] == ["n"]
