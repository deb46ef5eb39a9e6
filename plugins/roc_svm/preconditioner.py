"""How a loss over pairs bends, by a sample of the rows: the squared hinge, and the hinge."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from aucbench.data import Data
from aucbench.data.arrays import Index, Vector
from aucbench.data.layouts import pieces, square_entries
from aucbench.data.passes import pullback
from aucbench.errors import DataError
from aucbench.objectives import PairwiseSquaredHinge
from aucbench.pairs import members_of, pairs_of, sample_members
from aucbench.pairs.gram import pair_diagonal

Map = Callable[[Vector], Vector]
WIDE = 1000  # features beyond which a factor of a d × d matrix costs more than it saves
PER_FEATURE = 8  # rows of the sample for each feature
FEW_PER_FEATURE = 2  # the same of a model of more than WIDE features
MOST = 20  # times that these numbers are doubled
SHRINKAGE = 0.05  # share of the diagonal over all pairs that is added
JITTER = 1e-10  # relative, so that rounding leaves the matrix positive definite
WINDOW = 1.5  # of margins, its width in deviations of a margin times rows^(-1/5)
POWER = 0.25  # of the diagonal: 0 leaves r as it is, and 1 hardly moves along frequent features
PIECE = 1 << 16  # stored values that are squared at a time; they stay in a cache


def balanced(data: Data, m: int, rng: np.random.Generator) -> Index:
    """Draw m/2 rows of each class without replacement, or all rows of a class that has fewer.

    Means over pairs need no fixed share of a class. So the rows of a rare class are drawn first.
    """
    parts = []
    for side in (1, -1):
        rows = np.flatnonzero(data.y == side)
        few = max(1, m // 2)
        parts.append(rows if rows.size <= few else rng.choice(rows, few, replace=False))
    return np.sort(np.concatenate(parts)).astype(np.int32)


def sampled(data: Data, m: int, rng: np.random.Generator) -> Index:
    """Draw about m rows that have pairs: of both classes, or of whole groups, or any of them."""
    if pairs_of(data) is None:
        return balanced(data, m, rng)
    return sample_members(data, m, rng)


def preconditioner(
    f: PairwiseSquaredHinge,
    s: Vector,
    lam: float,
    rng: np.random.Generator,
    per_feature: int = PER_FEATURE,
) -> Map:
    """Return r -> M⁻¹ r, where M resembles the Hessian of f + (λ/2)‖·‖² at the scores s.

    With up to 1000 features it is `sampled_hessian`. With more, M is the diagonal (diag(A) + λ)^¼,
    where A is the Hessian with every pair active. The power is from trials on text, where it saves
    a fifth of the products with the Hessian. A power of 1 costs more of them than no M at all,
    because most pairs are not active near the optimum.
    """
    if f.data.d <= WIDE:
        return sampled_hessian(f, s, lam, rng, per_feature)
    diagonal = (full_diagonal(f.data) + lam) ** POWER
    return lambda r: r / diagonal


def sampled_hessian(
    f: PairwiseSquaredHinge,
    s: Vector,
    lam: float,
    rng: np.random.Generator,
    per_feature: int = PER_FEATURE,
) -> Map:
    """Return r -> M⁻¹ r with the M of `hessian_matrix`; M⁻¹ costs O(d³) once."""
    H = hessian_matrix(f, s, lam, rng, per_feature)
    diagonal = H if H.ndim == 1 else H.diagonal().copy()
    if H.ndim == 1:
        return lambda r: r / diagonal
    try:
        factor = cho_factor(H, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:  # of rows so long that products overflow
        return lambda r: r / diagonal
    return lambda r: np.asarray(cho_solve(factor, r, check_finite=False))


def model(
    f: PairwiseSquaredHinge, s: Vector, lam: float, rng: np.random.Generator, renewed: int
) -> Vector:
    """Return about the Hessian of f + (λ/2)‖·‖² at s, (d, d), or a diagonal where d > 2000.

    Its sample has 8d rows, or 2d where d > 1000, and twice as many each time that it is renewed.
    """
    d = f.data.d
    if d <= 2 * WIDE:
        few = PER_FEATURE if d <= WIDE else FEW_PER_FEATURE
        return hessian_matrix(f, s, lam, rng, few << min(renewed, MOST))
    return full_diagonal(f.data) + lam


def hessian_matrix(
    f: PairwiseSquaredHinge,
    s: Vector,
    lam: float,
    rng: np.random.Generator,
    per_feature: int = PER_FEATURE,
) -> Vector:
    """Return M, close to the Hessian of f + (λ/2)‖·‖² at the scores s, (d, d).

    M = H_S + λI + 0.05 diag(A). H_S is the Hessian over the pairs of 8d rows S, or as many for
    each feature as are asked for, half of them of each class, or whole groups. A is the Hessian
    where every pair is active; its diagonal is added because a feature that is 0 in the sample
    still bends f. With a sample of all rows it is left out, and M is the Hessian. It costs
    O(nnz + d³). Where no rows of the sample can be compared, it is the diagonal of A + λI, (d,).
    """
    data = f.data
    rows = sampled(data, per_feature * data.d, rng)
    whole = rows.size == data.n
    try:
        part = f if whole else PairwiseSquaredHinge(data.take(rows))
        bend = part.bent(s if whole else s[rows])[2]
    except DataError:  # none of these rows can be compared
        return full_diagonal(data) + lam
    X = np.ascontiguousarray(part.data.rows.dense().matrix.T)
    H: Vector = np.stack([bend(x) for x in X]) @ X.T
    diagonal = (1.0 + JITTER) * H.diagonal() + lam
    if not whole:
        diagonal += SHRINKAGE * full_diagonal(data)
    H[np.diag_indices(data.d)] = diagonal
    return H


def full_diagonal(data: Data) -> Vector:
    """Return 2/(n₊n₋) Σ_i Σ_j (x_i − x_j)², (d,): the diagonal where every pair is active.

    Of other pairs it is about that of Σ π_ij (x_i − x_j)².
    """
    if pairs_of(data) is not None:
        return 2.0 * pair_diagonal(data, members_of(data))
    a = data.labels.shares
    squares = np.zeros(data.d)
    for lo, part in pieces(data.rows, max(PIECE, data.d)):
        squares += pullback(square_entries(part), a[lo : lo + part.n])
    m_neg, m_pos = data.means
    return np.maximum(2.0 * (squares - 2.0 * m_neg * m_pos), 0.0)


def inverse_bend(data: Data, s: Vector, lam: float) -> Callable[[Vector], Vector] | None:
    """Return r -> M⁻¹ r with the M of `bend` plus λI; None beyond 1000 features, or without kinks.

    With it a Newton step is possible where the hinge over many pairs is almost smooth.
    """
    if data.d > WIDE:
        return None
    M = bend(data, s)
    M[np.diag_indices(data.d)] += JITTER * M.diagonal() + lam
    try:
        factor = cho_factor(M, lower=True, overwrite_a=True)
    except (LinAlgError, ValueError):  # rows so long that products overflow
        return None
    return lambda r: np.asarray(cho_solve(factor, r))


def bend(data: Data, s: Vector) -> Vector:
    """Return 1/(2h n₊n₋) Σ (z_i − z_j)(z_i − z_j)ᵀ over pairs with |1 − s_i + s_j| ≤ h, (d, d).

    A hinge bends at its kink only. So the mean over n₊n₋ pairs has the second derivative
    E[δ(m) (z_i − z_j)(z_i − z_j)ᵀ] in the limit, with the margin m of a pair. The window 2h stands
    for δ. All pairs are seen by one sort of the negatives and sums over their order, O(n d²).

    Parameters
    ----------
    data : Data
        Rows with labels.
    s : array of shape (n,)
        Their scores.
    """
    positive = data.y > 0
    X = data.rows.dense().matrix
    order = np.argsort(s[~positive])
    upper, lower = X[positive], X[~positive][order]
    u, t = s[~positive][order], s[positive] - 1.0
    h = WINDOW * float(np.hypot(u.std(), t.std())) * min(u.size, t.size) ** -0.2
    first, last = np.searchsorted(u, t - h, "left"), np.searchsorted(u, t + h, "right")
    ordered = np.sort(t)
    partners = np.searchsorted(ordered, u + h, "right") - np.searchsorted(ordered, u - h, "left")
    sums = np.vstack([np.zeros(data.d), np.cumsum(lower, axis=0)])
    crossed = upper.T @ (sums[last] - sums[first])
    whole = (upper.T * (last - first)) @ upper + (lower.T * partners) @ lower
    total: Vector = (whole - crossed - crossed.T) / (max(2.0 * h, 1e-300) * u.size * t.size)
    return total
