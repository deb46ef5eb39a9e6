"""Rows in chunks from files: what they hold, and what is refused in one sentence."""

import os
import pickle
import shutil
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from refusals import assert_refused
from tables import npz, written

from aucbench.data.arrays import rows
from aucbench.datasets import load
from aucbench.datasets.chunked import open_parts
from aucbench.datasets.chunked import parquet as parquet_parts
from aucbench.datasets.chunked.data import codes_of
from aucbench.datasets.tables import encode_table
from aucbench.errors import DataError, UnsupportedError
from aucbench.scale import ChunkedData

N, GROUP = 1000, 300


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("AUCBENCH_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 3), dtype=np.float32)
    label = (X[:, 0] + rng.standard_normal(N) > 1).astype(np.int8)
    return pd.DataFrame(X, columns=["a", "b", "c"]).assign(label=label)


def grouped(frame, path, **options):
    return written(frame, path, row_group_size=GROUP, **options)


@pytest.fixture
def file(frame, tmp_path):
    return grouped(frame, tmp_path / "rows.parquet")


@pytest.fixture
def folder(frame, tmp_path):
    """Two files, and one that is none."""
    folder = tmp_path / "rows"
    folder.mkdir()
    grouped(frame[500:], folder / "b.parquet")
    grouped(frame[:500], folder / "a.parquet")
    (folder / "_SUCCESS").write_text("")
    return folder


def pieces(parts):
    return [piece for i in range(len(parts.sizes)) for piece in parts.read(i)]


def dense(piece):
    X = piece.rows if hasattr(piece.rows, "stored") else piece.rows.dense()
    return X.dense().matrix


def all_rows(parts):
    own = pieces(parts)
    return np.vstack([dense(piece) for piece in own]), np.concatenate([piece.y for piece in own])


def assert_same_as_load(parts, source, **options):
    whole = encode_table(load(source, **options))
    X, y = all_rows(parts)
    assert np.array_equal(X, whole.rows.dense().matrix)
    assert np.array_equal(y, whole.y)
    assert (parts.n, parts.d, parts.names) == (whole.n, whole.d, whole.names)


RNG = np.random.default_rng(1)
DAYS = pd.date_range("2019-12-30 07:30", periods=N, freq="29h")
TOWNS = RNG.choice(["Rome", "Oslo ", "Bern", "Pau"], N, p=[0.5, 0.3, 0.195, 0.005])
COLUMNS = {  # cells of a further column, and the kind that they are read as
    "numbers": (np.arange(N) / 7, "numeric"),
    "levels": (TOWNS, "category"),
    "many levels": ([f"k{key}" for key in RNG.integers(0, 40, N)], "category"),
    "truth": (RNG.choice(["yes", "no"], N), "boolean"),
    "hours": (DAYS, "date"),
    "a day for each part": ((DAYS[0] + pd.to_timedelta(np.arange(N) // GROUP, "D")).date, "date"),
    "zone": (DAYS.tz_localize("Europe/Berlin"), "date"),
    "dates as text": (pd.date_range("2020-01-01", periods=N).strftime("%d.%m.%Y"), "date"),
}


@pytest.mark.parametrize("case", COLUMNS)
def test_a_column_has_the_features_of_a_table_in_memory(frame, tmp_path, case):
    cells, kind = COLUMNS[case]
    path = grouped(frame.assign(more=cells), tmp_path / "rows.parquet")
    parts = open_parts(path)
    assert parts.sizes == (300, 300, 300, 100)
    assert_same_as_load(parts, path)
    assert parts.understood.label == load(path).understood.label
    assert sum(parts.understood.kinds.values()) == 4
    assert parts.understood.kinds[kind] == (4 if kind == "numeric" else 1)
    sparse = [getattr(piece.rows, "is_sparse", False) for piece in pieces(parts)]
    assert sparse == [case == "many levels"] * 4
    if kind == "date":
        codes = codes_of(parts.encoding, rows(all_rows(parts)[0]))
        assert codes[:, -1] == pytest.approx(load(path).rows.matrix[:, -1], abs=1e-3)
    assert open_parts(path, drop=["more"]).names == ("a", "b", "c")


def test_parts_can_be_pickled_and_large_row_groups_come_in_pieces(file, monkeypatch):
    parts = open_parts(file)
    whole = all_rows(parts)
    assert all(array.dtype == np.float32 for p in pieces(parts) for array in p.rows.arrays)
    again = pickle.loads(pickle.dumps(parts))
    assert again.fingerprint == parts.fingerprint == open_parts(file).fingerprint
    assert again.fingerprint != open_parts(file, drop=["a"]).fingerprint
    assert np.array_equal(all_rows(again)[0], whole[0])
    monkeypatch.setattr(parquet_parts, "LARGEST", 1000)
    monkeypatch.setattr(parquet_parts, "PIECE", 128)
    parts = open_parts(file)
    first = [(piece.n, piece.first) for piece in parts.read(0)]
    assert first == [(128, 0), (128, 128), (44, 256)]
    assert [piece.part for piece in parts.read(1)] == [1, 1, 1]
    assert all(np.array_equal(a, b) for a, b in zip(whole, all_rows(parts), strict=True))


def test_a_folder_and_a_pattern_are_files_whose_columns_are_found_by_name(frame, folder):
    for source in (folder, str(folder / "*.parquet")):
        X, y = all_rows(open_parts(source))
        assert np.array_equal(X, frame[["a", "b", "c"]].to_numpy())
        assert np.array_equal(y > 0, frame["label"] == 1)
    other = frame[["label", "c", "a", "b"]].astype({"a": np.float64, "b": np.int32})
    grouped(other, folder / "b.parquet")
    parts = open_parts(folder)
    kinds = {tuple(str(array.dtype) for array in piece.rows.arrays) for piece in pieces(parts)}
    assert kinds == {("float64", "float64", "float32")}  # numbers widen
    assert np.array_equal(all_rows(parts)[0][500:, 0], frame["a"].astype(np.float64))


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda f: f.rename(columns={"b": "other"}), "other columns"),
        (lambda f: f.assign(b=f["b"].astype(str)), "'b' holds float"),
        (lambda f: f.drop(columns="c"), "'c'"),
    ],
)
def test_other_columns_in_a_file_are_refused_before_a_row_is_read(frame, folder, change, word):
    path = grouped(change(frame), folder / "b.parquet")
    assert str(path) in assert_refused(lambda: open_parts(folder), DataError, word)


def damage(path, begin, count):
    content = bytearray(path.read_bytes())
    content[begin : begin + count] = bytes(255 - byte for byte in content[begin : begin + count])
    path.write_bytes(bytes(content))


def test_a_damaged_page_is_an_error_with_its_place_or_left_out(frame, tmp_path):
    path = grouped(frame, tmp_path / "rows.parquet", compression="zstd")
    column = pq.ParquetFile(path).metadata.row_group(1).column(0)
    begin = column.dictionary_page_offset or column.data_page_offset
    damage(path, begin, column.total_compressed_size)
    parts = open_parts(path)
    assert sum(piece.n for piece in parts.read(2)) == GROUP
    said = assert_refused(lambda: list(parts.read(1)), DataError, "row group 1")
    assert f"byte {begin}" in said
    parts = open_parts(path, skip_bad=True)
    assert parts.sizes == (300, 300, 100)
    assert ["row group 1" in skipped for skipped in parts.skipped] == [True]
    assert np.array_equal(all_rows(parts)[0][:, 0], frame["a"].drop(range(300, 600)))
    assert parts.understood.warnings[0].startswith("1 row group(s)")
    plain = {"compression": "NONE", "use_dictionary": False, "write_page_checksum": True}
    grouped(frame, path, **plain)  # whose pages have sums
    column = pq.ParquetFile(path).metadata.row_group(1).column(1)
    damage(path, column.data_page_offset + column.total_compressed_size - 64, 8)
    assert_refused(lambda: list(open_parts(path).read(1)), DataError, "row group 1")
    assert_refused(lambda: load(path), DataError, "parquet")


@pytest.mark.parametrize("change", ["size", "time", "footer"])
def test_a_file_that_changes_meanwhile_stops_the_reading(frame, file, change):
    parts = open_parts(file)
    before = file.stat()
    if change == "size":
        grouped(frame[:-1], file)
    elif change == "time":
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns + 1000))
    else:  # the same size and time
        content = file.read_bytes()
        at = content.rindex(b"pandas")
        other = file.with_suffix(".new")
        other.write_bytes(content[:at] + b"Pandas" + content[at + 6 :])
        shutil.copystat(file, other)
        other.replace(file)
        assert (file.stat().st_size, file.stat().st_mtime_ns) == (len(content), before.st_mtime_ns)
    assert_refused(lambda: list(parts.read(0)), DataError, "changed")


