"""Preconditioned conjugate gradients as a generator: the caller decides when to stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf

import numpy as np

from aucbench.data.arrays import Vector

Map = Callable[[Vector], Vector]
TRUSTED = 0.1  # fall of ‖r‖ after which the recurrence of r is checked
LOST = 1e6  # growth of ‖r‖ that only rounding explains; the directions are then useless


def conjugate_gradient(
    product: Map, b: Vector, w: Vector, precondition: Map, tol: float
) -> Iterator[tuple[Vector, float, bool]]:
    """Solve H w = b for a symmetric positive definite H.

    Parameters
    ----------
    product : function (v) -> H v
    b : array of shape (d,)
    w : array of shape (d,)
        Start; it is overwritten.
    precondition : function (r) -> M⁻¹ r
        M is symmetric positive definite, close to H, and easy to invert.
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

    References
    ----------
    Hestenes & Stiefel, "Methods of conjugate gradients for solving linear systems", 1952.
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
        best, kept = residual, w.copy()
        yield from _cycle(product, b, w, r, precondition, tol)


def _cycle(
    product: Map, b: Vector, w: Vector, r: Vector, precondition: Map, tol: float
) -> Iterator[tuple[Vector, float, bool]]:
    """Iterate until ‖r‖ ≤ tol by the recurrence, until r has drifted, or v has no curvature."""
    v, rz = np.zeros(w.size), inf
    start = float(np.linalg.norm(r))
    believed = TRUSTED * start
    while True:
        z = precondition(r)
        old, rz = rz, float(r @ z)
        v = z + rz / old * v
        Hv = product(v)
        curvature = float(v @ Hv)
        if not curvature > 0:
            return
        w += rz / curvature * v
        r -= rz / curvature * Hv
        residual = float(np.linalg.norm(r))
        yield w, residual, False
        if residual <= tol or residual > LOST * start:
            return
        if residual <= believed:
            believed = TRUSTED * residual
            exact = float(np.linalg.norm(b - product(w)))
            yield w, exact, True
            if exact > 2.0 * residual:
                return
