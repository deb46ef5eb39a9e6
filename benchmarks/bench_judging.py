"""Tables of others, from a data frame to the answer in words."""

from __future__ import annotations

import numpy as np
import pandas as pd

import aucbench


class JudgedTable:
    """A long table: 20 methods on 50 data sets with 9 folds."""

    version = "1"

    def setup(self) -> None:
        methods, sets, folds = np.meshgrid(range(20), range(50), range(9), indexing="ij")
        values = np.random.default_rng(0).uniform(0.6, 0.9, methods.size)
        self.table = pd.DataFrame(
            {
                "method": np.char.add("m", methods.ravel().astype(str)),
                "dataset": np.char.add("d", sets.ravel().astype(str)),
                "fold": folds.ravel(),
                "auc": values,
            }
        )

    def time_judge(self) -> None:
        aucbench.judge(self.table, folds=3)


class WideTable:
    """One value for each of 200 methods on 50 data sets."""

    version = "1"
    timeout = 120

    def setup(self) -> None:
        values = np.random.default_rng(0).uniform(0.6, 0.9, (50, 200))
        names = [f"m{number}" for number in range(200)]
        self.table = pd.DataFrame(values, columns=names)
        self.table.insert(0, "dataset", [f"d{number}" for number in range(50)])

    def time_judge(self) -> None:
        aucbench.judge(self.table, by="auc").answer()

    def peakmem_judge(self) -> None:
        aucbench.judge(self.table, by="auc").answer()


class Items:
    """Whether each of 60 methods has solved each of 500 items in 12 groups."""

    version = "1"

    def setup(self) -> None:
        methods, items = np.meshgrid(range(60), range(500), indexing="ij")
        rng = np.random.default_rng(0)
        self.table = pd.DataFrame(
            {
                "method": np.char.add("m", methods.ravel().astype(str)),
                "item": np.char.add("i", items.ravel().astype(str)),
                "group": np.char.add("g", (items.ravel() % 12).astype(str)),
                "resolved": (rng.random(methods.size) < 0.5).astype(int),
            }
        )

    def time_judge(self) -> None:
        aucbench.judge(self.table, family="group").answer()
