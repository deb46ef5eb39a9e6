"""Weighted univariate exponential loss: the pointwise objective of Online Uni-Exp."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aucbench.contract import Objective
from aucbench.data import Data
from aucbench.data.arrays import ALL, Block, Vector, size
from aucbench.data.passes import margin


@dataclass(frozen=True, eq=False)
class UnivariateExp(Objective):
    """f(w) = ½ [(1/n₊) Σ₊ exp(−w·x_i − c) + (1/n₋) Σ₋ exp(w·x_j + c)], at c = 0 or the best c.

    At the best offset c, e^{2c} = Σ₊ exp(−w·x_i) n₋ / (n₊ Σ₋ exp(w·x_j)), both sums are equal, and
    f² is the mean of exp(−w·(x_i − x_j)) over all pairs. The gradient of a block is that at the c
    of all rows. The Hessian has no bound over all w, so there is no `curvature` for a step 1/L.

    Parameters
    ----------
    data : Data
        Training rows, dense or CSR.
    offset : bool
        Whether c is the best offset at w. False: c = 0.

    References
    ----------
    Kotłowski, Dembczyński & Hüllermeier, "Bipartite ranking through minimization of
    univariate loss", ICML 2011.
    """

    data: Data
    offset: bool = False

    def __post_init__(self) -> None:
        self.data.require_no_weights("univariate-exp")

    def value(self, w: Vector) -> float:
        """Return f(w); it is infinite only where f is larger than the largest float."""
        # Computed as exp(log f), because exp of one loss may overflow before it is divided by n.
        with np.errstate(over="ignore", invalid="ignore"):
            s = self.data.scores(w)
            if self.offset:  # the origin of the scores is free, and few digits cancel in the middle
                of_negatives, of_positives = self._logs(s - float(s.mean()))
                return 2.0 * float(np.exp(0.5 * (of_negatives + of_positives)))
            return float(np.exp(np.logaddexp(*self._logs(s))))

    def grad(self, w: Vector, rows: Block = ALL) -> Vector:
        """Return −(1/b) Σ_B y_i exp(−y_i w·x_i) x_i / (2 p_i); p_i is the share of its class."""
        data, weights, middle = self.data, self._weights, 0.0
        if self.offset:
            s = data.scores(w)
            with np.errstate(over="ignore", invalid="ignore"):  # of scores that are not finite
                middle = float(s.mean())
                of_negatives, of_positives = self._logs(s - middle)
                c = 0.5 * (of_positives - of_negatives)
                weights = weights * np.exp([c, -c])
        out, _ = margin(data.rows, data.y, w, weights, rows, logistic=False, shift=-middle)
        out /= size(rows, data.n)
        return out

    def _logs(self, s: Vector) -> tuple[float, float]:
        """Return the logarithms of (1/2n₋) Σ₋ exp(s_j) and (1/2n₊) Σ₊ exp(−s_i)."""
        losses = -self.data.y * s
        negative, positive = losses[self.data.y < 0], losses[self.data.y > 0]
        return _log_half_mean(negative), _log_half_mean(positive)

    @property
    def _weights(self) -> Vector:
        p = self.data.labels.p
        return 0.5 / np.array([1.0 - p, p])


def _log_half_mean(losses: Vector) -> float:
    """Return the logarithm of half the mean of exp(losses)."""
    return float(np.logaddexp.reduce(losses - np.log(2.0 * losses.size)))
