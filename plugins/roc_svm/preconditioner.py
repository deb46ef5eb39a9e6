"""How a loss over pairs bends, by a sample of the rows: the squared hinge, and the hinge."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from aucbench.data import Data
from aucbench.data.arrays import Index, Vector
from aucbench.data.layouts import pieces, square_entries, stored_count
from aucbench.data.passes import pullback
from aucbench.errors import DataError
from aucbench.objectives import PairwiseSquaredHinge
from aucbench.optim.term_model import Model
from aucbench.optim.term_newton import TermStep
from aucbench.pairs import members_of, pairs_of, sample_members
from aucbench.pairs.gram import pair_diagonal
from aucbench.projectors import GroupL2

Map = Callable[[Vector], Vector]
WIDE = 1000  # features beyond which a factor of a d × d matrix costs more than it saves
PER_FEATURE = 8  # rows of the sample for each feature
FEW_PER_FEATURE = 2  # the same of a model of more than WIDE features
MANY = 4  # products of a step that do not yet show that its model is poor
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


class SampledHessians:
    """The models of Newton steps: about the Hessian of f + (λ/2)‖·‖² over a sample of the rows.

    With up to 1000 features it is `hessian_matrix`, of 8 rows for each feature. After a step that
    took many products, or that was shortened, it is renewed with twice as many rows, if the
    products cost more than the new model.

    With more features and a ridge alone, it is the diagonal (diag(A) + λ)^¼, where A is the Hessian
    with every pair active. The power is from trials on text, where it saves a fifth of the products
    with the Hessian. A power of 1 costs more of them than no model at all, because most pairs are
    not active near the optimum. Bounds and groups need the scale of the Hessian: it is
    `hessian_matrix` of 2 rows for each feature, and with more than 2000 features diag(A) + λ.

    Parameters
    ----------
    f : PairwiseSquaredHinge
        The loss and its rows.
    penalty : GroupL2
        Ω, with the ridge λ.
    rng : Generator
        Draws the rows.
    per_feature : int, optional
        Rows of the first sample for each feature.
    """

    def __init__(
        self,
        f: PairwiseSquaredHinge,
        penalty: GroupL2,
        rng: np.random.Generator,
        per_feature: int | None = None,
    ) -> None:
        self.f, self.penalty, self.rng = f, penalty, rng
        self.per_feature = per_feature or (PER_FEATURE if f.data.d <= WIDE else FEW_PER_FEATURE)
        self.model: Model | None = None

    def __call__(self, s: Vector, step: TermStep | None = None) -> Model:
        """Return the model for the next step, from scores s (n,), given the last step."""
        if self.model is not None and step is not None:
            if not self._is_poor(step):
                return self.model
            self.per_feature = min(2 * self.per_feature, self.f.data.n)
        self.model = Model(self._matrix(s))
        return self.model

    def _is_poor(self, step: TermStep) -> bool:
        data, d = self.f.data, self.f.data.d
        many = step.products > MANY or step.shortened
        renewed = min(self.per_feature * d, data.n) * d * (3.0 + d / 30.0)
        return d <= WIDE and many and step.products * stored_count(data.rows) > renewed

    def _matrix(self, s: Vector) -> Vector:
        d, lam, alone = self.f.data.d, self.penalty.l2, self.penalty.is_ridge
        if d <= (WIDE if alone else 2 * WIDE):
            return hessian_matrix(self.f, s, lam, self.rng, self.per_feature)
        diagonal = full_diagonal(self.f.data) + lam
        return diagonal**POWER if alone else diagonal


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
