"""The matrix of the pairwise square with a ridge: its factor, or its diagonal."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from aucbench.data import Data
from aucbench.data.arrays import Vector

DIRECT = 4000  # features up to which the d x d matrix is formed: 128 MB


def preconditioner(data: Data, lam: float) -> tuple[Callable[[Vector], Vector], bool]:
    """Return r -> M⁻¹ r for H = 2(C₊ + C₋ + δδᵀ) + λI, and whether the rows were read for it.

    M is H up to 4000 features, else its diagonal. Where features with huge means spoil the
    digits of H so that it has no Cholesky factor, M is the diagonal too: only speed depends
    on M, the residual is that of H.
    """
    if data.d <= DIRECT:
        try:
            factor = cho_factor(_matrix(data, lam), overwrite_a=True, check_finite=False)
            return lambda r: cho_solve(factor, r, check_finite=False), True
        except LinAlgError:
            return _by_diagonal(data, lam), True
    return _by_diagonal(data, lam), False


def _class_weights(data: Data) -> Vector:
    """2/n of the class of each row."""
    return np.where(data.y > 0, 2.0 / data.labels.n_pos, 2.0 / data.labels.n_neg)


def _matrix(data: Data, lam: float) -> Vector:
    m_neg, m_pos = data.means
    # Relative to the middle of the two means: ½(m₋ − m₊) and its negative are left of them.
    H = data.rows.gram(_class_weights(data), 0.5 * (m_neg + m_pos))
    delta = m_neg - m_pos
    H += np.outer(delta, delta)  # 2δδᵀ, less ½δδᵀ of each class
    H[np.diag_indices(data.d)] += lam
    return H


def _by_diagonal(data: Data, lam: float) -> Callable[[Vector], Vector]:
    m_neg, m_pos = data.means
    squares = data.with_rows(data.rows.with_values(data.rows.values**2))
    variances = squares.pullback(_class_weights(data)) - 2.0 * (m_neg**2 + m_pos**2)
    diagonal = np.maximum(variances, 0.0) + 2.0 * (m_neg - m_pos) ** 2 + lam
    return lambda r: r / diagonal
