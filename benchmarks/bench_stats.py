"""DeLong's variance on many test rows."""

from __future__ import annotations

import numpy as np

from aucbench import stats


class DeLong:
    """n test rows, three tenths of them positive; scores without ties, and with many."""

    version = "1"
    params = ([100_000, 1_000_000], ["distinct", "tied"])
    param_names = ("n", "scores")

    def setup(self, n: int, scores: str) -> None:
        rng = np.random.default_rng(0)
        y = rng.random(n) < 0.3
        drawn = [rng.standard_normal(n) + y for _ in range(2)]
        if scores == "tied":
            drawn = [np.round(s, 2) for s in drawn]
        self.a, self.b = ([stats.Fold(y, s)] for s in drawn)

    def time_interval(self, n: int, scores: str) -> None:
        stats.auc_interval(self.a)

    def time_difference(self, n: int, scores: str) -> None:
        stats.auc_difference(self.a, self.b)
