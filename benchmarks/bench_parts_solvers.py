"""Moments, the squared hinge and the logistic loss of rows in chunks, beside what they need.

Read the ratios, not the times.
"""

from __future__ import annotations

from statistics import median
from time import perf_counter

import numpy as np

import aucbench
from aucbench.objectives import BinnedSquaredHinge, LogisticInParts
from aucbench.scale import ChunkedData, Columns, Piece
from aucbench.scale.moments import moments
from aucbench.scale.order import chunks

from .bench_parts import InColumns, table

ROWS = {20: 200_000, 200: 20_000, 2000: 4_000}


class Moments:
    """The moments of float32 columns, beside a product of matrices of doubles."""

    version = "1"
    params = (list(ROWS),)
    param_names = ("features",)

    def setup(self, d: int) -> None:
        rng = np.random.default_rng(0)
        X = rng.standard_normal((d, ROWS[d]), dtype=np.float32)
        self.piece = Piece(
            Columns(tuple(X)), np.where(rng.random(ROWS[d]) < 0.3, 1, -1).astype("i1")
        )
        self.matrix, self.shift = X.T.astype(np.float64), np.zeros(d)
        self.other = self.matrix.copy()

    def of_rows(self) -> float:
        begin = perf_counter()
        moments(self.piece, self.shift)
        return perf_counter() - begin

    def of_product(self) -> float:
        begin = perf_counter()
        self.matrix.T @ self.other
        return perf_counter() - begin

    def time_moments(self, d: int) -> None:
        self.of_rows()

    def track_ratio(self, d: int) -> float:
        """Time of moments divided by that of a product; the target is 1.4 at 2000 features."""
        return median(self.of_rows() / self.of_product() for _ in range(5))


class Evaluations:
    """One reading of 200 000 × 20 float32 in memory."""

    version = "1"

    def setup(self) -> None:
        X, y, self.w = table()
        self.parts = ChunkedData(InColumns(X, y))
        self.w = 0.3 * self.w / self.parts.longest  # the survey is no part of it

    def time_squared_hinge(self) -> None:
        BinnedSquaredHinge(self.parts).cut(self.w)

    def time_logistic(self) -> None:
        LogisticInParts(self.parts, 1.0).at(np.append(self.w, 0.0))

    def time_two_levels(self) -> None:
        for _ in chunks(self.parts, np.random.default_rng(0)):
            pass


class Fits:
    """Fits in parts to a relative gap of 1e-4."""

    version = "1"
    timeout = 120
    params = (["ls-svm", "rank-svm", "logistic"],)
    param_names = ("solver",)

    def setup(self, solver: str) -> None:
        X, y, _ = table()
        self.parts = InColumns(X, y)

    def time_fit(self, solver: str) -> None:
        aucbench.solve(solver, ChunkedData(self.parts), gap_tol=1e-4)

    def track_readings(self, solver: str) -> int:
        """Readings of all rows."""
        parts = ChunkedData(self.parts)
        aucbench.solve(solver, parts, gap_tol=1e-4)
        return parts.readings
