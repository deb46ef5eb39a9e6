"""Bae & Shin, "Scaling up ROC-optimizing support vector machines" (2025)."""

from __future__ import annotations

from aucbench.papers.reading import read_paper
from aucbench.papers.roc_svm.tables import SIMULATED, TABLE_3

PAPER = read_paper(__name__, {"table 1": SIMULATED, "table 2": SIMULATED, "table 3": TABLE_3})
