"""Three or more classes: Hand and Till's M, and one fit for each class."""

from __future__ import annotations

import numpy as np

from aucbench import Data, get_solver, solve
from aucbench.data import Categories
from aucbench.metrics import hand_till


class HandTill:
    """Seconds of M for n rows of 10 classes."""

    params = ([10_000, 100_000],)
    param_names = ("n",)

    def setup(self, n: int) -> None:
        """Draw scores."""
        rng = np.random.default_rng(0)
        self.y = rng.integers(0, 10, n)
        self.S = rng.normal(size=(n, 10)) + np.eye(10)[self.y]

    def time_measure(self, n: int) -> None:
        """Columns, one after the other."""
        hand_till(self.y, self.S)


class EachClass:
    """Seconds of a certified fit of 6 classes, of 5000 rows and 30 features."""

    params = (["svm-or", "rank-svm"],)
    param_names = ("solver",)

    def setup(self, solver: str) -> None:
        """Draw rows."""
        rng = np.random.default_rng(0)
        y = rng.integers(0, 6, 5000)
        X = rng.normal(size=(5000, 30)) + np.eye(6, 30)[y]
        self.data = Data.of(X, Categories.of(y))
        self.solver = get_solver(solver, lam=0.1)

    def time_fit(self, solver: str) -> None:
        """K fits to weighted labels."""
        solve(self.solver, self.data, passes=1000)
