"""Preconditioners of LS-SVM: a factor of its matrix, or the diagonal of the matrix."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from aucbench.data import Data
from aucbench.data.arrays import Vector

DIRECT = 4000  # features up to which the d x d matrix is formed: 128 MB


def preconditioner(data: Data, lam: float) -> tuple[Callable[[Vector], Vector], int]:
    """Return r -> M⁻¹ r for H = 2(C₊ + C₋ + δδᵀ) + λI, and how often the rows were read for it.

    M is H up to 4000 features, and the diagonal of H beyond. M is also the diagonal where features
    with huge means spoil the digits of H so that it has no Cholesky factor. Only the speed depends
    on M: the residual is always that of H.

    Parameters
    ----------
    data : Data
        Training rows.
    lam : float
        Ridge λ > 0.
    """
    if data.d <= DIRECT:
        try:
            factor = cho_factor(_matrix(data, lam), overwrite_a=True, check_finite=False)
            return lambda r: cho_solve(factor, r, check_finite=False), 1
        except LinAlgError:
            return _by_diagonal(data, lam), 2
    return _by_diagonal(data, lam), 1


def _matrix(data: Data, lam: float) -> Vector:
    m_neg, m_pos = data.means
    # The rows are taken relative to the middle of the means, so the means are ±½(m₋ − m₊).
    H = data.rows.gram(2.0 * data.labels.shares, 0.5 * (m_neg + m_pos))
    delta = m_neg - m_pos
    H += np.outer(delta, delta)  # 2δδᵀ; the two classes already contribute ½δδᵀ each
    H[np.diag_indices(data.d)] += lam
    return H


def _by_diagonal(data: Data, lam: float) -> Callable[[Vector], Vector]:
    m_neg, m_pos = data.means
    squares = data.with_rows(data.rows.with_values(data.rows.values**2))
    variances = squares.pullback(2.0 * data.labels.shares) - 2.0 * (m_neg**2 + m_pos**2)
    diagonal = np.maximum(variances, 0.0) + 2.0 * (m_neg - m_pos) ** 2 + lam
    return lambda r: r / diagonal
