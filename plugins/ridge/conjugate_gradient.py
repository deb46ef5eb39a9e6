"""Preconditioned conjugate gradients as a generator: the caller decides when to stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf

import numpy as np

from aucbench.data.arrays import Vector

Map = Callable[[Vector], Vector]
TRUSTED = 0.1  # fall of ‖r‖ over which its recurrence is believed
LOST = 1e6  # growth of ‖r‖ that no rows explain, but rounding: the directions mean nothing


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
        M symmetric positive definite, close to H and easy to invert.
    tol : float
        Ends at ‖b − H w‖ ≤ tol, or where rounding keeps that from falling further.

    Yields
    ------
    (w, residual, exact)
        After each product: w, a live view, and ‖b − H w‖. The recurrence of the residual
        drifts from it: `exact` tells whether it was computed from its definition, as at the
        start, whenever it has fallen by a factor of 10, and at the end. Where it has drifted by
        a factor of 2 the iteration starts again from w, and it ends at the best w.

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
    """Iterate until the recurrence of r says ‖r‖ ≤ tol, has drifted, or v has no curvature."""
    v, rz, start = np.zeros(w.size), inf, float(np.linalg.norm(r))
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
            believed, exact = TRUSTED * residual, float(np.linalg.norm(b - product(w)))
            yield w, exact, True
            if exact > 2.0 * residual:
                return
