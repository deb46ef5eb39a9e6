"""The pages of a board of 60 tasks and 30 solvers; reading and writing files is not in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from aucbench import report
from aucbench.data.understood import Understood
from aucbench.report.site.build import board_of, files_of
from aucbench.report.site.provenance import Provenance
from aucbench.report.site.publishing import Publishing

from .bench_report import fit

TASKS, SOLVERS, SPLITS = 60, 30, 2
UNDERSTOOD = Understood(kinds={"numeric": 50, "category": 50}).to_json()


def about(data: str) -> Mapping[str, Any]:
    return {"hash": data, "n": 1500, "d": 100, "n_pos": 400, "dropped": 0, "understood": UNDERSTOOD}


class Board:
    """A board in memory."""

    version = "1"
    timeout = 300

    def setup(self) -> None:
        folds = [report.FoldKey(0, split) for split in range(SPLITS)]
        places = np.ndindex(TASKS, SOLVERS)
        self.evidence = report.Evidence(
            tuple(f"task-{i}" for i in range(TASKS)),
            tuple(f"solver-{j}" for j in range(SOLVERS)),
            {(i, j): report.Group({fold: fit(i, j, fold) for fold in folds}) for i, j in places},
            about=about,
        )

    def _bytes(self) -> int:
        fresh = replace(self.evidence)  # which has kept nothing of an earlier call
        provenance = Provenance()
        board = board_of(
            fresh, report.Settings(), Publishing(), name="results", provenance=provenance
        )
        return sum(len(content) for _, _, content in files_of(board))

    def time_pages(self) -> None:
        self._bytes()

    def track_bytes(self) -> int:
        return self._bytes()

    track_bytes.unit = "bytes"  # type: ignore[attr-defined]
