"""SOPA-s: the partial AUC by a soft maximum over negatives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Problem, State
from aucbench.data.arrays import Vector
from aucbench.errors import require_above, require_share
from aucbench.pairs import members_of

from .network import Adam, Net, Network, falling, passes


@about("the partial AUC by a network, as in LibAUC", cites=("zhu2022",))
@dataclass(frozen=True)
class SopaS(Network):
    """min (1/n₊) Σ_i τ log E_j exp(ℓ_ij/τ), with ℓ_ij = [m − (s_i − s_j)]₊² and j the negatives.

    It is the largest Σ_j p_j ℓ_ij − τ KL(p, 1/n₋) over distributions p of negatives: hard negatives
    count more, as in the partial AUC up to a small false-positive rate. τ → ∞ gives all pairs
    alike, and τ → 0 the hardest negative only. For each batch B, SOPA-s takes the steps

    1. u_i ← (1 − γ) u_i + γ Ê_j exp(ℓ_ij/τ) for the positives i of B, and Ê_j where u_i is new;
    2. p_ij = exp(ℓ_ij/τ)/u_i;
    3. G = the mean over i and j of p_ij ∇ℓ_ij;
    4. θ ← θ − η_t D(G + λθ), with D the direction of Adam.

    The logarithm of u_i is kept, so that long margins do not overflow. The paper's λ is τ here.

    Parameters
    ----------
    width, batch, step, ridge, minority :
        As `Network`, with η in units of a weight; it falls as that of `mlp`.
    margin : float
        m > 0, in units of the scores.
    tau : float
        τ > 0, in units of the loss of a pair.
    gamma : float
        γ in (0, 1]: 1 forgets what other batches said.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.

    References
    ----------
    Zhu, Li, Wang, Wu & Yang, "When AUC meets DRO: optimizing partial AUC for deep learning with
    non-convex convergence guarantee", ICML 2022, Algorithm 2, with Adam's steps.
    """

    margin: float = 1.0
    tau: float = 1.0
    gamma: float = 0.9

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(0, margin=self.margin, tau=self.tau)
        require_share(gamma=self.gamma)

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per pass."""
        data, net = problem.data, Net(problem, self.width, rng)
        positive, log_u, adam = data.y > 0, np.full(data.n, np.nan), Adam(net.theta.size)
        for batches in passes(self, members_of(data), budget, rng):  # line 1
            for B, share in batches:
                s, is_positive = net.scores(B), positive[B]  # line 2
                i = B[is_positive]
                Z = np.maximum(self.margin - (s[is_positive][:, None] - s[~is_positive]), 0.0)
                log_u[i] = update_log_u(log_u[i], Z**2 / self.tau, self.gamma)  # line 3
                p = np.exp(Z**2 / self.tau - log_u[i][:, None])  # line 4
                G = net.pullback(slopes(p, Z, is_positive))  # line 5
                net.theta -= falling(share) * self.step * adam(G + self.ridge * net.theta)  # line 6
            yield net.state()


def update_log_u(log_u: Vector, exponents: Vector, gamma: float) -> Vector:
    """Return log((1 − γ) u_i + γ Ê_j exp(e_ij)), and log Ê_j exp(e_ij) where log u_i is NaN."""
    most = exponents.max(axis=1)
    fresh = most + np.log(np.exp(exponents - most[:, None]).mean(axis=1))
    known = np.where(np.isnan(log_u), fresh, log_u)
    with np.errstate(divide="ignore"):  # log 0 where γ is 1
        moved: Vector = np.logaddexp(np.log1p(-gamma) + known, np.log(gamma) + fresh)
    return moved


def slopes(p: Vector, Z: Vector, positive: Any) -> Vector:
    """Return the derivatives c (n_B,) in the scores of the mean of p_ij Z_ij², p fixed."""
    slope = 2.0 * p * Z / Z.size
    c = np.empty(positive.size)
    c[positive], c[~positive] = -slope.sum(axis=1), slope.sum(axis=0)
    return c
