"""Rows in chunks from files: what they hold, and what is refused in one sentence."""

import os
import pickle
import shutil

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

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
    return tmp_path / "cache"


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 3), dtype=np.float32)
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    table["label"] = (X[:, 0] + rng.standard_normal(N) > 1).astype(np.int8)
    return table


@pytest.fixture
def file(frame, tmp_path):
    return written(frame, tmp_path / "rows.parquet")


def written(frame, path, **options):
    frame.to_parquet(path, row_group_size=GROUP, index=False, **options)
    return path


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
COLUMNS = {  # cells of a further column, and the kind that they are read as
    "numbers": (np.arange(N) / 7, "numeric"),
    "levels": (
        RNG.choice(["Rome", "Oslo ", "Bern", "Pau"], N, p=[0.5, 0.3, 0.195, 0.005]),
        "category",
    ),
    "many levels": ([f"k{key}" for key in RNG.integers(0, 40, N)], "category"),
    "digits": (RNG.integers(-3, 9, N).astype(str), "numeric"),
    "truth": (RNG.choice(["yes", "no"], N), "boolean"),
    "hours": (DAYS, "date"),
    "a day for each part": ((DAYS[0] + pd.to_timedelta(np.arange(N) // GROUP, "D")).date, "date"),
    "zone": (DAYS.tz_localize("Europe/Berlin"), "date"),
    "seconds": (pd.date_range("2020-01-01 07:00", periods=N, freq="2s"), "date"),
    "dates as text": (pd.date_range("2020-01-01", periods=N).strftime("%d.%m.%Y"), "date"),
    "one day": ([pd.Timestamp("2020-01-01 07:30")] * N, "date"),
}


@pytest.mark.parametrize("case", COLUMNS)
def test_a_column_has_the_features_of_a_table_in_memory(frame, tmp_path, case):
    cells, kind = COLUMNS[case]
    path = written(frame.assign(more=cells), tmp_path / "rows.parquet")
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


def test_parts_can_be_pickled_and_say_who_they_are(file):
    parts = open_parts(file)
    assert all(array.dtype == np.float32 for p in pieces(parts) for array in p.rows.arrays)
    again = pickle.loads(pickle.dumps(parts))
    assert again.fingerprint == parts.fingerprint == open_parts(file).fingerprint
    assert again.fingerprint != open_parts(file, drop=["a"]).fingerprint
    assert np.array_equal(all_rows(again)[0], all_rows(parts)[0])


def test_a_large_row_group_comes_in_pieces_of_one_size(file, monkeypatch):
    whole = all_rows(open_parts(file))
    monkeypatch.setattr(parquet_parts, "LARGEST", 1000)
    monkeypatch.setattr(parquet_parts, "PIECE", 128)
    parts = open_parts(file)
    first = list(parts.read(0))
    assert [(piece.n, piece.first) for piece in first] == [(128, 0), (128, 128), (44, 256)]
    assert [piece.part for piece in parts.read(1)] == [1, 1, 1]
    assert all(np.array_equal(a, b) for a, b in zip(whole, all_rows(parts), strict=True))


@pytest.fixture
def folder(frame, tmp_path):
    """Two files, and one that is none."""
    folder = tmp_path / "rows"
    folder.mkdir()
    written(frame[500:], folder / "b.parquet")
    written(frame[:500], folder / "a.parquet")
    (folder / "_SUCCESS").write_text("")
    return folder


def test_a_folder_and_a_pattern_are_files_in_the_order_of_names(frame, folder):
    for source in (folder, str(folder / "*.parquet")):
        X, y = all_rows(open_parts(source))
        assert np.array_equal(X, frame[["a", "b", "c"]].to_numpy())
        assert np.array_equal(y > 0, frame["label"] == 1)


def test_columns_are_found_by_name_and_numbers_widen(frame, folder):
    other = frame[["label", "c", "a", "b"]].astype({"a": np.float64, "b": np.int32})
    written(other, folder / "b.parquet")
    parts = open_parts(folder)
    kinds = [[str(array.dtype) for array in piece.rows.arrays] for piece in pieces(parts)]
    assert {*map(tuple, kinds)} == {("float64", "float64", "float32")}
    X, _ = all_rows(parts)
    assert np.array_equal(X[500:, 0], frame["a"].astype(np.float64))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.rename(columns={"b": "other"}), r"b\.parquet has other columns than .*a\.pa"),
        (lambda f: f.assign(b=f["b"].astype(str)), r"'b' holds float in .*a\.parquet and .*string"),
        (lambda f: f.drop(columns="c"), r"lacks 'c'"),
    ],
)
def test_other_columns_in_a_file_are_refused_before_a_row_is_read(frame, folder, change, message):
    written(change(frame), folder / "b.parquet")
    with pytest.raises(DataError, match=message):
        open_parts(folder)


