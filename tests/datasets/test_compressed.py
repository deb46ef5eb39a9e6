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


TABLE = b"a,b,y\n" + b"0.5000000,1,1\n0.0000000,2,0\n" * 50
ROWS = b"0.1,3,1\n" * 50


@pytest.mark.parametrize("ending", PACKERS)
def test_the_content_is_read_at_any_place(tmp_path, ending):
    content = np.random.default_rng(0).integers(0, 4, 1_200_000, dtype=np.uint8).tobytes()
    path = tmp_path / f"rows.csv{ending}"
    path.write_bytes(PACKERS[ending](content))
    with open_plain(path) as stream:
        assert stream.read() == content
        stream.seek(1000)
        assert stream.read(50) == content[1000:1050]


@pytest.mark.parametrize("ending", [".xz", ".bz2", ".gz"])
@pytest.mark.parametrize("zeros", [0, 2_000_000])
def test_streams_follow_each_other_with_zeros_between_and_after_them(tmp_path, ending, zeros):
    pack, path = PACKERS[ending], tmp_path / f"rows.csv{ending}"
    path.write_bytes(pack(TABLE) + bytes(zeros) + pack(ROWS) + bytes(zeros))
    assert load(path).n == 150


@pytest.mark.parametrize("ending", [".xz", ".bz2", ".gz"])
@pytest.mark.parametrize("rest", [b"x", b"\0\0\0\0rubbish", "magic", "cut", "damaged"])
def test_bytes_that_are_no_stream_are_refused(tmp_path, ending, rest):
    pack, path = PACKERS[ending], tmp_path / f"rows.csv{ending}"
    more = pack(ROWS)
    rest = {"magic": more[:2], "cut": more[:-1], "damaged": more[:20] + b"????" + more[24:]}.get(
        rest, rest
    )
    path.write_bytes(pack(TABLE) + rest)
    with pytest.raises(DataError, match=r"rows\.csv\.\w+ cannot be read as csv"):
        load(path)
