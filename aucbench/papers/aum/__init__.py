"""Fowler & Hocking, "Efficient line search for optimizing AUC in gradient descent" (2024)."""

from __future__ import annotations

from aucbench.papers.aum.figure_5 import Figure5Row, figure5, growth
from aucbench.papers.aum.figure_6 import Figure6Row, figure6

__all__ = ["Figure5Row", "Figure6Row", "figure5", "figure6", "growth"]
