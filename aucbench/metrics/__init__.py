"""Measures of quality: arrays in, a float out. The harness calls them, solvers do not.

What takes labels and scores as arrays speaks as scikit-learn does: `sample_weight`, `pos_label`,
`labels` and `average`. What holds rows (`Data`, `Fold`, the options of files) says `weights`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from aucbench.metrics.calibration import calibrated as calibrated
from aucbench.metrics.classes import hand_till as hand_till
from aucbench.metrics.classes import one_vs_rest as one_vs_rest
from aucbench.metrics.measures import auc as auc
from aucbench.metrics.measures import average_precision as average_precision
from aucbench.metrics.measures import brier as brier
from aucbench.metrics.measures import log_loss as log_loss
from aucbench.metrics.measures import measure as measure
from aucbench.metrics.measures import precision_at as precision_at
from aucbench.metrics.measures import recall_at as recall_at
from aucbench.metrics.order import PairCounts as PairCounts
from aucbench.metrics.order import cindex as cindex
from aucbench.metrics.order import concordant_pairs as concordant_pairs
from aucbench.metrics.order import grade_auc as grade_auc
from aucbench.metrics.pairs import auc_of as auc_of
from aucbench.metrics.pairs import gauc as gauc
from aucbench.metrics.pairs import measure_of as measure_of
from aucbench.metrics.pairs import quality_of as quality_of
from aucbench.metrics.partial import partial_auc as partial_auc
from aucbench.metrics.thresholds import Aim as Aim
from aucbench.metrics.thresholds import Cuts as Cuts
from aucbench.metrics.thresholds import RocCurve as RocCurve
from aucbench.metrics.thresholds import best_cut as best_cut
from aucbench.metrics.thresholds import intercept_at as intercept_at
from aucbench.metrics.thresholds import roc_curve as roc_curve

if TYPE_CHECKING:
    from aucbench.metrics.chunked import AucBounds as AucBounds
    from aucbench.metrics.chunked import auc_in_chunks as auc_in_chunks
    from aucbench.metrics.chunked import auc_of_file as auc_of_file
    from aucbench.metrics.score_columns import ScoreComparison as ScoreComparison
    from aucbench.metrics.score_columns import ScoreDifference as ScoreDifference
    from aucbench.metrics.score_columns import compare_aucs_of_file as compare_aucs_of_file
    from aucbench.optim.plane import BestAuc as BestAuc
    from aucbench.optim.plane import best_auc_2d as best_auc_2d

LATER = {
    "aucbench.metrics.chunked": ("AucBounds", "auc_in_chunks", "auc_of_file"),
    "aucbench.metrics.score_columns": (
        "ScoreComparison",
        "ScoreDifference",
        "compare_aucs_of_file",
    ),
    "aucbench.optim.plane": ("BestAuc", "best_auc_2d"),
}


def __getattr__(name: str) -> Any:
    """Import what few need, such as what reads rows in chunks, when it is used."""
    for module, names in LATER.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
