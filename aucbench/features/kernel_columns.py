"""Kernels, and the feature map whose columns are a kernel at given landmarks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import ClassVar

import numpy as np
from scipy.linalg.lapack import dpstrf

from aucbench.contract import FeatureMap
from aucbench.data.arrays import Block, Index, Rows, Vector, float_values
from aucbench.data.arrays import rows as dense
from aucbench.errors import (
    DataError,
    ParameterError,
    UnknownNameError,
    require_above,
    require_at_least,
    require_count,
)
from aucbench.features.distances import products, square_distances

NAMES = ("auto", "linear", "poly", "rbf")
TEXT = 0.02  # share of stored values below which few pairs of rows have a feature in common
MAPPED_AT_ONCE = 1024  # with 300 landmarks the intermediate array has 2.5 MB and fits the cache
MEASURED = 300  # rows whose distances give the width: their median is within 5 % of that of all
PACKED = 1 << 17  # numbers moved at a time: 1 MiB
CUTOFF = 1e-12  # relative; smaller parts of K have lost most of their digits to rounding


@dataclass(frozen=True)
class Kernel:
    """A kernel K(x, z): rbf exp(−γ‖x − z‖²), poly (γ x·z + c₀)^degree, or linear x·z.

    "auto" is linear for rows with fewer than 2 % stored values, such as text, and rbf for others.
    The distances of most pairs of texts are equal, so that rbf learns little from them.

    The rbf kernel keeps its digits for rows at any offset. poly and linear depend on the offset
    of the rows: if rows are far from 0, all values are nearly equal. Then standardise the rows.

    Parameters
    ----------
    name : str
        "auto", "rbf", "poly" or "linear".
    gamma : float, "median" or "scale"
        γ > 0, in inverse squared units of the features. "median" is 1/median ‖x − z‖² over pairs
        of rows, and "scale" is 1/(d Var X), which is far too large where most entries are 0.
    degree : int
        The degree of poly, at least 1.
    coef0 : float
        c₀ ≥ 0 of poly; a negative c₀ would not give a kernel.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.
    UnknownNameError
        When there is no kernel of this name.
    """

    name: str = "rbf"
    gamma: float | str = "median"
    degree: int = 3
    coef0: float = 1.0

    def __post_init__(self) -> None:
        # Imported here, so that its time counts neither for `import aucbench` nor for a fit.
        import_module("sklearn.utils.extmath")
        if self.name not in NAMES:
            raise UnknownNameError("kernel", self.name, NAMES)
        if self.gamma not in WIDTHS:
            if not isinstance(self.gamma, int | float):
                raise ParameterError(
                    f"gamma is {self.gamma!r}; give median, scale or a number above 0"
                )
            require_above(0, gamma=self.gamma)
        require_count(1, degree=self.degree)
        require_at_least(0, coef0=self.coef0)

    def scaled(self, X: Rows) -> Kernel:
        """Return the same kernel with γ as a number, and with its own name in place of "auto".

        "median" becomes 1/median ‖x − z‖² over the pairs of at most 300 rows that differ. The rows
        are evenly spaced in X. "scale" becomes 1/(d Var X), where Var X is the variance of all
        entries of X, with the zeros of sparse rows. Both become 1 where all entries are equal.

        Raises
        ------
        DataError
            When the variance overflows, or when it is so small that γ overflows.
        """
        if self.name == "auto":
            return replace(self, name="linear" if is_text(X) else "rbf").scaled(X)
        if not isinstance(self.gamma, str):
            return self
        with np.errstate(over="ignore", invalid="ignore"):
            spread = WIDTHS[self.gamma](X)
        if spread == 0:
            return replace(self, gamma=1.0)
        if not np.finfo(np.float64).tiny <= spread < np.inf:
            way = "underflows" if spread < 1 else "overflows"
            raise DataError(f"the spread of the features {way}; standardise them first")
        return replace(self, gamma=1.0 / spread)

    def __call__(self, X: Rows, Z: Rows) -> Vector:
        """Return K(x_i, z_j), shape (n, m)."""
        if self.name == "auto":
            raise ParameterError("the kernel auto knows no training rows yet; call scaled(rows)")
        gamma = 1.0 if self.name == "linear" else float(self.gamma)
        with np.errstate(over="ignore", invalid="ignore"):  # `gram` reports it
            if self.name == "rbf":
                K = square_distances(X, Z, gamma)
                K *= -gamma
                return np.exp(K, out=K)
            K = products(X, Z)
            if self.name == "poly":
                K *= gamma
                K += self.coef0
                K **= self.degree
        return K


def is_text(X: Rows) -> bool:
    """Whether rows have so few stored values that they are like text."""
    return X.is_sparse and X.stored.size < TEXT * X.n * X.d


@dataclass(frozen=True, eq=False)
class KernelColumns(FeatureMap):
    """φ(x) = (K(x, z_1), …, K(x, z_m)), so that w · φ(x) = Σ_l w_l K(x, z_l).

    Parameters
    ----------
    kernel : Kernel
        The kernel K, with γ as a number.
    landmarks : Rows
        z_1, …, z_m.

    Raises
    ------
    DataError
        When applied to rows with another number of features, or when K(z, z) overflows.
    """

    kernel: Kernel
    landmarks: Rows

    keeps_rows: ClassVar[bool] = True

    def __call__(self, rows: Rows) -> Rows:
        """Map rows (n, d) to dense rows (n, m)."""
        return self.times(None, rows)

    def times(self, root: Vector | None, X: Rows) -> Rows:
        """Return dense rows φ(x) root, or φ(x) when there is no root, an array (m, m).

        They are computed from 1024 rows at a time.
        """
        if X.d != self.landmarks.d:
            raise DataError(
                f"the landmarks have {self.landmarks.d} features, but the rows have {X.d}; give "
                "the columns of the training rows"
            )
        out = np.empty((X.n, self.landmarks.n))
        for lo in range(0, X.n, MAPPED_AT_ONCE):
            part = slice(lo, lo + MAPPED_AT_ONCE)
            K = self.kernel(X.take(part), self.landmarks)
            out[part] = K if root is None else K @ root
        return dense(out)

    def gram(self) -> Vector:
        """Return K(z, z), shape (m, m), exactly symmetric; for rbf its diagonal is exactly 1."""
        K = self.kernel(self.landmarks, self.landmarks)
        if self.kernel.name == "rbf":
            np.fill_diagonal(K, 1.0)
        if not np.isfinite(K).all():
            raise DataError(
                f"the {self.kernel.name} kernel of these rows overflows; standardise them first"
            )
        return K

    def independent(self, cutoff: float = CUTOFF) -> tuple[KernelColumns, Vector]:
        """Return the columns at r independent landmarks, and R (r, r); RᵀR is their Gram matrix.

        A pivoted Cholesky decomposition leaves out a landmark z when the others explain K(z, z)
        up to a share of the largest K(z, z). By the default, which is about rounding, the columns
        of the others span the same functions. Time: O(m² r).

        Parameters
        ----------
        cutoff : float
            The share.

        Raises
        ------
        DataError
            When the kernel is 0 at every landmark.
        """
        numbers, root = self.basis(cutoff)
        return self._at(numbers), root

    def basis(self, cutoff: float = CUTOFF) -> tuple[Index, Vector]:
        """Return the numbers (r,) of the landmarks of `independent`, and R; raises as it."""
        L, order = self._factor(self.gram(), cutoff)
        return order[: L.shape[1]], L[: L.shape[1]].T

    def spanned(self) -> tuple[KernelColumns, Rows, Vector, Index]:
        """Return the columns at r independent landmarks, their values, and the decomposition.

        It takes the memory of two matrices (m, m). The decomposition is that of `independent`.

        Returns
        -------
        tuple
            The columns; their values at all landmarks, dense rows (m, r); and L (m, r), `order`
            (m,). L[:r] is lower triangular, and L Lᵀ is the Gram matrix of the landmarks in this
            order, up to 1e-12 of its largest entry. The columns are those at order[:r].
        """
        K = self.gram()
        L, order = self._factor(K.copy())
        kept = order[: L.shape[1]]
        return self._at(kept), dense(_packed(K, kept)), L, order

    def _at(self, kept: Index) -> KernelColumns:
        return replace(self, landmarks=self.landmarks.take(kept))

    def _factor(self, K: Vector, cutoff: float = CUTOFF) -> tuple[Vector, Index]:
        """Return L and `order` as `spanned` does. K is overwritten."""
        tol = cutoff * float(K.diagonal().max())
        factor, pivots, rank, _ = dpstrf(
            K.T, tol=tol, overwrite_a=1
        )  # K.T is in Fortran order, so LAPACK works in place
        if not rank:
            raise DataError(
                f"the {self.kernel.name} kernel is 0 at all landmarks; use more landmarks, or rbf"
            )
        L = _packed(factor.T, slice(rank))
        for i in range(rank):
            L[i, i + 1 :] = 0.0
        return L, (pivots - 1).astype(np.int32)


def _packed(A: Vector, columns: Block) -> Vector:
    """Return A[:, columns] in C order, in the memory of A, which is overwritten."""
    step = max(1, PACKED // A.shape[1])
    width = A[0, columns].size
    out = A.reshape(-1)[: len(A) * width].reshape(len(A), width)
    for lo in range(0, len(A), step):
        out[lo : lo + step] = A[lo : lo + step, columns].copy()
    return out


def _median(X: Rows) -> float:
    """Return the median of ‖x − z‖² over the pairs of at most 300 rows that differ.

    It is d Var X where no pair differs.
    """
    some = np.linspace(0, X.n - 1, min(X.n, MEASURED)).astype(np.int32)
    apart = square_distances(X.take(some), X.take(some), 1.0)[np.triu_indices(some.size, 1)]
    apart = apart[~(apart <= 0)]  # keeps NaN, which `scaled` refuses
    return float(np.median(apart)) if apart.size else _variance(X)


def _variance(X: Rows) -> float:
    """Return d Var X; 0 only if all entries are equal."""
    deviation = _deviation(X)
    if deviation == 0:
        return 0.0
    return max(X.d * deviation * deviation, float(np.finfo(np.float64).smallest_subnormal))


WIDTHS = {"median": _median, "scale": _variance}


def _deviation(X: Rows) -> float:
    """Return the standard deviation of all n d entries; exactly 0 if they are equal."""
    values = float_values(X)
    size, stored = X.n * X.d, values.size
    first = values[0] if stored == size else 0.0  # an offset would cost digits
    rest = values - first
    mean = rest.sum() / size
    rest -= mean
    peak = max(np.abs(rest).max(initial=0.0), abs(mean) if stored < size else 0.0)
    if peak == 0:
        return 0.0
    rest /= peak
    squares = np.dot(rest, rest) + (size - stored) * (mean / peak) ** 2
    return float(peak * np.sqrt(squares / size))
