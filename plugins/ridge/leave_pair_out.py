"""Leave-pair-out cross-validation of LS-SVM: all n₊n₋ fits in closed form, from one factor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from scipy.linalg import eigh

from aucbench.data import Data, uncounted
from aucbench.data.arrays import Vector
from aucbench.data.summaries import longest_row, row_products
from aucbench.errors import DataError, ParameterError, UnsupportedError, require_above
from aucbench.optim.choice import EXPONENTS
from aucbench.optim.scale import default_ridge
from aucbench.pairs import pairs_of

LEAVE_PAIR_OUT: Final = "leave-pair-out"
MOST = 1 << 26  # numbers of rows, or of their products: 512 MiB, of which there are three copies
BLOCK = 1 << 20  # pairs at a time: ten arrays of 8 MiB
LEAST = 2.0**-30  # share of 1 that a row's own pull may leave of a fit, and that still has digits
TIE = 2.0**-30  # a margin is 0 up to rounding, in units of the margin of the two means,
ZERO = 2.0**-44  # or of the products that it is a sum of, where the two means are equal


class LeavePairOut:
    """w_ij·(x_i − x_j) for each positive i and negative j, where w_ij is fitted without both rows.

    Without i and j the solution of `LsSvm` for λ is w_ij = 2B⁻¹d/(1 + 2d·B⁻¹d), by the formula of
    Sherman and Morrison, where d is the difference of the means that are left, and B is the matrix
    without δδᵀ. With u_i = x_i − m₊, v_j = x_j − m₋ and Δ = m₊ − m₋,

        d = Δ − u_i/(n₊−1) + v_j/(n₋−1)
        B = A − 2n₊/(n₊−1)² u_i u_iᵀ − 2n₋/(n₋−1)² v_j v_jᵀ
        A = 2n₊/(n₊−1) C₊ + 2n₋/(n₋−1) C₋ + λI

    A is the same for all pairs. Woodbury's formula of rank 2 gives B⁻¹ from products of u_i, v_j
    and Δ by A⁻¹. The eigenvectors of A make these products O(n₊n₋ r) for each λ, r = min(n, d), and
    O(1) more for each pair. They are computed once, in O(n r²).

    Parameters
    ----------
    data : Data
        Training rows, dense or CSR. A feature map that has learnt from labels flatters the result.

    Raises
    ------
    DataError
        When a class has a single row, or products of rows overflow.
    UnsupportedError
        When rows have weights, for then A is another matrix for each pair; when other pairs count,
        or groups or times bind the rows; when effects have bounds; when rows are read in chunks, or
        n·min(n, d) is above 2²⁶ (512 MiB).

    References
    ----------
    Pahikkala, Airola, Boberg & Salakoski, "Exact and efficient leave-pair-out cross-validation for
    ranking RLS", AKRR 2008, whose loss counts the pairs of equal labels too. Airola, Pahikkala,
    Waegeman, De Baets & Salakoski, "An experimental comparison of cross-validation techniques for
    estimating the area under the ROC curve", Computational Statistics & Data Analysis 55, 2011.

    Examples
    --------
    >>> from aucbench import Data
    >>> from aucbench_plugins.ridge.leave_pair_out import LeavePairOut
    >>> left_out = LeavePairOut(Data.of([[3.0], [1.0], [2.0], [0.0]], [1, 1, 0, 0]))
    >>> float(left_out.auc(lam=0.1))
    0.5
    """

    def __init__(self, data: Data):
        _refuse(data)
        with uncounted(), np.errstate(over="ignore", invalid="ignore"):  # this is tuning
            X = _coordinates(data)
            X = X - X.mean(axis=0)  # so that large means cost no digits below
            above, below = X[data.y > 0], X[data.y < 0]
            delta = above.mean(axis=0) - below.mean(axis=0)
            U, V = above - above.mean(axis=0), below - below.mean(axis=0)
            M = 2.0 / (len(U) - 1) * (U.T @ U) + 2.0 / (len(V) - 1) * (V.T @ V)
        self._squares, Q = _eigen(M, data)  # A = Q (squares + λ) Qᵀ
        self._u, self._v, self._delta = U @ Q, V @ Q, delta @ Q

    def auc(self, lam: float) -> float:
        """Return the mean of 1[margin > 0] + ½ 1[margin = 0] over all pairs.

        Parameters and errors are those of `margins`.
        """
        won = sum(float(np.heaviside(block, 0.5).sum()) for block in self.margins(lam))
        return won / (len(self._u) * len(self._v))

    def margins(self, lam: float) -> Iterator[Vector]:
        """Yield w_ij·(x_i − x_j) of some positives i in their order and all negatives j, (b, n₋).

        What rounding leaves of 0 is 0, as where x_i = x_j.

        Parameters
        ----------
        lam : float
            Ridge λ > 0 of each fit.

        Raises
        ------
        ParameterError
            When λ is not above 0, or so small that rounding decides about a row that is left out.
        """
        require_above(0, lam=lam)
        inverse, u, v, delta = 1.0 / (self._squares + lam), self._u, self._v, self._delta
        f, h = 1.0 / (len(u) - 1), 1.0 / (len(v) - 1)
        uu, du = (u**2 @ inverse)[:, None], (u @ (inverse * delta))[:, None]  # products by A⁻¹
        vv, dv, dd = v**2 @ inverse, v @ (inverse * delta), float(delta**2 @ inverse)
        p, q = 0.5 / (f + f * f) - uu, 0.5 / (h + h * h) - vv
        digits = min(p.min() * (f + f * f), q.min() * (h + h * h))
        step = max(1, BLOCK // len(v))
        for lo in range(0, len(u), step):
            at = slice(lo, lo + step)
            uv, pq = (u[at] * inverse) @ v.T, p[at] * q
            rest = pq - uv * uv  # the determinant of [[p, −uv], [−uv, q]], of Woodbury's formula
            if digits < LEAST or (rest < LEAST * pq).any():
                raise ParameterError(
                    f"lam is {lam:.3g}, so small that rounding decides about fits without a pair; "
                    f"give more, such as {1e-6 * self._squares[-1]:.2g}"
                )
            d_u, d_v = du[at] - f * uu[at] + h * uv, dv - f * uv + h * vv  # products with d
            x_u, x_v = du[at] + uu[at] - uv, dv + uv - vv  # with x_i − x_j = Δ + u_i − v_j
            left_u, left_v = (q * d_u + uv * d_v) / rest, (uv * d_u + p[at] * d_v) / rest
            d_x = dd + du[at] - dv - f * x_u + h * x_v + left_u * x_u + left_v * x_v
            d_d = dd + f * (f * uu[at] - 2.0 * du[at] - 2.0 * h * uv) + h * (h * vv + 2.0 * dv)
            d_d += left_u * d_u + left_v * d_v
            least = TIE * d_d + ZERO * (dd + uu[at] + vv)
            yield np.where(np.abs(d_x) > least, 2.0 * d_x / (1.0 + 2.0 * d_d), 0.0)


def best_ridge(data: Data) -> float:
    """Return the λ with the best leave-pair-out AUC, of the values of `lam=auto`.

    It takes the place of held-out rows as the judge, and no more: `aucbench.optim.ridge` says which
    values are tried. Of equal ones the first is taken.

    Errors are those of `LeavePairOut`.
    """
    left_out, derived = LeavePairOut(data), default_ridge(data)
    lams: list[float] = [derived * 10.0**e for e in EXPONENTS]
    return max(lams, key=left_out.auc)


def _coordinates(data: Data) -> Vector:
    """Return rows (n, min(n, d)) with the same distances, dense."""
    if data.d <= data.n:
        dense: Vector = data.rows.dense().matrix
        return dense
    squares, Q = _eigen(row_products(data), data)
    return np.asarray(Q * np.sqrt(squares))


def _eigen(products: Vector, data: Data) -> tuple[Vector, Vector]:
    """Return the eigenvalues, which are at least 0, and the eigenvectors of products of rows."""
    if not np.isfinite(products).all():
        raise DataError(
            f"rows of length {longest_row(data):.3g} are too long for leave-pair-out: scale the "
            "features, as --features standard does"
        )
    squares, Q = eigh(products, check_finite=False)
    return np.maximum(squares, 0.0), Q


def _refuse(data: Data) -> None:
    """Raise what `LeavePairOut` raises."""
    way = "take lam=auto, which holds rows out"
    if not isinstance(data, Data):
        raise UnsupportedError(
            "leave-pair-out needs rows in memory, and these are read in chunks; give a number"
        )
    if pairs_of(data) is not None or data.groups is not None or data.times is not None:
        raise UnsupportedError(
            "leave-pair-out leaves out any positive and any negative, and these rows have groups, "
            f"times or pairs of their own; {way}"
        )
    if data.weights is not None or (data.terms is not None and data.terms.are_bounded):
        raise UnsupportedError(
            f"leave-pair-out has no closed form for weights of rows or bounds of effects; {way}"
        )
    kept = data.n * min(data.n, data.d)
    if kept > MOST:
        raise UnsupportedError(
            f"leave-pair-out keeps n·min(n, d) numbers, here {8 * kept >> 20} MiB of at most "
            f"{8 * MOST >> 20}; {way}"
        )
    if min(data.labels.n_pos, data.labels.n_neg) < 2:
        raise DataError(
            "leave-pair-out needs two rows of each class, so that one is left to learn from; one "
            "class has a single row"
        )
