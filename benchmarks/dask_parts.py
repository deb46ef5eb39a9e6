"""svm-or on rows in chunks: two threads beside the two processes of a dask cluster.

    python -m benchmarks.dask_parts rows.parquet --gap 1e-4

Both read the file for each question, or both keep the rows. The seconds are those of the median
evaluation; the first reading is not in them. The file has a column `label`.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Iterator
from statistics import median
from time import perf_counter, process_time
from typing import Any

import aucbench
from aucbench.datasets.chunked import open_parts
from aucbench.scale import ChunkedData, Here, Parts, Piece
from aucbench.scale.dask import Dask


class Kept:
    """Parts whose pieces stay in memory."""

    def __init__(self, parts: Parts) -> None:
        self._parts, self._pieces = parts, [tuple(parts.read(i)) for i in range(len(parts.sizes))]
        self.n, self.d, self.names, self.sizes = parts.n, parts.d, parts.names, parts.sizes
        self.fingerprint, self.where = parts.fingerprint, parts.where

    def read(self, i: int) -> Iterator[Piece]:
        """Yield the pieces of part i."""
        yield from self._pieces[i]


class Timed:
    """An engine that notes the seconds of each question, and the CPU time of all processes."""

    def __init__(self, engine: Any, client: Any) -> None:
        self.engine, self.client, self.seconds, self.cpu = engine, client, [], []
        self.scan, self.tally = engine.scan, engine.tally

    def reduce(self, *asked: Any, **options: Any) -> Any:
        start, before = perf_counter(), self._cpu()
        told = self.engine.reduce(*asked, **options)
        self.seconds.append(perf_counter() - start)
        self.cpu.append(self._cpu() - before)
        return told

    def _cpu(self) -> float:
        workers = self.client.run(process_time).values() if isinstance(self.engine, Dask) else ()
        return process_time() + sum(workers)


def measured(name: str, parts: Parts, engine: Any, gap: float, client: Any) -> bytes:
    timed = Timed(engine, client)
    start = perf_counter()
    run = aucbench.solve(aucbench.get_solver("svm-or"), ChunkedData(parts, timed), gap_tol=gap)
    total = perf_counter() - start
    first, *others = timed.seconds
    print(
        f"{name}: {median(others):.3f} s an evaluation, {median(timed.cpu[1:]):.3f} s of CPU, "
        f"{len(others)} of them, first reading "
        f"{first:.2f} s, {total:.2f} s in all, {run.stop}",
        flush=True,
    )
    return run.w.tobytes()


def collections(client: Any, path: str, train: int, gap: float) -> None:
    """Fit the first rows as an array of dask, as benchmarks/dask_peers.py does with others.

    Like there, rows are on the workers before the clock starts.
    """
    import dask.array as da
    from distributed import wait

    from aucbench.datasets.chunked.dask_parts import open_collection
    from benchmarks.dask_peers import TEST, rows_of

    X, y = rows_of(path, train + TEST)
    chunk = train // 8
    dX = client.persist(da.from_array(X[:train], chunks=(chunk, X.shape[1])))
    dy = client.persist(da.from_array(y[:train], chunks=chunk))
    wait([dX, dy])
    for solver in ("svm-or", "ls-svm", "logistic"):
        start = perf_counter()
        parts = open_collection(dX, dy, client=client)
        run = aucbench.solve(
            aucbench.get_solver(solver), ChunkedData(parts, parts.engine), gap_tol=gap
        )
        seconds = perf_counter() - start
        auc = aucbench.auc(y[train:], X[train:] @ run.w[: X.shape[1]])
        print(f"{solver} to {gap:g}: {seconds:.2f} s, AUC {auc:.5f}, {run.stop}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--gap", type=float, default=1e-4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--collections", type=int, default=0, metavar="ROWS")
    asked = parser.parse_args()
    from distributed import Client, LocalCluster

    parts = open_parts(asked.file)
    cluster = LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        silence_logs=logging.CRITICAL,
    )
    with cluster, Client(cluster) as client, aucbench.threads(2):
        if asked.collections:
            for _ in range(asked.rounds):
                collections(client, asked.file, asked.collections, asked.gap)
            return
        kept = Kept(parts)
        weights = set()
        for _ in range(asked.rounds):  # in turns, since other work may disturb each
            weights |= {
                measured("2 threads, reading", parts, Here(), asked.gap, client),
                measured(
                    "2 processes, reading", parts, Dask(client, keep=False), asked.gap, client
                ),
                measured("2 threads, kept", kept, Here(), asked.gap, client),
                measured("2 processes, kept", parts, Dask(client, keep=True), asked.gap, client),
            }
        print("the weights have the same bits" if len(weights) == 1 else "the weights differ")


if __name__ == "__main__":
    main()
