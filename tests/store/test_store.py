import json
import shutil
import subprocess
from io import BytesIO
from zipfile import ZipFile

import numpy as np
import pytest

from aucbench.bench.results.store import Store as Records
from aucbench.data.packed import pack_arrays, unpack_arrays
from aucbench.errors import DataError
from aucbench.store import SCHEMA, DocumentStore
from aucbench.store import shard as shard_module

MARKER = "aucbench-results.json"
PRIVATE = ("run.lock", "run.json", "index.json")  # of this host: git does not take them


def shard(folder, cell):
    return folder / "cells" / cell[:2] / f"{cell}.json"


def test_records_and_scores_come_back_in_the_order_of_ids(store, record, npz):
    for cell in ("ff00", "0a1b", "ff-1", "0a1b2"):
        store.write(record(cell, curve=[{"passes": 1.0, "auc": 0.5}]), npz(test=np.arange(3.0)))

    with DocumentStore(store.folder) as later:
        assert [r["id"] for r in later.documents()] == ["0a1b", "0a1b2", "ff-1", "ff00"]
        assert later.read("ff00") == record("ff00", curve=[{"passes": 1.0, "auc": 0.5}])
        assert later.blob("ff00", unpack_arrays)["test"].tolist() == [0, 1, 2]
        assert later.read("ff01") is later.blob("ff01", bytes) is None
        assert later.problems() == ()


def test_the_folder_has_the_layout_that_others_rely_on(store, record, npz):
    store.write(record("0a1b"), npz(test=np.arange(3.0)))
    with store.alone(pytest.fail):
        files = {str(p.relative_to(store.folder)) for p in store.folder.rglob("*") if p.is_file()}
    assert files == {
        *(".gitignore", ".gitattributes", MARKER, "run.lock", "run.json"),
        *("cells/0a/0a1b.json", "scores/0a/0a1b.npz"),
    }
    marker = json.loads((store.folder / MARKER).read_text())
    assert (marker["format"], marker["schema"]) == ("aucbench results", SCHEMA)


def test_a_write_takes_the_place_of_the_older_record_and_its_scores(store, record, npz):
    store.write(record("0a1b"), npz(test=np.zeros(2)))
    store.write(record("0a1b", auc=0.9), npz(test=np.ones(2)))
    assert store.read("0a1b")["auc"] == 0.9
    with pytest.raises(DataError, match="nan"):  # one that is refused leaves the older one
        store.write(record("0a1b", auc=float("nan")), npz(test=np.zeros(2)))
    assert store.read("0a1b")["auc"] == 0.9
    assert store.blob("0a1b", unpack_arrays)["test"].tolist() == [1, 1]

    store.write(record("0a1b", status="error"))
    assert store.read("0a1b")["status"] == "error"
    assert store.blob("0a1b", unpack_arrays) is None
    assert not [*(store.folder / "scores").rglob("*.npz")]


