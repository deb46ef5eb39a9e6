"""Inference on measured values: arrays in, frozen records out; knows nothing of the harness."""

from aucbench.stats.advice import Advice, advise
from aucbench.stats.bayes import SignTest
from aucbench.stats.calibration import calibrated
from aucbench.stats.delong import auc_difference, auc_interval
from aucbench.stats.fragile import Change, Fragile, fragile
from aucbench.stats.measures import (
    Measure,
    auc,
    average_precision,
    brier,
    log_loss,
    measure,
    partial_auc,
    precision_at,
    recall_at,
)
from aucbench.stats.pairs import Pair, pairwise
from aucbench.stats.power import (
    PowerPlan,
    Spread,
    data_sets_needed,
    detectable_difference,
    plan,
    power,
)
from aucbench.stats.profiles import (
    Profile,
    anytime_score,
    performance_profiles,
    shifted_geometric_mean,
    time_to_target,
)
from aucbench.stats.ranking import (
    CriticalDifference,
    Standing,
    average_ranks,
    bradley_terry,
    critical_difference,
)
from aucbench.stats.resampled import corrected_difference, corrected_interval
from aucbench.stats.rows import Fold
from aucbench.stats.settling import Settling, settle
from aucbench.stats.signed_rank import signed_rank
from aucbench.stats.tables import Rule
from aucbench.stats.within import PairWithin, SolverWithin, WithinDataset, within, within_values
from aucbench.stats.words import LEVEL, ROPE, Difference, Interval, Word, holm, wilson

__all__ = [
    "LEVEL",
    "ROPE",
    "Advice",
    "Change",
    "CriticalDifference",
    "Difference",
    "Fold",
    "Fragile",
    "Interval",
    "Measure",
    "Pair",
    "PairWithin",
    "PowerPlan",
    "Profile",
    "Rule",
    "Settling",
    "SignTest",
    "SolverWithin",
    "Spread",
    "Standing",
    "WithinDataset",
    "Word",
    "advise",
    "anytime_score",
    "auc",
    "auc_difference",
    "auc_interval",
    "average_precision",
    "average_ranks",
    "bradley_terry",
    "brier",
    "calibrated",
    "corrected_difference",
    "corrected_interval",
    "critical_difference",
    "data_sets_needed",
    "detectable_difference",
    "fragile",
    "holm",
    "log_loss",
    "measure",
    "pairwise",
    "partial_auc",
    "performance_profiles",
    "plan",
    "power",
    "precision_at",
    "recall_at",
    "settle",
    "shifted_geometric_mean",
    "signed_rank",
    "time_to_target",
    "wilson",
    "within",
    "within_values",
]
