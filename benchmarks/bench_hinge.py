"""All-pairs hinges beside NumPy's sorts of the same scores: read the ratios, not the times."""

from __future__ import annotations

import numpy as np

import aucbench

SIZES = [100_000, 1_000_000]
OBJECTIVES = ["pairwise-hinge", "pairwise-squared-hinge"]


class Hinge:
    """Value and coefficients of scores, one row in five positive."""

    version = "1"
    params = (SIZES, OBJECTIVES)
    param_names = ("n", "objective")

    def setup(self, n: int, objective: str) -> None:
        rng = np.random.default_rng(0)
        y = np.where(rng.random(n) < 0.2, 1, -1)
        self.s = rng.standard_normal(n) + (y > 0)
        self.near = self.s + 1e-6 * rng.standard_normal(n)
        self.far = rng.permutation(self.s)
        self.f = aucbench.get_objective(objective, aucbench.Data.of(np.ones((n, 1)), y))
        self.f.of_scores(self.s)
        weighted = aucbench.Data.of(np.ones((n, 1)), y, weights=rng.uniform(0.5, 2.0, n))
        self.weighted = aucbench.get_objective(objective, weighted)
        self.turn = 0

    def time_other_order(self, n: int, objective: str) -> None:
        """Each call has scores in another order than the last."""
        self.turn ^= 1
        self.f.of_scores(self.far if self.turn else self.s)

    def time_almost_the_same_order(self, n: int, objective: str) -> None:
        self.turn ^= 1
        self.f.of_scores(self.near if self.turn else self.s)

    def time_with_weights(self, n: int, objective: str) -> None:
        self.weighted.of_scores(self.s)

    def time_argsort(self, n: int, objective: str) -> None:
        np.argsort(self.s)

    def time_sort(self, n: int, objective: str) -> None:
        np.sort(self.s)


class SampledPairs:
    """Scores, hinges and pullback of as many sampled pairs as rows."""

    version = "1"

    def setup(self) -> None:
        rng = np.random.default_rng(0)
        y = np.where(rng.random(100_000) < 0.2, 1, -1)
        X = rng.standard_normal((y.size, 20))
        self.data, self.w = aucbench.Data.of(X, y), rng.standard_normal(20)
        self.f = aucbench.objectives.IncompleteHinge.draw(self.data, y.size, rng)
        self.f.both(self.w)

    def time_both(self) -> None:
        self.f.both(self.w)

    def time_numpy(self) -> None:
        s = self.data.scores(self.w)
        active = s[self.f.negatives] > s[self.f.positives] - 1.0
        c = np.bincount(self.f.negatives, active, s.size)
        c -= np.bincount(self.f.positives, active, s.size)
        self.data.pullback(c)
