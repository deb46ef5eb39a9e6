"""Bae & Shin, "Scaling up ROC-optimizing support vector machines" (2025)."""

from __future__ import annotations

from aucbench.papers.experiment import Paper
from aucbench.papers.roc_svm.imbalanced import table_3
from aucbench.papers.roc_svm.tables_1_2 import table_1, table_2

PAPER = Paper(
    name="roc-svm",
    title="Scaling up ROC-optimizing support vector machines",
    cite="bae2025",
    experiments={"table 1": table_1, "table 2": table_2, "table 3": table_3},
)
