"""Rows that do not fit in memory: they are read in chunks, again and again.

Design
  a. A solver sends weights, each part answers with a small summary, and summaries merge.
  b. A part is always the same rows in the same order, such as a row group of a Parquet file.
     Summaries merge in a fixed tree over the numbers of the parts. So the result has the same bits
     with any number of threads or workers, and after any loss of a worker.
  c. An engine maps and reduces: threads of this process, or an existing engine elsewhere. There is
     no scheduler, no shuffle and no exchange of scores here.
"""

from aucbench.scale.data import ChunkedData
from aucbench.scale.engines import Engine, Here
from aucbench.scale.parts import Columns, InMemory, Parts, Piece
from aucbench.scale.summary import Summary, Tree

__all__ = [
    "ChunkedData",
    "Columns",
    "Engine",
    "Here",
    "InMemory",
    "Parts",
    "Piece",
    "Summary",
    "Tree",
]
