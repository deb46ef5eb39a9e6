"""Kernels beside what NumPy, SciPy and scikit-learn offer: read the ratios, not the times."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.metrics import roc_auc_score

import aucbench

from .rows import BULK, LAYOUTS
from .steps import problem_of, states_of


class Auc:
    """Exact AUC of a million scores."""

    version = "1"

    def setup(self) -> None:
        rng = np.random.default_rng(0)
        self.y = rng.integers(0, 2, 1_000_000)
        self.scores = rng.standard_normal(self.y.size) + self.y
        self.weights = rng.uniform(0.5, 2.0, self.y.size)

    def time_auc(self) -> None:
        aucbench.auc(self.y, self.scores)

    def time_weighted_auc(self) -> None:
        aucbench.auc(self.y, self.scores, self.weights)

    def time_roc_auc_score(self) -> None:
        roc_auc_score(self.y, self.scores)

    def time_weighted_roc_auc_score(self) -> None:
        roc_auc_score(self.y, self.scores, sample_weight=self.weights)


class Sorting:
    """The sorting door beside NumPy's sorts of the same scores."""

    version = "1"
    params = ([10_000, 1_000_000],)
    param_names = ("n",)

    def setup(self, n: int) -> None:
        self.x = np.random.default_rng(0).standard_normal(n)

    def time_door(self, n: int) -> None:
        aucbench.data.argsort(self.x)

    def time_numpy_sort(self, n: int) -> None:
        np.sort(self.x)

    def time_numpy_stable_argsort(self, n: int) -> None:
        np.argsort(self.x, kind="stable")


class OnePass:
    """One pass of sht-auc with a given step beside X.T @ (X @ w) over the same rows.

    `setup` does what a fit does once: class means, and a permutation of the rows.
    `time_first_pass` includes the permutation.
    """

    version = "2"
    params = ([*LAYOUTS],)
    param_names = ("layout",)

    def setup(self, layout: str) -> None:
        data = LAYOUTS[layout]()
        self.solver = aucbench.get_solver("sht-auc", gamma=1e-3)
        self.problem = problem_of(self.solver, data)
        self.X = data.rows.matrix
        self.w = np.random.default_rng(0).standard_normal(data.d)
        self.states = self.start()
        self.advance(self.states)

    def start(self) -> Iterator[aucbench.State]:
        return states_of(self.solver, self.problem)

    def advance(self, states: Iterator[aucbench.State]) -> None:
        for _ in range(self.solver.blocks):
            next(states)

    def time_sht_auc(self, layout: str) -> None:
        self.advance(self.states)

    def time_first_pass(self, layout: str) -> None:
        self.advance(self.start())

    def time_numpy(self, layout: str) -> None:
        self.X.T @ (self.X @ self.w)


class BulkReads:
    """The operations that all else uses: X w, X^T r, and a gradient in one reading of X.

    `time_products` is what NumPy or SciPy takes for X^T (X w), of the float64 copy for float32.
    """

    version = "3"
    params = ([*BULK],)
    param_names = ("layout",)

    def setup(self, layout: str) -> None:
        self.data = BULK[layout]()
        self.f = aucbench.get_objective("pairwise-square", self.data)
        self.w = np.random.default_rng(0).standard_normal(self.data.d)
        self.r = self.data.scores(self.w)
        self.f.grad(self.w)  # class means are computed once for each data set
        self.blocks = self.data.blocks(20, np.random.default_rng(1))
        self.X = self.data.rows.matrix

    def time_scores(self, layout: str) -> None:
        self.data.scores(self.w)

    def time_pullback(self, layout: str) -> None:
        self.data.pullback(self.r)

    def time_grad(self, layout: str) -> None:
        self.f.grad(self.w)

    def time_grad_of_random_blocks(self, layout: str) -> None:
        for block in self.blocks:
            self.f.grad(self.w, block)

    def time_products(self, layout: str) -> None:
        self.X.T @ (self.X @ self.w)
