"""Preconditioned conjugate gradients as generators: the caller decides when to stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf

import numpy as np

from aucbench.data.arrays import Vector

Map = Callable[[Vector], Vector]
TRUSTED = 0.1  # fall of ‖r‖ after which the recurrence of r is checked
LOST = 1e6  # growth of ‖r‖ that only rounding explains; the directions are then useless


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


def certified_solution(
    product: Map, b: Vector, w: Vector, precondition: Map, tol: float
) -> Iterator[tuple[Vector, float, bool]]:
    """Solve H w = b by `conjugate_gradient`, with residuals that are checked.

    Parameters
    ----------
    product, precondition : function
        As for `conjugate_gradient`.
    b : array of shape (d,)
    w : array of shape (d,)
        Start; it is overwritten.
    tol : float
        It ends at ‖b − H w‖ ≤ tol, or where rounding stops the residual from falling further.

    Yields
    ------
    (w, residual, exact)
        After each product: w, which is a live view, and the residual ‖b − H w‖. The residual
        comes from a recurrence, which drifts from the true value. Where `exact` is true it was
        computed from its definition: at the start, whenever it has fallen by a factor of 10, and
        at the end. When the two differ by a factor of 2, the iteration starts again from w. The
        last w is the best one.
    """
    best, kept = inf, w.copy()
    while True:
        r = b - product(w)
        residual = float(np.linalg.norm(r))
        if residual > best:  # rounding has spoilt what was found before
            w[:] = kept
            residual = best
        yield w, residual, True
        if not tol < residual < 0.5 * best:
            return
        best, kept, believed = residual, w.copy(), TRUSTED * residual
        for alpha, v, _ in conjugate_gradient(product, r, precondition):
            w += alpha * v
            residual = float(np.linalg.norm(r))
            yield w, residual, False
            if residual <= tol or residual > LOST * best:
                break
            if residual <= believed:
                believed = TRUSTED * residual
                exact = float(np.linalg.norm(b - product(w)))
                yield w, exact, True
                if exact > 2.0 * residual:
                    break
