"""Rows in parts from files: what they hold, and what is refused in one sentence."""

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
from aucbench.datasets.chunked import codes_of
from aucbench.datasets.parted import open_parts
from aucbench.datasets.parted import parquet as parquet_parts
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
    whole = load(source, **options).encoded()
    X, y = all_rows(parts)
    assert np.array_equal(X, whole.rows.dense().matrix)
    assert np.array_equal(y, whole.y)
    assert parts.names == whole.names
    assert (parts.n, parts.d) == (whole.n, whole.d)


def test_a_file_has_the_rows_and_labels_that_load_reads(file):
    parts = open_parts(file)
    assert parts.sizes == (300, 300, 300, 100)
    assert all(array.dtype == np.float32 for p in pieces(parts) for array in p.rows.arrays)
    assert_same_as_load(parts, file)
    assert parts.understood.label == load(file).understood.label


def test_parts_can_be_pickled_and_say_who_they_are(file, tmp_path):
    parts = open_parts(file)
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
    assert [piece.n for piece in first] == [128, 128, 44]
    assert [piece.first for piece in first] == [0, 128, 256]
    assert [piece.part for piece in parts.read(1)] == [1, 1, 1]
    assert all(np.array_equal(a, b) for a, b in zip(whole, all_rows(parts), strict=True))


def test_a_folder_and_a_pattern_are_files_in_the_order_of_names(frame, tmp_path):
    folder = tmp_path / "rows"
    folder.mkdir()
    written(frame[500:], folder / "b.parquet")
    written(frame[:500], folder / "a.parquet")
    (folder / "_SUCCESS").write_text("")
    for source in (folder, str(folder / "*.parquet")):
        X, y = all_rows(open_parts(source))
        assert np.array_equal(X, frame[["a", "b", "c"]].to_numpy())
        assert np.array_equal(y > 0, frame["label"] == 1)


def test_columns_are_found_by_name_and_numbers_widen(frame, tmp_path):
    other = frame[["label", "c", "a", "b"]].astype({"a": np.float64, "b": np.int32})
    folder = tmp_path / "rows"
    folder.mkdir()
    written(frame, folder / "a.parquet")
    written(other, folder / "b.parquet")
    parts = open_parts(folder)
    kinds = [[str(array.dtype) for array in piece.rows.arrays] for piece in pieces(parts)]
    assert {*map(tuple, kinds)} == {("float64", "float64", "float32")}
    X, _ = all_rows(parts)
    assert np.array_equal(X[N:, 0], frame["a"].astype(np.float64))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.rename(columns={"b": "other"}), r"b\.parquet has other columns than .*a\.pa"),
        (lambda f: f.assign(b=f["b"].astype(str)), r"'b' holds float in .*a\.parquet and .*string"),
        (lambda f: f.drop(columns="c"), r"lacks 'c'"),
    ],
)
def test_other_columns_in_a_file_are_refused_before_a_row_is_read(frame, tmp_path, change, message):
    folder = tmp_path / "rows"
    folder.mkdir()
    written(frame, folder / "a.parquet")
    written(change(frame), folder / "b.parquet")
    with pytest.raises(DataError, match=message):
        open_parts(folder)


def test_a_damaged_page_is_an_error_with_file_row_group_and_byte(frame, tmp_path):
    path = written(frame, tmp_path / "rows.parquet", compression="zstd")
    group = pq.ParquetFile(path).metadata.row_group(2)
    begin = group.column(0).dictionary_page_offset or group.column(0).data_page_offset
    damage(path, begin, group.column(0).total_compressed_size)
    parts = open_parts(path)
    assert sum(piece.n for piece in parts.read(1)) == GROUP
    with pytest.raises(DataError, match=rf"rows\.parquet: row group 2, .* byte {begin}, cannot be"):
        list(parts.read(2))


def test_pages_with_sums_are_checked_by_them(frame, tmp_path):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    path = tmp_path / "rows.parquet"
    own = {"compression": "NONE", "use_dictionary": False, "write_page_checksum": True}
    pq.write_table(table, path, row_group_size=GROUP, **own)
    column = pq.ParquetFile(path).metadata.row_group(1).column(1)
    damage(path, column.data_page_offset + column.total_compressed_size - 64, 8)
    with pytest.raises(DataError, match="row group 1"):
        list(open_parts(path).read(1))


def damage(path, begin, count):
    content = bytearray(path.read_bytes())
    content[begin : begin + count] = bytes(255 - byte for byte in content[begin : begin + count])
    path.write_bytes(bytes(content))


