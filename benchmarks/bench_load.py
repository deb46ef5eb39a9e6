"""Load a data file: with the cache of what has been read, and without it."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from aucbench import datasets

N, D = 20_000, 22


class Load:
    """A svmlight file of 20 000 × 22 numbers, 5 MB."""

    version = "1"
    params = (["read", "mapped"],)
    param_names = ("way",)

    def setup(self, way: str) -> None:
        self.folder = TemporaryDirectory()
        self.path = Path(self.folder.name, "rows.svm")
        rng = np.random.default_rng(0)
        lines = (
            f"{1 if i % 10 == 0 else -1} " + " ".join(f"{j}:{x:.6g}" for j, x in enumerate(row, 1))
            for i, row in enumerate(rng.standard_normal((N, D)))
        )
        self.path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        os.environ["AUCBENCH_CACHE"] = self.folder.name
        os.environ["AUCBENCH_PARSED_MB"] = "0" if way == "read" else "5000"
        datasets.load(self.path)

    def teardown(self, way: str) -> None:
        for name in ("AUCBENCH_CACHE", "AUCBENCH_PARSED_MB"):
            del os.environ[name]
        self.folder.cleanup()

    def time_load(self, way: str) -> None:
        datasets.load(self.path)
