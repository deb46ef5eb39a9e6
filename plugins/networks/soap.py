"""SOAP: stochastic optimisation of the average precision."""

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


@about("the average precision by a network, as in LibAUC", cites=("qi2021",))
@dataclass(frozen=True)
class Soap(Network):
    """max (1/n₊) Σ_i g_i¹/g_i², a smooth average precision; g_i = E_j [1[y_j = 1] ℓ_ij, ℓ_ij].

    i runs over the positives and j over all rows, and ℓ_ij = [m − (s_i − s_j)]₊² is 1[s_j ≥ s_i]
    made smooth. Means over a batch stand for E_j: its positives count for the share of the
    positives among the rows, and its negatives for theirs. A row of few positives has a ratio of
    random means, so that each positive keeps its own, u_i. For each batch B, SOAP takes the steps

    1. u_i ← (1 − γ) u_i + γ ĝ_i for the positives i of B, and ĝ_i where u_i is new;
    2. G = the mean over the positives i of B of Ê_j (u_i¹ − u_i² 1[y_j = 1])/(u_i²)² ∇ℓ_ij;
    3. θ ← θ − η_t D(G + λθ), with D the direction of Adam.

    The code of the authors has u_i = 0 at first, so that the first ratio is 1/γ times too large.

    Parameters
    ----------
    width, batch, step, ridge, minority :
        As `Network`, with η in units of a weight; it falls as that of `mlp`.
    margin : float
        m > 0, in units of the scores.
    gamma : float
        γ in (0, 1]: 1 forgets what other batches said.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.

    References
    ----------
    Qi, Luo, Xu, Ji & Yang, "Stochastic optimization of areas under precision-recall curves with
    provable convergence", NeurIPS 2021, Algorithm 1, with Adam's steps.
    """

    ridge: float = 1e-3
    margin: float = 1.0
    gamma: float = 0.9

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(0, margin=self.margin)
        require_share(gamma=self.gamma)

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per pass."""
        data, net = problem.data, Net(problem, self.width, rng)
        positive, u, adam = data.y > 0, np.full((2, data.n), np.nan), Adam(net.theta.size)
        for batches in passes(self, members_of(data), budget, rng):  # line 1
            for B, share in batches:
                s, is_positive = net.scores(B), positive[B]  # line 2
                i = B[is_positive]
                g, Z, q = precisions(s, is_positive, data.labels.p, self.margin)
                old = np.where(np.isnan(u[:, i]), g, u[:, i])
                u[:, i] = (1.0 - self.gamma) * old + self.gamma * g  # line 3
                G = net.pullback(slopes(u[:, i], Z, q, is_positive))  # line 4: G = Jᵀc
                net.theta -= falling(share) * self.step * adam(G + self.ridge * net.theta)  # line 5
            yield net.state()


def precisions(s: Vector, positive: Any, p: float, m: float) -> tuple[Vector, Vector, Vector]:
    """Return ĝ (2, n₊) of the positives of a batch, Z_ij = [m − (s_i − s_j)]₊, and q_j of Ê_j.

    Parameters
    ----------
    s, positive : arrays of shape (n_B,)
        Scores, and whether the row is positive.
    p : float
        The share of the positives among all rows.
    m : float
        Margin.
    """
    q = np.where(positive, p / positive.sum(), (1.0 - p) / (~positive).sum())
    Z = np.maximum(m - (s[positive][:, None] - s), 0.0)
    losses = q * Z**2
    return np.array([losses[:, positive].sum(axis=1), losses.sum(axis=1)]), Z, q


def slopes(u: Vector, Z: Vector, q: Vector, positive: Any) -> Vector:
    """Return the derivatives c (n_B,) in the scores that G pulls back, from the u of positives."""
    ratio = (u[0][:, None] - u[1][:, None] * positive) / u[1][:, None] ** 2
    slope = 2.0 * ratio * q * Z / len(Z)  # ∂ℓ_ij/∂s_j = 2 Z_ij = −∂ℓ_ij/∂s_i
    c = slope.sum(axis=0)
    c[positive] -= slope.sum(axis=1)
    return np.asarray(c)
