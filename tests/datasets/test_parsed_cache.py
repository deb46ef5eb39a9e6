"""The cache of data sets that have been read: the same data as without it, or none."""

import gzip
import lzma
import os
import shutil
import subprocess
import sys
from errno import ENOSPC
from mmap import mmap
from pathlib import Path
from time import process_time
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from bench_toys import cell

from aucbench.bench.requests import data_job
from aucbench.bench.worker import jobs
from aucbench.bench.worker.rows import data_hash
from aucbench.datasets import changepoint, files, load, parsed
from aucbench.datasets.catalogue import Entry
from aucbench.datasets.collections import Member
from aucbench.datasets.formats import Table
from aucbench.datasets.reading import Reading
from aucbench.datasets.sources import Published
from aucbench.errors import DataError, UnknownNameError
from aucbench.processes.linux.described import Notes
from aucbench.processes.room import Room

FIELDS = ("names", "dropped", "schema", "understood", "n", "d")
TIES = ("folds", "groups", "times")
LAYOUT = ("stored", "columns", "starts")
RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """An empty cache that also has small files, and those that have just been written."""
    monkeypatch.setenv("AUCBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("AUCBENCH_DATA", raising=False)
    monkeypatch.delenv("AUCBENCH_PARSED_MB", raising=False)
    monkeypatch.setattr(parsed, "LEAST", 0)
    monkeypatch.setattr(parsed, "SETTLED", 0)
    return tmp_path / "cache" / "parsed"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


def entries(cache):
    return sorted(cache.iterdir()) if cache.is_dir() else []


def clear(cache):
    for folder in (cache, cache.parent / "labels"):
        shutil.rmtree(folder)


def without_reader(monkeypatch):
    """Let every reader fail, so that a load can only come from the cache."""

    def fail(*args, **kwargs):
        raise AssertionError("a file was read")

    monkeypatch.setattr(files, "_read", fail)
    monkeypatch.setattr(changepoint, "load_parts", fail)


def svmlight(path, n=40, d=6, share=1.0, seed=0):
    rng = np.random.default_rng(seed)
    lines = []
    for i in range(n):
        at = np.flatnonzero(rng.random(d) < share)
        cells = " ".join(
            f"{j + 1}:{x!r}" for j, x in zip(at, rng.normal(size=at.size).tolist(), strict=True)
        )
        lines.append(f"{1 if i % 3 else -1} {cells}\n")
    text = "".join(lines).encode()
    path.write_bytes(lzma.compress(text) if path.suffix == ".xz" else text)
    return path


def table(n=60, seed=0):
    rng = np.random.default_rng(seed)
    sick = np.arange(n) % 3 == 0
    return pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.2, np.nan, rng.normal(40, 9, n).round(3)),
            "color": rng.choice(["blue", "röd", "green"], n),
            "day": pd.date_range("2020-01-01", periods=n, freq="31h").strftime("%Y-%m-%d"),
            "patient": [f"p{k}" for k in range(n)],
            "site": rng.choice(["a", "b", "c", "d"], n),
            "count": rng.integers(1, 5, n),
            "sick": np.where(sick, "yes", "no"),
        }
    )


def csv(path, **given):
    table(**given).to_csv(path, index=False)
    return path


def dense(folder):
    return svmlight(folder / "dense.svm.xz"), {}


def sparse(folder):
    return svmlight(folder / "wide.svm", d=50, share=0.1), {}


def named(folder):
    (folder / "MANIFEST.csv").write_text("name,file,features\nbank,bank.svm,6\n")
    (folder / "bank.features.txt").write_text("age\nday\nduration\na\nb\nc\n")
    return svmlight(folder / "bank.svm"), {"drop": ("none",)}


def genes(folder):
    (folder / "MANIFEST.csv").write_text("name,file,features\ncolon,genes.svm,6\n")
    (folder / "genes.features.txt").write_text("Hsa.1036\na\nHsa.290\nb\nc\nd\n")
    return svmlight(folder / "genes.svm"), {}


def texts(folder):
    return csv(folder / "table.csv"), {"target": "sick"}


def roles(folder):
    asked = {"groups": "site", "time": "day", "weights": "count", "drop": ["patient"]}
    return csv(folder / "roles.csv"), {"target": "sick", "positive": "no", **asked}