def test_a_part_may_lack_a_class_or_all_rows(frame, tmp_path):
    path, table = tmp_path / "rows.parquet", pa.Table.from_pandas(frame, preserve_index=False)
    ordered = table.take(np.argsort(frame["label"].to_numpy(), kind="stable"))
    with pq.ParquetWriter(path, table.schema) as writer:
        for lo in (0, 1000, 500):
            writer.write_table(ordered.slice(lo, 500), row_group_size=500)
    parts = open_parts(path)
    assert parts.sizes == (500, 0, 500)
    assert list(parts.read(1)) == []
    assert {*next(parts.read(0)).y.tolist()} == {-1}
    assert ChunkedData(parts).n_pos == frame["label"].sum()


def test_labels_are_those_of_all_files(frame, tmp_path):
    frame["label"] = np.where(frame["label"] == 1, " yes", "no")
    path = grouped(frame, tmp_path / "rows.parquet")
    parts = open_parts(path)
    assert (parts.classes.positive, parts.classes.negative) == (("yes",), ("no",))
    assert_same_as_load(parts, path)
    frame.loc[N - 1, "label"] = "maybe"
    grouped(frame, path)
    assert_refused(lambda: open_parts(path, positive="yes"), DataError, "positive")
    both = {"positive": "yes", "negative": "rest"}
    assert_same_as_load(open_parts(path, **both), path, **both)


