"""Area under the minimum of false positives and false negatives (AUM)."""

from aucbench.aum.line_min import LineMinimum, aum_line_min
from aucbench.aum.loss import AumLoss, aum_loss, roc_auc
from aucbench.aum.path import AumPath, aum_path
from aucbench.breakpoints import Breakpoints

__all__ = [
    "AumLoss",
    "AumPath",
    "Breakpoints",
    "LineMinimum",
    "aum_line_min",
    "aum_loss",
    "aum_path",
    "roc_auc",
]
