"""A pass of the AUM solvers, beside the two products with the rows that each pass needs."""

from __future__ import annotations

import numpy as np

import aucbench

from .rows import labels

N, PASSES = 20_000, 10


class AumSolver:
    """Ten line searches on 20 000 rows of 20 features, beside ten pairs of products."""

    version = "2"
    params = (["aum", "aum[memory=1]", "aum[line_search=first_min]", "aum-margin"],)
    param_names = ("solver",)
    timeout = 120

    def setup(self, solver: str) -> None:
        rng = np.random.default_rng(1)
        X = rng.standard_normal((N, 20))
        self.data = aucbench.Data.of(X, labels(X @ rng.standard_normal(20), rng))
        self.solver = aucbench.get_solver(solver)

    def time_passes(self, solver: str) -> None:
        aucbench.solve(self.solver, self.data, passes=PASSES, every=np.inf)

    def time_products(self, solver: str) -> None:
        for _ in range(PASSES):
            self.data.pullback(self.data.scores(np.ones(20)))


class AumOptimum:
    """Descent to the certified minimum of 3000 rows."""

    version = "1"
    params = (["aum", "aum-margin"], [20, 100])
    param_names = ("solver", "features")
    timeout = 120

    def setup(self, solver: str, features: int) -> None:
        rng = np.random.default_rng(1)
        X = rng.standard_normal((3000, features))
        self.data = aucbench.Data.of(X, labels(X @ rng.standard_normal(features), rng))
        self.solver = aucbench.get_solver(solver, early_stopping=False)

    def time_to_the_certificate(self, solver: str, features: int) -> None:
        run = aucbench.solve(self.solver, self.data, passes=2000, every=np.inf)
        assert run.stop.name == "CERTIFIED", run.stop
