"""The exact line minimum of the AUM beside one sort of the scores: read the ratios."""

from __future__ import annotations

import numpy as np

from aucbench import aum

SIZES = [1_000, 10_000, 100_000, 1_000_000]
SHAPES = ["normal", "tied", "separable"]


class LineMinimum:
    """A line on which positives rise and negatives fall."""

    version = "1"
    params = (SIZES, SHAPES)
    param_names = ("n", "shape")

    def setup(self, n: int, shape: str) -> None:
        rng = np.random.default_rng(0)
        self.y = np.where(rng.random(n) < 0.25, 1, -1)
        self.s = rng.standard_normal(n) + 0.3 * self.y
        pull = 8.0 if shape == "separable" else 0.3
        self.d = rng.standard_normal(n) - pull * self.y
        if shape == "tied":
            self.s, self.d = np.round(4 * self.s), np.round(4 * self.d)

    def time_line_min(self, n: int, shape: str) -> None:
        aum.aum_line_min(self.s, self.d, self.y)

    def time_sort(self, n: int, shape: str) -> None:
        np.sort(self.s)
