"""The data that solvers read: rows, targets, chunks and folds.

`Data.of(X, y)` is the only place where input is checked. `arrays` has the two layouts of rows,
`layouts` and `columns` make other rows of them, `passes` multiplies them by weights, and
`summaries` keeps what is computed once from all of them. `targets` and `breakpoints` have what is
to be predicted, `row_roles` and `folds` divide rows, `rounding` bounds the rounding errors of
products with rows, and `sorting` sorts their scores.
"""

from aucbench.data.arrays import ALL, Block, Index, Rows, Vector, rows, size
from aucbench.data.breakpoints import Breakpoints
from aucbench.data.categories import Categories
from aucbench.data.data import IGNORES_WEIGHTS, Chunk, Data
from aucbench.data.grades import Grades
from aucbench.data.kinds import NEEDS_LABELS, Target, needs_labels
from aucbench.data.passes import scores
from aucbench.data.shapes import Shape, Shapes
from aucbench.data.sorting import argsort, sort_in_use
from aucbench.data.survival import Survival
from aucbench.data.tally import uncounted
from aucbench.data.targets import Labels
from aucbench.data.terms import Terms

__all__ = [
    "ALL",
    "IGNORES_WEIGHTS",
    "NEEDS_LABELS",
    "Block",
    "Breakpoints",
    "Categories",
    "Chunk",
    "Data",
    "Grades",
    "Index",
    "Labels",
    "Rows",
    "Shape",
    "Shapes",
    "Survival",
    "Target",
    "Terms",
    "Vector",
    "argsort",
    "needs_labels",
    "rows",
    "scores",
    "size",
    "sort_in_use",
    "uncounted",
]
