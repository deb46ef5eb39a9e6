"""Compressed files: any reading and seeking."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile

import numpy as np
import pytest

from aucbench.datasets import load
from aucbench.datasets.endings import open_plain
from aucbench.errors import DataError


def zipped(content, method=zipfile.ZIP_DEFLATED, name="rows.csv"):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr(name, content)
    return packed.getvalue()


PACKERS = {".xz": lzma.compress, ".bz2": bz2.compress, ".gz": gzip.compress, ".zip": zipped}


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


def test_streams_of_xz_follow_each_other(tmp_path):
    path = tmp_path / "rows.csv.xz"
    table = b"a,b,y\n" + b"0.5000000,1,1\n0.0000000,2,0\n" * 50
    head, rest = lzma.compress(table), lzma.compress(b"0.1,3,1\n" * 50)
    path.write_bytes(head + rest)
    assert load(path).n == 150
    for damaged in (head[:-20], head[:40] + bytes(8) + head[48:]):
        path.write_bytes(damaged)
        with pytest.raises(DataError, match=r"rows\.csv\.xz cannot be read as csv"):
            load(path)