def damage(path, begin, count):
    content = bytearray(path.read_bytes())
    content[begin : begin + count] = bytes(255 - byte for byte in content[begin : begin + count])
    path.write_bytes(bytes(content))


def test_a_damaged_page_is_an_error_with_its_place_or_left_out(frame, tmp_path):
    path = written(frame, tmp_path / "rows.parquet", compression="zstd")
    column = pq.ParquetFile(path).metadata.row_group(1).column(0)
    begin = column.dictionary_page_offset or column.data_page_offset
    damage(path, begin, column.total_compressed_size)
    parts = open_parts(path)
    assert sum(piece.n for piece in parts.read(2)) == GROUP
    with pytest.raises(DataError, match=rf"rows\.parquet: row group 1, .* byte {begin}, cannot be"):
        list(parts.read(1))
    parts = open_parts(path, skip_bad=True)
    assert parts.sizes == (300, 300, 100)
    assert ["row group 1" in skipped for skipped in parts.skipped] == [True]
    assert np.array_equal(all_rows(parts)[0][:, 0], frame["a"].drop(range(300, 600)))
    assert parts.understood.warnings[0].startswith("1 row group(s) cannot be decoded and are left")


def test_pages_with_sums_are_checked_by_them(frame, tmp_path):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    path = tmp_path / "rows.parquet"
    own = {"compression": "NONE", "use_dictionary": False, "write_page_checksum": True}
    pq.write_table(table, path, row_group_size=GROUP, **own)
    column = pq.ParquetFile(path).metadata.row_group(1).column(1)
    damage(path, column.data_page_offset + column.total_compressed_size - 64, 8)
    with pytest.raises(DataError, match="row group 1"):
        list(open_parts(path).read(1))
    with pytest.raises(DataError, match="cannot be read as parquet"):
        load(path)


@pytest.mark.parametrize("change", ["size", "time", "footer"])
def test_a_file_that_changes_meanwhile_stops_the_reading(frame, file, change):
    parts = open_parts(file)
    before = file.stat()
    if change == "size":
        written(frame[:-1], file)
    elif change == "time":
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns + 1000))
    else:  # the same size and time
        content = bytearray(file.read_bytes())
        at = content.rindex(b"pandas")
        content[at : at + 6] = b"Pandas"
        file.with_suffix(".new").write_bytes(bytes(content))
        shutil.copystat(file, file.with_suffix(".new"))
        file.with_suffix(".new").replace(file)
        assert (file.stat().st_size, file.stat().st_mtime_ns) == (len(content), before.st_mtime_ns)
    with pytest.raises(DataError, match="has changed since it was opened"):
        list(parts.read(0))


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
    path = written(frame, tmp_path / "rows.parquet")
    parts = open_parts(path)
    assert (parts.classes.positive, parts.classes.negative) == (("yes",), ("no",))
    assert_same_as_load(parts, path)
    frame.loc[N - 1, "label"] = "maybe"
    written(frame, path)
    with pytest.raises(DataError, match="say which are positive"):
        open_parts(path, positive="yes")
    both = {"positive": "yes", "negative": "rest"}
    assert_same_as_load(open_parts(path, **both), path, **both)


def test_weights_and_dropped_columns_are_no_features(frame, tmp_path):
    path = written(frame.assign(w=np.arange(N) + 1.0), tmp_path / "rows.parquet")
    parts = open_parts(path, weights="w", drop=["b"])
    assert parts.names == ("a", "c")
    assert np.array_equal(np.concatenate([p.weights for p in pieces(parts)]), np.arange(N) + 1.0)
    assert dict(parts.dropped) == {"b": "as asked", "w": "weights"}
    written(frame.assign(w=np.arange(N) * 1.0), path)
    with pytest.raises(DataError, match="row group 0, row 0 has the weight 0"):
        list(open_parts(path, weights="w").read(0))


