"""20 methods on 50 data sets with 9 folds, of a table of others to what is judged."""

from __future__ import annotations

import numpy as np
import pandas as pd

from aucbench.judging.evidence import evidence_of_values
from aucbench.judging.files import sheet_of
from aucbench.judging.formats import long_table
from aucbench.judging.measured import measured
from aucbench.judging.options import Columns, Judging


class JudgedTable:
    """A long table in memory: its format, metric, folds and evidence."""

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

    def time_evidence(self) -> None:
        long = long_table([sheet_of(self.table)], "auto", Columns(), None)
        evidence_of_values(measured(long, Judging(folds=3)))
