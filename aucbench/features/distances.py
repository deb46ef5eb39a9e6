"""Squared distances from products of matrices, and from differences where these lose digits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Rows, Vector
from aucbench.data.arrays import rows as checked
from aucbench.data.data import square_norms

FAR = 256.0  # γ|x|² up to which the rounding of products costs exp(−γ|x − z|²) about 1e-13
GONE = 750.0  # exp(−GONE) is 0
STORED = 1 << 20  # numbers of the differences that are made at a time, 8 MiB
EPS = float(np.finfo(np.float64).eps)


def square_distances(X: Rows, Z: Rows, gamma: float) -> Vector:
    """|x_i − z_j|², (n, m), to about 1e-13 / γ; infinity may stand for more than 750 / γ.

    It is |x|² + |z|² − 2 x·z, of dense rows less the mean of Z, since an offset that all rows
    share would cost digits everywhere. Where rows are still far from 0 (clusters, outliers, an
    offset of sparse rows), differences are summed, one pair at a time.
    """
    near_X, near_Z = _centred(X, Z, gamma)
    x, z = square_norms(near_X), square_norms(near_Z)
    D = products(near_X, near_Z)
    D *= -2.0
    D += np.add.outer(x, z)
    np.maximum(D, 0.0, out=D)
    far_x, far_z = gamma * x > FAR, gamma * z > FAR
    if far_x.any() or far_z.any():
        error = (X.d + 8) * EPS * np.add.outer(x, z)
        gone = gamma * (D - error) > GONE
        _difference(D, X, Z, (far_x[:, np.newaxis] | far_z) & ~gone)
    return D


def _centred(X: Rows, Z: Rows, gamma: float) -> tuple[Rows, Rows]:
    """Both less the mean of Z where it matters; the same rows twice if they were."""
    if X.is_sparse or Z.is_sparse:
        return X, Z
    centre = Z.matrix.mean(axis=0)
    if gamma * np.dot(centre, centre) <= 1.0:
        return X, Z
    shifted = checked(X.matrix - centre)
    return shifted, shifted if Z is X else checked(Z.matrix - centre)


def products(X: Rows, Z: Rows) -> Vector:
    """x_i · z_j, (n, m), dense."""
    from sklearn.utils.extmath import safe_sparse_dot

    found: Vector = safe_sparse_dot(X.matrix, Z.matrix.T, dense_output=True)
    return found


def _difference(D: Vector, X: Rows, Z: Rows, wanted: NDArray[np.bool_]) -> None:
    """Overwrite the wanted entries of D by sums of squared differences."""
    i, j = np.nonzero(wanted)
    step = max(1, STORED // (1 + X.values.size // X.n + Z.values.size // Z.n))
    for lo in range(0, i.size, step):
        pairs = i[lo : lo + step], j[lo : lo + step]
        D[pairs] = square_norms(checked(X.matrix[pairs[0]] - Z.matrix[pairs[1]]))
