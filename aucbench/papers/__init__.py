"""The experiments of the source papers, as functions that return rows of results."""

from __future__ import annotations

from aucbench.papers.aum_figure5 import Figure5Row, figure5, growth
from aucbench.papers.aum_figure6 import Figure6Row, figure6

__all__ = ["Figure5Row", "Figure6Row", "figure5", "figure6", "growth"]
