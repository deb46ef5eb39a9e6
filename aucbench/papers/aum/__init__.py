"""Fowler & Hocking, "Efficient line search for optimizing AUC in gradient descent" (2024)."""

from __future__ import annotations

from aucbench.papers.aum.figure_5 import FIGURE_5
from aucbench.papers.aum.figure_6 import FIGURE_6
from aucbench.papers.reading import read_paper

PAPER = read_paper(__name__, {"figure 5": FIGURE_5, "figure 6": FIGURE_6})
