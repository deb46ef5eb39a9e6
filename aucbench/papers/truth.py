"""The AUC of the true scores of a simulation, on the test rows of a cell.

A model is compared with the truth on the same rows, so that the chance of drawing these rows does
not count. Of 25 000 test rows that chance alone moves an AUC by 0.002, and most models are nearer
to the truth than that.
"""

from __future__ import annotations

from functools import lru_cache
from math import nan

import numpy as np

from aucbench.bench.results.record import Record
from aucbench.bench.results.store import Store
from aucbench.datasets.simulated import true_scores
from aucbench.errors import DataError
from aucbench.metrics import auc
from aucbench.registry import get_dataset, parse_spec

KNOWN = ("linear", "radial")  # simulations whose true scores are known


def above_truth(record: Record, store: Store) -> float:
    """Return the test AUC minus the AUC of the true scores on the same rows.

    NaN when the data set is none whose true scores are known, or when the rows were not kept.

    Raises
    ------
    DataError
        When the labels that were kept are not those that the simulation draws.
    """
    if record.measures.auc is None or parse_spec(record.cell.dataset).name not in KNOWN:
        return nan
    kept = store.scores(record.id, record.sizes.data)
    if kept is None or "y" not in kept:
        return nan
    rows, y = (np.asarray(kept[name], np.int32) for name in ("rows", "y"))
    return float(record.measures.auc) - _true_auc(record.cell.dataset, rows.tobytes(), y.tobytes())


@lru_cache(maxsize=1024)  # the solvers of a split share it
def _true_auc(dataset: str, rows: bytes, y: bytes) -> float:
    data = get_dataset(dataset)
    numbers, kept = np.frombuffer(rows, np.int32), np.frombuffer(y, np.int32)
    if not np.array_equal(data.y[numbers], kept):
        raise DataError(f"{dataset} no longer draws the rows of the results; run into a new folder")
    scores = true_scores(parse_spec(dataset).name, data.rows.matrix[numbers])
    return auc(kept, scores)
