"""Parts that several solvers share."""

from aucbench.methods.baseline import LinearBaseline, one_fit
from aucbench.methods.block_thresholding import block_descent
from aucbench.methods.power import lipschitz

__all__ = ["LinearBaseline", "block_descent", "lipschitz", "one_fit"]
