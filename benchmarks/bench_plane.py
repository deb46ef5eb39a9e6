"""The best AUC of two features: rows on which most pairs are only counted, and rows of noise."""

from __future__ import annotations

import numpy as np

from aucbench.metrics import best_auc_2d

SHAPES = {"apart": 0.5, "noise": 0.0, "grid": 0.5}


class BestOfTwo:
    """30 % of the rows are positive."""

    version = "1"
    params = ([1_000, 10_000, 30_000], list(SHAPES))
    param_names = ("n", "shape")

    def setup(self, n: int, shape: str) -> None:
        rng = np.random.default_rng(0)
        self.y = rng.random(n) < 0.3
        self.X = rng.standard_normal((n, 2)) + SHAPES[shape] * self.y[:, None]
        if shape == "grid":
            self.X = np.round(8.0 * self.X)
        elif shape == "noise" and n > 10_000:
            raise NotImplementedError("it takes half a minute")

    def time_best_auc_2d(self, n: int, shape: str) -> None:
        best_auc_2d(self.X, self.y)
