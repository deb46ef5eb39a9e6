"""Rows in chunks: what a reading costs beside a sum of its columns, and a fit beside one in memory.

Read the ratios, not the times.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from time import perf_counter

import numpy as np

import aucbench
from aucbench.scale import ChunkedData, Columns, Piece
from aucbench.scale.bins import Grid, binned, pulled
from aucbench.scale.survey import survey
from aucbench.scale.tiles import scores_of

from .rows import labels

N, D, PART = 200_000, 20, 50_000
GAP = 1e-4


class InColumns:
    """Float columns in memory as parts, as a file of Parquet gives them."""

    names, n, d, fingerprint = None, N, D, "benchmark"
    sizes = (PART,) * (N // PART)

    def __init__(self, X: np.ndarray, y: np.ndarray) -> None:
        self.pieces = [
            Piece(
                Columns(tuple(np.ascontiguousarray(c) for c in X[lo : lo + PART].T)),
                y[lo : lo + PART],
            )
            for lo in range(0, N, PART)
        ]

    def read(self, i: int) -> Iterator[Piece]:
        yield self.pieces[i]

    def where(self, i: int, row: int) -> str:
        return f"row {i * PART + row}"


def table() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((N, D), dtype=np.float32)
    w = rng.standard_normal(D)
    return X, labels(X @ w, rng).astype(np.int8), w


class Piecewise:
    """The kernels that read a piece, of 50 000 × 20 float32."""

    version = "1"
    params = ([256, 1024, 4096, 16_384],)
    param_names = ("bins",)

    def setup(self, bins: int) -> None:
        X, y, self.w = table()
        self.piece = InColumns(X, y).pieces[0]
        self.grid, self.centre = Grid(-8.0, bins / 16.0, bins), np.zeros(D)
        self.c = np.random.default_rng(0).standard_normal((2, bins))

    def time_scores(self, bins: int) -> None:
        scores_of(self.piece, self.centre, self.w)

    def time_binned(self, bins: int) -> None:
        binned(self.piece, self.centre, self.w, self.grid)

    def time_counts(self, bins: int) -> None:
        binned(self.piece, self.centre, self.w, self.grid, sums=False)

    def time_pulled(self, bins: int) -> None:
        pulled(self.piece, self.centre, self.w, self.grid, self.c)

    def time_survey(self, bins: int) -> None:
        survey(self.piece, self.centre, 1000, 0)

    def time_numpy_sums(self, bins: int) -> None:
        """A sum of each column reads the same numbers once."""
        for column in self.piece.rows.arrays:
            column.sum(dtype=np.float64)


class Fit:
    """svm-or to a relative gap of 1e-4, in parts and in memory."""

    version = "1"
    timeout = 120

    def setup(self) -> None:
        X, y, _ = table()
        self.parts, self.data = InColumns(X, y), aucbench.Data.of(X, y, dtype="float32")

    def in_parts(self) -> float:
        begin = perf_counter()
        aucbench.solve("svm-or", ChunkedData(self.parts), gap_tol=GAP)
        return perf_counter() - begin

    def in_memory(self) -> float:
        begin = perf_counter()
        aucbench.solve("svm-or", self.data, gap_tol=GAP)
        return perf_counter() - begin

    def time_in_parts(self) -> None:
        self.in_parts()

    def track_ratio(self) -> float:
        """Time in parts divided by that in memory; the target is 1.5 at 10⁷ rows."""
        return median(self.in_parts() / self.in_memory() for _ in range(5))
