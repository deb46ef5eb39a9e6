"""Area under the minimum of false positives and false negatives (AUM)."""

from aucbench.aum.intercept import intercept_of_least_errors
from aucbench.aum.line_min import aum_line_min
from aucbench.aum.lines import Found, Lines
from aucbench.aum.loss import AumLoss, aum_loss, roc_auc
from aucbench.aum.path import AumPath, aum_path, reference_path
from aucbench.aum.walk import best_max_auc, best_min, first_min
from aucbench.data.breakpoints import Breakpoints

__all__ = [
    "AumLoss",
    "AumPath",
    "Breakpoints",
    "Found",
    "Lines",
    "aum_line_min",
    "aum_loss",
    "aum_path",
    "best_max_auc",
    "best_min",
    "first_min",
    "intercept_of_least_errors",
    "reference_path",
    "roc_auc",
]
