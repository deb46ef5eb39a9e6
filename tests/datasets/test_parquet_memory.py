"""The memory of reading a Parquet file, beside its bytes."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.nightly

# The kernel hands the ru_maxrss of a parent on to its children; VmHWM begins at exec.
READ = """
import sys
from pathlib import Path
from aucbench.datasets import load
from aucbench.datasets.chunked import open_parts
if sys.argv[1] == "load":
    n = load(sys.argv[2]).n
else:
    parts = open_parts(sys.argv[2])
    n = sum(piece.n for i in range(len(parts.sizes)) for piece in parts.read(i))
[peak] = [l.split()[1] for l in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in l]
print(n, int(peak) * 1024)
"""


def peak(way, path, rows):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((rows, 20), dtype=np.float32)).add_prefix("f")
    frame["label"] = (frame["f0"] > 1).astype(np.int8)
    frame.to_parquet(path, row_group_size=50_000, compression=None, index=False)
    command = [sys.executable, "-c", READ, way, str(path)]
    n, most = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert int(n) == rows
    return int(most), path.stat().st_size


def test_a_file_of_float32_takes_about_twice_its_bytes(tmp_path):
    few, some = peak("load", tmp_path / "some.parquet", 200_000)
    many, more = peak("load", tmp_path / "more.parquet", 1_000_000)
    assert many - few < 2.2 * (more - some)


def test_parts_take_no_more_memory_where_there_are_more_of_them(tmp_path):
    one, size = peak("parts", tmp_path / "one.parquet", 200_000)
    three, _ = peak("parts", tmp_path / "three.parquet", 600_000)
    assert three < 1.1 * one
    assert three - one < 0.2 * size
