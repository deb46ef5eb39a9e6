"""Inference on measured values: arrays in, frozen records out; knows nothing of the harness."""

from aucbench.stats.delong import (
    Fold,
    auc,
    auc_difference,
    auc_interval,
)
from aucbench.stats.resampled import (
    corrected_difference,
    corrected_interval,
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
    "Word",
    "auc",
    "auc_difference",
    "auc_interval",
    "corrected_difference",
    "corrected_interval",
    "holm",
]
