"""Sets and penalties Ω, one file each: the nearest point of a set, the prox of a penalty."""

from aucbench.contract import Identity
from aucbench.hookspecs import Factories, hookimpl
from aucbench.projectors.box import Box
from aucbench.projectors.elastic_net import ElasticNet, ridge_of
from aucbench.projectors.group_l2 import GroupL2, penalty_of, term_penalty
from aucbench.projectors.hyperplane import Hyperplane
from aucbench.projectors.kernel_norm import KernelNorm
from aucbench.projectors.l1_ball import L1Ball
from aucbench.projectors.l2_ball import L2Ball
from aucbench.projectors.soft_threshold import SoftThreshold
from aucbench.projectors.top_k import TopK

__all__ = [
    "Box",
    "ElasticNet",
    "GroupL2",
    "Hyperplane",
    "Identity",
    "KernelNorm",
    "L1Ball",
    "L2Ball",
    "SoftThreshold",
    "TopK",
    "penalty_of",
    "ridge_of",
    "term_penalty",
]


@hookimpl
def aucbench_projectors() -> Factories:
    """Return the built-in projectors by name."""
    return {
        "top-k": TopK,
        "l1-ball": L1Ball,
        "l2-ball": L2Ball,
        "box": Box,
        "soft-threshold": SoftThreshold,
        "elastic-net": ElasticNet,
        "group-l2": GroupL2,
        "identity": Identity,
    }