def test_skip_bad_leaves_damaged_row_groups_out_and_names_them(frame, tmp_path):
    path = written(frame, tmp_path / "rows.parquet", compression="zstd")
    column = pq.ParquetFile(path).metadata.row_group(1).column(2)
    damage(path, column.dictionary_page_offset or column.data_page_offset, 400)
    parts = open_parts(path, skip_bad=True)
    assert parts.sizes == (300, 300, 100)
    (skipped,) = parts.skipped
    assert "row group 1" in skipped
    assert np.array_equal(all_rows(parts)[0][:, 0], frame["a"].drop(range(300, 600)))
    assert parts.understood.warnings[0].startswith("1 row group(s) cannot be decoded and are left")


@pytest.mark.parametrize("change", ["size", "time", "footer"])
def test_a_file_that_changes_meanwhile_stops_the_reading(frame, file, change):
    parts = open_parts(file)
    before = file.stat()
    if change == "size":
        written(frame[:-1], file)
    elif change == "time":
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns + 1000))
    else:  # the same size and time
        pq.ParquetFile(file)
        content = bytearray(file.read_bytes())
        at = content.rindex(b"pandas")
        content[at : at + 6] = b"Pandas"
        file.with_suffix(".new").write_bytes(bytes(content))
        shutil.copystat(file, file.with_suffix(".new"))
        file.with_suffix(".new").replace(file)
        assert (file.stat().st_size, file.stat().st_mtime_ns) == (len(content), before.st_mtime_ns)
    with pytest.raises(DataError, match="has changed since it was opened"):
        list(parts.read(0))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_number_that_is_none_has_its_place(frame, tmp_path, value):
    frame.loc[437, "b"] = value
    path = written(frame, tmp_path / "rows.parquet")
    where = r"rows\.parquet, row group 1, row 137 has (nan|inf|no value) in 'b'"
    with pytest.raises(DataError, match=where):
        ChunkedData(open_parts(path)).survey  # noqa: B018


def test_a_missing_cell_has_its_place(frame, tmp_path):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    holes = pa.array([None if i == 650 else 1.0 for i in range(N)], pa.float32())
    path = tmp_path / "rows.parquet"
    pq.write_table(table.set_column(0, "a", holes), path, row_group_size=GROUP)
    with pytest.raises(DataError, match=r"row group 2, row 50 has no value in 'a'"):
        list(open_parts(path).read(2))


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
    path = written(frame, tmp_path / "rows.parquet")
    with pytest.raises(DataError, match="say which are positive"):
        open_parts(path, positive="yes")
    assert_same_as_load(
        open_parts(path, positive="yes", negative="rest"), path, positive="yes", negative="rest"
    )


def test_one_class_alone_and_missing_labels_are_refused(frame, tmp_path):
    path = written(frame.assign(label=1), tmp_path / "one.parquet")
    with pytest.raises(DataError, match=r"labels are 1 in column .label."):
        open_parts(path)
    frame["label"] = frame["label"].astype("Int8")
    frame.loc[437, "label"] = pd.NA
    path = written(frame, tmp_path / "gap.parquet")
    with pytest.raises(DataError, match="row group 1, row 137 has no label"):
        open_parts(path)


def test_weights_and_dropped_columns_are_no_features(frame, tmp_path):
    path = written(frame.assign(w=np.arange(N) + 1.0), tmp_path / "rows.parquet")
    parts = open_parts(path, weights="w", drop=["b"])
    assert parts.names == ("a", "c")
    assert np.array_equal(np.concatenate([p.weights for p in pieces(parts)]), np.arange(N) + 1.0)
    assert dict(parts.dropped) == {"b": "as asked", "w": "weights"}
    path = written(frame.assign(w=np.arange(N) * 1.0), tmp_path / "rows.parquet")
    with pytest.raises(DataError, match="row group 0, row 0 has the weight 0"):
        list(open_parts(path, weights="w").read(0))


def test_text_becomes_the_features_that_load_makes_of_it(frame, tmp_path):
    rng = np.random.default_rng(1)
    frame["city"] = rng.choice(["Rome", "Oslo ", "Bern", "Pau"], N, p=[0.5, 0.3, 0.195, 0.005])
    path = written(frame, tmp_path / "rows.parquet")
    parts = open_parts(path)
    assert_same_as_load(parts, path)
    assert parts.encoding is not None
    assert parts.understood.kinds == {"numeric": 3, "category": 1}
    assert open_parts(path, text="drop").names == ("a", "b", "c")


