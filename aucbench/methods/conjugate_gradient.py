"""Preconditioned conjugate gradients as a generator: the caller decides when to stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf

import numpy as np

from aucbench.arrays import Vector

Map = Callable[[Vector], Vector]
TRUSTED = 0.1  # fall of ‖r‖ over which its recurrence is believed


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
        start, whenever it has fallen by a factor of 10, and at the end.

    References
    ----------
    Hestenes & Stiefel, "Methods of conjugate gradients for solving linear systems", 1952.
    """
    best = inf
    while True:
        r = b - product(w)
        residual = float(np.linalg.norm(r))
        yield w, residual, True
        if not tol < residual < best:
            return
        best = 0.5 * residual
        yield from _cycle(product, b, w, r, precondition, tol)


def _cycle(
    product: Map, b: Vector, w: Vector, r: Vector, precondition: Map, tol: float
) -> Iterator[tuple[Vector, float, bool]]:
    """Iterate until the recurrence of r says ‖r‖ ≤ tol, or a direction has no curvature."""
    v, rz, believed = np.zeros(w.size), inf, TRUSTED * float(np.linalg.norm(r))
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
        if residual <= tol:
            return
        if residual <= believed:
            r = b - product(w)
            residual = float(np.linalg.norm(r))
            believed = TRUSTED * residual
            yield w, residual, True
