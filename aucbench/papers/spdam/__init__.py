"""Natole, Ying & Lyu, "Stochastic AUC optimization algorithms with linear convergence" (2019)."""

from __future__ import annotations

from aucbench.papers.reading import read_paper
from aucbench.papers.spdam.figures import FIGURE_1, FIGURE_2
from aucbench.papers.spdam.table_3 import TABLE_3

PAPER = read_paper(__name__, {"table 3": TABLE_3, "figure 1": FIGURE_1, "figure 2": FIGURE_2})
