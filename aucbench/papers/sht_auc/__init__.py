"""Yang, Zhou, Lei & Ying, "Stochastic hard thresholding algorithms for AUC maximization" (2020)."""

from __future__ import annotations

from aucbench.papers.experiment import Paper
from aucbench.papers.sht_auc.convergence import figure_1
from aucbench.papers.sht_auc.genes import figure_3, figure_4, table_3
from aucbench.papers.sht_auc.imbalance import figure_2
from aucbench.papers.sht_auc.tables import table_1, table_2

PAPER = Paper(
    name="sht-auc",
    title="Stochastic hard thresholding algorithms for AUC maximization",
    cite="yang2020",
    experiments={
        "table 1": table_1,
        "table 2": table_2,
        "table 3": table_3,
        "figure 1": figure_1,
        "figure 2": figure_2,
        "figure 3": figure_3,
        "figure 4": figure_4,
    },
    as_published=frozenset({"table 1", "table 2", "table 3"}),
)
