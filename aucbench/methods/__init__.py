"""Parts that several solvers share."""

from aucbench.methods.baseline import LinearBaseline, one_fit
from aucbench.methods.block_thresholding import block_descent
from aucbench.methods.power import lipschitz
from aucbench.methods.saddle_point import SaddlePoint
from aucbench.methods.streaming import passes, row_order

__all__ = [
    "LinearBaseline",
    "SaddlePoint",
    "block_descent",
    "lipschitz",
    "one_fit",
    "passes",
    "row_order",
]
