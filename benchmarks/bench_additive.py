"""Curved effects: the maps beside their bound of memory, a fit, and the search for pairs."""

from __future__ import annotations

from functools import cache
from time import perf_counter

import numpy as np

import aucbench
from aucbench.registry import get_features


@cache
def table(n: int, d: int) -> aucbench.Data:
    """Rows whose log odds are a sum of waves, and one product."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (n, d))
    odds = 2.0 * np.cos(2.0 * X[:, :3]).sum(axis=1) + X[:, 3] * X[:, 4]
    return aucbench.Data.of(X, rng.random(n) < 1.0 / (1.0 + np.exp(-odds)))


class Maps:
    """To learn a map and to apply it; the ratio is to a copy of what it returns."""

    version = "1"
    params = (["splines", "bins"], [10_000, 100_000])
    param_names = ("map", "n")

    def setup(self, name: str, n: int) -> None:
        self.data = table(n, 20)
        self.phi = get_features(name).fit(self.data, np.random.default_rng(0))
        self.out = self.phi(self.data.rows).matrix

    def time_fit(self, name: str, n: int) -> None:
        get_features(name).fit(self.data, np.random.default_rng(0))

    def time_map(self, name: str, n: int) -> None:
        self.phi(self.data.rows)

    def track_copies(self, name: str, n: int) -> float:
        """How many copies of the features a mapping takes as long as."""
        began = perf_counter()
        self.phi(self.data.rows)
        mapped = perf_counter()
        self.out.copy()
        return (mapped - began) / (perf_counter() - mapped)


class Additive:
    """A fit of all effects, with both ridges chosen, and one that searches for pairs too."""

    version = "1"
    params = (["additive", "additive[pairs=auto]", "svm-or"], [2_000, 8_000, 50_000])
    param_names = ("solver", "n")
    timeout = 120

    def setup(self, solver: str, n: int) -> None:
        self.data = table(n, 20)

    def time_fit(self, solver: str, n: int) -> None:
        aucbench.solve(solver, self.data)

    def track_gap(self, solver: str, n: int) -> float:
        """The certified gap at the end, relative to the objective."""
        last = aucbench.solve(solver, self.data).points[-1]
        assert last.gap is not None
        assert last.objective is not None
        return last.gap / last.objective
