"""The AUC of scores that are made part by part: CPU time, memory, width of the bounds.

    python -m benchmarks.auc_parts --rows 1e9             # bounds
    python -m benchmarks.auc_parts --rows 1e8 --exact     # the AUC itself, by ranges

It needs no file and no memory for the scores, so that what is measured is the counting. The time to
make the scores is told apart.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from resource import RUSAGE_SELF, getrusage
from time import perf_counter, process_time

import numpy as np

import aucbench
from aucbench.metrics.chunked import auc_in_chunks
from aucbench.scale.parts import PIECE, Columns, Piece

PART = 1 << 20


@dataclass(frozen=True)
class MadeScores:
    """Normal scores of float32, those of positives larger by 1; one row in four is positive."""

    n: int

    d = 1
    names = ("score",)
    fingerprint = "made"

    @property
    def sizes(self) -> tuple[int, ...]:
        """Rows of each part."""
        return tuple(min(PART, self.n - lo) for lo in range(0, self.n, PART))

    def read(self, i: int) -> Iterator[Piece]:
        """Make the scores of a part."""
        rng = np.random.default_rng([7, i])
        for first in range(0, self.sizes[i], PIECE):
            m = min(PIECE, self.sizes[i] - first)
            positive = rng.integers(0, 256, m, np.uint8) < 64
            s = rng.standard_normal(m, dtype=np.float32)
            s += positive
            y = positive.view(np.int8) * np.int8(2) - np.int8(1)
            yield Piece(Columns((s,)), y, part=i, first=first)

    def where(self, i: int, row: int) -> str:
        """Return the number of the row."""
        return f"row {i * PART + row}"


def main() -> None:
    """Print one line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e7)
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--memory", type=float, default=1000.0)
    asked = parser.parse_args()
    parts = MadeScores(int(asked.rows))
    base = getrusage(RUSAGE_SELF).ru_maxrss / 1024
    start = process_time()
    few = range(min(50, len(parts.sizes)))
    rows = sum(piece.n for i in few for piece in parts.read(i))
    making = (process_time() - start) * parts.n / rows
    start, wall = process_time(), perf_counter()
    with aucbench.threads(asked.threads):
        told = auc_in_chunks(parts, exact=asked.exact, memory=asked.memory)
    cpu, wall = process_time() - start, perf_counter() - wall
    peak = getrusage(RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{parts.n:.0e} scores: {told.low!r} to {told.high!r}, width {told.high - told.low:.2e}, "
        f"{told.readings} reading(s); {cpu:.1f} s CPU, of which {making * told.readings:.1f} s to "
        f"make the scores; {wall:.1f} s; peak {peak:.0f} MB, {peak - base:.0f} above the base"
    )


if __name__ == "__main__":
    main()
