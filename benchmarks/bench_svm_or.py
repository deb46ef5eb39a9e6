"""The exact ROC-SVM beside its evaluations of all pairs: read the ratios, not the times."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from statistics import median
from time import perf_counter

import numpy as np

import aucbench
from aucbench.data.tally import counting
from aucbench.solving.values import objective_at

from .rows import labels
from .steps import problem_of, states_of

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
    problem = problem_of(solver, data)
    weights = []
    for state in states_of(solver, problem):
        weights.append(state.w.copy())
        if state.gap <= GAP and state.gap <= GAP * objective_at(problem, state.w):
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
        problem = problem_of(solver, self.data)
        states = states_of(solver, problem)
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


class Wide:
    """Wide, separable rows: time and passes to the gap, alone and along a path of λ."""

    version = "1"
    timeout = 600
    params = ([1.0, 0.1, 0.01, 0.001],)
    param_names = ("lam",)

    def setup(self, lam: float) -> None:
        self.data = aucbench.get_dataset("outbreak[n=1000,d=5000]")

    def time_certified(self, lam: float) -> None:
        certified(fresh(self.data), lam)

    def track_passes(self, lam: float) -> float:
        return certified(fresh(self.data), lam)[1]


class WidePath:
    """Ten values of λ, each from the weights of the one before."""

    version = "1"
    timeout = 600

    def setup(self) -> None:
        self.data = aucbench.get_dataset("outbreak[n=1000,d=5000]")

    def time_path(self) -> None:
        data, w = fresh(self.data), None
        for lam in (10.0 / 3.0**k for k in range(10)):
            w = certified(data, lam, w)[0]


def fresh(data: aucbench.Data) -> aucbench.Data:
    """Return the same rows, of which nothing is known yet."""
    return replace(data)


def certified(data: aucbench.Data, lam: float, w0=None) -> tuple[np.ndarray, float]:
    """Return the weights at the relative gap, and the passes."""
    solver = aucbench.get_solver("svm-or", lam=lam)
    problem = problem_of(solver, data)
    with counting() as read:
        for state in states_of(solver, problem, w0):
            if state.gap <= GAP * objective_at(problem, state.w):
                return state.w.copy(), read.rows / data.n
    raise AssertionError("it ended before the gap")


def seconds(call, *args) -> float:
    begin = perf_counter()
    call(*args)
    return perf_counter() - begin
