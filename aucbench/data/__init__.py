"""What flows through solvers: rows, what is to be predicted of them, chunks and folds.

`Data.of(X, y)` is the one door where input is checked; `arrays` has the two layouts of rows,
`targets` and `breakpoints` what is predicted, `folds` how rows are dealt, and `rounding` what
floating point may do to products with them.
"""

from aucbench.data.arrays import ALL, Block, Index, Rows, Vector
from aucbench.data.breakpoints import Breakpoints
from aucbench.data.data import NEEDS_LABELS, Chunk, Data, scores
from aucbench.data.targets import Labels

__all__ = [
    "ALL",
    "NEEDS_LABELS",
    "Block",
    "Breakpoints",
    "Chunk",
    "Data",
    "Index",
    "Labels",
    "Rows",
    "Vector",
    "scores",
]
