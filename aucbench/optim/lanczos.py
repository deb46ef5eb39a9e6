"""The largest eigenvalue without a matrix: the smoothness L that a step size 1/L needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from aucbench.contract import Objective
from aucbench.data.arrays import Block, Vector
from aucbench.errors import ParameterError

NORM_TOLERANCE = 1e-3  # relative; steps are stable up to 2/L, so more digits of L are useless
MAX_PRODUCTS = 50
NEGLIGIBLE = 1e-12  # of λ: a product that is so near to the span of the others ends the search


def lipschitz(f: Objective, blocks: Sequence[Block], rng: np.random.Generator) -> float:
    """Return L̂ = max over the blocks B of λ_max(H_B).

    The step 1/L̂ of a block method must suit the objectives of the blocks (Assumption 2 of the
    SHT-AUC paper). A step for the Hessian of all rows diverges for small blocks.

    Each product reads the rows of a block, 3 to 7 times in all on most data. These rows count as
    any others.

    Parameters
    ----------
    f : Objective
        Its `curvature(v, rows)` is the product with the Hessian of a block, or with a bound of it.
    blocks : sequence of Block
        Blocks of rows from which the method draws.
    rng : Generator
        Draws the start vector.

    Raises
    ------
    UnsupportedError
        When f has no curvature.
    ParameterError
        When the curvature is zero or not finite.
    """
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

    It is Lanczos' method: λ is the largest eigenvalue of H on the span of v, Hv, H²v, …, and takes
    half as many products as the power iteration. It ends when a product raises λ by less than
    0.1 %, so that λ is a little too small. (Rejected: `scipy.sparse.linalg.eigsh`. It looks at λ at
    restarts only, and took 1.2 to 2 times as many products for as many digits.)

    Parameters
    ----------
    product : function (v) -> H v
    v : array of shape (d,)
        First direction. It must not be orthogonal to the one that is looked for, so draw it.

    References
    ----------
    Golub & Van Loan, "Matrix computations", 4th edition, 2013, section 10.1.
    """
    basis = np.empty((0, v.size))
    T = np.zeros((MAX_PRODUCTS + 1, MAX_PRODUCTS + 1))  # H in the basis: tridiagonal
    value, rest = 0.0, v
    for k in range(MAX_PRODUCTS):
        length = float(np.linalg.norm(rest))
        if k:
            T[k, k - 1] = T[k - 1, k] = length
        basis = np.vstack([basis, rest / length])
        u = product(basis[k])
        T[k, k] = float(u @ basis[k])
        if not np.isfinite(u).all():
            return float(np.linalg.norm(u)), basis[0]
        values, vectors = np.linalg.eigh(T[: k + 1, : k + 1])
        old, value, shares = value, float(values[-1]), vectors[:, -1]
        rest = u
        for _ in range(2):  # rounding would spoil the basis if it were done once
            rest = rest - (basis @ rest) @ basis
        if value - old <= NORM_TOLERANCE * value or np.linalg.norm(rest) <= NEGLIGIBLE * value:
            break
    return value, shares @ basis
