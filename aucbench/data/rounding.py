"""What rounding can do to products with the rows: bounds that a certificate adds to its gap.

A certified gap must hold for the numbers that were computed. A sum of m products is off by at
most γ_m times the sum of their magnitudes, γ_m = m u/(1 − m u), u = 2⁻⁵³, whatever the order
of the additions (Higham, "Accuracy and stability of numerical algorithms", 2002, section 3.1).
The bounds below are worst cases; on scaled rows they are far below any useful tolerance, and
on rows with large offsets they say how many digits are left.
"""

from __future__ import annotations

from math import inf
from typing import Protocol, runtime_checkable

import numpy as np

from aucbench.data.arrays import Vector
from aucbench.data.data import Data

UNIT = 2.0**-53
Slack = tuple[float, float]  # e and η: see `gap_of_gradient`


@runtime_checkable
class Rounded(Protocol):
    """An objective that says how far rounding moves it."""

    def rounding(self, w: Vector) -> Slack:
        """(e, η) at w."""
        ...


def slack_of(f: object, w: Vector) -> Slack:
    """(e, η) of an objective; infinite, so that nothing is certified, where it does not say."""
    return f.rounding(w) if isinstance(f, Rounded) else (inf, inf)


def gamma(m: int) -> float:
    """γ_m = m u/(1 − m u)."""
    return m * UNIT / (1.0 - m * UNIT)


def longest(data: Data) -> float:
    """A bound of max ‖x_i‖; infinity where a square overflows."""
    return data.longest * (1.0 + gamma(data.d + 4))


def of_scores(data: Data, w: Vector) -> float:
    """Return a bound of |computed − exact| x_i·w, over all rows.

    The kernels keep two sums of a CSR row, and at least four, mostly eight, of a dense one.
    """
    sums = 2 if data.rows.is_sparse else 4
    return gamma(data.d // sums + 16) * longest(data) * float(np.linalg.norm(w))


def of_pullback(data: Data, weight: float) -> float:
    """Return a bound of ‖computed − exact‖ of Xᵀc, where Σ|c_i| = `weight`."""
    return gamma(data.n + 4) * longest(data) * weight


def of_hinge(data: Data, w: Vector) -> Slack:
    """(e, η) of a mean of [1 − s_i + s_j]₊ over pairs, where each pair weighs its two rows once.

    An error s of the scores moves the mean by 2s and may swap a pair that is at the kink, which
    costs as much; the value is a sum of n multiples of scores.
    """
    e = 4.0 * of_scores(data, w) + of_pullback(data, 4.0 * float(np.linalg.norm(w)))
    return e, of_pullback(data, 2.0)


def gap_of_gradient(length: float, w: Vector, lam: float, slack: Slack) -> float:
    """Bound P(w) − min P for P = f + (λ/2)‖·‖² from a computed subgradient of P at w.

    Parameters
    ----------
    length : float
        ‖G‖, G = g + λw the subgradient.
    w : array of shape (d,)
    lam : float
        λ > 0.
    slack : tuple of 2 floats
        (e, η): the computed value and subgradient of f give f(u) ≥ f(w) + g·(u − w) − e −
        η‖u − w‖ for all u.

    Returns
    -------
    float
        (‖G‖ + η)²/(2λ) + e, and the rounding of G and of this; infinity where it overflows.
    """
    e, eta = slack
    own = gamma(w.size + 16)
    top = (length + eta + own * lam * float(np.linalg.norm(w))) * (1.0 + own)
    return (top * (top / (2.0 * lam)) + e) * (1.0 + own) if top < 1e150 else inf
