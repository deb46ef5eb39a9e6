"""The AUC of scores in parts, beside the AUC of the same scores at once."""

from __future__ import annotations

import numpy as np

import aucbench
from aucbench.metrics.chunked import auc_in_chunks
from aucbench.scale.auc_bins import counted
from aucbench.scale.engines import Here

from .auc_parts import MadeScores

ROWS = 8_000_000


class AucParts:
    """Bounds from one reading, and the value by ranges; making the scores is part of both."""

    version = "1"

    def setup(self) -> None:
        self.parts = MadeScores(ROWS)
        pieces = [p for i in range(len(self.parts.sizes)) for p in self.parts.read(i)]
        self.y = np.concatenate([piece.y for piece in pieces])
        self.scores = np.concatenate([piece.rows.arrays[0] for piece in pieces])

    def time_making(self) -> None:
        for i in range(len(self.parts.sizes)):
            for _ in self.parts.read(i):
                pass

    def time_bounds(self) -> None:
        counted(self.parts, Here())

    def time_exact(self) -> None:
        auc_in_chunks(self.parts, exact=True)

    def time_at_once(self) -> None:
        aucbench.auc(self.y, self.scores)

    def track_width(self) -> float:
        told = counted(self.parts, Here()).counts.bounds
        return told[1] - told[0]
