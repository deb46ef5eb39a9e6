"""Rows in chunks at 10⁵ to 10⁸ rows: readings, fits, memory, and fits in memory beside them.

    python -m benchmarks.scale FOLDER                        # all of it, and docs/data/scale.json
    python -m benchmarks.scale FOLDER --sizes 1e5,1e6        # fewer sizes, and no file

FOLDER takes Parquet files of 20 float32 columns that this script makes once, 8.4 GB for 10⁸ rows.
Two threads compute. Each measurement is a process of its own, so that its peak of memory is its
own. A file has been read once before it is timed, so that it is in the cache of the system where
it fits there.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np

import aucbench
from aucbench.data import Data
from aucbench.datasets.chunked import open_parts
from aucbench.scale import ChunkedData, InMemory
from aucbench.scale.bins import binned, grid_of
from aucbench.scale.parts import Piece

FILE = Path(__file__).resolve().parents[1] / "docs" / "data" / "scale.json"
SIZES = (10**5, 10**6, 10**7, 10**8)
D, GROUP, THREADS, GAP = 20, 10**6, 2, 1e-4
IN_MEMORY = 10**7  # rows, at most
FITS = ("svm-or", "ls-svm", "rank-svm", "logistic")
ROUNDS = 3


@dataclass(frozen=True)
class Rows:
    """A summary that counts, to measure a reading alone."""

    n: int

    def merge(self, other: Rows) -> Rows:
        """Return both."""
        return Rows(self.n + other.n)


def rows(piece: Piece) -> Rows:
    """Return how many rows a piece has."""
    return Rows(piece.n)


def made(folder: Path, n: int) -> Path:
    """Return the file of n rows, and write it if it is not there."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / f"normal-{n}.parquet"
    if path.exists():
        return path
    rng = np.random.default_rng(0)
    beta = (rng.standard_normal(D) / np.sqrt(D)).astype(np.float32)
    names = [f"f{j}" for j in range(D)]
    schema = pa.schema([*((name, pa.float32()) for name in names), ("label", pa.int8())])
    plain = {"compression": "NONE", "use_dictionary": False, "write_statistics": False}
    part = path.with_suffix(".part")
    with pq.ParquetWriter(part, schema, **plain) as writer:
        for lo in range(0, n, GROUP):
            m = min(GROUP, n - lo)
            X = rng.standard_normal((m, D), dtype=np.float32)
            y = np.where(X @ beta + rng.standard_normal(m, dtype=np.float32) > 1.2, 1, -1)
            columns = [*(np.ascontiguousarray(column) for column in X.T), y.astype(np.int8)]
            writer.write_table(pa.table(columns, schema=schema), row_group_size=GROUP)
    part.rename(path)
    return path


def parts_of(path: Path) -> ChunkedData:
    """Return the rows of a file in parts."""
    return ChunkedData(open_parts(path, target="label"))


def timed(call: Callable[[], Any]) -> dict[str, float]:
    """Return the medians of wall and CPU seconds of a few calls."""
    spent = []
    for _ in range(ROUNDS):
        begin = perf_counter(), process_time()
        call()
        spent.append((perf_counter() - begin[0], process_time() - begin[1]))
    wall, cpu = (median(each) for each in zip(*spent, strict=True))
    return {"seconds": wall, "cpu": cpu}


def readings(path: Path) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield what one reading takes: alone, the survey, and evaluations of the hinge."""
    data = parts_of(path)
    data.reduce(rows)
    yield "reading", timed(lambda: data.reduce(rows))
    yield "survey", timed(lambda: parts_of(path).survey)
    w = data.means[1] - data.means[0]
    for count in (1024, 4096, 16_384):
        grid = grid_of(data, w, count)
        yield f"{count} bins", timed(lambda grid=grid: data.reduce(binned, data.centre, w, grid))


def fit(path: Path, solver: str) -> dict[str, float]:
    """Return what a fit to a relative gap takes, from opening the file on."""
    begin = perf_counter(), process_time()
    data = parts_of(path)
    last = aucbench.solve(solver, data, gap_tol=GAP).points[-1]
    spent = {"seconds": perf_counter() - begin[0], "cpu": process_time() - begin[1]}
    gap = float(last.gap or 0.0) / max(1.0, abs(float(last.objective or 0.0)))
    return {**spent, "readings": data.readings, "gap": gap, "objective": float(last.objective or 0)}


def beside_memory(path: Path) -> dict[str, float]:
    """Return seconds of svm-or in parts and in memory, in turns, and their ratio."""
    parts = open_parts(path, target="label")
    pieces = [piece for i in range(len(parts.sizes)) for piece in parts.read(i)]
    X = np.concatenate([np.column_stack(piece.rows.arrays) for piece in pieces])
    data = Data.of(X, np.concatenate([piece.y for piece in pieces]), dtype="float32")
    own, other = [], []
    for _ in range(ROUNDS):
        begin = perf_counter()
        aucbench.solve("svm-or", data, gap_tol=GAP)
        middle = perf_counter()
        aucbench.solve("svm-or", parts_of(path), gap_tol=GAP)
        own.append(perf_counter() - middle)
        other.append(middle - begin)
    return {
        "in parts": median(own),
        "in memory": median(other),
        "ratio": median(own) / median(other),
    }


def _import_all(what: str) -> None:
    """Import what a measurement needs, by a small one of its kind: the base of memory."""
    import pyarrow.parquet  # noqa: F401

    rng = np.random.default_rng(0)
    X = rng.standard_normal((1000, D))
    small = Data.of(X, np.where(X[:, 0] + rng.standard_normal(1000) > 0, 1, -1))
    aucbench.solve(what if what in FITS else "svm-or", ChunkedData(InMemory(small, 500)), passes=9)


def one(what: str, path: Path) -> dict[str, Any]:
    """Return one measurement, with the peak of memory beyond what was there before it."""
    aucbench.threads(THREADS)
    _import_all(what)
    before = getrusage(RUSAGE_SELF).ru_maxrss
    if what == "readings":
        told: dict[str, Any] = dict(readings(path))
    else:
        told = beside_memory(path) if what == "memory" else fit(path, what)
    return {**told, "megabytes": (getrusage(RUSAGE_SELF).ru_maxrss - before) / 1024}


def measured(folder: Path, sizes: list[int]) -> Iterator[dict[str, Any]]:
    """Yield the measurements of each size."""
    for n in sizes:
        path = made(folder, n)
        for what in ("readings", *FITS, *(["memory"] if n <= IN_MEMORY else [])):
            command = [sys.executable, "-m", "benchmarks.scale", str(folder), "--one", what]
            done = subprocess.run([*command, str(path)], capture_output=True, text=True, check=True)
            yield {"n": n, "what": what, "bytes": path.stat().st_size, **json.loads(done.stdout)}


def main() -> None:
    """Measure, print, and keep all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sizes")
    parser.add_argument("--one", nargs=2, metavar=("WHAT", "FILE"))
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(one(asked.one[0], Path(asked.one[1]))))
        return
    sizes = [int(float(text)) for text in asked.sizes.split(",")] if asked.sizes else [*SIZES]
    told = []
    for record in measured(asked.folder, sizes):
        told.append(record)
        print(json.dumps(record), flush=True)
    if not asked.sizes:
        FILE.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
