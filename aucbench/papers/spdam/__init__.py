"""Natole, Ying & Lyu, "Stochastic AUC optimization algorithms with linear convergence" (2019)."""

from __future__ import annotations

from aucbench.papers.experiment import Paper
from aucbench.papers.spdam.table_3 import table_3

PAPER = Paper(
    name="spdam",
    title="Stochastic AUC optimization algorithms with linear convergence",
    cite="natole2019",
    experiments={"table 3": table_3},
)
