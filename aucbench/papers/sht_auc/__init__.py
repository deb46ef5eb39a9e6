"""Yang, Zhou, Lei & Ying, "Stochastic hard thresholding algorithms for AUC maximization" (2020)."""

from __future__ import annotations

from aucbench.papers.experiment import Paper
from aucbench.papers.sht_auc.figure_3 import figure_3
from aucbench.papers.sht_auc.figure_4 import figure_4
from aucbench.papers.sht_auc.table_3 import table_3

PAPER = Paper(
    name="sht-auc",
    title="Stochastic hard thresholding algorithms for AUC maximization",
    cite="yang2020",
    experiments={"table 3": table_3, "figure 3": figure_3, "figure 4": figure_4},
    as_published=frozenset({"table 3"}),
)
