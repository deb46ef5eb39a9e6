"""Kernels, and the feature map whose columns are a kernel at given landmarks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import ClassVar

import numpy as np
from scipy.linalg.lapack import dpstrf

from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector
from aucbench.data.arrays import rows as dense
from aucbench.errors import (
    DataError,
    ParameterError,
    UnknownNameError,
    require_above,
    require_at_least,
    require_whole,
)
from aucbench.features.distances import products, square_distances

PARAMETERS = {"linear": (), "poly": ("gamma", "degree", "coef0"), "rbf": ("gamma",)}
CHUNK = 1024  # rows at a time: with 300 landmarks intermediates of 2.5 MB, near the cache
CUTOFF = 1e-12  # relative: what is smaller in K has lost most of its digits to rounding


@dataclass(frozen=True)
class Kernel:
    """K(x, z) = exp(−γ‖x − z‖²) | (γ x·z + c₀)^degree | x·z.

    rbf keeps its digits wherever the rows lie. poly and linear depend on where 0 is: each value
    is right to rounding, but of rows far from 0 all values are nearly equal; standardise them.

    Parameters
    ----------
    name : str
        "rbf", "poly" or "linear".
    gamma : float or "scale"
        γ > 0, in inverse squared units of the features; "scale" is 1/(d Var X).
    degree : int
        Of poly, at least 1.
    coef0 : float
        c₀ ≥ 0 of poly (below 0 it is no kernel).
    """

    name: str = "rbf"
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 1.0

    def __post_init__(self) -> None:
        # Imported here so that neither `import aucbench` nor the clock of a fit pays for it.
        import_module("sklearn.utils.extmath")
        if self.name not in PARAMETERS:
            raise UnknownNameError("kernel", self.name, PARAMETERS)
        if self.gamma != "scale":
            if not isinstance(self.gamma, int | float):
                raise ParameterError(f"gamma must be scale or a number, got {self.gamma!r}")
            require_above(0, gamma=self.gamma)
        require_whole(1, degree=self.degree)
        require_at_least(0, coef0=self.coef0)

    def scaled(self, X: Rows) -> Kernel:
        """The same kernel with γ as a number: "scale" is 1/(d Var X), or 1 where Var X = 0.

        Var X is the variance of all entries, the zeros of sparse rows included.

        Raises
        ------
        DataError
            When the variance overflows, or is so small that γ does.
        """
        if not isinstance(self.gamma, str):
            return self
        with np.errstate(over="ignore", invalid="ignore"):
            deviation = _deviation(X)
            spread = X.d * deviation * deviation
        if deviation == 0:
            return replace(self, gamma=1.0)
        if not np.finfo(np.float64).tiny <= spread < np.inf:
            way = "underflows" if spread < 1 else "overflows"
            raise DataError(f"the variance of the features {way}; standardise them first")
        return replace(self, gamma=1.0 / spread)

    def __call__(self, X: Rows, Z: Rows) -> Vector:
        """K(x_i, z_j), (n, m), each from its two rows and, up to rounding, from nothing else."""
        gamma = 1.0 if self.name == "linear" else float(self.gamma)
        with np.errstate(over="ignore", invalid="ignore"):  # told by `gram`
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


@dataclass(frozen=True, eq=False)
class KernelColumns:
    """φ(x) = (K(x, z_1), …, K(x, z_m)): w · φ(x) is the representer form over the landmarks.

    Parameters
    ----------
    kernel : Kernel
        With γ a number.
    landmarks : Rows
        z_1 … z_m.

    Raises
    ------
    DataError
        When applied to rows with another number of features, or K(z, z) overflows.
    """

    kernel: Kernel
    landmarks: Rows

    exempt: ClassVar[int] = 0

    def fit(self, data: Data, rng: np.random.Generator) -> KernelColumns:
        """Return itself: the landmarks are given."""
        return self

    def __call__(self, rows: Rows) -> Rows:
        """Rows (n, d) → dense rows (n, m)."""
        return self.times(None, rows)

    def times(self, root: Vector | None, X: Rows) -> Rows:
        """Rows φ(x) root, or φ(x) without root, (m, m), computed from 1024 rows at a time."""
        if X.d != self.landmarks.d:
            raise DataError(
                f"the landmarks have {self.landmarks.d} features and the rows have {X.d}; "
                "give the columns of the training rows"
            )
        out = np.empty((X.n, self.landmarks.n))
        for lo in range(0, X.n, CHUNK):
            part = slice(lo, lo + CHUNK)
            K = self.kernel(X.take(part), self.landmarks)
            out[part] = K if root is None else K @ root
        return dense(out)

    def gram(self) -> Vector:
        """K(z, z), (m, m), exactly symmetric, and exactly 1 on the diagonal of rbf."""
        K = self.kernel(self.landmarks, self.landmarks)
        if self.kernel.name == "rbf":
            np.fill_diagonal(K, 1.0)
        if not np.isfinite(K).all():
            raise DataError(
                f"the {self.kernel.name} kernel of these rows overflows; standardise them first"
            )
        return K

    def independent(self) -> tuple[KernelColumns, Vector]:
        """Columns at landmarks that span all others, and R (r, r) with RᵀR their Gram matrix.

        Pivoted Cholesky, O(m² r): a landmark is left out when what the others do not explain
        of K(z, z) is at most 1e-12 of the largest K(z, z). K(·, z) of the others then spans
        the same functions, up to that rounding.

        Raises
        ------
        DataError
            When the kernel is 0 at every landmark.
        """
        K = self.gram()
        tol = CUTOFF * float(K.diagonal().max())
        factor, pivots, rank, _ = dpstrf(K.T, tol=tol, overwrite_a=1)  # in Fortran order: in place
        if not rank:
            raise DataError(
                f"the {self.kernel.name} kernel is 0 at every landmark; take more of them, or rbf"
            )
        kept = (pivots[:rank] - 1).astype(np.int32)
        columns = replace(self, landmarks=self.landmarks.take(kept))
        return columns, np.triu(factor[:rank, :rank])


def _deviation(X: Rows) -> float:
    """Standard deviation of all n d entries; exactly 0 where they are equal."""
    size, stored = X.n * X.d, X.values.size
    first = X.values[0] if stored == size else 0.0  # an offset costs digits
    rest = X.values - first
    mean = rest.sum() / size
    rest -= mean
    peak = max(np.abs(rest).max(initial=0.0), abs(mean) if stored < size else 0.0)
    if peak == 0:
        return 0.0
    rest /= peak
    squares = np.dot(rest, rest) + (size - stored) * (mean / peak) ** 2
    return float(peak * np.sqrt(squares / size))
