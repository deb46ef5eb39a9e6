"""OAM-seq: online AUC maximisation with buffers, one buffered row after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from aucbench.hookspecs import Factories, hookimpl

from .buffered_pairs import BufferedPairs


@dataclass(frozen=True)
class OamSeq(BufferedPairs):
    """w ← w + τ k (x − x′), τ = min(C_t/2, ℓ/|x − x′|²), for each buffered x′ in turn.

    x is a row of class k, x′ a buffered row of the other class o, ℓ = [1 − k w·(x − x′)]₊ at
    the w that x′ finds, C_t = C max(1, N_o/N); x′ = x is skipped. A row costs two products
    with each of N buffered rows and one addition for each that moves w: O(N d) dense,
    O(N · stored values of a row) for CSR, nothing O(d); O(stored values of x) alone is not
    possible, since the update is a sum over the buffer.

    Parameters
    ----------
    C : float
        Weight C > 0 of a pair, in squared units of w per unit of the pairwise hinge.
    buffer : int
        N ≥ 1, slots of each class (100 in the paper).
    shuffle : bool
        A fresh random order in each pass; False keeps file order.

    References
    ----------
    Zhao, Hoi, Jin & Yang, "Online AUC maximization", ICML 2011. The listing was not at hand:
    `aucbench_plugins.online.oam` says what is assumed.
    """

    at_once: ClassVar[bool] = False


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"oam-seq": OamSeq}
