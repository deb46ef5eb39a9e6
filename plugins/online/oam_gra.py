"""OAM-gra: online AUC maximisation with buffers, all buffered rows at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from aucbench.hookspecs import Factories, hookimpl

from .buffered_pairs import BufferedPairs


@dataclass(frozen=True)
class OamGra(BufferedPairs):
    """w ← w + (C_t/2) k Σ (x − x′) over the buffered x′ with k w·(x − x′) ≤ 1.

    x is a row of class k, x′ a buffered row of the other class o, C_t = C max(1, N_o/N); all
    terms are evaluated at the old w. A row costs a product with each of N buffered rows and
    one addition for each that counts: O(N d) dense, O(N · stored values of a row) for CSR,
    nothing O(d); O(stored values of x) alone is not possible, since the update is a sum over
    the buffer.

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

    at_once: ClassVar[bool] = True


@hookimpl
def aucbench_solvers() -> Factories:
    """Register the solver."""
    return {"oam-gra": OamGra}
