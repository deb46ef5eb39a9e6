"""20 solvers on 100 data sets, with 2000 draws."""

from __future__ import annotations

import numpy as np

from aucbench import stats


class AcrossDataSets:
    """A table of AUCs, with one cell in a hundred missing."""

    version = "1"
    params = (
        [
            *("best_set", "against", "steadiness", "pairwise", "average_ranks", "bradley_terry"),
            *("fragile", "advise", "set_sizes", "settle"),
        ],
    )
    param_names = ("function",)

    def setup(self, function: str) -> None:
        rng = np.random.default_rng(0)
        values = rng.uniform(0.6, 0.9, (100, 1)) + rng.normal(0, 0.02, (100, 20))
        values += 0.002 * np.arange(20)
        differences = values[:, 0] - values[:, 1]
        values[rng.random(values.shape) < 0.01] = np.nan
        names, data_sets = [f"s{j}" for j in range(20)], [f"d{i}" for i in range(100)]
        self.call = {
            "best_set": lambda: stats.best_set(values, names),
            "against": lambda: stats.against(values, names, "s0"),
            "steadiness": lambda: stats.steadiness(values, names),
            "pairwise": lambda: stats.pairwise(values, names),
            "average_ranks": lambda: stats.average_ranks(values, names, draws=2000),
            "bradley_terry": lambda: stats.bradley_terry(values, names, draws=2000),
            "fragile": lambda: stats.fragile(values, names, data_sets, "s0"),
            "advise": lambda: stats.advise(values, names, data_sets),
            "set_sizes": lambda: stats.set_sizes(values, names),
            "settle": lambda: stats.settle(differences),
        }[function]

    def time_call(self, function: str) -> None:
        self.call()
