"""Parts of optimisation: what two families of solvers use, or a plugin of your own may."""

from aucbench.optim.adamax import adamax, adamax_ridge, require_moves
from aucbench.optim.bundle import Bundle
from aucbench.optim.conjugate_gradient import conjugate_gradient
from aucbench.optim.lbfgs import Lbfgs
from aucbench.optim.line_search import WeakWolfe, normal_step
from aucbench.optim.power import lipschitz, top_eigenvalue
from aucbench.optim.streaming import passes, row_order

__all__ = [
    "Bundle",
    "Lbfgs",
    "WeakWolfe",
    "adamax",
    "adamax_ridge",
    "conjugate_gradient",
    "lipschitz",
    "normal_step",
    "passes",
    "require_moves",
    "row_order",
    "top_eigenvalue",
]
