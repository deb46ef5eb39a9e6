"""Preconditioned conjugate gradients as a generator: the caller decides when to stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf

import numpy as np

from aucbench.data.arrays import Vector

Map = Callable[[Vector], Vector]


def conjugate_gradient(
    product: Map, r: Vector, precondition: Map, least: float = 0.0
) -> Iterator[tuple[float, Vector, Vector]]:
    """Yield steps αv whose sum approaches H⁻¹r, for a symmetric positive definite H.

    It ends at r·M⁻¹r ≤ `least`, or where v has no curvature. `scipy.sparse.linalg.cg` is the same
    recurrence, but nobody can stop it after a product, and it knows no other end than one by ‖r‖.

    Parameters
    ----------
    product : function (v) -> H v
    r : array of shape (d,)
        The residual b − H w at the start w. It is overwritten by that of the sum so far.
    precondition : function (r) -> M⁻¹ r
        M is symmetric positive definite, close to H, and easy to invert.
    least : float
        Bound of r·M⁻¹r at which it ends.

    Yields
    ------
    (α, v, Hv)
        After each product: the step length, the direction, and its product.

    References
    ----------
    Hestenes & Stiefel, "Methods of conjugate gradients for solving linear systems", 1952.
    """
    v, rz = np.zeros(r.size), inf
    while True:
        z = precondition(r)
        before, rz = rz, float(r @ z)
        if not rz > least:
            return
        v = z + rz / before * v
        Hv = product(v)
        curvature = float(v @ Hv)
        if not curvature > 0:
            return
        alpha = rz / curvature
        r -= alpha * Hv
        yield alpha, v, Hv
