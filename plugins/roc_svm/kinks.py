"""How a hinge over all pairs bends, on average over many pairs, from a sample of the rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from aucbench.data import Data
from aucbench.data.arrays import Vector

from .preconditioner import JITTER, WIDE

BAND = 1.5  # width of the window of margins, in deviations of a margin times rows^(-1/5)


def inverse_bend(data: Data, s: Vector, lam: float) -> Callable[[Vector], Vector] | None:
    """Return r -> M⁻¹ r with the M of `bend` plus λI; None beyond 1000 features, or without kinks.

    With it a Newton step is possible where the hinge over many pairs is almost smooth.
    """
    if data.d > WIDE:
        return None
    M = bend(data, s)
    M[np.diag_indices(data.d)] += JITTER * M.diagonal() + lam
    try:
        factor = cho_factor(M, lower=True, overwrite_a=True)
    except (LinAlgError, ValueError):  # rows so long that products overflow
        return None
    return lambda r: np.asarray(cho_solve(factor, r))


def bend(data: Data, s: Vector) -> Vector:
    """Return 1/(2h n₊n₋) Σ (z_i − z_j)(z_i − z_j)ᵀ over pairs with |1 − s_i + s_j| ≤ h, (d, d).

    A hinge bends at its kink only. So the mean over n₊n₋ pairs has the second derivative
    E[δ(m) (z_i − z_j)(z_i − z_j)ᵀ] in the limit, with the margin m of a pair. The window 2h stands
    for δ. All pairs are seen by one sort of the negatives and sums over their order, O(n d²).

    Parameters
    ----------
    data : Data
        Rows with labels.
    s : array of shape (n,)
        Their scores.
    """
    positive = data.y > 0
    X = data.rows.dense().matrix
    order = np.argsort(s[~positive])
    upper, lower = X[positive], X[~positive][order]
    u, t = s[~positive][order], s[positive] - 1.0
    h = BAND * float(np.hypot(u.std(), t.std())) * min(u.size, t.size) ** -0.2
    first, last = np.searchsorted(u, t - h, "left"), np.searchsorted(u, t + h, "right")
    ordered = np.sort(t)
    partners = np.searchsorted(ordered, u + h, "right") - np.searchsorted(ordered, u - h, "left")
    sums = np.vstack([np.zeros(data.d), np.cumsum(lower, axis=0)])
    crossed = upper.T @ (sums[last] - sums[first])
    whole = (upper.T * (last - first)) @ upper + (lower.T * partners) @ lower
    total: Vector = (whole - crossed - crossed.T) / (max(2.0 * h, 1e-300) * u.size * t.size)
    return total
