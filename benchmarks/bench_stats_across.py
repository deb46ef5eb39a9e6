"""20 solvers on 100 data sets, with 2000 draws."""

from __future__ import annotations

import numpy as np

from aucbench import stats


class AcrossDataSets:
    """A table of AUCs, with one cell in a hundred missing."""

    version = "1"
    params = (
        [
            *("best_set", "against", "steadiness", "pairs", "ranks"),
            *("fragile", "advice", "set_sizes", "settle"),
        ],
    )
    param_names = ("function",)

    def setup(self, function: str) -> None:
        rng = np.random.default_rng(0)
        values = rng.uniform(0.6, 0.9, (100, 1)) + rng.normal(0, 0.02, (100, 20))
        values += 0.002 * np.arange(20)
        differences = values[:, 0] - values[:, 1]
        values[rng.random(values.shape) < 0.01] = np.nan
        table = stats.ResultTable(values, [f"s{j}" for j in range(20)])
        self.call = {
            "best_set": lambda: stats.SignTest().best_set(table),
            "against": lambda: stats.SignTest().against(table, "s0"),
            "steadiness": lambda: stats.SignTest().steadiness(table),
            "pairs": lambda: stats.PairTest().pairs(table).all,
            "ranks": lambda: stats.Bootstrap().ranks(table),
            "fragile": lambda: stats.fragile(table, "s0"),
            "advice": lambda: stats.Advice(table=table).sentences,
            "set_sizes": lambda: stats.SignTest().set_sizes(table),
            "settle": lambda: stats.settle(differences),
        }[function]

    def time_call(self, function: str) -> None:
        self.call()
