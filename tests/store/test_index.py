"""The index makes a resume fast; whatever happens to it or to the shards, these are the truth."""

import json
import os
import shutil

import pytest

from aucbench.store import DocumentStore, index
from aucbench.store import shard as shard_module

KEYS = [f"{number * 37 % 256:02x}{number:04x}" for number in range(20)]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """An index is written for any number of shards, also for those that were just written."""
    monkeypatch.setattr(index, "MANY", 1)
    monkeypatch.setattr(index, "SETTLED", -(10**18))


@pytest.fixture
def reads(monkeypatch):
    """The keys of the shards whose texts were read."""
    found = []
    fault_of = shard_module.fault_of
    monkeypatch.setattr(
        shard_module, "fault_of", lambda key, text: found.append(key) or fault_of(key, text)
    )
    return found


@pytest.fixture
def indexed(store, record):
    for number, key in enumerate(KEYS):
        store.write(record(key, n=number))
    assert numbers(store.folder) == dict(zip(KEYS, range(20), strict=True))
    return store.folder


def path_of(folder, key):
    return folder / "cells" / key[:2] / f"{key}.json"


def numbers(folder):
    """What the index and the shards say, which is the same as what the shards say."""
    with DocumentStore(folder) as store:
        finished = store.finished(["n", "status"])
        found = {key: finished(key) for key in KEYS}
        assert {found[d["id"]]["n"] for d in store.documents()} == {
            d["n"] for d in store.documents()
        }
        assert found == {
            key: None if (plain := store.read(key)) is None else {"n": plain["n"], "status": "ok"}
            for key in KEYS
        }
        return {key: values["n"] for key, values in found.items() if values is not None}


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


def test_it_can_be_deleted_at_any_time(indexed, reads):
    (indexed / "index.json").unlink()
    with DocumentStore(indexed) as store:
        assert store.finished(["n"])(KEYS[7]) == {"n": 7}
    assert sorted(reads) == sorted(KEYS)
    assert (indexed / "index.json").exists()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content[: len(content) // 2],
        lambda content: content + b"\n",
        lambda content: content.replace(b"[0, ", b"[1, ", 1),
        lambda content: content.rpartition(b', "seal"')[0] + b"}\n",
        lambda content: b"\xff" * 100,
        lambda content: b"[" * 10**5,
        lambda content: b"[]",
        lambda content: b"null",
    ],
)
def test_a_damaged_index_is_built_anew(indexed, reads, spoil):
    path = indexed / "index.json"
    whole = path.read_bytes()
    path.write_bytes(spoil(whole))
    assert path.read_bytes() != whole
    with DocumentStore(indexed) as store:
        finished = store.finished(["n", "status"])
        assert [finished(key)["n"] for key in KEYS] == [*range(20)]
        assert store.problems() == ()
    assert sorted(reads) == sorted(KEYS)
    assert path.read_bytes() == whole


def test_no_changed_bit_of_it_changes_an_answer(indexed):
    path = indexed / "index.json"
    whole = path.read_bytes()
    expected = numbers(indexed)
    for place in range(0, len(whole), 23):
        changed = bytearray(whole)
        changed[place] ^= 1 << place % 8
        path.write_bytes(changed)
        with DocumentStore(indexed) as store:
            finished = store.finished(["n"])
            assert {key: finished(key)["n"] for key in KEYS} == expected


def test_a_folder_in_its_place_is_told_about(indexed):
    (indexed / "index.json").unlink()
    (indexed / "index.json").mkdir()
    with DocumentStore(indexed) as store:
        assert store.finished(["n"])(KEYS[7]) == {"n": 7}
        (problem,) = store.problems()
    assert problem.startswith(f"cannot write {indexed}/index.json: Is a directory; repair")


def test_shards_that_others_change_add_or_take_are_seen(indexed, tmp_path, record):
    expected = dict(zip(KEYS, range(20), strict=True))
    path_of(indexed, KEYS[0]).unlink()
    del expected[KEYS[0]]
    shutil.rmtree(path_of(indexed, KEYS[1]).parent)
    del expected[KEYS[1]]
    with DocumentStore(tmp_path / "other", create=True) as other:
        other.write(record(KEYS[2], n=77))
    shutil.copy(path_of(tmp_path / "other", KEYS[2]), path_of(indexed, KEYS[2]))
    expected[KEYS[2]] = 77
    assert numbers(indexed) == expected


def test_a_changed_byte_of_a_shard_is_found_though_its_times_are_set_back(indexed):
    path = path_of(indexed, KEYS[5])
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b"0.75", b"0.76"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with DocumentStore(indexed) as store:
        assert store.finished(["n", "status"])(KEYS[5]) is None
        (problem,) = store.problems()
        assert problem.startswith(f"{path} is truncated or damaged: it was moved to")


def test_two_shards_that_change_places_are_found(indexed):
    one, other = (path_of(indexed, key) for key in KEYS[5:7])
    kept = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(kept)
    with DocumentStore(indexed) as store:
        finished = store.finished(["n", "status"])
        assert (finished(KEYS[5]), finished(KEYS[6])) == (None, None)
        assert len(store.problems()) == 2


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


def test_killed_at_any_step_it_leaves_an_index_that_is_right_or_none(indexed, child):
    script = """
from aucbench.store import index
index.MANY, index.SETTLED = 1, -(10**18)
left = int(sys.argv[2])
def dying(act):
    def acts(*given, **more):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), 9)
        return act(*given, **more)
    return acts
with DocumentStore(folder) as store:
    Path.replace, Path.unlink, os.fsync = map(dying, (Path.replace, Path.unlink, os.fsync))
    Path.open = dying(Path.open)
    store.finished(["n", "status"])
"""
    expected = dict(zip(KEYS, range(20), strict=True))
    for steps in range(100):
        (indexed / "index.json").unlink(missing_ok=True)
        writer = child(script, indexed, steps)
        writer.communicate()
        assert numbers(indexed) == expected
        if writer.returncode == 0:
            break
    assert steps > 5
