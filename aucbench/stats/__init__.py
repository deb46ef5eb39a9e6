"""Inference on measured values: arrays in, frozen records out; knows nothing of the harness."""

from aucbench.stats.delong import (
    Fold,
    auc,
    auc_difference,
    auc_interval,
)
from aucbench.stats.measures import (
    Measure,
    average_precision,
    brier,
    log_loss,
    measure,
    partial_auc,
    precision_at,
    recall_at,
)
from aucbench.stats.resampled import (
    corrected_difference,
    corrected_interval,
)
from aucbench.stats.within import (
    PairWithin,
    SolverWithin,
    WithinDataset,
    within,
)
from aucbench.stats.words import (
    LEVEL,
    ROPE,
    Difference,
    Interval,
    Word,
    holm,
)

__all__ = [
    "LEVEL",
    "ROPE",
    "Difference",
    "Fold",
    "Interval",
    "Measure",
    "PairWithin",
    "SolverWithin",
    "WithinDataset",
    "Word",
    "auc",
    "auc_difference",
    "auc_interval",
    "average_precision",
    "brier",
    "corrected_difference",
    "corrected_interval",
    "holm",
    "log_loss",
    "measure",
    "partial_auc",
    "precision_at",
    "recall_at",
    "within",
]
