"""Files by their formats and names, in a folder, its manifest and the catalogue; and tables."""

import csv
import gzip
import hashlib
import os
import struct
import sys
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from refusals import assert_refused
from scipy.sparse import csr_array, random_array
from tables import FORMATS, PACKERS, framed, matrix, npz, table, written

from aucbench import get_dataset
from aucbench.bench.worker.rows import data_hash, load_data, save_data
from aucbench.datasets import available, load
from aucbench.datasets.memory import frame_of, is_table
from aucbench.errors import DataError, MissingExtraError, UnknownNameError

X, Y = matrix()
FILES = [
    *("set" + ending for ending in FORMATS),
    *("set.svm.xz", "set.csv.gz", "set.txt", "set", "set.parquet.zip"),
]


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_back_what_was_written_and_refuses_other_content(name, tmp_path):
    data = load(path := written((X, Y), tmp_path / name))
    np.testing.assert_array_equal(data.rows.dense().matrix, X)
    np.testing.assert_array_equal(data.y, Y)
    of_arrays = "." not in name or ".svm" in name or name.endswith((".txt", ".npz"))
    assert data.names == (None if of_arrays else ("c0", "c1", "c2", "c3"))
    for content in (b"", b"\n", b"\x00\xff" * 50, b"<html>not found</html>\n" * 3):
        path.write_bytes(content)
        assert_refused(partial(load, path), DataError, str(path))


def test_npz_also_holds_csr_parts(tmp_path):
    S = csr_array(random_array((30, 50), density=0.1, rng=np.random.default_rng(0), format="csr"))
    parts = {"data": S.data, "indices": S.indices, "indptr": S.indptr, "shape": S.shape}
    data = load(path := written(npz(y=Y, **parts), tmp_path / "s.npz"))
    assert data.rows.is_sparse
    np.testing.assert_array_equal(data.rows.matrix.toarray(), S.toarray())
    for wrong, word in (
        ({"y": Y, **parts, "indices": S.indices + 40}, "npz"),
        ({"labels": Y, **parts}, "data, indices, indptr, labels, shape"),
    ):
        written(npz(**wrong), path)
        assert_refused(partial(load, path), DataError, word)


def test_a_pickle_is_never_opened(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "exploded"),))

    path = written(npz(X=np.array([[Bomb()]] * 30, dtype=object), y=Y), tmp_path / "b.npz")
    assert_refused(partial(load, path), DataError, "pickle")
    assert not (tmp_path / "exploded").exists()


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [("t.parquet", "pyarrow", "parquet"), ("t.xlsx", "openpyxl", "excel")],
)
def test_a_missing_optional_package_is_named(name, package, extra, tmp_path, monkeypatch):
    path = written((X, Y), tmp_path / name)
    monkeypatch.setitem(sys.modules, package, None)
    assert_refused(partial(load, path), MissingExtraError, f"aucbench[{extra}]")


def test_drop_takes_names_and_numbers_and_positive_numbers_and_texts(tmp_path):
    path = written(framed(X, Y, "label", 1), tmp_path / "t.csv")
    data = load(path, drop=["c1", 0])
    assert data.names == ("c2", "c3")
    np.testing.assert_array_equal(data.rows.matrix, X[:, 2:])
    np.testing.assert_array_equal(load(path, drop="3").rows.matrix, X[:, :3])
    y = np.arange(30) % 4
    path = written((X, y), tmp_path / "m.svm")
    for positive in ([1, 3], ("1", "3"), ["1.0", 3]):
        data = load(path, positive=positive, negative="rest")
        np.testing.assert_array_equal(data.y, np.where(y % 2, 1, -1))


