"""Parts that several solvers share."""

from aucbench.methods.baseline import one_fit
from aucbench.methods.block_thresholding import block_descent
from aucbench.methods.power import lipschitz

__all__ = ["block_descent", "lipschitz", "one_fit"]
