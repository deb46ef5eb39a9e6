from __future__ import annotations

import bz2
import csv
import gzip
import hashlib
import lzma
import os
import struct
import sys

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, random_array
from sklearn.datasets import dump_svmlight_file

from aucbench import get_dataset
from aucbench.datasets import available, load
from aucbench.errors import DataError, MissingExtraError, UnknownNameError

PACKERS = {"": bytes, ".xz": lzma.compress, ".bz2": bz2.compress, ".gz": gzip.compress}


@pytest.fixture
def X():
    made = np.round(np.random.default_rng(0).normal(size=(30, 4)), 3)
    made[3, 1] = made[5, 3] = 0
    return made


@pytest.fixture
def y():
    return np.where(np.arange(30) % 3, -1, 1)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("AUCBENCH_DATA", str(tmp_path))
    return tmp_path


def frame(X, y, label="label"):
    table = pd.DataFrame(X, columns=["age", "height", "weight", "pulse"])
    table.insert(1, label, y)
    return table


def write_svm(path, X, y, **options):
    plain = path.with_name("plain")
    dump_svmlight_file(X, y, str(plain), zero_based=False, **options)
    path.write_bytes(PACKERS[path.suffix if path.suffix in PACKERS else ""](plain.read_bytes()))
    plain.unlink()
    return path


def write_csv(path, X, y):
    text = frame(X, y).to_csv(index=False).encode()
    path.write_bytes(PACKERS[path.suffix if path.suffix in PACKERS else ""](text))
    return path


def write_npz(path, X, y):
    np.savez_compressed(path, X=X, y=y)
    return path


def write_parquet(path, X, y):
    frame(X, y).to_parquet(path)
    return path


WRITERS = {
    "set.svm": write_svm,
    "set.svm.xz": write_svm,
    "set.csv": write_csv,
    "set.csv.gz": write_csv,
    "set.txt": write_svm,
    "set": write_svm,
    "set.npz": write_npz,
    "set.parquet": write_parquet,
}


@pytest.mark.parametrize("file", WRITERS)
def test_every_format_gives_back_what_was_written_and_refuses_other_content(file, tmp_path, X, y):
    if file.endswith("parquet"):
        pytest.importorskip("pyarrow")
    data = load(WRITERS[file](tmp_path / file, X, y))

    np.testing.assert_array_equal(data.rows.matrix, X)
    np.testing.assert_array_equal(data.y, y)
    named = ".csv" in file or ".parquet" in file
    assert data.names == (("age", "height", "weight", "pulse") if named else None)
    for content in (b"", b"\n", b"\x00\xff" * 50, b"<html>not found</html>\n" * 3):
        (tmp_path / file).write_bytes(content)
        with pytest.raises(DataError, match=file):
            load(tmp_path / file)


def test_npz_also_holds_csr_parts(tmp_path, y):
    S = csr_array(random_array((30, 50), density=0.1, rng=np.random.default_rng(0), format="csr"))
    parts = {"data": S.data, "indices": S.indices, "indptr": S.indptr, "shape": S.shape}
    np.savez(tmp_path / "s.npz", y=y, **parts)
    data = load(tmp_path / "s.npz")

    assert data.rows.is_sparse
    np.testing.assert_array_equal(data.rows.matrix.toarray(), S.toarray())
    np.savez(tmp_path / "s.npz", y=y, **{**parts, "indices": S.indices + 40})
    with pytest.raises(DataError, match=r"s\.npz cannot be read as npz"):
        load(tmp_path / "s.npz")
    np.savez(tmp_path / "s.npz", labels=y, **parts)
    with pytest.raises(DataError, match="it holds data, indices, indptr, labels, shape; give"):
        load(tmp_path / "s.npz")


def test_a_pickle_is_never_opened(tmp_path, y):
    class Bomb:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "exploded"),))

    np.savez(tmp_path / "b.npz", X=np.array([[Bomb()]] * 30, dtype=object), y=y)
    with pytest.raises(DataError, match="pickle"):
        load(tmp_path / "b.npz")
    assert not (tmp_path / "exploded").exists()


