"""The report of a folder with 4000 cells: statistics, and the page; reading files is not in it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product, starmap
from typing import Any

import numpy as np

from aucbench import report
from aucbench.report.frame import Source

DATASETS, SOLVERS, SPLITS, REPEATS = 20, 20, 5, 2
N_TEST, POINTS = 300, 30
HERE = report.Condition("host", "cpu", 1, 1)


def row(place: report.Place) -> Mapping[str, Any]:
    rng = np.random.default_rng([*place])
    passes = np.arange(1.0, POINTS + 1)
    curve = np.column_stack([passes, 0.01 * passes, 1 / passes, 0.88 - 0.3 / passes])
    return {
        "id": ",".join(map(str, place)),
        "data": str(place.dataset),
        "status": "ok",
        "auc": float(rng.uniform(0.8, 0.9)),
        "seconds": float(rng.exponential()),
        "nnz": float(rng.integers(1, 100)),
        "n_train": 4.0 * N_TEST,
        "n_test": float(N_TEST),
        "d": 100.0,
        "curve": curve,
        "condition": HERE,
    }


def scores(number: str, _: str) -> Mapping[str, Any]:
    dataset, solver, seed, split = map(int, number.split(","))
    y = np.where(np.random.default_rng([dataset, seed, split]).random(N_TEST) < 0.3, 1, -1)
    noise = np.random.default_rng([dataset, solver, seed, split]).standard_normal(N_TEST)
    return {"y": y, "scores": y + 2 * noise}


class Report:
    """A folder in memory."""

    version = "1"

    def setup(self) -> None:
        places = product(range(DATASETS), range(SOLVERS), range(REPEATS), range(SPLITS))
        self.frame = report.Frame.of(
            [f"set-{i}" for i in range(DATASETS)],
            [f"solver-{j}" for j in range(SOLVERS)],
            [(place, row(place)) for place in starmap(report.Place, places)],
            Source(scores={"": scores}),
        )
        self.findings = report.findings_of(self.frame)

    def time_findings(self) -> None:
        report.findings_of(self.frame)

    def time_page(self) -> None:
        report.page_of(self.findings, folder="results")

    def track_bytes(self) -> int:
        return len(report.page_of(self.findings, folder="results").content)

    track_bytes.unit = "bytes"  # type: ignore[attr-defined]
