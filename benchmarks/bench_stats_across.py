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


class Leaderboards:
    """Many methods with one value on each data set, without the time of reading a file."""

    version = "1"
    params = (["200 x 50", "1000 x 100"], ["best_set", "rank_sets", "adjusted_p"])
    param_names = ("methods x data sets", "function")
    timeout = 300.0

    def setup(self, size: str, function: str) -> None:
        m, n = map(int, size.split(" x "))
        rng = np.random.default_rng(0)
        values = 0.8 + 0.05 * rng.normal(size=(n, 1)) + 0.01 * rng.normal(size=(n, m))
        values += np.sort(0.01 * rng.normal(size=m))
        table = stats.ResultTable(np.clip(values, 0.0, 1.0), [f"m{j}" for j in range(m)])
        self.call = {
            "best_set": lambda: stats.SignTest().best_set(table),
            "rank_sets": lambda: stats.SignTest().rank_sets(table),
            "adjusted_p": lambda: stats.PairTest().pairs(table).adjusted_p,
        }[function]

    def time_call(self, size: str, function: str) -> None:
        self.call()

    def peakmem_call(self, size: str, function: str) -> None:
        self.call()
