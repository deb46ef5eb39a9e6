"""X_B w, X_Bᵀ r, and both in one reading of X_B, where threads share the rows of large blocks.

The shape of the rows alone divides a block, and the sums of its parts are added in their order: the
number of threads changes no bit. A part begins at a multiple of four rows, because kernels read
four at a time. Scores do not depend on the division, nor on where a row is: equal rows have equal
ones, so that they are ties for the AUC. (Rejected: parts of columns, whose sums would not depend on
it either. A kernel that needs X_B w first would read the rows twice.)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import ALL, Block, Rows, Vector, matrix_of, span
from aucbench.data.columns import scale_rows
from aucbench.data.layouts import density, pieces, square_entries, with_values
from aucbench.data.tally import READ
from aucbench.errors import DataError
from aucbench.kernels.parallel import mapped

# `kernels.linear` is imported in functions: it takes SciPy along, which the process that starts a
# run does without.
DIVIDED_FROM = 2**18  # stored values: 0.2 ms
PART = 2**19  # stored values of each part where there are more than two
MOST = 16  # parts
SQUARED = 1 << 22  # stored values that are squared at a time, 32 MiB
DENSE_FROM = 1 / 8  # share from which a product of BLAS takes less time (measured: 0.1)
PRODUCT = 0.1  # of the time in which a number of a row is read, for a product of a sum of products
CENTRED = 1 << 22  # numbers that are centred at a time, 32 MiB
SHARE = 8  # stored values for each number of a part's own sums, at least

Cut = tuple[int, int]


def parts(X: Rows, lo: int, hi: int, sums: int) -> list[Cut]:
    """Divide the places lo … hi − 1 of a block into 1, 2, 4, 8 or 16 parts."""
    stored = (hi - lo) * X.stored.size // (X.n or 1)
    if stored < DIVIDED_FROM:
        return [(lo, hi)]
    fours = -(-(hi - lo) // 4)
    most = min(max(2, stored // PART), stored // (SHARE * sums or 1), fours, MOST)
    count = 1 << max(0, most.bit_length() - 1)
    cuts = [min(hi, lo + 4 * (fours * k // count)) for k in range(count + 1)]
    return list(pairwise(cuts))


def scores(X: Rows, w: Vector, block: Block = ALL) -> Vector:
    """Return X_B w, shape (|B|,), the scores of the rows in a block B.

    Raises
    ------
    DataError
        Unless there are as many weights as features; kernels do not check this.
    """
    from aucbench.kernels import linear

    if X.d != w.size:
        raise DataError(
            f"the rows have {X.d} features after mapping, but there are {w.size} weights; give the "
            "columns of the training rows"
        )
    order, lo, hi = span(block, X.n)
    READ.get().add(hi - lo, X.stored.size * (hi - lo) / X.n)
    w, out = np.ascontiguousarray(w), np.empty(hi - lo)

    def fill(cut: Cut) -> None:
        linear.scores(*X.stored_arrays, order, *cut, w, out[cut[0] - lo : cut[1] - lo])

    mapped(fill, parts(X, lo, hi, 0))
    return out


def pullback(X: Rows, r: Vector, block: Block = ALL) -> Vector:
    """Return X_Bᵀ r, shape (d,), where r has one number for each row in the block B."""
    from aucbench.kernels import linear

    order, lo, hi = span(block, X.n)

    def sums(cut: Cut) -> Vector:
        out = np.zeros(X.d)
        linear.pullback(*X.stored_arrays, order, *cut, r[cut[0] - lo : cut[1] - lo], out)
        return out

    return _total(mapped(sums, parts(X, lo, hi, X.d)))


def square_norms(X: Rows) -> Vector:
    """Return |x_i|^2 of each row, shape (n,)."""
    from aucbench.kernels import linear

    out = np.empty(X.n)
    linear.square_norms(*X.stored_arrays, X.n, out)
    return out


def square_pullback(X: Rows, r: Vector) -> Vector:
    """Return Σ_i r_i x_ij² of each column j, shape (d,); squares are made in pieces of the rows."""
    total = np.zeros(X.d)
    for lo, piece in pieces(X, SQUARED):
        total += pullback(square_entries(piece), r[lo : lo + piece.n])
    return total


def gram(X: Rows, c: Vector, centre: Vector) -> Vector:
    """Return Σ_i c_i (x_i - m)(x_i - m)ᵀ, shape (d, d), where m is `centre`.

    Dense rows are centred in pieces, so no copy of all of them is made. So are sparse rows that
    store many of their entries.
    """
    READ.get().add(X.n, X.stored.size * max(1.0, PRODUCT * density(X) * X.d))
    if X.columns is not None and density(X) < DENSE_FROM:
        # Centring a column without zeros keeps it sparse; a column with zeros is near 0 anyway.
        full = np.where(np.bincount(X.columns, minlength=X.d) == X.n, centre, 0.0)
        moved, centre = with_values(X, X.stored - full[X.columns]), centre - full
        M = moved.matrix
        cross = np.outer(M.T @ c, centre)
        whole: Vector = (M.T @ scale_rows(moved, c).matrix).toarray()
        whole -= cross + cross.T
        whole += c.sum() * np.outer(centre, centre)
        return whole
    M, total = matrix_of(X, X.stored), np.zeros((X.d, X.d))
    step = max(1, CENTRED // X.d)
    for lo in range(0, X.n, step):
        part = M[lo : lo + step]
        part = (part.toarray() if X.is_sparse else part) - centre
        total += part.T @ (part * c[lo : lo + step, None])
    return total


def centred_products(X: Rows) -> Vector:
    """Return (x_i - m)·(x_j - m), shape (n, n), where m is the mean of the rows."""
    READ.get().add(X.n, X.stored.size)
    if X.is_sparse:
        products: Vector = (X.matrix @ X.matrix.T).toarray()
        products -= products.mean(axis=0)
        products -= products.mean(axis=1)[:, None]
        return products
    M = X.matrix - X.matrix.mean(axis=0)
    return np.asarray(M @ M.T)


def affine(
    X: Rows, y: NDArray[np.int8], w: Vector, slope: Vector, shift: Vector, block: Block = ALL
) -> tuple[Vector, Vector]:
    """Return Σ_B c_i x_i, shape (d,), and Σ c_i of negatives and of positives, shape (2,).

    c_i = slope[k] (x_i · w) + shift[k], where k is 0 for a negative row and 1 for a positive one.
    Each row is read once.
    """
    from aucbench.kernels import linear

    order, lo, hi = span(block, X.n)
    READ.get().add(hi - lo, X.stored.size * (hi - lo) / X.n)

    def sums(cut: Cut) -> tuple[Vector, Vector]:
        out, of_classes = np.zeros(X.d), np.zeros(2)
        linear.affine_pass(*X.stored_arrays, order, *cut, y, w, slope, shift, out, of_classes)
        return out, of_classes

    summed = mapped(sums, parts(X, lo, hi, X.d))
    if len(summed) == 1:
        return summed[0]
    return _total([out for out, _ in summed]), _total([of_classes for _, of_classes in summed])


def margin(
    X: Rows,
    y: NDArray[np.int8],
    w: Vector,
    weight: Vector,
    block: Block = ALL,
    *,
    logistic: bool,
    shift: float = 0.0,
) -> tuple[Vector, float]:
    """Return Σ_B c_i x_i, shape (d,), and Σ c_i; c_i = −y_i weight[k] g(y_i (x_i · w + shift)).

    k is 0 for a negative row and 1 for a positive one. g(m) is 1 / (1 + exp(m)) for the logistic
    loss, and exp(−m) for the exponential loss. Each row is read once.
    """
    from aucbench.kernels import linear

    order, lo, hi = span(block, X.n)
    READ.get().add(hi - lo, X.stored.size * (hi - lo) / X.n)

    def sums(cut: Cut) -> tuple[Vector, float]:
        out = np.zeros(X.d)
        return out, linear.margin_pass(
            *X.stored_arrays, order, *cut, y, w, weight, logistic, out, shift
        )

    summed = mapped(sums, parts(X, lo, hi, X.d))
    if len(summed) == 1:
        return summed[0]
    return _total([out for out, _ in summed]), sum(total for _, total in summed)


def _total(terms: Sequence[Vector]) -> Vector:
    """Add up in order, in the first of them."""
    total = terms[0]
    for i in range(1, len(terms)):
        total += terms[i]
    return total
