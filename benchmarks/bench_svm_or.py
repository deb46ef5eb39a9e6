"""The exact ROC-SVM beside its evaluations of all pairs: read the ratios, not the times."""

from __future__ import annotations

from functools import cache
from statistics import median
from time import perf_counter

import numpy as np

import aucbench

from .rows import labels

N = 100_000
GAP = 1e-4  # relative
DATA = {"linear": lambda: aucbench.get_dataset(f"linear[n={N}]"), "p20": lambda: twenty()}


@cache
def twenty() -> aucbench.Data:
    """Normal features; a linear score explains half of the variance of the labels."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((N, 20))
    return aucbench.Data.of(X, labels(X @ rng.standard_normal(20), rng))


@cache
def taken(data: aucbench.Data, lam: float) -> list[np.ndarray]:
    """Return the best weights after each evaluation of all pairs, until the gap is reached."""
    solver = aucbench.get_solver("svm-or", lam=lam)
    problem = solver.problem(data, np.random.default_rng(0))
    weights = []
    for state in solver.iterates(problem, np.random.default_rng(0)):
        weights.append(state.w.copy())
        if state.gap <= GAP and state.gap <= GAP * problem.value(state.w):
            return weights
    raise AssertionError("it ended before the gap")


class SvmOr:
    """Time to the certificate, the number of evaluations, and the time of these alone."""

    version = "1"
    params = ([*DATA], [0.1, 0.01, 0.001])
    param_names = ("data", "lam")

    def setup(self, data: str, lam: float) -> None:
        self.data = DATA[data]()
        self.weights = taken(self.data, lam)

    def time_certified(self, data: str, lam: float) -> None:
        solver = aucbench.get_solver("svm-or", lam=lam)
        problem = solver.problem(self.data, np.random.default_rng(0))
        states = solver.iterates(problem, np.random.default_rng(0))
        for _ in self.weights:
            next(states)

    def time_evaluations(self, data: str, lam: float) -> None:
        f = aucbench.get_objective("pairwise-hinge", self.data)
        for w in self.weights:
            f.both(w)

    def track_evaluations(self, data: str, lam: float) -> int:
        return len(self.weights)

    def track_ratio(self, data: str, lam: float) -> float:
        """Time to the certificate divided by that of its evaluations; the target is 1.5."""
        return median(
            seconds(self.time_certified, data, lam) / seconds(self.time_evaluations, data, lam)
            for _ in range(15)
        )


def seconds(call, *args) -> float:
    begin = perf_counter()
    call(*args)
    return perf_counter() - begin
