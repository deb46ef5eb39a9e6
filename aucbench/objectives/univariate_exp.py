"""Weighted univariate exponential loss: the pointwise objective of Online Uni-Exp."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import ALL, Block, Vector, size, span
from aucbench.kernels import linear


@dataclass(frozen=True, eq=False)
class UnivariateExp:
    """f(w) = ½ [(1/n₊) Σ₊ exp(−w·x_i) + (1/n₋) Σ₋ exp(w·x_j)].

    At the best offset of the scores, f² is the mean of exp(−w·(x_i − x_j)) over all pairs. The
    Hessian has no bound over all w, so there is no `curvature` for a step 1/L.

    Parameters
    ----------
    data : Data
        Training rows, dense or CSR.

    References
    ----------
    Kotłowski, Dembczyński & Hüllermeier, "Bipartite ranking through minimization of
    univariate loss", ICML 2011.
    """

    data: Data

    def value(self, w: Vector) -> float:
        """Return f(w); it is infinite only where f is larger than the largest float."""
        data = self.data
        losses = -data.y * data.scores(w)
        # Computed as exp(log f), because exp of one loss may overflow before it is divided by n.
        with np.errstate(over="ignore", invalid="ignore"):
            logs = losses + np.log(self._weights / data.n)[(data.y > 0).astype(np.intp)]
            return float(np.exp(np.logaddexp.reduce(logs)))

    def grad(self, w: Vector, rows: Block = ALL) -> Vector:
        """Return −(1/b) Σ_B y_i exp(−y_i w·x_i) x_i / (2 p_i); p_i is the share of its class."""
        data, out = self.data, np.zeros(self.data.d)
        block = span(rows, data.n)
        linear.margin_pass(*data.rows.arrays, *block, data.y, w, self._weights, False, out)
        out /= size(rows, data.n)
        return out

    @property
    def _weights(self) -> Vector:
        p = self.data.p
        return 0.5 / np.array([1.0 - p, p])
