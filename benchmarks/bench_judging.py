"""20 methods on 50 data sets with 9 folds, of a table of others to its findings."""

from __future__ import annotations

import numpy as np
import pandas as pd

import aucbench


class JudgedTable:
    """A long table in memory."""

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
