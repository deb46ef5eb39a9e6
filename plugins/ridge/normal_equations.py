"""Preconditioners of LS-SVM: a factor of its matrix, or the diagonal of the matrix."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.passes import gram, square_pullback
from aucbench.data.rounding import gamma, longest
from aucbench.data.summaries import row_products
from aucbench.data.tally import READ, count_at_least, count_rows
from aucbench.objectives import MomentSquare, PairwiseSquare
from aucbench.objectives.differences import constant_over_pairs
from aucbench.pairs import members_of, pairs_of
from aucbench.pairs.gram import pair_diagonal, pair_gram

DIRECT = 4000  # features up to which the d x d matrix is formed: 128 MB
JITTER = 1e-10  # relative, so that rounding leaves the matrix positive definite
DIGITS = 1e-3  # of λ; above this rounding of the products, the d x d matrix is better


def preconditioner(data: Data, lam: float) -> Callable[[Vector], Vector]:
    """Return r -> M⁻¹ r for H = 2(C₊ + C₋ + δδᵀ) + λI.

    M is H up to 4000 features, and the diagonal of H beyond. It is H by the products of the rows
    where there are fewer rows than features. M is also the diagonal where features with huge means
    spoil the digits of H so that it has no Cholesky factor. Only the speed depends on M: the
    residual is always that of H.

    Parameters
    ----------
    data : Data
        Training rows. They are read once for M, and once more where M has no factor.
    lam : float
        Ridge λ > 0.
    """
    if data.d <= DIRECT:
        try:
            if pairs_of(data) is None and data.n < data.d and _has_digits(data, lam):
                return _by_products(data, lam)
            return _by_factor(_matrix(data, lam))
        except LinAlgError:
            pass  # huge means spoil the digits: the diagonal then needs more iterations
    diagonal = _diagonal(data, lam)
    return lambda r: r / diagonal


def of_moments(f: MomentSquare, lam: float) -> Callable[[Vector], Vector]:
    """Return r -> M⁻¹ r by the moments of rows in chunks; by the survey beyond 4000 features."""
    try:
        if f.is_direct:
            return _by_factor(f.matrix(lam))
    except LinAlgError:
        pass  # huge ratios of scales: the diagonal then needs more readings
    diagonal = f.diagonal(lam)
    return lambda r: r / diagonal


def _by_factor(H: Vector) -> Callable[[Vector], Vector]:
    """Return r -> H⁻¹ r; H is overwritten."""
    factor = cho_factor(H, overwrite_a=True, check_finite=False)
    return lambda r: np.asarray(cho_solve(factor, r, check_finite=False))


def model(f: PairwiseSquare, lam: float) -> Vector:
    """Return about H, (d, d), or its diagonal (d,) beyond 4000 features; it reads the rows once."""
    data = f.data
    if data.d > DIRECT:
        return _diagonal(data, lam)
    H = _matrix(data, lam)
    H[np.diag_indices(data.d)] *= 1.0 + JITTER
    return H


def _matrix(data: Data, lam: float) -> Vector:
    """Return 2(C₊ + C₋ + δδᵀ) + λI; of other pairs, 2XᵀLX + λI with their Laplacian L."""
    H = _gram(data) if pairs_of(data) is None else _pair_gram(data)
    H[np.diag_indices(data.d)] += lam
    return H


def _gram(data: Data) -> Vector:
    m_neg, m_pos = data.means
    # The rows are taken relative to the middle of the means, so the means are ±½(m₋ − m₊).
    H = gram(data.rows, 2.0 * data.labels.shares, 0.5 * (m_neg + m_pos))
    delta = m_neg - m_pos
    H += np.outer(delta, delta)  # 2δδᵀ; the two classes already contribute ½δδᵀ each
    return H


def _pair_gram(data: Data) -> Vector:
    H = 2.0 * pair_gram(data, members_of(data))
    flat = constant_over_pairs(data)  # with rounding errors in H
    H[flat], H[:, flat] = 0.0, 0.0
    return H


def _has_digits(data: Data, lam: float) -> bool:
    """Whether products of rows are rounded by much less than λ, which they are added to."""
    rounding = gamma(data.d + 16) * longest(data) ** 2
    return bool(rounding * 2.0 * data.labels.shares.max() <= DIGITS * lam)


def _by_products(data: Data, lam: float) -> Callable[[Vector], Vector]:
    """Return r -> (r − Aᵀ(AAᵀ + λI)⁻¹ A r)/λ, the inverse of H = AᵀA + λI by Woodbury's formula.

    A has a row √(2a_i) (x_i − m) for each x_i of share a_i in its class, where m is the middle of
    the means, and a last row δ. With the rows x_i − x̄ as Z, and the sums a of all shares being 2,
    m − x̄ = Zᵀa/2 and δ = −Zᵀ(a y). So AAᵀ follows from ZZᵀ in O(n²).
    """
    a, read = data.labels.shares, READ.get().rows
    m_neg, m_pos = data.means
    m, delta, root = 0.5 * (m_neg + m_pos), m_neg - m_pos, np.sqrt(2.0 * a)
    K = row_products(data)
    count_at_least(read + data.n)  # also where an earlier fit has made them
    at_m, at_delta = 0.5 * (K @ a), -(K @ (a * data.y))  # z_i · (m − x̄), z_i · δ
    S = np.empty((data.n + 1, data.n + 1))
    S[:-1, :-1] = root[:, None] * (K - at_m - at_m[:, None] + 0.5 * float(a @ at_m)) * root
    S[-1, :-1] = S[:-1, -1] = root * (at_delta - 0.5 * float(a @ at_delta))
    S[-1, -1] = -float((a * data.y) @ at_delta)
    S.flat[:: data.n + 2] += lam
    factor = cho_factor(S, overwrite_a=True, check_finite=False)

    def solve(r: Vector) -> Vector:
        of_rows = root * (data.scores(r) - float(m @ r))
        t = cho_solve(factor, np.append(of_rows, delta @ r), check_finite=False)
        c = root * t[:-1]
        out: Vector = (r - data.pullback(c) + float(c.sum()) * m - t[-1] * delta) / lam
        return out

    return solve


def _diagonal(data: Data, lam: float) -> Vector:
    """Return the diagonal of `_matrix`; of other pairs, about that."""
    count_rows(data.n)  # of squares
    if pairs_of(data) is not None:
        return 2.0 * pair_diagonal(data, members_of(data)) + lam
    m_neg, m_pos = data.means
    squares = square_pullback(data.rows, 2.0 * data.labels.shares)
    variances = squares - 2.0 * (m_neg**2 + m_pos**2)
    diagonal: Vector = np.maximum(variances, 0.0) + 2.0 * (m_neg - m_pos) ** 2 + lam
    return diagonal
