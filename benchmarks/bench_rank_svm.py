"""The squared hinge over all pairs, by Newton steps beside products with the Hessian."""

from __future__ import annotations

from statistics import median

import numpy as np

import aucbench
from aucbench.data.tally import counting

from .bench_svm_or import DATA, seconds
from .steps import problem_of, states_of

GAP = 1e-4  # relative


class RankSvm:
    """Time to the certificate, and the passes over the rows that it takes."""

    version = "1"
    params = ([*DATA], [0.1, 0.01, 0.001])
    param_names = ("data", "lam")

    def setup(self, data: str, lam: float) -> None:
        self.data = DATA[data]()

    def run(self, lam: float) -> float:
        """Return the passes to a relative gap of 1e-4."""
        solver = aucbench.get_solver("rank-svm", lam=lam)
        problem = problem_of(solver, self.data)
        with counting() as read:
            for state in states_of(solver, problem):
                if state.gap is not None and state.gap <= GAP * state.value:
                    return read.rows / self.data.n
        raise AssertionError("it ended before the gap")

    def time_certified(self, data: str, lam: float) -> None:
        self.run(lam)

    def track_passes(self, data: str, lam: float) -> float:
        return self.run(lam)


class PairLosses:
    """Value and coefficients of the smooth losses over all pairs, and a product of the Hessian."""

    version = "1"
    params = ([10_000, 100_000, 1_000_000],)
    param_names = ("n",)

    def setup(self, n: int) -> None:
        rng = np.random.default_rng(0)
        y = np.where(rng.random(n) < 0.2, 1, -1)
        self.s = rng.normal(size=n) + (y > 0)
        data = aucbench.Data.of(np.zeros((n, 1)), y)
        self.square = aucbench.get_objective("pairwise-squared-hinge", data)
        self.logistic = aucbench.get_objective("pairwise-logistic", data)
        self.bend = self.square.bent(self.s)[2]

    def time_squared_hinge(self, n: int) -> None:
        self.square.bent(self.s)

    def time_bend(self, n: int) -> None:
        self.bend(self.s)

    def time_logistic(self, n: int) -> None:
        self.logistic.of_scores(self.s)

    def track_logistic_against_sort(self, n: int) -> float:
        """Time of the logistic loss divided by that of an argsort of its scores."""
        return median(
            seconds(self.time_logistic, n) / seconds(np.argsort, self.s) for _ in range(9)
        )
