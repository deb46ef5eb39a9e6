"""Interval regression beside products with the rows, and the AUC of error functions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import aucbench
from aucbench import aum
from aucbench.data.passes import gram

SIZES = [400, 4000]
FEATURES = 100


def sequences(n: int) -> aucbench.Data:
    """Sequences whose fewest errors are around x_0 − x_1, with features that are correlated."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, FEATURES)) @ rng.standard_normal((FEATURES, FEATURES))
    X /= np.abs(X).max(axis=0)
    middle = 4.0 * (X[:, 0] - X[:, 1]) + rng.standard_normal(n)
    lower, upper = middle - rng.exponential(2.0, n), middle + rng.exponential(2.0, n)
    edges = np.c_[np.full(n, -np.inf), -upper, -lower]
    target = aum.Breakpoints.of_penalties(
        np.repeat(np.arange(n), 3),
        edges.ravel(),
        np.tile([1.0, 0.0, 0.0], n),
        np.tile([0.0, 0.0, 1.0], n),
        denominator="count",
    )
    return replace(aucbench.Data.of(X, np.arange(n) % 2), target=target)


class IntervalRegression:
    """A fit to its certificate for one penalty, and with the choice of the penalty."""

    version = "1"
    params = (["l1", "l2"], SIZES)
    param_names = ("penalty", "n")
    timeout = 300

    def setup(self, penalty: str, n: int) -> None:
        self.data = sequences(n)
        self.one = aucbench.get_solver("interval-regression", penalty=penalty, lam=1e-3)
        self.chosen = aucbench.get_solver("interval-regression", penalty=penalty)

    def time_one_penalty(self, penalty: str, n: int) -> None:
        aucbench.solve(self.one, self.data, every=np.inf)

    def time_chosen_penalty(self, penalty: str, n: int) -> None:
        aucbench.solve(self.chosen, self.data, every=np.inf)

    def time_gram(self, penalty: str, n: int) -> None:
        """The Hessian of one step, if all rows are in it."""
        gram(self.data.rows, np.ones(n), np.zeros(FEATURES))

    def track_passes(self, penalty: str, n: int) -> float:
        return aucbench.solve(self.one, self.data, every=np.inf).points[-1].passes


class TargetIntervals:
    """The intervals of fewest errors, and the AUC, beside a sort of the thresholds."""

    version = "1"
    params = ([10_000, 1_000_000],)
    param_names = ("n",)

    def setup(self, n: int) -> None:
        rng = np.random.default_rng(0)
        value = np.sort(rng.standard_normal((n, 3)), axis=1).ravel()
        fp_diff, fn_diff = np.tile([1.0, 0.0, 0.0], n), np.tile([0.0, -1.0, 0.0], n)
        example = np.repeat(np.arange(n, dtype=np.int32), 3)
        ends = np.zeros(n), np.zeros(n), np.ones(n), np.ones(n)
        self.breakpoints = aum.Breakpoints(example, value, fp_diff, fn_diff, n, *ends)
        self.s = rng.standard_normal(n)

    def time_target_intervals(self, n: int) -> None:
        aum.Breakpoints.target_intervals.func(self.breakpoints)  # without the cache

    def time_roc_auc(self, n: int) -> None:
        aum.roc_auc(self.breakpoints, self.s)

    def time_sort(self, n: int) -> None:
        np.sort(self.breakpoints.value - self.s[self.breakpoints.example])