def hole(value, name="b", **more):
    """Return what puts a value into row 437 of a column; `more` columns are added."""

    def put(frame):
        column = frame[name].astype(object)
        column[437] = value
        kind = "Int8" if name == "label" else None
        made = frame.assign(**{name: column}, **more)
        return made.astype(
            {name: kind} if kind else {name: np.float32} if value is not None else {}
        )

    return put


TOWNS = np.where(np.arange(N) % 2, "Rome", "Oslo")
WRONG = {
    "inf beside text": (hole(np.inf, town=TOWNS), "row group 1, row 137 has inf in 'b'"),
    "missing": (hole(None), "row group 1, row 137 has no value in 'b'"),
    "no label": (hole(pd.NA, "label"), "row group 1, row 137 has no label"),
    "one class": (lambda f: f.assign(label=1), r"labels are 1 in column .label."),
    "comma": (
        lambda f: f.assign(number=[f"{i},5" for i in range(N)]),
        "'0,5' in some row, which looks like a number with the de",
    ),
    "a text": (
        lambda f: f.assign(number=[f"{i}.5" if i else "7+" for i in range(N)]),
        r"in some row \(1 different text\(s\) of 1000\)",
    ),
    "a word": (
        lambda f: f.assign(number=[f"{i}.5 kg" if i else "unknown" for i in range(N)]),
        "'unknown', which means a missing cell, and none may be",
    ),
    "free text": (lambda f: f.assign(t=[f"one two three {i}" for i in range(N)]), "free text"),
    "spans": (
        lambda f: f.assign(span=pd.to_timedelta(np.arange(N), "h")),
        "neither numbers nor text nor dates, first 'span'",
    ),
    "no label column": (lambda f: f[["a", "b"]], "no column has two values"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_read_is_refused_with_its_place(frame, tmp_path, case):
    change, message = WRONG[case]
    path = written(change(frame), tmp_path / "rows.parquet")
    with pytest.raises(DataError, match=message):
        list(open_parts(path).read(1))


def test_a_number_that_is_none_is_refused_by_the_survey(frame, tmp_path):
    frame.loc[437, "b"] = np.inf
    path = written(frame, tmp_path / "rows.parquet")
    with pytest.raises(DataError, match=r"rows\.parquet, row group 1, row 137 has inf in 'b'"):
        ChunkedData(open_parts(path)).survey  # noqa: B018


def test_too_many_levels_and_options_that_need_all_rows_are_refused(file, tmp_path, monkeypatch):
    frame = pd.read_parquet(file).assign(t=[f"t{i % 200}" for i in range(N)])
    monkeypatch.setattr("aucbench.datasets.chunked.levels.MOST_LEVELS", 100)
    with pytest.raises(DataError, match="more than 100 different texts"):
        open_parts(written(frame, tmp_path / "t.parquet"))
    with pytest.raises(UnsupportedError, match="groups"):
        open_parts(file, groups="a")


def test_text_files_become_parquet_once(frame, tmp_path, cache, monkeypatch):
    monkeypatch.setattr("aucbench.datasets.chunked.conversion.ROWS", 256)
    folder, told = tmp_path / "rows", []
    folder.mkdir()
    frame[:600].to_csv(folder / "a.csv", index=False)
    frame[600:].assign(b=1).to_csv(folder / "b.csv", index=False)
    parts = open_parts(folder, tell=told.append)
    assert len(told) == 1
    assert "written as Parquet into" in told[0]
    X, _ = all_rows(open_parts(folder, tell=told.append))
    assert len(told) == 1
    assert np.allclose(X[:600, :2], frame[["a", "b"]][:600])
    assert (X[600:, 1] == 1).all()
    assert parts.sizes == (256, 256, 88, 256, 144)
    assert parts.where(2, 3) == f"{folder / 'a.csv'}, row 515"
    frame[:500].to_csv(folder / "a.csv", index=False)
    open_parts(folder, tell=told.append)
    assert len(told) == 2


def test_files_of_arrays_are_refused_with_the_way_out(tmp_path):
    np.savez(tmp_path / "rows.npz", X=np.eye(4), y=[0, 1, 0, 1])
    with pytest.raises(DataError, match=r"rows\.npz cannot be .* Parquet or CSV .* in memory"):
        open_parts(tmp_path / "rows.npz")
    with pytest.raises(DataError, match=r"names rows\.npz, .*write the rows as Parquet"):
        open_parts(tmp_path)
