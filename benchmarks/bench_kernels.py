"""Kernels beside what NumPy, SciPy and scikit-learn offer: read the ratios, not the times."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import roc_auc_score

import aucbench

from .rows import LAYOUTS


class Auc:
    """Exact AUC of a million scores."""

    version = "1"

    def setup(self) -> None:
        rng = np.random.default_rng(0)
        self.y = rng.integers(0, 2, 1_000_000)
        self.scores = rng.standard_normal(self.y.size) + self.y

    def time_auc(self) -> None:
        aucbench.auc(self.y, self.scores)

    def time_roc_auc_score(self) -> None:
        roc_auc_score(self.y, self.scores)


class OnePass:
    """One pass of sht-auc with a given step beside X.T @ (X @ w) over the same rows."""

    version = "1"
    params = ([*LAYOUTS],)
    param_names = ("layout",)

    def setup(self, layout: str) -> None:
        data = LAYOUTS[layout]()
        self.solver = aucbench.get_solver("sht-auc", gamma=1e-3)
        self.problem = self.solver.problem(data, np.random.default_rng(0))
        self.X, self.n = data.rows.matrix, data.n
        self.w = np.random.default_rng(0).standard_normal(data.d)

    def time_sht_auc(self, layout: str) -> None:
        for state in self.solver.iterates(self.problem, np.random.default_rng(0)):
            if state.rows_seen >= self.n:
                return

    def time_numpy(self, layout: str) -> None:
        self.X.T @ (self.X @ self.w)


class BulkReads:
    """What everything else is made of: X w, X^T r, and a gradient in one reading of X."""

    version = "1"
    params = ([*LAYOUTS],)
    param_names = ("layout",)

    def setup(self, layout: str) -> None:
        self.data = LAYOUTS[layout]()
        self.f = aucbench.get_objective("pairwise-square", self.data)
        self.w = np.random.default_rng(0).standard_normal(self.data.d)
        self.r = self.data.scores(self.w)

    def time_scores(self, layout: str) -> None:
        self.data.scores(self.w)

    def time_pullback(self, layout: str) -> None:
        self.data.pullback(self.r)

    def time_grad(self, layout: str) -> None:
        self.f.grad(self.w)