def suspicious(folder):
    return csv(folder / "table.csv"), {"target": "sick", "drop_suspicious": True}


def with_test_rows(folder):
    csv(folder / "later.csv", n=30, seed=1)
    return csv(folder / "table.csv"), {"target": "sick", "test": str(folder / "later.csv")}


def numbers(folder):
    text = "a;b;y\n" + "".join(f"{k},5;{k % 7};{k % 2}\n" for k in range(30))
    (folder / "numbers.csv").write_text(text)
    return folder / "numbers.csv", {"decimal": ",", "encode": "none", "separator": ";"}


def arrays(folder):
    y = np.repeat([1, 2, 3], 10)
    np.savez(folder / "arrays.npz", X=RNG.normal(size=(30, 4)).astype(np.float32), y=y)
    return folder / "arrays.npz", {"positive": [np.int64(2), 3], "negative": "rest"}


def images(folder):
    pixels = RNG.integers(0, 255, (20, 2, 3)) * (RNG.random((20, 2, 3)) < 0.2)
    labels = np.arange(20) % 10
    for part, at in (("train", slice(14)), ("t10k", slice(14, 20))):
        for kind, array in (("images-idx3", pixels[at]), ("labels-idx1", labels[at])):
            header = b"\0\0\x08" + bytes([array.ndim]) + np.array(array.shape, ">i4").tobytes()
            content = gzip.compress(header + array.astype(np.uint8).tobytes(), mtime=0)
            (folder / f"small-{part}-{kind}-ubyte.gz").write_bytes(content)
    return folder / "small-train-images-idx3-ubyte.gz", {"positive": "3", "negative": "rest"}


def sequences(folder):
    text = {"features": "sequenceID,a,b,c\n", "folds": "sequenceID,chrom\n"}
    text["errors"] = "sequenceID,min_log_lambda,fp,fn,fold\n"
    for k in range(8):
        text["features"] += f"s{k},{k / 7!r},{k % 3},{'NA' if k == 5 else k}\n"
        text["errors"] += f"s{k},-inf,{k % 3},0,{k % 2}\ns{k},{k / 10!r},0,{k % 4},{k % 2}\n"
        text["folds"] += f"s{k},{k % 4}\n"
    for part, content in text.items():
        (folder / f"chip.{part}.csv").write_text(content)
    return folder / "chip.errors.csv", {"folds": "chrom", "drop": "b"}


KINDS = (dense, sparse, named, genes, images, sequences)
TABLES = (texts, roles, suspicious, with_test_rows, numbers, arrays)
CASES = (*KINDS, *TABLES)


@pytest.fixture(params=CASES, ids=lambda case: case.__name__)
def source(request, folder):
    """The path of a set, alone in a folder with all that belongs to it, and options of `load`."""
    return request.param(folder)


def assert_same(data, other):
    assert [getattr(data, f) for f in FIELDS] == [getattr(other, f) for f in FIELDS]
    assert [*data.understood.kinds] == [*other.understood.kinds]
    assert [*data.understood.dropped] == [*other.understood.dropped]
    found, wanted = (
        {
            **{name: getattr(one.rows, name) for name in LAYOUT},
            **{name: getattr(one, name) for name in TIES},
            **parsed.known_of(one),
        }
        for one in (data, other)
    )
    assert [*found] == [*wanted]
    for name, array in wanted.items():
        assert (found[name] is None) == (array is None), name
        if array is not None:
            assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape), name
            np.testing.assert_array_equal(found[name], array)
            assert not found[name].flags.writeable
    assert data_hash(data) == data_hash(other)


def test_a_second_load_reads_no_file_and_gives_the_same(source, cache, monkeypatch):
    path, asked = source
    monkeypatch.setenv("AUCBENCH_PARSED_MB", "0")
    plain = load(path, **asked)
    assert entries(cache) == []
    monkeypatch.delenv("AUCBENCH_PARSED_MB")
    first = load(path, **asked)
    assert len(entries(cache)) == 1
    without_reader(monkeypatch)
    second = load(path, **asked)

    assert_same(first, plain)
    assert_same(second, plain)
    assert isinstance(owner_of(second.rows.stored), mmap)
    assert len(entries(cache)) == 1


def owner_of(array):
    """What has the memory of an array."""
    owner = array
    while isinstance(owner, np.ndarray | memoryview):
        owner = owner.base if isinstance(owner, np.ndarray) else owner.obj
    return owner


