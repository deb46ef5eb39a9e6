"""Yang, Zhou, Lei & Ying, "Stochastic hard thresholding algorithms for AUC maximization" (2020)."""

from __future__ import annotations

from aucbench.papers.reading import Answers, read_paper
from aucbench.papers.sht_auc.comparisons import above
from aucbench.papers.sht_auc.genes import FIGURE_3, FIGURE_4
from aucbench.papers.sht_auc.simulated import FIGURE_1, FIGURE_2

TABLE = Answers(tests={"above": above})
PAPER = read_paper(
    __name__,
    {
        "table 1": TABLE,
        "table 2": TABLE,
        "table 3": TABLE,
        "figure 1": FIGURE_1,
        "figure 2": FIGURE_2,
        "figure 3": FIGURE_3,
        "figure 4": FIGURE_4,
    },
)
