"""The ROC-SVM with Nyström kernels, beside its matrix products alone: read the ratios."""

from __future__ import annotations

from functools import cache

import numpy as np

import aucbench
from aucbench.solving.scoring import Scorer

from .steps import problem_of

N, RANK = 100_000, 300
FEATURES = (2, 20)


@cache
def shell(d: int) -> aucbench.Data:
    """Normal features; a row is positive when it is far from the centre, with noise."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((N, d))
    far = (X**2).sum(axis=1) + np.sqrt(2 * d) * rng.standard_normal(N)
    return aucbench.Data.of(X, np.where(far > np.quantile(far, 0.8), 1, -1))


class Nystrom:
    """A fit with a derived γ and λ, its kernel values, prediction, and the bare products."""

    version = "1"
    params = (FEATURES,)
    param_names = ("features",)

    def setup(self, features: int) -> None:
        self.data = shell(features)
        self.solver = aucbench.get_solver("roc-svm-nystrom", lam=None, gamma="median")
        self.chosen = aucbench.get_solver("roc-svm-nystrom")
        self.problem = problem_of(self.solver, self.data)
        self.w = np.ones(self.problem.data.d)
        self.scorer = Scorer.of(self.problem)
        self.X = self.data.rows.matrix
        rng = np.random.default_rng(0)
        self.columns = rng.standard_normal((N, RANK))
        self.root = rng.standard_normal((RANK, RANK))

    def time_fit(self, features: int) -> None:
        aucbench.solve(self.solver, self.data, every=np.inf)

    def time_problem(self, features: int) -> None:
        problem_of(self.solver, self.data)

    def time_problem_with_gamma_and_lam_chosen(self, features: int) -> None:
        problem_of(self.chosen, self.data)

    def time_kernel_values(self, features: int) -> None:
        self.problem.features(self.data.rows)

    def time_evaluation(self, features: int) -> None:
        self.problem.f.both(self.w)

    def time_predict(self, features: int) -> None:
        self.scorer.by_each([self.w], self.X)

    def peakmem_predict(self, features: int) -> None:
        self.scorer.by_each([self.w], self.X)

    def time_two_products(self, features: int) -> None:
        self.X @ self.X[:RANK].T
        self.columns @ self.root