def test_the_cases_are_of_all_kinds(folder):
    kinds = set()
    for case in CASES:
        shutil.rmtree(folder)
        folder.mkdir()
        data = load(case(folder)[0], **case(folder)[1])
        kinds |= {"csr" if data.rows.is_sparse else "dense", type(data.target).__name__}
        kinds |= {*data.ties, *parsed.known_of(data)}
        kinds |= {name for name in ("names", "dropped", "schema") if getattr(data, name)}
    assert {"csr", "dense", "Labels", "Breakpoints", "weights", "folds", "groups", "times"} <= kinds
    assert "relevant" in kinds
    assert {"names", "dropped", "schema"} <= kinds


def test_each_file_of_a_set_counts(source, folder, cache):
    """Each file of the folder belongs to the set, so that a change of any is another entry."""
    path, asked = source
    load(path, **asked)
    for file in sorted(folder.iterdir()):
        before = file.read_bytes()
        file.write_bytes(before.replace(b".svm,6", b".svm,5") + b"\n")
        try:
            load(path, **asked)
        except DataError:  # no longer what it was: not taken from the cache
            file.write_bytes(before)
            continue
        assert len(entries(cache)) == 2, file
        file.write_bytes(before)
        clear(cache)
        load(path, **asked)


def test_other_content_of_the_same_size_and_time_is_read(folder):
    path = folder / "small.svm"
    path.write_text("1 1:0.5\n-1 1:2\n")
    before = path.stat()
    assert load(path).rows.values.tolist() == [0.5, 2]
    path.write_text("1 1:0.7\n-1 1:2\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert load(path).rows.values.tolist() == [0.7, 2]


def test_a_test_file_that_changes_is_read(folder):
    path, asked = with_test_rows(folder)
    assert load(path, **asked).n == 90
    csv(folder / "later.csv", n=40, seed=1)
    assert load(path, **asked).n == 100


def test_what_is_asked_for_counts(folder, cache, monkeypatch):
    path = folder / "three.csv"
    path.write_text("a,b,y\n" + "".join(f"{k},{k * k % 11 + 1},{k % 3}\n" for k in range(30)))
    asked = [
        {"positive": 1, "negative": [0, 2]},
        {"positive": 1, "negative": "rest"},
        {"task": "first"},
        *({"task": "halves", "seed": seed} for seed in range(3)),
        {"positive": "1", "negative": "rest"},
        {"positive": [1, 2], "negative": "rest"},
        {"positive": np.float64(2), "negative": "rest", "drop": "a"},
        {"positive": np.float32(2), "negative": "rest", "drop": ["b"]},
        {"positive": 2, "negative": [0, 1], "drop_suspicious": True, "weights": "b"},
    ]
    before = [load(path, **one) for one in asked]
    assert len(entries(cache)) == len(asked)
    without_reader(monkeypatch)
    for one, data in zip(asked, before, strict=True):
        assert_same(load(path, **one), data)


def test_paths_count(folder, cache, monkeypatch):
    path = svmlight(folder / "one.svm")
    (folder / "sub").mkdir()
    load(path)
    load(shutil.copy2(path, folder / "sub"))
    assert len(entries(cache)) == 2
    monkeypatch.setenv("AUCBENCH_DATA", str(folder))
    monkeypatch.chdir(folder)
    load("one")
    load("one.svm")
    assert len(entries(cache)) == 2


def test_a_file_that_has_just_changed_is_not_stored(folder, cache, monkeypatch):
    monkeypatch.setattr(parsed, "SETTLED", 10**12)
    load(svmlight(folder / "one.svm"))
    assert entries(cache) == []


def test_a_rule_of_the_catalogue_counts(folder, monkeypatch):
    path, _ = named(folder)
    monkeypatch.setenv("AUCBENCH_DATA", str(folder))
    copy = shutil.copy(path, folder / "sub.svm")
    shutil.copy(folder / "bank.features.txt", folder / "sub.features.txt")
    assert (load("bank").d, load(path).d, load(path, drop=None).d, load(copy).d) == (5, 5, 6, 6)
    assert load("bank").understood.dropped.keys() == {"duration"}


def test_raw_files_of_a_known_set_are_kept(folder, cache, monkeypatch):
    paths = svmlight(folder / "train.svm"), svmlight(folder / "test.svm", n=20, seed=1)
    entry = Entry(name="own", d=6)
    monkeypatch.setattr(files, "source_of", lambda source: Published(entry, paths))
    before = load("own")
    with monkeypatch.context() as patch:
        without_reader(patch)
        assert_same(load("own"), before)
    svmlight(paths[1], n=30)
    assert (before.n, load("own").n, len(entries(cache))) == (60, 70, 2)


def test_sets_of_collections_are_kept_by_their_files(folder, cache, monkeypatch):
    file, called = folder / "set.dat", []
    file.write_bytes(bytes(parsed.LEAST))

    def read(name, wanted):
        called.append(name)
        frame = table()
        return Table(frame.drop(columns="sick"), frame["sick"].to_numpy())

    source = SimpleNamespace(PREFIX="own", table=read, fetch=lambda name, progress: (file,))
    found = files.source_of
    monkeypatch.setattr(
        files,
        "source_of",
        lambda text: Member(source, str(text)[4:]) if str(text).startswith("own:") else found(text),
    )
    first, second = load("own:set"), load("own:set")
    assert_same(second, first)
    assert called == ["set"]
    assert load("own:other").n == 60  # another set, though its file is the same
    file.write_bytes(bytes(parsed.LEAST + 1))
    load("own:set")
    assert called == ["set", "other", "set"]
    assert len(entries(cache)) == 3

    csv(folder / "table.csv")
    asked = {"target": "sick", "drop": "site", "positive": "yes", "test": "own:set"}
    first, second = load(folder / "table.csv", **asked), load(folder / "table.csv", **asked)
    assert_same(second, first)
    assert (first.n, called[3:]) == (120, ["set"])


def test_errors_are_those_of_the_reader(folder, cache):
    path, asked = images(folder)
    (folder / "small-t10k-labels-idx1-ubyte.gz").unlink()
    with pytest.raises(DataError, match=r"small-t10k-labels.* is missing"):
        load(path, **asked)
    with pytest.raises(DataError, match="there is no file"):
        load(csv(folder / "table.csv"), target="sick", test=str(folder / "none.csv"))
    with pytest.raises(UnknownNameError):
        load(folder / "table.csv", target="sick", test="nothing")
    (folder / "MANIFEST.csv").write_bytes(b"file,name\n\xff,\n")
    with pytest.raises(DataError, match="is not a CSV table"):
        load(folder / "table.csv", target="sick")
    assert entries(cache) == []


def test_a_file_that_the_manifest_denies_is_refused(folder, cache):
    path = svmlight(folder / "one.svm")
    load(path)
    (folder / "MANIFEST.csv").write_text(f"name,file,sha256\none,one.svm,{'0' * 64}\n")
    for _ in range(2):
        with pytest.raises(DataError, match=r"MANIFEST\.csv says 000000000000"):
            load(path)
    assert len(entries(cache)) == 1


def shortened(file):
    file.write_bytes(file.read_bytes()[:-3])


def flipped(at):
    def flip(file):
        content = bytearray(file.read_bytes())
        content[at] ^= 4
        file.write_bytes(content)

    return flip


def zeros(file):
    content = file.read_bytes()
    file.write_bytes(content[:64] + bytes(len(content) - 64))


def emptied(file):
    file.write_bytes(b"")


DAMAGES = (shortened, flipped(70), flipped(-20), flipped(-2), zeros, emptied, Path.unlink)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("kind", ["parsed", "labels"])
def test_a_damaged_entry_is_made_anew(folder, cache, monkeypatch, kind, damage):
    path, asked = sparse(folder)
    before = load(path, **asked)
    (entry,) = entries(cache)
    damage(cache.parent / kind / entry.name)

    assert_same(load(path, **asked), before)
    assert entries(cache) == [entry]
    without_reader(monkeypatch)
    assert_same(load(path, **asked), before)


def test_a_folder_that_cannot_be_made_is_no_error(folder, tmp_path, monkeypatch):
    path, asked = sparse(folder)
    before = load(path, **asked)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("AUCBENCH_CACHE", str(tmp_path / "file" / "cache"))
    assert_same(load(path, **asked), before)


@pytest.mark.parametrize("error", [OSError(ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_what_stops_the_writing_leaves_nothing(folder, cache, monkeypatch, error):
    def stopped(content):
        raise error

    monkeypatch.setattr(parsed, "_sum", stopped)
    path, asked = sparse(folder)
    if isinstance(error, OSError):
        assert load(path, **asked).n == 40
    else:
        with pytest.raises(KeyboardInterrupt):
            load(path, **asked)
    assert entries(cache) == entries(cache.parent / "labels") == []


def test_an_entry_that_cannot_be_touched_is_used(folder, cache, monkeypatch):
    path, asked = sparse(folder)
    before = load(path, **asked)

    def refused(path):
        raise PermissionError

    monkeypatch.setattr(parsed.os, "utime", refused)
    without_reader(monkeypatch)
    assert_same(load(path, **asked), before)


def test_the_second_of_two_writers_gives_way(folder, cache):
    path = svmlight(folder / "one.svm")
    wanted = load(path)
    clear(cache)

    def slow():
        parsed.read_once([path], "asked", lambda: wanted)  # another process is faster
        return wanted

    assert parsed.read_once([path], "asked", slow) is wanted
    (entry,) = entries(cache)
    assert_same(parsed.read_once([path], "asked", lambda: pytest.fail("read again")), wanted)
    assert not entry.name.startswith(parsed.NEW)


def test_processes_at_once_agree_and_leave_one_entry(folder, cache):
    path = folder / "large.npz"
    np.savez(path, X=RNG.normal(size=(2000, 4)), y=np.arange(2000) % 2)
    code = (
        "import sys; from aucbench.datasets import load\n"
        "sys.stdin.read(1); print(load(sys.argv[1]).rows.values.tobytes().hex())"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    started = [subprocess.Popen([sys.executable, "-c", code, path], **pipes) for _ in range(2)]
    for process in started:
        process.stdin.write("\n")
        process.stdin.flush()
    said = [process.communicate()[0].strip() for process in started]

    assert [process.returncode for process in started] == [0, 0]
    assert len(made := entries(cache)) == 1
    assert {*said} == {load(path).rows.values.tobytes().hex()}
    assert entries(cache) == made


def test_a_new_process_maps_and_parses_nothing(folder, monkeypatch):
    path = svmlight(folder / "big.svm", n=3000, d=40)
    load(path)
    code = (
        "import sys; from aucbench.datasets import load\n"
        "data = load(sys.argv[1])\n"
        "print(data.n, {'sklearn', 'pandas'} & {*sys.modules})"
    )
    said = subprocess.run(
        [sys.executable, "-c", code, path], check=True, capture_output=True, text=True
    )
    assert said.stdout == "3000 set()\n"


def test_a_file_that_changes_while_it_is_read_is_not_kept(folder, cache):
    path = svmlight(folder / "one.svm")

    def read():
        found = load(path)
        svmlight(path, seed=1)
        return found

    parsed.read_once([path], "asked", read)
    load(path)
    assert len(entries(cache)) == 2  # of both loads, none of `read`


def sets(folder, *names):
    """Write svmlight files with entries of some 330 kB each."""
    return [svmlight(folder / f"{name}.svm", n=1000, d=40, seed=k) for k, name in enumerate(names)]


def test_the_least_recently_used_entries_make_space(folder, cache, monkeypatch):
    monkeypatch.setenv("AUCBENCH_PARSED_MB", "1")
    made = []
    for path in sets(folder, "a", "b", "c"):
        load(path)
        (new,) = {*entries(cache)} - {*made}
        made.append(new)
    a, b, c = made
    for entry, seconds in ((a, 100), (b, 200), (c, 300)):
        for kind in ("parsed", "labels"):
            os.utime(cache.parent / kind / entry.name, (seconds, seconds))
    load(folder / "a.svm")  # used now
    (path,) = sets(folder, "d")
    load(path)
    [d] = {*entries(cache)} - {*made}

    assert entries(cache) == sorted([a, c, d])
    kept = (*entries(cache), *entries(cache.parent / "labels"))
    assert sum(file.stat().st_size for file in kept) < 1_000_000 + 20_000


def test_what_is_larger_than_the_cache_is_not_kept(folder, cache, monkeypatch):
    monkeypatch.setenv("AUCBENCH_PARSED_MB", "1")
    load(sets(folder, "a")[0])
    load(svmlight(folder / "large.svm", n=3300, d=40))
    assert len(entries(cache)) == 1


@pytest.mark.parametrize("given", ["-1", "much", "1.5", "nan"])
def test_a_size_that_is_none_is_refused(folder, monkeypatch, given):
    monkeypatch.setenv("AUCBENCH_PARSED_MB", given)
    with pytest.raises(DataError, match=f"AUCBENCH_PARSED_MB={given} is no number of megabytes"):
        load(svmlight(folder / "one.svm"))


def test_what_a_killed_process_left_is_removed_after_a_day(folder, cache):
    cache.mkdir(parents=True)
    for name in ("new-old", "new-young"):
        (cache / name).write_bytes(b"a part of it")
    os.utime(cache / "new-old", (1e9, 1e9))
    load(svmlight(folder / "one.svm"))
    assert [entry.name for entry in entries(cache)][1:] == ["new-young"]


def test_small_files_are_not_kept(folder, cache, monkeypatch):
    monkeypatch.setattr(parsed, "LEAST", 10_000)
    load(svmlight(folder / "one.svm", n=10))
    assert entries(cache) == []
    load(svmlight(folder / "two.svm", n=200))
    assert len(entries(cache)) == 1


def test_the_cache_can_be_removed_at_any_time(folder, cache):
    (path,) = sets(folder, "a")
    before = load(path)
    mapped = load(path)
    clear(cache)
    assert_same(mapped, before)
    assert_same(load(path), before)


def test_an_entry_is_for_its_owner_alone(folder, cache):
    load(svmlight(folder / "one.svm"))
    labels = cache.parent / "labels"
    assert {place.stat().st_mode & 0o777 for place in (cache, labels)} == {0o700}
    files = (*entries(cache), *entries(labels))
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


def test_no_folder_with_rows_has_labels(folder, cache):
    path, asked = sparse(folder)
    data = load(path, **asked)
    (entry,) = entries(cache)
    (labels,) = entries(cache.parent / "labels")

    assert labels.name == entry.name
    assert {*parsed._block(entry).names} == {"values", "columns", "starts"}
    assert {*parsed._block(labels).names} == {*parsed.known_of(data)}


def test_labels_of_which_the_rows_were_not_written_serve_again(folder, cache, monkeypatch):
    path, asked = sparse(folder)
    before = load(path, **asked)
    (entry,) = entries(cache)
    entry.unlink()

    assert_same(load(path, **asked), before)
    assert entries(cache) == [entry]
    without_reader(monkeypatch)
    assert_same(load(path, **asked), before)


def test_the_code_that_reads_counts(tmp_path, monkeypatch):
    package = Path(parsed.__file__).parent.parent
    for room in parsed.CODE:
        shutil.copytree(package / room, tmp_path / "package" / room)
    monkeypatch.setattr(parsed, "__file__", str(tmp_path / "package" / "datasets" / "parsed.py"))
    before = parsed._readers.__wrapped__()
    assert before == parsed._readers()
    for changed in ("datasets/label.py", "datasets/tables/cells.py", "data/arrays.py"):
        with (tmp_path / "package" / changed).open("a") as file:
            file.write("# changed\n")
        after = parsed._readers.__wrapped__()
        assert after != before
        before = after
    monkeypatch.setattr(parsed, "version", lambda name: "0.1")
    assert parsed._readers.__wrapped__() != before


def test_a_worker_uses_the_cache(folder, cache, tmp_path, monkeypatch):
    path = csv(folder / "table.csv")
    (step,) = data_job(cell("logistic", str(path), reading=Reading(target="sick"))).steps
    rooms = [tmp_path / name for name in ("first", "second")]
    for room in rooms:
        room.mkdir()
    first = jobs.read(step.request, Room(rooms[0], Notes()), {})
    assert len(entries(cache)) == 1
    without_reader(monkeypatch)
    assert jobs.read(step.request, Room(rooms[1], Notes()), {}) == first


@pytest.mark.parametrize(("name", "limit"), [("ijcnn1", 0.05), ("mnist", 0.1)])
def test_a_second_load_is_fast(data_folder, cache, monkeypatch, name, limit):
    """CPU time, since the machine may be busy with something else."""
    monkeypatch.setenv("AUCBENCH_DATA", str(data_folder))
    load(name)
    seconds = []
    for _ in range(5):
        begin = process_time()
        load(name)
        seconds.append(process_time() - begin)
    assert min(seconds) <= limit