def test_a_name_is_looked_up_in_the_folder(folder):
    written((X, Y), folder / "a.t.svm.xz")
    written(framed(X, Y), folder / "table.csv")
    (folder / "a.t.features.txt").write_text("p\tlong text\nq\nr\ns\n")
    (folder / "README.txt").write_text("hello")
    assert available() == ("a.t", "table")
    assert load("a.t").names == ("p", "q", "r", "s")
    assert load("table").n == 30
    said = assert_refused(partial(load, "tabel"), UnknownNameError, "'table'")
    assert "a.t, table" in said
    wide = np.zeros((30, 6))
    wide[:, 0], wide[:, 3] = np.arange(30), 1
    written((wide, Y), folder / "w.svm")
    (folder / "w.features.txt").write_text("\n".join("abcdef"))  # also of empty last columns
    assert (load("w").d, load("w").names) == (6, tuple("abcdef"))
    (folder / "w.features.txt").write_text("a\nb\n")
    assert_refused(partial(load, "w"), DataError, "4 features")
    written(framed(X, Y), folder / "table.csv.gz")
    assert_refused(partial(load, "table"), DataError, "table.csv and table.csv.gz")


def manifest(folder, name, path, **columns):
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    row = {"name": name, "file": path.name, "sha256": digest, **columns}
    with (folder / "MANIFEST.csv").open("w", newline="") as out:
        writer = csv.DictWriter(out, row)
        writer.writeheader()
        writer.writerow(row)


def test_a_hash_in_the_manifest_is_verified(folder):
    path = written((X, Y), folder / "h.svm")
    manifest(folder, "h", path, features=7)
    assert available() == ("h",)
    assert load("h").d == 7
    path.write_bytes(path.read_bytes().replace(b"-1 ", b"1 ", 1))
    for source in ("h", path):
        assert_refused(partial(load, source), DataError, "sha256")
    (folder / "MANIFEST.csv").write_bytes(b"name,file\n\xff\xfe,\x00\n")
    assert_refused(partial(load, "h"), DataError, "MANIFEST.csv")


def test_the_catalogue_speaks_for_names_and_listed_files_only(folder):
    y = np.where(np.arange(30) % 3, 2, 1)
    path = written((X, y), folder / "skin.svm")
    np.testing.assert_array_equal(load("skin").y, np.where(y == 1, 1, -1))
    np.testing.assert_array_equal(load("skin", positive=2).y, np.where(y == 2, 1, -1))
    assert_refused(partial(load, path), DataError, "positive")
    manifest(folder, "skin", path)
    np.testing.assert_array_equal(load(path).y, np.where(y == 1, 1, -1))
    written((X, Y), folder / "bank.svm")  # of which it leaves a column out
    (folder / "bank.features.txt").write_text("age\nduration\nweight\npulse\n")
    assert load("bank").names == ("age", "weight", "pulse")
    assert load("bank", drop=["age"]).names == ("duration", "weight", "pulse")
    assert load("bank", drop=("none",)).d == get_dataset("bank[drop=none]").d == 4


def test_mnist_is_read_from_its_four_files(folder):
    def write(part, images, labels):
        for kind, array in (("images-idx3", images), ("labels-idx1", labels)):
            head = struct.pack(f">BBBB{array.ndim}i", 0, 0, 8, array.ndim, *array.shape)
            content = gzip.compress(head + array.astype(np.uint8).tobytes())
            (folder / f"mnist-{part}-{kind}-ubyte.gz").write_bytes(content)

    images = np.random.default_rng(0).integers(1, 256, (20, 3, 2))
    labels = np.arange(20) % 10
    write("train", images[:14], labels[:14])
    write("t10k", images[14:], labels[14:])
    assert available() == ("mnist",)
    for data in (load("mnist"), load("mnist", positive=[5, 6, 7, 8, 9], negative="rest", drop=())):
        np.testing.assert_array_equal(data.rows.matrix, images.reshape(20, 6))
        np.testing.assert_array_equal(data.y, np.where(labels > 4, 1, -1))
    write("t10k", images[14:, :2], labels[14:])
    assert_refused(partial(load, "mnist"), DataError, "image size")
    write("t10k", images[14:], labels[15:])
    assert_refused(partial(load, "mnist"), DataError, "6 images")
    last = folder / "mnist-t10k-labels-idx1-ubyte.gz"
    for content, word in ((gzip.compress(b"\0\0\x08\1\0\0"), "1 dimension"), (b"nothing", "idx")):
        last.write_bytes(content)
        assert_refused(partial(load, "mnist"), DataError, word)
    last.unlink()
    assert_refused(partial(load, "mnist"), DataError, "missing")


