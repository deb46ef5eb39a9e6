"""Bounds of the rounding errors of products with the rows; a certificate adds them to its gap.

A certified gap must hold for the numbers that were computed. The error of a sum of m products
is at most γ_m times the sum of their magnitudes, for any order of the additions, where
γ_m = m u/(1 − m u) and u = 2⁻⁵³ (Higham, "Accuracy and stability of numerical algorithms", 2002,
section 3.1). The bounds below are worst cases. On scaled rows they are far below any useful
tolerance. On rows with large offsets they show how many digits are left.
"""

from __future__ import annotations

from math import inf

import numpy as np

from aucbench.data.arrays import Vector
from aucbench.data.data import Data
from aucbench.data.summaries import longest_row

UNIT = 2.0**-53  # u, the unit of rounding
Slack = tuple[float, float]  # (e, η), see `gap_of_gradient`


def gamma(m: int) -> float:
    """Return γ_m = m u/(1 − m u)."""
    return m * UNIT / (1.0 - m * UNIT)


def longest(data: Data) -> float:
    """Return a bound of max_i ‖x_i‖; infinity where a square overflows."""
    return longest_row(data) * (1.0 + gamma(data.d + 4))


def of_scores(data: Data, w: Vector) -> float:
    """Return a bound of the error of x_i·w, over all rows i.

    The kernels add up a CSR row in two sums, and a dense row in at least four sums.
    """
    sums = 2 if data.rows.is_sparse else 4
    return gamma(data.d // sums + 16) * longest(data) * float(np.linalg.norm(w))


def of_pullback(data: Data, weight: float) -> float:
    """Return a bound of the length of the error of Xᵀc, where Σ|c_i| = `weight`."""
    return gamma(data.n + 4) * longest(data) * weight


def of_hinge(data: Data, w: Vector, memberships: int = 0) -> Slack:
    """Return (e, η) of a mean of [1 − s_i + s_j]₊ over pairs of rows (i, j).

    An error s of the scores moves the mean by at most 2s. It may also move a pair across the
    kink, which costs as much. The mean is a sum of n multiples of scores.

    Where pairs have shares, these multiples are sums of up to n shares, and are rounded themselves;
    each row adds up those of at most `memberships` blocks. 0: pairs are counted.
    """
    length = float(np.linalg.norm(w))
    e = 4.0 * of_scores(data, w) + of_pullback(data, 4.0 * length)
    if not memberships:
        return e, of_pullback(data, 2.0)
    sums = gamma(data.n + memberships + 8)
    return e + 4.0 * sums * (1.0 + longest(data) * length), 4.0 * sums * longest(data)


def of_squared_hinge(
    data: Data, w: Vector, error: float, memberships: int = 0, spread: float = inf
) -> Slack:
    """Return (e, η) of a mean of [1 − s_i + s_j]₊² over all pairs, for scores that err by `error`.

    A hinge is at most h = 1 + 2R‖w‖ with R = max ‖x_i‖, and at most 1 + 2 `error` more than the
    computed scores are apart, which is `spread` at most. An error of the scores moves it by twice
    as much, so that it moves the mean by 4(h + error) error at most. The magnitudes of the
    derivatives in the scores add up to 4h at most, and their errors to 8 error. A sum of up to n
    hinges has an error of γ_n n h, and so have its products with shares of rows in up to
    `memberships` blocks; 0: pairs are counted.
    """
    R = longest(data)
    h = 1.0 + min(2.0 * R * float(np.linalg.norm(w)), spread + 2.0 * error)
    error += 2.0 * UNIT * h  # of s_i - 1
    sums = 8.0 * gamma(data.n + memberships + 8) * (h + 2.0 * error)
    if memberships:
        sums *= 2.0
    return (4.0 * error + sums) * (h + 2.0 * error), R * (8.0 * error + 2.0 * sums)


def gap_of_gradient(length: float, w: Vector, lam: float, slack: Slack) -> float:
    """Return a bound of P(w) − min P, from a computed subgradient of P = f + (λ/2)‖·‖² at w.

    Parameters
    ----------
    length : float
        ‖G‖, G = g + λw the subgradient.
    w : array of shape (d,)
        The point.
    lam : float
        λ > 0.
    slack : tuple of 2 floats
        (e, η) such that f(u) ≥ f(w) + g·(u − w) − e − η‖u − w‖ for all u, with the computed
        value f(w) and subgradient g.

    Returns
    -------
    float
        (‖G‖ + η)²/(2λ) + e, plus the rounding of G and of this formula. Infinity where it
        overflows.
    """
    e, eta = slack
    own = gamma(w.size + 16)
    top = (length + eta + own * lam * float(np.linalg.norm(w))) * (1.0 + own)
    return (top * (top / (2.0 * lam)) + e) * (1.0 + own) if top < 1e150 else inf
