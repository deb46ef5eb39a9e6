"""Survival times: the concordance index, and a certified fit."""

from __future__ import annotations

import numpy as np

import aucbench
from aucbench.data import Survival
from aucbench.metrics import cindex

N = 100_000


def simulated(n: int) -> aucbench.Data:
    """Ten features and exponential times; about half of the rows are censored."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 10))
    dies, leaves = rng.exponential(np.exp(-X[:, 0])), rng.exponential(1.0, n)
    time = np.ceil(np.minimum(dies, leaves) * 10_000)
    return aucbench.Data.of(X, Survival.of(time, dies <= leaves))


class Concordance:
    """Harrell's C and Uno's C of as many rows."""

    version = "1"
    params = (["none", "ipcw"],)
    param_names = ("weight",)

    def setup(self, weight: str) -> None:
        self.target, self.scores = simulated(N).target, np.random.default_rng(1).random(N)
        self.tau = float(np.quantile(self.target.time, 0.9))

    def time_cindex(self, weight: str) -> None:
        cindex(self.target.time, self.target.event, self.scores, weight=weight, tau=self.tau)


class Fit:
    """A fit to the default gap."""

    version = "1"
    timeout = 600
    params = (["rank-svm", "svm-or", "ls-svm"],)
    param_names = ("solver",)

    def setup(self, solver: str) -> None:
        self.data = simulated(N // 5)

    def time_fit(self, solver: str) -> None:
        aucbench.solve(aucbench.get_solver(solver, lam=0.01), self.data)
