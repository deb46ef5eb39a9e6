"""The peak of memory does not grow with the rows."""

import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.slow
GROUP = 250_000
CODE = """
import json, sys
from resource import RUSAGE_SELF, getrusage
import aucbench
from aucbench.datasets.chunked import open_parts
from aucbench.scale import ChunkedData

aucbench.threads(2)
rows = ChunkedData(open_parts(sys.argv[1], target="y"), standard=True)
run = aucbench.solve("svm-or", rows, gap_tol=1e-4)
print(json.dumps([getrusage(RUSAGE_SELF).ru_maxrss, run.stop.name, rows.n]))
"""


def written(path, n):
    rng = np.random.default_rng(0)
    schema = pa.schema([*((f"x{j}", pa.float32()) for j in range(4)), ("y", pa.int8())])
    with pq.ParquetWriter(path, schema, compression="NONE", use_dictionary=False) as file:
        for _ in range(0, n, GROUP):
            X = rng.standard_normal((GROUP, 4), dtype=np.float32)
            y = (X.sum(axis=1) + rng.standard_normal(GROUP, dtype=np.float32) > 2).astype(np.int8)
            columns = [*(np.ascontiguousarray(column) for column in X.T), y]
            file.write_table(pa.table(columns, schema=schema), row_group_size=GROUP)
    return path


@pytest.mark.nightly
def test_four_times_as_many_rows_take_the_same_memory(tmp_path):
    peaks = []
    for n in (10**6, 4 * 10**6):
        path = written(tmp_path / f"{n}.parquet", n)
        done = subprocess.run(
            [sys.executable, "-c", CODE, str(path)], capture_output=True, text=True, check=True
        )
        peak, stop, rows = json.loads(done.stdout)
        assert (stop, rows) == ("CERTIFIED", n)
        peaks.append(peak)
    assert peaks[1] <= 1.1 * peaks[0]
