"""Measures of quality: arrays in, a float out. The harness calls them, solvers do not."""

from aucbench.metrics.auc import auc, auc_of
from aucbench.metrics.support import (
    support_f1,
    support_jaccard,
    support_precision,
    support_recall,
)
from aucbench.metrics.thresholds import Aim, Cuts, best_cut, intercept_at

__all__ = [
    "Aim",
    "Cuts",
    "auc",
    "auc_of",
    "best_cut",
    "intercept_at",
    "support_f1",
    "support_jaccard",
    "support_precision",
    "support_recall",
]
