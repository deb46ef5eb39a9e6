"""Parts of optimisation that several families of solvers use, and that your own plugins may use.

A part that only one family uses is in the folder of that family. `passes` and `row_order` are here
because every streaming solver needs them, also one outside aucbench.
"""

from aucbench.optim.bundle import Bundle
from aucbench.optim.choice import chosen, require_above_or_auto, require_whole_or_auto, ridge
from aucbench.optim.lanczos import lipschitz, top_eigenvalue
from aucbench.optim.lbfgs import Lbfgs, WeakWolfe
from aucbench.optim.proximal_newton import proximal_newton
from aucbench.optim.reported import reported
from aucbench.optim.scale import default_l1, default_ridge, noise, pair_square
from aucbench.optim.streaming import capped, passes, row_order
from aucbench.optim.term_newton import term_newton

__all__ = [
    "Bundle",
    "Lbfgs",
    "WeakWolfe",
    "capped",
    "chosen",
    "default_l1",
    "default_ridge",
    "lipschitz",
    "noise",
    "pair_square",
    "passes",
    "proximal_newton",
    "reported",
    "require_above_or_auto",
    "require_whole_or_auto",
    "ridge",
    "row_order",
    "term_newton",
    "top_eigenvalue",
]