# Compressed files


HALVES = (b"a,b,y\n" + b"0.5000000,1,1\n0.0000000,2,0\n" * 50, b"0.1,3,1\n" * 50)


@pytest.mark.parametrize("ending", [".xz", ".bz2", ".gz"])
def test_streams_follow_each_other_with_zeros_between_and_after_them_and_nothing_else(
    tmp_path, ending
):
    path, (first, more) = tmp_path / f"rows.csv{ending}", map(PACKERS[ending], HALVES)
    for zeros in (b"", bytes(2_000 if ending == ".gz" else 2_000_000)):  # gzip takes one by one
        path.write_bytes(first + zeros + more + zeros)
        assert load(path).n == 150
    damaged = more[:20] + b"????" + more[24:]
    for rest in (b"x", b"\0\0\0\0rubbish", more[:2], more[:-1], damaged):
        path.write_bytes(first + rest)
        assert_refused(partial(load, path), DataError, path.name)


# Columns of float32 stay float32


N = 500
SINGLE = np.random.default_rng(0).standard_normal((N, 3), dtype=np.float32)
SIDES = (SINGLE[:, 0] > 0.5).astype(int)


def test_float32_columns_stay_float32(tmp_path):
    for ending in (".parquet", ".feather", ".npz"):
        path = written((SINGLE, SIDES), tmp_path / f"rows{ending}")
        for data in (load(path), load(framed(SINGLE, SIDES))):
            assert data.rows.stored.dtype == np.float32
            assert np.array_equal(data.rows.stored.reshape(N, 3), SINGLE)
    whole = pd.DataFrame({"a": np.arange(N, dtype=np.int8), "y": SIDES})
    text = framed(SINGLE, SIDES).assign(text=["red", "blue"] * (N // 2))
    for frame in (whole, text):
        assert load(frame, target="y").rows.stored.dtype == np.float64


@pytest.mark.parametrize(
    ("more", "dtype"),
    [
        (np.arange(N, dtype=np.int16), np.float32),
        (np.arange(N) % 2 == 0, np.float32),
        (np.arange(N, dtype=np.int32), np.float64),
        (np.arange(N) / 7, np.float64),
    ],
)
def test_columns_that_float32_has_exactly_may_stand_beside(more, dtype):
    made = framed(SINGLE, SIDES).assign(more=more, who=np.arange(N) + 2**40)
    data = load(made, groups="who", target="y")  # whose type changes nothing
    assert data.rows.stored.dtype == dtype
    assert np.array_equal(data.rows.matrix[:, 3], made["more"].astype(np.float64))
    assert data.groups.max() == N - 1


# Tables in memory are read as files are


@pytest.fixture
def frame():
    made = table(0, 60, "age ward since smokes lab", gaps={"lab": 0.2}, labels=(0, 1))
    return made.set_axis(np.arange(60)[::-1])


def described(data):
    return data_hash(data), data.names, data.schema, data.understood


def test_a_table_is_read_as_its_file(frame, tmp_path):
    asked = {"target": "y", "time": "since"}
    wanted = described(load(written(frame, tmp_path / "t.parquet"), **asked))
    assert data_hash(load(written(frame, tmp_path / "t.csv"), **asked)) == wanted[0]
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    for source in (frame, pl.from_pandas(frame), arrow, arrow.to_batches()[0]):
        assert is_table(source)
        assert described(load(source, **asked)) == wanted


def test_labels_keep_their_type_also_in_another_process(frame, tmp_path):
    assert load(frame, target="y").understood.positive == (1,)
    data = load(frame, target="smokes")
    assert data.understood.positive == (True,)
    save_data(data, tmp_path / "saved")
    assert described(load_data(tmp_path / "saved")) == described(data)


def test_test_rows_are_a_table_too_and_names_are_texts(frame):
    data = load(frame[:40], target="y", test=pl.from_pandas(frame[40:]))
    assert np.array_equal(data.folds, np.repeat([-1, 0], [40, 20]))
    assert next(iter(frame_of(frame.rename(columns={"age": 7})))) == "7"
    assert not is_table(np.zeros((3, 2)))
