"""Parts of optimisation that several families of solvers use, and that your own plugins may use.

A part that only one family uses is in the folder of that family. `passes` and `row_order` are here
because every streaming solver needs them, also one outside aucbench.
"""

from aucbench.optim.bundle import Bundle
from aucbench.optim.power import lipschitz, top_eigenvalue
from aucbench.optim.scale import Moments, default_l1, default_ridge, pair_square, ridge_of
from aucbench.optim.streaming import capped, passes, row_order

__all__ = [
    "Bundle",
    "Moments",
    "capped",
    "default_l1",
    "default_ridge",
    "lipschitz",
    "pair_square",
    "passes",
    "ridge_of",
    "row_order",
    "top_eigenvalue",
]