def test_drop_takes_names_and_numbers_of_features(tmp_path, X, y):
    path = write_csv(tmp_path / "t.csv", X, y)
    data = load(path, drop=["height", 0])

    assert data.names == ("weight", "pulse")
    np.testing.assert_array_equal(data.rows.matrix, X[:, 2:])
    np.testing.assert_array_equal(load(path, drop="3").rows.matrix, X[:, :3])
    with pytest.raises(DataError, match="no column 'hieght' among 4; similar are height"):
        load(path, drop=["hieght"])
    with pytest.raises(DataError, match="no column 4 among 4; columns are numbered 0 to 3"):
        load(path, drop=[4])
    with pytest.raises(DataError, match="empty: 30 rows, 0 columns"):
        load(path, drop=[0, 1, 2, 3])


def test_positive_names_labels_as_numbers_or_as_text(tmp_path, X):
    y = np.arange(30) % 4
    path = write_svm(tmp_path / "m.svm", X, y)
    for positive in ([1, 3], ("1", "3"), ["1.0", 3]):
        np.testing.assert_array_equal(
            load(path, positive=positive, negative="rest").y, np.where(y % 2, 1, -1)
        )
    with pytest.raises(
        DataError, match=r"m\.svm: the labels are 0 \(8\), .*; say which are positive"
    ):
        load(path)
    with pytest.raises(DataError, match=r"positive=7 is no label: the labels are 0"):
        load(path, positive=["7"])