SPOILT = [  # how a text is spoilt, what is said of it, and the name that the file gets
    (lambda text: text[: len(text) // 2], "is truncated or damaged", "damaged"),
    (lambda text: b"", "is truncated or damaged", "damaged"),
    (lambda text: b"[" * 10**5, "is truncated or damaged", "damaged"),
    (lambda text: b"\xff\xfe", "is truncated or damaged", "damaged"),
    (lambda text: text.replace(b"0.75", b"0.99"), "is truncated or damaged", "damaged"),
    (lambda text: b"<<<<<<< ours\n" + text + b"=======\n", "is truncated or damaged", "damaged"),
    (lambda text: text.replace(b'schema": %d' % SCHEMA, b'schema": 7'), "another schema", "schema"),
    (lambda text: text.replace(b'"0a1b"', b'"0a1c"'), "the result of another key", "foreign"),
]


@pytest.mark.parametrize(("spoil", "told", "name"), SPOILT)
def test_a_spoilt_shard_is_told_about_set_aside_and_can_be_computed_again(
    store, record, spoil, told, name
):
    for cell in ("0a1a", "0a1b"):
        store.write(record(cell))
    path = shard(store.folder, "0a1b")
    spoilt = spoil(path.read_bytes())
    path.write_bytes(spoilt)

    assert [r["id"] for r in store.documents()] == ["0a1a"]
    assert store.read("0a1b") is None
    (problem,) = store.problems()
    assert f"{told}: it was moved to " in problem
    assert problem.startswith(f"{path} ")
    assert problem.endswith("and its result counts as missing")
    (aside,) = (store.folder / "aside").iterdir()
    assert aside.name.startswith(f"0a1b.json.{name}.")
    assert aside.read_bytes() == spoilt

    store.write(record("0a1b", auc=0.5))
    assert [r["auc"] for r in store.documents()] == [0.75, 0.5]
    assert len(store.problems()) == 1


def test_a_shard_in_the_wrong_place_is_set_aside_and_other_files_stay(store, record, tmp_path):
    store.write(record("0a1b"))
    cells, mine = store.folder / "cells", tmp_path / "work" / "notes.json"
    (cells / "ff").mkdir()
    shutil.copy(shard(store.folder, "0a1b"), cells / "ff" / "0a1b.json")
    shutil.copy(shard(store.folder, "0a1b"), cells / "0a" / "0a1b (copy).json")
    (cells / "ff" / ".nfs0001").touch()
    (cells / "notes.txt").touch()
    mine.parent.mkdir()
    mine.write_text("[1]")
    (cells / "no").symlink_to(mine.parent)

    assert [r["id"] for r in store.documents()] == ["0a1b"]
    *moved, linked = store.problems()
    assert len(moved) == len([*(store.folder / "aside").iterdir()]) == 2
    assert all("is in the wrong folder" in told for told in moved)
    assert "it stays, since a link" in linked
    assert (cells / "ff" / ".nfs0001").exists()
    assert (cells / "notes.txt").exists()
    assert mine.read_text() == "[1]"


def test_a_new_folder_is_made_when_something_is_written(tmp_path, record):
    folder = tmp_path / "a" / "b"
    with DocumentStore(folder, create=True) as store:
        assert [*store.documents()] == []
        assert store.finished(["auc"])("0a1b") is None
    assert [*tmp_path.iterdir()] == []
    with DocumentStore(folder, create=True) as store, store.alone(pytest.fail):
        store.write(record("0a1b"))
    assert DocumentStore(folder).read("0a1b") is not None


@pytest.mark.parametrize("meanwhile", ["replaced", "set aside", "set aside and replaced"])
def test_who_judges_a_shard_late_does_not_set_its_successor_aside(
    store, record, monkeypatch, meanwhile
):
    store.write(record("0a1b"))
    path = shard(store.folder, "0a1b")
    path.write_bytes(b"{")
    fault_of = shard_module.fault_of

    def slow(cell, text):
        monkeypatch.setattr(shard_module, "fault_of", fault_of)
        with DocumentStore(store.folder) as other:
            if meanwhile != "replaced":
                assert other.read(cell) is None
            if meanwhile != "set aside":
                other.write(record(cell, auc=0.5))
        return fault_of(cell, text)

    monkeypatch.setattr(shard_module, "fault_of", slow)
    assert store.read("0a1b") is None
    assert store.problems() == ()
    assert (store.read("0a1b") is not None) == (meanwhile != "set aside")
    assert store.problems() == ()
    aside = store.folder / "aside"
    left = [p.read_bytes() for p in aside.iterdir()] if aside.exists() else []
    assert left == ([] if meanwhile == "replaced" else [b"{"])


def cut_array(npz, keep):
    """A whole archive of an array of which the first bytes are left."""
    content, cut = npz(array=np.arange(3.0)), BytesIO()
    with ZipFile(BytesIO(content)) as whole, ZipFile(cut, "w") as shorter:
        shorter.writestr("array.npy", whole.read("array.npy")[:keep])
    return cut.getvalue()


ARRAYS = {
    "rows": np.arange(6.0).reshape(2, 3),
    "columns": np.asfortranarray(np.arange(6).reshape(2, 3)),
    "number": np.array(3.5),
    "no row": np.zeros((0, 3), np.int8),
    "texts": np.array(["a", "bcd"]),
    "flags": np.array([True, False]),
}


def test_each_kind_of_array_comes_back_as_it_was(store, record):
    store.write(record("0a1b"), pack_arrays(ARRAYS))
    found = store.blob("0a1b", unpack_arrays)
    assert {*found} == {*ARRAYS}
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(found[name], array)
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert found[name].flags.writeable


PICKLE = np.array([print, None], dtype=object)
BLOBS = [  # that are no arrays, and a word of what is said
    *((lambda npz, text=text: text, "not an npz file") for text in (b"", b"\x80\x04K\x01.")),
    *((lambda npz, text=text: text, "not an npz file") for text in (b"\x93NUMPY", b"PK\x03\x04")),
    *((lambda npz, n=n: cut_array(npz, n), "not an npz file") for n in (5, 9, 60, 130)),
    (lambda npz: npz(test=PICKLE), "Object arrays cannot be loaded"),
]


@pytest.mark.parametrize(("made", "word"), BLOBS)
def test_scores_that_are_no_arrays_are_told_about_and_never_unpickled(
    store, record, npz, made, word
):
    store.write(record("0a1b"), made(npz))
    assert store.blob("0a1b", unpack_arrays) is None
    (problem,) = store.problems()
    assert word in problem
    assert "delete" in problem
    assert store.read("0a1b") is not None


def test_scores_of_another_attempt_are_not_served(store, record, npz):
    store.write(record("0a1b"), npz(test=np.zeros(2)))
    scores = store.folder / "scores" / "0a" / "0a1b.npz"
    scores.write_bytes(npz(test=np.ones(2)))
    assert store.blob("0a1b", unpack_arrays) is None
    scores.unlink()
    assert store.blob("0a1b", unpack_arrays) is None

    wrong, missing = store.problems()
    assert "it is not the file that its shard names" in wrong
    assert "it is missing" in missing


@pytest.mark.parametrize("gone", ["moved", "deleted", "replaced", "without its marker"])
def test_a_folder_that_is_gone_is_not_made_again(folder, record, gone):
    with Records(folder, create=True) as records:
        DocumentStore.write(records, record("ff00"))
        if gone == "without its marker":
            (folder / MARKER).unlink()
        elif gone == "deleted":
            shutil.rmtree(folder)
        else:
            folder.rename(folder.with_name("elsewhere"))
        if gone == "replaced":
            Records(folder, create=True).home.require()
        before = sorted(folder.rglob("*"))

        for act in (
            lambda: DocumentStore.write(records, record("0a1b")),
            lambda: records.alone(pytest.fail).__enter__(),
            lambda: records.keep_plan("splits = 5\n"),
            lambda: records.keep_about({"aa": {"n": 1}}),
            lambda: records.keep_targets({"aa": b"1"}),
        ):
            with pytest.raises(DataError, match="moved or deleted"):
                act()
    assert sorted(folder.rglob("*")) == before
    assert folder.exists() == (gone in ("replaced", "without its marker"))


def test_what_is_no_results_folder_is_refused_and_left_alone(tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("mine")
    (tmp_path / "empty").mkdir()
    before = sorted(tmp_path.rglob("*"))

    for create, name, words in [
        (False, "absent", "no results folder"),
        (False, "empty", "is empty"),
        *((create, "full", r"thesis\.tex") for create in (False, True)),
        *((create, "file", "Not a directory") for create in (False, True)),
        (True, "file/in", "Not a directory"),
    ]:
        with pytest.raises(DataError, match=words):
            DocumentStore(tmp_path / name, create=create)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "damaged"),
        ("[1]", "damaged"),
        ('{"format": "aucbench results", "schema": 1}', "schema 1"),
        ('{"format": "other results", "schema": 2}', "other results"),
    ],
)
def test_a_folder_with_another_marker_is_refused(folder, text, words):
    DocumentStore(folder, create=True).home.require()
    (folder / MARKER).write_text(text)
    for create in (False, True):
        with pytest.raises(DataError, match=words):
            DocumentStore(folder, create=create)


