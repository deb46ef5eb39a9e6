"""Compressed files: any reading and seeking, and limits against decompression bombs."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile

import numpy as np
import pytest

from aucbench.datasets import compressed, load
from aucbench.datasets.formats import open_plain
from aucbench.errors import DataError


def zipped(content, method=zipfile.ZIP_DEFLATED, name="rows.csv"):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr(name, content)
    return packed.getvalue()


PACKERS = {".xz": lzma.compress, ".bz2": bz2.compress, ".gz": gzip.compress, ".zip": zipped}


def table(lines):
    return b"a,b,y\n" + b"0.5000000,1,1\n0.0000000,2,0\n" * (lines // 2)


@pytest.fixture
def strict(monkeypatch):
    """Limits that a test can exceed: 100 kB, or 20 times the file."""
    monkeypatch.setattr(compressed, "SMALL", 100_000)
    monkeypatch.setattr(compressed, "RATIO", 20)


@pytest.fixture
def poor(monkeypatch):
    monkeypatch.setattr(compressed, "MEMORY", 2_000_000)


@pytest.mark.parametrize("ending", PACKERS)
def test_reading_and_seeking_are_those_of_the_content(tmp_path, ending):
    rng = np.random.default_rng(0)
    content = rng.integers(0, 4, 300_000, dtype=np.uint8).tobytes()
    path = tmp_path / f"rows.csv{ending}"
    path.write_bytes(PACKERS[ending](content))
    plain = io.BytesIO(content)
    with open_plain(path) as stream:
        for _ in range(60):
            step = rng.integers(4)
            at = int(rng.integers(0, 310_000))
            if step == 0:
                assert stream.seek(at) == stream.tell()
                plain.seek(min(at, len(content)))
            elif step == 1:
                assert stream.seek(-at, io.SEEK_END) == plain.seek(-at, io.SEEK_END)
            elif step == 2:
                assert stream.readline() == plain.readline()
            else:
                assert stream.read(at) == plain.read(at)
            assert stream.tell() == plain.tell()
    assert stream.closed


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("name", ["rows.csv", "rows.svm"])
def test_a_bomb_stops_at_the_limit(tmp_path, strict, ending, name):
    small, large = (
        table(count) if name == "rows.csv" else b"1 1:0.5 2:1\n-1 1:2.5 2:3\n" * (count // 2)
        for count in (6000, 20_000)
    )
    path = tmp_path / f"{name}{ending}"
    path.write_bytes(PACKERS[ending](small))
    assert load(path).n == 6000
    path.write_bytes(PACKERS[ending](large))
    with pytest.raises(DataError, match=r"rows\..*become more than 100,000 .*unpack it yourself"):
        load(path)


def test_a_long_file_that_is_hardly_packed_is_no_bomb(tmp_path, strict):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8000, 2))
    lines = (f"{a},{b},{int(a > 0)}\n" for a, b in X)
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(("a,b,y\n" + "".join(lines)).encode()))
    assert load(path).n == 8000


def test_no_content_is_longer_than_the_largest():
    assert compressed.limit_of(1) == 10**8
    assert compressed.limit_of(10**7) == 10**10
    assert compressed.limit_of(10**9) == 5 * 10**10


def test_a_bomb_of_images_is_one_sentence(tmp_path, strict):
    for part in ("train-images-idx3", "train-labels-idx1"):
        (tmp_path / f"x-{part}-ubyte.gz").write_bytes(gzip.compress(bytes(200_000)))
    with pytest.raises(DataError, match=r"images-idx3-ubyte\.gz: its .* become more than 100,000"):
        load(tmp_path / "x-train-images-idx3-ubyte.gz")


def test_a_bomb_in_an_archive_of_arrays_stops(tmp_path, strict):
    y = np.arange(200) % 2
    for width in (10, 100):
        np.savez_compressed(tmp_path / "rows.npz", X=np.outer(y, np.ones(width)), y=y)
        if width == 10:
            assert load(tmp_path / "rows.npz").n == 200
    with pytest.raises(DataError, match=r"rows\.npz: its .* become more than 100,000"):
        load(tmp_path / "rows.npz")
    np.save(tmp_path / "one.npy", y)
    (tmp_path / "one.npy").rename(tmp_path / "one.npz")
    with pytest.raises(DataError, match="it is no archive of arrays"):
        load(tmp_path / "one.npz")


def test_a_bomb_in_an_excel_file_stops(tmp_path, strict, monkeypatch):
    pd, _ = pytest.importorskip("pandas"), pytest.importorskip("openpyxl")
    frame = pd.DataFrame({"a": np.zeros(3000), "y": np.arange(3000) % 2})
    frame.to_excel(tmp_path / "rows.xlsx", index=False)
    assert load(tmp_path / "rows.xlsx").n == 3000
    monkeypatch.setattr(compressed, "RATIO", 2)
    with pytest.raises(DataError, match=r"rows\.xlsx: its .* become more than"):
        load(tmp_path / "rows.xlsx")


def test_bzip2_in_a_zip_archive_is_refused(tmp_path):
    (tmp_path / "rows.csv.zip").write_bytes(zipped(table(10), zipfile.ZIP_BZIP2))
    with pytest.raises(DataError, match=r"rows\.csv is packed by bzip2 in the archive.*unpack it"):
        load(tmp_path / "rows.csv.zip")


@pytest.mark.parametrize("form", [lzma.FORMAT_XZ, lzma.FORMAT_ALONE])
def test_xz_that_needs_much_memory_is_refused(tmp_path, poor, form):
    path = tmp_path / "rows.csv.xz"
    path.write_bytes(lzma.compress(table(100), form, preset=0))
    assert load(path).n == 100
    path.write_bytes(lzma.compress(table(100), form, preset=6))
    with pytest.raises(DataError, match=r"rows\.csv\.xz: .* more than 2,000,000 bytes of mem"):
        load(path)


def test_xz_that_needs_much_memory_later_is_refused(tmp_path, poor):
    parts = [lzma.compress(table(100), preset=preset) for preset in (0, 6)]
    (tmp_path / "rows.csv.xz").write_bytes(b"".join(parts))
    with pytest.raises(DataError, match="takes more than 2,000,000 bytes of memory"):
        load(tmp_path / "rows.csv.xz")


def test_streams_of_xz_follow_each_other(tmp_path):
    path = tmp_path / "rows.csv.xz"
    head, rest = lzma.compress(table(100)), lzma.compress(b"0.1,3,1\n" * 50)
    for filled in (b"", bytes(8), bytes(compressed.CHUNK + 4)):
        path.write_bytes(head + filled + rest + filled)
        assert load(path).n == 150
    for damaged in (head[:-20], head + b"what is this", head[:40] + bytes(8) + head[48:]):
        path.write_bytes(damaged)
        with pytest.raises(DataError, match=r"rows\.csv\.xz cannot be read as csv"):
            load(path)
