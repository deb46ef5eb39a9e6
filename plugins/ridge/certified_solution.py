"""A linear system by conjugate gradients, with residuals that certify a gap."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import numpy as np

from aucbench.data.arrays import Vector
from aucbench.optim.conjugate_gradient import Map, conjugate_gradient

TRUSTED = 0.1  # fall of ‖r‖ after which the recurrence of r is checked
LOST = 1e6  # growth of ‖r‖ that only rounding explains; the directions are then useless


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