def test_a_creation_that_was_not_finished_is_taken_up(folder):
    folder.mkdir()
    (folder / f".{MARKER}.{MARKER}.0123456789abcdef.tmp").touch()
    DocumentStore(folder, create=True).home.require()
    assert (folder / MARKER).exists()


def test_each_plan_is_kept_once(store):
    records = Records(store.folder)
    for text in ("splits = 5\n", "splits = 10 # ±\n", "splits = 5\n"):
        records.keep_plan(text)
    assert sorted(Records(store.folder).plans().values()) == ["splits = 10 # ±\n", "splits = 5\n"]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_merges_two_folders_and_keeps_shards_whole(store, record):
    def git(*command, check=True):
        who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
        line = ["git", "-C", str(store.folder), *who, *command]
        return subprocess.run(line, check=check, capture_output=True, text=True).stdout

    def commit():
        git("add", "--all")
        git("commit", "-m", "results")

    git("init")
    for name in PRIVATE:
        (store.folder / name).touch()
    for branch, auc in (("other", 0.5), ("main", 0.6)):
        git("checkout", "--orphan", branch)
        store.write(record("0b00", auc=auc))
        commit()
    git("merge", "--allow-unrelated-histories", "other", check=False)

    assert not {*git("ls-files").split()} & {*PRIVATE}
    assert "0b00.json" in git("diff", "--name-only", "--diff-filter=U")
    assert [(r["id"], r["auc"]) for r in store.documents()] == [("0b00", 0.6)]
    assert store.problems() == ()


START = """
print("ready", flush=True)
sys.stdin.readline()
with DocumentStore(folder, create=True) as store:
    store.write({"id": sys.argv[2]})
"""


def test_several_processes_may_start_one_folder_at_once(folder, child):
    starters = [child(START, folder, f"0{number}") for number in range(4)]
    assert [starter.stdout.readline() for starter in starters] == ["ready\n"] * 4
    for starter in starters:
        starter.stdin.write("\n")
        starter.stdin.flush()
    assert [starter.wait() for starter in starters] == [0] * 4
    assert [r["id"] for r in DocumentStore(folder).documents()] == ["00", "01", "02", "03"]
