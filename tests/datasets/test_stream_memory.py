"""The memory of reading a file in chunks does not grow with the file."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

N, D, COPIES = 4000, 40, 8
LIMIT, GROWTH = 300, 12  # MB: of the whole process, and between a quarter of the file and all of it

# The kernel hands the ru_maxrss of a parent on to its children; VmHWM begins at exec.
READ = """
import sys
from pathlib import Path
from aucbench.datasets import stream
rows = sum(chunk.n for chunk in stream(sys.argv[1], rows=1000))
[peak] = [l.split()[1] for l in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in l]
print(rows, int(peak) // 1024)
"""


@pytest.mark.nightly
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")
def test_memory_is_small_and_does_not_grow_with_the_file(tmp_path):
    X = np.random.default_rng(0).normal(size=(N, D))
    dump_svmlight_file(X, np.arange(N) % 2, str(tmp_path / "rows.svm"))
    text, peaks = (tmp_path / "rows.svm").read_bytes(), []
    for copies in (COPIES // 4, COPIES):
        (tmp_path / "rows.svm").write_bytes(copies * text)
        command = [sys.executable, "-c", READ, str(tmp_path / "rows.svm")]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
        rows, peak = map(int, run.stdout.split())
        assert rows == copies * N
        peaks.append(peak)
    assert peaks[1] < LIMIT
    assert peaks[1] - peaks[0] < GROWTH
