"""AUCM: the AUC margin loss, a saddle point, by the proximal epoch stochastic method (PESG)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aucbench.about import about
from aucbench.contract import Budget, Problem, State
from aucbench.data.arrays import Vector
from aucbench.errors import require_above, require_at_least
from aucbench.pairs import members_of

from .network import Net, Network, passes

STAGES = (0.5, 0.75)  # shares of the training after which the step falls and v_ref moves
SLOWER = 10.0  # by which the step is divided there


@about("the AUC margin loss of LibAUC, by its min-max method", cites=("yuan2021",))
@dataclass(frozen=True)
class Aucm(Network):
    """min over θ, a, b, max over α ≥ 0, of F = E₊(s − a)² + E₋(s − b)² + 2α(m + E₋s − E₊s) − α².

    E₊ and E₋ are means over the positive and the negative rows of a batch, by their weights. At the
    saddle point a = E₊s, b = E₋s and α = [m + b − a]₊, so that F is the sum of the variances of the
    scores of both classes and [m + b − a]₊². Without [·]₊ it would be the pairwise square. With
    v = (θ, a, b), PESG takes for each batch the step

    1. v ← v − η(∂F/∂v + γ(v − v_ref) + λ(θ, 0, 0));
    2. α ← [α + η ∂F/∂α]₊, with both derivatives at the old point.

    After half and three quarters of the batches

    3. η ← η/10, and v_ref ← the mean of v over the batches since the last such change.

    As in the code of its authors, s = ½ + ½ tanh(z/2) with the score z of the network, which ranks
    alike: s in [0, 1] suits a margin of 1, and the steps of a square cannot grow without end. a and
    b begin at ½, so that neither class is preferred.

    Parameters
    ----------
    width, batch, step, ridge, minority :
        As `Network`, with η in squared units of a weight.
    margin : float
        m > 0, in units of s.
    gamma : float
        γ ≥ 0, the pull to v_ref, in units of the loss per squared unit of v.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.

    References
    ----------
    Yuan, Yan, Sonka & Yang, "Large-scale robust deep AUC maximization: a new surrogate loss and
    empirical studies on medical image classification", ICCV 2021, Algorithm 1.
    """

    step: float = 0.1
    ridge: float = 1e-3
    margin: float = 1.0
    gamma: float = 2e-3

    needs: ClassVar = replace(Network.needs, capabilities=frozenset({"weights"}))

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(0, margin=self.margin)
        require_at_least(0, gamma=self.gamma)

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per pass."""
        data, net = problem.data, Net(problem, self.width, rng, more=2)
        v, positive, weights = net.variables, data.y > 0, data.labels.shares
        v[-2:] = 0.5  # line 1: a = b = s at a score of 0
        v_ref, total, count = v.copy(), np.zeros_like(v), 0
        eta, alpha, changes = self.step, 0.0, [*STAGES]
        for batches in passes(self, members_of(data), budget, rng):
            for B, share in batches:
                if changes and share >= changes[0]:  # line 5
                    eta, v_ref, changes = eta / SLOWER, total / count, changes[1:]
                    total, count = np.zeros_like(v), 0
                s, is_positive = 0.5 + 0.5 * np.tanh(0.5 * net.scores(B)), positive[B]  # line 2
                q = class_shares(weights[B], is_positive)
                _, c, dab, dalpha = saddle(s, q, is_positive, v[-2], v[-1], alpha, self.margin)
                G = net.pullback(c * s * (1.0 - s)) + self.ridge * net.theta
                v -= eta * (np.append(G, dab) + self.gamma * (v - v_ref))  # line 3
                alpha = max(0.0, alpha + eta * dalpha)  # line 4
                total += v
                count += 1
            yield net.state()


def class_shares(weights: Vector, positive: NDArray[np.bool_]) -> Vector:
    """Return the share of each row in the weight of its class, (n_B,)."""
    sums = np.where(positive, weights[positive].sum(), weights[~positive].sum())
    return np.asarray(weights / sums)


def saddle(
    s: Vector, q: Vector, positive: Any, a: float, b: float, alpha: float, m: float
) -> tuple[float, Vector, Vector, float]:
    """Return F, and its derivatives in the scores (n,), in (a, b), and in α.

    Parameters
    ----------
    s : array of shape (n,)
        Scores.
    q : array of shape (n,)
        The share of each row in its class: both classes sum to 1, however many scores are 0.
    positive : mask of shape (n,)
        Whether the row is positive.
    a, b, alpha, m : float
        As in `Aucm`.
    """
    side = np.where(positive, -1.0, 1.0)
    from_mean = s - np.where(positive, a, b)
    gap = m + float(q @ (side * s))  # m + E₋s − E₊s
    F = float(q @ from_mean**2) + 2.0 * alpha * gap - alpha**2
    c = 2.0 * q * (from_mean + alpha * side)
    dab = -2.0 * np.array([(q * from_mean)[positive].sum(), (q * from_mean)[~positive].sum()])
    return F, c, dab, 2.0 * (gap - alpha)


def margin_loss(s: Vector, q: Vector, positive: Any, m: float = 1.0) -> tuple[float, Vector]:
    """Return min over a, b and max over α ≥ 0 of F, and its derivatives in the scores, (n,).

    It is F at a = E₊s, b = E₋s and α = [m + b − a]₊; the derivatives in a, b and α are 0 there, or
    α is 0 and F falls with it, so that those in s are all. Parameters are those of `saddle`.
    """
    a, b = (float(q[side] @ s[side]) for side in (positive, ~positive))
    F, c, _, _ = saddle(s, q, positive, a, b, max(0.0, m + b - a), m)
    return F, c
