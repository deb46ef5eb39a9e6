"""Fowler & Hocking, "Efficient line search for optimizing AUC in gradient descent" (2024)."""

from __future__ import annotations

from aucbench.papers.aum.figure_5 import figure_5
from aucbench.papers.aum.figure_6 import figure_6
from aucbench.papers.experiment import Paper

PAPER = Paper(
    name="aum",
    title="Efficient line search for optimizing area under the ROC curve in gradient descent",
    cite="fowler2024",
    experiments={"figure 5": figure_5, "figure 6": figure_6},
)
