"""Scores by a sum of trees, read from arrays."""

from __future__ import annotations

import numpy as np

import aucbench
from aucbench.optim.trees import portable

from .rows import labels

N, D = 50_000, 20


class TreeScores:
    """50 000 rows of 20 columns, and 100 trees of LightGBM with 31 leaves."""

    version = "1"

    def setup(self) -> None:
        rng = np.random.default_rng(0)
        X = rng.standard_normal((N, D))
        self.data = aucbench.Data.of(X, labels(X[:, 0] * X[:, 1] + X[:, 2], rng))
        run = aucbench.solve(aucbench.get_solver("lightgbm"), self.data)
        self.trees = portable(run.model)

    def time_scores(self) -> None:
        self.trees.scores(self.data.rows)
