"""Squared distances by a matrix product, or by differences where the product loses digits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Rows, Vector
from aucbench.data.arrays import rows as checked
from aucbench.data.layouts import density
from aucbench.data.passes import square_norms

FAR_FROM_ZERO = (
    256.0  # γ|x|² up to which the rounding of products costs exp(−γ|x − z|²) about 1e-13
)
KERNEL_IS_ZERO = 750.0  # exp(−750) is 0 in floating point
STORED = 1 << 20  # differences computed at a time: 8 MiB
IN_CACHE = 1 << 16  # distances worked on at a time: 512 KiB
DENSE_FROM = 1 / 50  # share of non-zeros from which products of dense rows are faster
MACHINE_EPSILON = float(np.finfo(np.float64).eps)


def square_distances(X: Rows, Z: Rows, gamma: float) -> Vector:
    """Return |x_i − z_j|², shape (n, m), with an error of about 1e-13 / γ.

    A distance above 750 / γ may be returned as infinity. The formula is |x|² + |z|² − 2 x·z. The
    mean of Z is first subtracted from dense rows, because an offset that all rows share would
    cost digits everywhere. Rows may still be far from 0: clusters, outliers, or sparse rows with
    an offset. For their pairs the squared differences are added up, pair by pair.

    Parameters
    ----------
    X, Z : Rows
        n and m rows of d features.
    gamma : float
        γ > 0 of the kernel exp(−γ|x − z|²), in inverse squared units of the features.
    """
    near_X, near_Z = _centred(X, Z, gamma)
    x, z = square_norms(near_X), square_norms(near_Z)
    D = products(near_X, near_Z)
    step = max(1, IN_CACHE // Z.n)
    for lo in range(0, X.n, step):
        part = D[lo : lo + step]
        part *= -2.0
        part += np.add.outer(x[lo : lo + step], z)
        np.maximum(part, 0.0, out=part)
    far_x, far_z = gamma * x > FAR_FROM_ZERO, gamma * z > FAR_FROM_ZERO
    if far_x.any() or far_z.any():
        error = (X.d + 8) * MACHINE_EPSILON * np.add.outer(x, z)
        gone = gamma * (D - error) > KERNEL_IS_ZERO
        _difference(D, X, Z, (far_x[:, np.newaxis] | far_z) & ~gone)
    return D


def _centred(X: Rows, Z: Rows, gamma: float) -> tuple[Rows, Rows]:
    """Return both minus the mean of Z where that matters; the same object twice if Z is X."""
    if X.is_sparse or Z.is_sparse:
        return X, Z
    centre = Z.matrix.mean(axis=0)
    if gamma * np.dot(centre, centre) <= 1.0:
        return X, Z
    shifted = checked(X.matrix - centre)
    return shifted, shifted if Z is X else checked(Z.matrix - centre)


def products(X: Rows, Z: Rows) -> Vector:
    """Return the products x_i · z_j, shape (n, m), dense; exactly symmetric if Z is X.

    CSR rows with many stored values are multiplied as dense rows, unless those would take more
    memory than the products.
    """
    from sklearn.utils.extmath import safe_sparse_dot

    if X.d <= max(X.n, Z.n) and min(density(X), density(Z)) >= DENSE_FROM:
        near = X.dense()
        X, Z = near, near if Z is X else Z.dense()
    XZ: Vector = safe_sparse_dot(X.matrix, Z.matrix.T, dense_output=True)
    return XZ


def _difference(D: Vector, X: Rows, Z: Rows, wanted: NDArray[np.bool_]) -> None:
    """Replace the wanted entries of D by sums of squared differences."""
    i, j = np.nonzero(wanted)
    step = max(1, STORED // (1 + X.stored.size // X.n + Z.stored.size // Z.n))
    for lo in range(0, i.size, step):
        pairs = i[lo : lo + step], j[lo : lo + step]
        D[pairs] = square_norms(checked(X.matrix[pairs[0]] - Z.matrix[pairs[1]]))
