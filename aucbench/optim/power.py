"""Power iteration without a matrix: the smoothness L that a step size 1/L needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from aucbench.data.arrays import Block, Vector
from aucbench.errors import ParameterError
from aucbench.protocols import Objective, Smooth

NORM_TOLERANCE = 1e-3  # relative; steps are stable up to 2/L, so more digits of L are useless
MAX_PRODUCTS = 100


def lipschitz(f: Objective, blocks: Sequence[Block], rng: np.random.Generator) -> float:
    """Return L̂ = max over the blocks B of λ_max(H_B).

    The step 1/L̂ of a block method must suit the objectives of the blocks (Assumption 2 of the
    SHT-AUC paper). A step for the Hessian of all rows diverges for small blocks.

    Parameters
    ----------
    f : Objective
        It has `curvature(v, rows)`, the product with the Hessian of a block, or with a bound of it.
    blocks : sequence of Block
        Blocks of rows from which the method draws.
    rng : Generator
        Draws the start vector.

    Raises
    ------
    ParameterError
        When f has no curvature bound, or when the bound is zero or not finite.
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
    """Return λ_max of a positive semi-definite H, and its direction, starting from `v`.

    Parameters
    ----------
    product : function (v) -> H v
    v : array of shape (d,)
        First direction. It must not be orthogonal to the one that is looked for, so draw it.
    """
    value = 0.0
    for _ in range(MAX_PRODUCTS):
        v = v / np.linalg.norm(v)
        u = product(v)
        old, value = value, float(np.linalg.norm(u))
        if not value > 0 or abs(value - old) <= NORM_TOLERANCE * value:
            return value, v
        v = u
    return value, v
