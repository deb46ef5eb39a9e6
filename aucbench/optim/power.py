"""Power iteration, matrix-free: the smoothness that a step size 1/L needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from aucbench.data.arrays import Block, Vector
from aucbench.errors import ParameterError
from aucbench.protocols import Objective, Smooth

TOLERANCE = 1e-3  # relative; a step 1/L is stable up to 2/L, so more digits buy nothing
MAX_PRODUCTS = 100


def lipschitz(f: Objective, blocks: Sequence[Block], rng: np.random.Generator) -> float:
    """L̂ = max over the blocks B of λ_max(H_B).

    The step 1/L̂ of a block method must suit its BLOCK objectives (SHT-AUC paper,
    Assumption 2); the full Hessian's step diverges for small blocks.

    Parameters
    ----------
    f : Objective
        With `curvature(v, rows)`, the product with the Hessian of a block or a bound of it.
    blocks : sequence of Block
        Blocks that the method draws from.
    rng : Generator
        Draws the start vector.

    Raises
    ------
    ParameterError
        When f has no curvature bound, or it is zero or not finite.
    """
    if not isinstance(f, Smooth):
        raise ParameterError(
            f"no step size follows from {type(f).__name__}, which has no curvature bound; "
            "give gamma"
        )
    v = rng.standard_normal(f.data.d)
    top = 0.0
    for rows in blocks:
        value, v = top_eigenvalue(partial(f.curvature, rows=rows), v)
        top = max(top, value)
    if not (np.isfinite(top) and top > 0):
        raise ParameterError(f"the curvature of the data is {top}; rescale the data or give gamma")
    return top


def top_eigenvalue(product: Callable[[Vector], Vector], v: Vector) -> tuple[float, Vector]:
    """λ_max of a positive semi-definite H and the direction found, starting from `v`.

    Parameters
    ----------
    product : function (v) -> H v
    v : array of shape (d,)
        Not orthogonal to the direction looked for: a random one.
    """
    value = 0.0
    for _ in range(MAX_PRODUCTS):
        v = v / np.linalg.norm(v)
        u = product(v)
        old, value = value, float(np.linalg.norm(u))
        if not value > 0 or abs(value - old) <= TOLERANCE * value:
            return value, v
        v = u
    return value, v
