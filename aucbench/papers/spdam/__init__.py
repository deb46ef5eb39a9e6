"""Natole, Ying & Lyu, "Stochastic AUC optimization algorithms with linear convergence" (2019)."""

from __future__ import annotations

from aucbench.papers.experiment import Paper
from aucbench.papers.spdam.figure_1 import figure_1
from aucbench.papers.spdam.figure_2 import figure_2
from aucbench.papers.spdam.table_3 import table_3

PAPER = Paper(
    name="spdam",
    title="Stochastic AUC optimization algorithms with linear convergence",
    cite="natole2019",
    experiments={"table 3": table_3, "figure 1": figure_1, "figure 2": figure_2},
)