def test_an_error_about_texts_names_no_row_that_is_none(frame, tmp_path):
    frame["number"] = [f"{i},5" for i in range(N)]
    path = written(frame, tmp_path / "rows.parquet")
    with pytest.raises(DataError, match="'0,5' in some row, which looks like a number with the de"):
        open_parts(path)
    frame["number"] = [f"{i}.5" if i else "7+" for i in range(N)]
    with pytest.raises(DataError, match=r"in some row \(1 different text\(s\) of 1000\)"):
        open_parts(written(frame, path))
    frame["number"] = [f"{i}.5 kg" if i else "unknown" for i in range(N)]
    with pytest.raises(DataError, match="'unknown', which means a missing cell, and none may be"):
        open_parts(written(frame, path))


def test_a_number_that_is_none_beside_text_has_its_place(frame, tmp_path):
    frame["city"] = np.where(np.arange(N) % 2, "Rome", "Oslo")
    frame.loc[437, "b"] = np.inf
    path = tmp_path / "rows.parquet"
    table = pa.Table.from_pandas(frame, preserve_index=False)
    holes = pa.array([np.nan if i == 650 else 1.0 for i in range(N)], pa.float32())
    pq.write_table(table.set_column(0, "a", holes), path, row_group_size=GROUP)
    parts = open_parts(path)
    with pytest.raises(DataError, match=r"row group 1, row 137 has inf in 'b'"):
        list(parts.read(1))
    with pytest.raises(DataError, match=r"row group 2, row 50 has nan in 'a'"):
        list(parts.read(2))


def test_text_that_holds_numbers_or_truth_values_is_read_as_such(frame, tmp_path):
    rng = np.random.default_rng(1)
    frame["number"] = rng.integers(-3, 9, N).astype(str)
    frame["true"] = rng.choice(["yes", "no"], N)
    path = written(frame, tmp_path / "rows.parquet")
    parts = open_parts(path)
    assert_same_as_load(parts, path)
    assert parts.encoding.parts[3:] == load(path).schema.encoding(load(path).rows).parts[3:]


@pytest.mark.parametrize(
    "dates",
    [
        pd.date_range("2019-12-30 07:30", periods=N, freq="29h"),
        pd.date_range("2020-01-01", periods=N).date,
        pd.date_range("2020-01-01", periods=N, tz="Europe/Berlin"),
        pd.date_range("2020-01-01 07:00", periods=N, freq="2s"),
        pd.date_range("2020-01-01", periods=N).strftime("%d.%m.%Y"),
        [pd.Timestamp("2020-01-01 07:30")] * N,
    ],
    ids=["hours", "days", "zone", "seconds", "text", "one"],
)
def test_dates_have_the_features_of_a_table_in_memory(frame, tmp_path, dates):
    path = written(frame.assign(moment=dates), tmp_path / "rows.parquet")
    parts = open_parts(path)
    assert_same_as_load(parts, path)
    codes = codes_of(parts.encoding, rows(all_rows(parts)[0]))
    assert codes[:, -1] == pytest.approx(load(path).rows.matrix[:, -1], abs=1e-3)


def test_many_levels_are_sparse_rows(frame, tmp_path):
    frame["key"] = [f"k{key}" for key in np.random.default_rng(1).integers(0, 40, N)]
    path = written(frame, tmp_path / "rows.parquet")
    parts = open_parts(path)
    assert all(piece.rows.is_sparse for piece in pieces(parts))
    assert_same_as_load(parts, path)


def test_free_text_and_too_many_levels_are_refused(frame, tmp_path, monkeypatch):
    path = written(frame.assign(t=[f"one two three {i}" for i in range(N)]), tmp_path / "t.parquet")
    with pytest.raises(DataError, match="free text"):
        open_parts(path)
    monkeypatch.setattr("aucbench.datasets.parted.levels.MOST_LEVELS", 100)
    with pytest.raises(DataError, match="more than 100 different texts"):
        open_parts(path)
    spans = pd.to_timedelta(np.arange(N), "h")
    with pytest.raises(DataError, match="neither numbers nor text nor dates, first 'span'"):
        open_parts(written(frame.assign(span=spans), tmp_path / "d.parquet"))


def test_options_that_need_all_rows_are_refused(file):
    with pytest.raises(UnsupportedError, match="groups"):
        open_parts(file, groups="a")
    with pytest.raises(DataError, match="no column has two values"):
        open_parts(written(pd.DataFrame({"a": [1.0], "b": [2.0]}), file))


def test_text_files_become_parquet_once(frame, tmp_path, cache, monkeypatch):
    monkeypatch.setattr("aucbench.datasets.parted.converted.ROWS", 256)
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
