"""Load a data file."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from aucbench import datasets

N, D = 20_000, 22


class Load:
    """A svmlight file of 20 000 × 22 numbers, 5 MB."""

    version = "2"

    def setup(self) -> None:
        self.folder = TemporaryDirectory()
        self.path = Path(self.folder.name, "rows.svm")
        rng = np.random.default_rng(0)
        lines = (
            f"{1 if i % 10 == 0 else -1} " + " ".join(f"{j}:{x:.6g}" for j, x in enumerate(row, 1))
            for i, row in enumerate(rng.standard_normal((N, D)))
        )
        self.path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        datasets.load(self.path)

    def teardown(self) -> None:
        self.folder.cleanup()

    def time_load(self) -> None:
        datasets.load(self.path)