def test_weights_and_dropped_columns_are_no_features(frame, tmp_path):
    path = grouped(frame.assign(w=np.arange(N) + 1.0), tmp_path / "rows.parquet")
    parts = open_parts(path, weights="w", drop=["b"])
    assert parts.names == ("a", "c")
    assert np.array_equal(np.concatenate([p.weights for p in pieces(parts)]), np.arange(N) + 1.0)
    assert dict(parts.dropped) == {"b": "as asked", "w": "weights"}
    grouped(frame.assign(w=np.arange(N) * 1.0), path)
    assert_refused(lambda: list(open_parts(path, weights="w").read(0)), DataError, "weight 0")


def hole(value, name="b", kind="float32"):
    """Return what puts a value into row 437 of a column of a type."""

    def put(frame):
        column = frame[name].astype(object)
        column[437] = value
        return frame.assign(**{name: column.astype(kind)})

    return put


def adding(cells):
    return lambda f: f.assign(more=[cells(i) for i in range(N)])


PLACE = "row group 1, row 137"
WRONG = {
    "inf beside text": (lambda f: hole(np.inf)(f.assign(more=TOWNS)), f"{PLACE} has inf"),
    "missing": (hole(None, kind=object), f"{PLACE} has no value"),
    "no label": (hole(pd.NA, "label", "Int8"), f"{PLACE} has no label"),
    "one class": (lambda f: f.assign(label=1), "labels are 1"),
    "comma": (adding(lambda i: f"{i},5"), "'0,5' in some row"),
    "a word": (adding(lambda i: f"{i}.5 kg" if i else "unknown"), "'unknown'"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_read_is_refused_with_its_place(frame, tmp_path, case):
    change, word = WRONG[case]
    path = grouped(change(frame), tmp_path / "rows.parquet")
    said = assert_refused(lambda: list(open_parts(path).read(1)), DataError, word)
    assert str(path) in said


def test_other_refusals_of_chunks(frame, file, tmp_path, monkeypatch):
    path = grouped(hole(np.inf)(frame), tmp_path / "inf.parquet")
    assert_refused(lambda: ChunkedData(open_parts(path)).survey, DataError, f"{PLACE} has inf")
    for name, value in (("groups", "a"), ("rows", 100)):
        assert_refused(partial(open_parts, file, **{name: value}), UnsupportedError, name)
    monkeypatch.setattr("aucbench.datasets.chunked.levels.MOST_LEVELS", 100)
    path = grouped(adding(lambda i: f"t{i % 200}")(frame), tmp_path / "t.parquet")
    assert_refused(lambda: open_parts(path), DataError, "more than 100")
    (arrays := tmp_path / "arrays").mkdir()
    path = written(npz(X=np.eye(4), y=[0, 1, 0, 1]), arrays / "rows.npz")
    for source in (path, arrays):
        assert_refused(lambda s=source: open_parts(s), DataError, "rows.npz")


def test_text_files_become_parquet_once(frame, tmp_path, monkeypatch):
    monkeypatch.setattr("aucbench.datasets.chunked.conversion.ROWS", 256)
    folder, told = tmp_path / "rows", []
    folder.mkdir()
    written(frame[:600], folder / "a.csv")
    written(frame[600:].assign(b=1), folder / "b.csv")
    parts = open_parts(folder, tell=told.append)
    assert len(told) == 1
    assert "written as Parquet into" in told[0]
    X, _ = all_rows(open_parts(folder, tell=told.append))
    assert len(told) == 1
    assert np.allclose(X[:600, :2], frame[["a", "b"]][:600])
    assert (X[600:, 1] == 1).all()
    assert parts.sizes == (256, 256, 88, 256, 144)
    assert parts.where(2, 3) == f"{folder / 'a.csv'}, row 515"
    written(frame[:500], folder / "a.csv")
    open_parts(folder, tell=told.append)
    assert len(told) == 2
