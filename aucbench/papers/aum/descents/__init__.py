"""The descents of figures 5 and 6: all on which their numbers depend, and nothing else.

What the harness keeps of a measurement counts as long as no file of this package changes.
"""

from __future__ import annotations

from aucbench.papers.aum.descents.figure_5 import Figure5Row, figure5, growth
from aucbench.papers.aum.descents.figure_6 import Figure6Row, figure6

__all__ = ["Figure5Row", "Figure6Row", "figure5", "figure6", "growth"]
