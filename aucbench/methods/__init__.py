"""Parts that several solvers share."""

from aucbench.methods.adamax import adamax, adamax_ridge, require_moves
from aucbench.methods.aum_descent import aum_descent
from aucbench.methods.aum_learner import AumLearner, mean_gap
from aucbench.methods.aum_steps import SEARCHES, AumObjective, Line, Steps, search_called
from aucbench.methods.baseline import LinearBaseline, logistic_slope, one_fit
from aucbench.methods.block_thresholding import block_descent
from aucbench.methods.buffered_pairs import BufferedPairs
from aucbench.methods.buffers import Buffers
from aucbench.methods.bundle import Bundle
from aucbench.methods.centred import CentredRows
from aucbench.methods.certified import certified_descent
from aucbench.methods.conjugate_gradient import conjugate_gradient
from aucbench.methods.covariances import Covariances
from aucbench.methods.lbfgs import Lbfgs
from aucbench.methods.line_search import WeakWolfe, normal_step
from aucbench.methods.normal_equations import preconditioner
from aucbench.methods.power import lipschitz, top_eigenvalue
from aucbench.methods.primal_dual import primal_dual
from aucbench.methods.proximal_cuts import ProximalCuts
from aucbench.methods.representer import representer_descent
from aucbench.methods.saddle_point import SaddlePoint
from aucbench.methods.sketches import Sketches
from aucbench.methods.spam import proximal_passes
from aucbench.methods.stages import Stage, max_abs, staged_passes
from aucbench.methods.streaming import passes, row_order
from aucbench.methods.univariate import Univariate

__all__ = [
    "SEARCHES",
    "AumLearner",
    "AumObjective",
    "BufferedPairs",
    "Buffers",
    "Bundle",
    "CentredRows",
    "Covariances",
    "Lbfgs",
    "Line",
    "LinearBaseline",
    "ProximalCuts",
    "SaddlePoint",
    "Sketches",
    "Stage",
    "Steps",
    "Univariate",
    "WeakWolfe",
    "adamax",
    "adamax_ridge",
    "aum_descent",
    "block_descent",
    "certified_descent",
    "conjugate_gradient",
    "lipschitz",
    "logistic_slope",
    "max_abs",
    "mean_gap",
    "normal_step",
    "one_fit",
    "passes",
    "preconditioner",
    "primal_dual",
    "proximal_passes",
    "representer_descent",
    "require_moves",
    "row_order",
    "search_called",
    "staged_passes",
    "top_eigenvalue",
]