def test_a_missing_optional_package_is_named(tmp_path, monkeypatch):
    (tmp_path / "p.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"aucbench\[parquet\]"):
        load(tmp_path / "p.parquet")


def test_a_name_is_looked_up_in_the_folder(folder, X, y):
    write_svm(folder / "a.t.svm.xz", X, y)
    write_csv(folder / "table.csv", X, y)
    (folder / "a.t.features.txt").write_text("p\tlong text\nq\nr\ns\n")
    (folder / "README.txt").write_text("hello")

    assert available() == ("a.t", "table")
    assert load("a.t").names == ("p", "q", "r", "s")
    assert load("table").n == 30
    with pytest.raises(UnknownNameError, match=r"AUCBENCH_DATA.*did you mean 'table'.*a\.t, table"):
        load("tabel")
    write_csv(folder / "table.csv.gz", X, y)
    with pytest.raises(DataError, match=r"'table' may be table\.csv and table\.csv\.gz"):
        load("table")
    for missing in ("none.svm.xz", f"some{os.sep}where"):
        with pytest.raises(DataError, match="there is no file"):
            load(missing)


def test_feature_names_restore_empty_last_columns_and_must_not_be_too_few(folder, y):
    X = np.zeros((30, 6))
    X[:, 0], X[:, 3] = np.arange(30), 1
    write_svm(folder / "w.svm", X, y)
    (folder / "w.features.txt").write_text("\n".join("abcdef"))
    assert (load("w").d, load("w").names) == (6, tuple("abcdef"))
    (folder / "w.features.txt").write_text("a\nb\n")
    with pytest.raises(DataError, match="4 features, but the file of names beside it has 2"):
        load("w")


def manifest(folder, name, path, **columns):
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    row = {"name": name, "file": path.name, "sha256": digest, **columns}
    with (folder / "MANIFEST.csv").open("w", newline="") as out:
        writer = csv.DictWriter(out, row)
        writer.writeheader()
        writer.writerow(row)


def test_a_hash_in_the_manifest_is_verified(folder, X, y):
    path = write_svm(folder / "h.svm", X, y)
    manifest(folder, "h", path, features=7)

    assert available() == ("h",)
    assert load("h").d == 7
    path.write_bytes(path.read_bytes().replace(b"-1 ", b"1 ", 1))
    for source in ("h", path):
        with pytest.raises(DataError, match=r"h\.svm has the sha256 .* MANIFEST\.csv says"):
            load(source)
    (folder / "MANIFEST.csv").write_bytes(b"name,file\n\xff\xfe,\x00\n")
    with pytest.raises(DataError, match=r"MANIFEST\.csv is not a CSV table"):
        load("h")


def test_the_catalogue_speaks_for_names_and_listed_files_only(folder, X):
    y = np.where(np.arange(30) % 3, 2, 1)
    path = write_svm(folder / "skin.svm", X, y)

    np.testing.assert_array_equal(load("skin").y, np.where(y == 1, 1, -1))
    np.testing.assert_array_equal(load("skin", positive=2).y, np.where(y == 2, 1, -1))
    with pytest.raises(DataError, match="say which are positive"):
        load(path)
    manifest(folder, "skin", path)
    np.testing.assert_array_equal(load(path).y, np.where(y == 1, 1, -1))


def test_the_catalogue_s_columns_are_left_out_unless_others_are(folder, X, y):
    write_svm(folder / "bank.svm", X, y)
    (folder / "bank.features.txt").write_text("age\nduration\nweight\npulse\n")

    assert load("bank").names == ("age", "weight", "pulse")
    assert load("bank", drop=["age"]).names == ("duration", "weight", "pulse")
    assert load("bank", drop=("none",)).d == 4
    assert get_dataset("bank[drop=none]").d == 4


def write_idx(folder, part, images, labels, declared=None):
    for kind, array in (("images-idx3", images), ("labels-idx1", labels)):
        head = struct.pack(f">BBBB{array.ndim}i", 0, 0, 8, array.ndim, *array.shape)
        content = gzip.compress(head + array.astype(np.uint8).tobytes())
        (folder / f"mnist-{part}-{kind}-ubyte.gz").write_bytes(content)


def test_mnist_is_read_from_its_four_files(folder):
    rng = np.random.default_rng(0)
    images, labels = rng.integers(1, 256, (20, 3, 2)), np.arange(20) % 10
    write_idx(folder, "train", images[:14], labels[:14])
    write_idx(folder, "t10k", images[14:], labels[14:])

    assert available() == ("mnist",)
    for data in (load("mnist"), load("mnist", positive=[5, 6, 7, 8, 9], negative="rest", drop=())):
        np.testing.assert_array_equal(data.rows.matrix, images.reshape(20, 6))
        np.testing.assert_array_equal(data.y, np.where(labels > 4, 1, -1))
    write_idx(folder, "t10k", images[14:, :2], labels[14:])
    with pytest.raises(DataError, match="differ in image size"):
        load("mnist")
    write_idx(folder, "t10k", images[14:], labels[15:])
    with pytest.raises(DataError, match=r"has 6 images, but .* 5 labels"):
        load("mnist")
    (folder / "mnist-t10k-labels-idx1-ubyte.gz").write_bytes(gzip.compress(b"\0\0\x08\1\0\0"))
    with pytest.raises(DataError, match="is not an idx file of 1 dimension"):
        load("mnist")
    (folder / "mnist-t10k-labels-idx1-ubyte.gz").write_bytes(b"nothing")
    with pytest.raises(DataError, match="cannot be read as idx"):
        load("mnist")
    (folder / "mnist-t10k-labels-idx1-ubyte.gz").unlink()
    with pytest.raises(DataError, match="is missing; put the four files"):
        load("mnist")


def test_a_sheet_with_a_cell_far_away_is_refused(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book, path = openpyxl.Workbook(), tmp_path / "far.xlsx"
    for k in range(20):
        book.active.append([k, k % 2])
    book.active.cell(1_048_576, 16_384).value = 1
    book.save(path)
    with pytest.raises(DataError, match=r"far\.xlsx: the sheet 'Sheet' has 1048576 rows"):
        load(path)
