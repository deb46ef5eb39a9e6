"""The memory of learning from a file larger than it.

AUCBENCH_STREAM_MB is the size of the file, 20 when not set; 2000 takes some minutes.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from nights import first

MB = int(os.environ.get("AUCBENCH_STREAM_MB", "20"))
D, STORED = 2000, 40
LIMIT, GROWTH = 300, 12  # MB: of the whole process, and between files of MB / 4 and MB

# The kernel hands the ru_maxrss of a parent on to its children; VmHWM begins at exec.
LEARN = """
import sys
from pathlib import Path
from aucbench import AUCClassifier, auc
from aucbench.datasets import stream
model, rows = AUCClassifier(sys.argv[2]), 0
for chunk in stream(sys.argv[1], rows=2000):
    model.partial_fit(chunk)
    rows += chunk.n
[peak] = [l.split()[1] for l in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in l]
print(rows, int(peak) // 1024, auc(chunk.y, model.decision_function(chunk.rows)))
"""


def block(rows=4000):
    """Text of rows of a linear model, with 40 of 2000 features each."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=D)
    lines = []
    for _ in range(rows):
        columns = np.sort(rng.choice(D, STORED, replace=False))
        values = rng.normal(size=STORED).round(4)
        label = 1 if values @ truth[columns] > 4 else -1
        pairs = (f"{j + 1}:{v:g}" for j, v in zip(columns, values, strict=True))
        lines.append(f"{label} {' '.join(pairs)}\n")
    return "".join(lines).encode()


def learnt(path: Path, text: bytes, size: int, solver: str) -> tuple[int, float]:
    """Peak in MB and AUC of the last chunk, of a process on a file of `size` MB."""
    copies = -(-size * 2**20 // len(text))
    with path.open("wb") as out:
        for _ in range(copies):
            out.write(text)
    try:
        command = [sys.executable, "-c", LEARN, str(path), solver]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
    finally:
        path.unlink()
    rows, peak, auc = run.stdout.split()
    assert int(rows) == copies * text.count(b"\n")
    return int(peak), float(auc)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")
@pytest.mark.parametrize("solver", first(["uni-exp", "solam"]))
def test_memory_is_small_and_does_not_grow_with_the_file(solver, tmp_path, record_property):
    text = block()
    quarter, _ = learnt(tmp_path / "quarter.svm", text, max(1, MB // 4), solver)
    peak, auc = learnt(tmp_path / "whole.svm", text, MB, solver)

    record_property("peak_mb", peak)
    assert peak < LIMIT
    assert peak - quarter < GROWTH
    assert auc > 0.6
