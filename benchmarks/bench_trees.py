"""Trees: boosting by rows and by pairs, and scores by a sum of trees that is read from arrays."""

from __future__ import annotations

from importlib import import_module

import numpy as np

import aucbench
from aucbench.optim.trees import portable

from .rows import labels

N, D = 50_000, 20
BOOSTING = ["lightgbm", "lightgbm-pairs", "xgboost", "xgboost-pairs", "catboost"]
QUIET = {"iterations": 20, "thread_count": 1, "allow_writing_files": False, "verbose": 0}


def made(n: int) -> aucbench.Data:
    """Return normal rows whose labels are curved in two features."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, D))
    return aucbench.Data.of(X, labels(X[:, 0] * X[:, 1] + X[:, 2], rng))


class TreeScores:
    """50 000 rows of 20 columns, and 100 trees of LightGBM with 31 leaves."""

    version = "1"

    def setup(self) -> None:
        self.data = made(N)
        run = aucbench.solve(aucbench.get_solver("lightgbm"), self.data)
        self.trees = portable(run.model)

    def time_scores(self) -> None:
        self.trees.scores(self.data.rows)


class Boosting:
    """Twenty trees by the loss of rows, and by the exact loss over all pairs."""

    version = "1"
    params = (BOOSTING, [10_000, 100_000])
    param_names = ("solver", "n")

    def setup(self, solver: str, n: int) -> None:
        self.data, self.solver = made(n), aucbench.get_solver(solver, n_estimators=20)

    def time_fit(self, solver: str, n: int) -> None:
        aucbench.solve(self.solver, self.data)


class CatBoostOfPairs:
    """Twenty trees of CatBoost by the exact loss over all pairs."""

    version = "1"
    params = ([10_000, 100_000],)
    param_names = ("n",)

    def setup(self, n: int) -> None:
        self.data = made(n)
        self.train = import_module("aucbench.losses.catboost").train

    def time_train(self, n: int) -> None:
        self.train(QUIET, self.data.rows.matrix, self.data.y)
