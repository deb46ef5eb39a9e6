"""Read Parquet: at once, in parts, and the questions that a reader asks of all rows."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from aucbench.datasets import load
from aucbench.datasets.chunked import open_parts
from aucbench.scale import Here
from aucbench.scale.parts import Piece

N, D, GROUP = 400_000, 20, 100_000


def rows_of(piece: Piece) -> int:
    return piece.n


class Parquet:
    """400 000 rows of 20 float32 columns, and one of text for the second kind."""

    version = "1"
    params = (["numbers", "text"],)
    param_names = ("columns",)

    def setup(self, columns: str) -> None:
        rng = np.random.default_rng(0)
        X = rng.standard_normal((N, D), dtype=np.float32)
        self.frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(D)])
        if columns == "text":
            self.frame["text"] = rng.choice([f"level {k}" for k in range(50)], N)
        self.frame["label"] = (X[:, 0] > 1.0).astype(np.int8)
        self.folder = TemporaryDirectory()
        self.path = Path(self.folder.name, "rows.parquet")
        self.frame.to_parquet(self.path, row_group_size=GROUP, compression=None, index=False)
        self.parts = open_parts(self.path)

    def teardown(self, columns: str) -> None:
        self.folder.cleanup()

    def time_load(self, columns: str) -> None:
        load(self.path)

    def time_open_parts(self, columns: str) -> None:
        open_parts(self.path)

    def time_read_parts(self, columns: str) -> None:
        for _ in Here().scan(self.parts, rows_of):
            pass
