"""Nyström features: a kernel machine for every linear solver."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector
from aucbench.errors import ParameterError, UnknownNameError, require_whole
from aucbench.features.kernel_columns import CUTOFF, Kernel, KernelColumns
from aucbench.features.landmarks import CHOICES, choose


@dataclass(frozen=True)
class Nystroem:
    """φ(x) = (K†)^{1/2} (K(x, z_1), …, K(x, z_m)), K the kernel of the landmarks z.

    φ(x)·φ(x') = k(x)ᵀ K† k(x') is the Nyström approximation of K(x, x'), exact where x or x' is
    a landmark. Learning costs O(m² d + m³), a row O(m d + m²). Rows become dense, m numbers
    each, m = min(rank, training rows): with rank ≥ n every row is a landmark.

    Parameters
    ----------
    rank : int
        Number of landmarks, at least 1.
    kernel : str
        "rbf" exp(−γ‖x − z‖²), "poly" (γ x·z + c₀)^degree, or "linear" x·z.
    gamma : float or "scale"
        γ > 0, in inverse squared units of the features; "scale" is 1/(d Var X), as in
        scikit-learn's SVC.
    degree : int
        Of poly, at least 1.
    coef0 : float
        c₀ ≥ 0 of poly.
    landmarks : str
        "uniform": training rows drawn without replacement; "stratified": likewise, half of them
        from each class, as far as it has them; "kmeans": the centres of mini-batch k-means.
    columns : KernelColumns, learnt by `fit`
        Kernel with γ as a number, and landmarks.
    root : array of shape (m, m), learnt by `fit`
        (K†)^{1/2}, symmetric; eigenvalues up to 1e-12 of the largest count as 0.

    Raises
    ------
    ParameterError
        When applied before `fit`.
    DataError
        When applied to rows with another number of features, or the kernel overflows.

    References
    ----------
    Williams & Seeger, "Using the Nyström method to speed up kernel machines", NIPS 2000; in the
    ROC-SVM: Bae & Shin, 2025, section 3.
    """

    rank: int = 300
    kernel: str = "rbf"
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 1.0
    landmarks: str = "uniform"
    columns: KernelColumns | None = field(default=None, repr=False, compare=False)
    root: Vector | None = field(default=None, repr=False, compare=False)

    exempt: ClassVar[int] = 0

    def __post_init__(self) -> None:
        require_whole(1, rank=self.rank)
        Kernel(self.kernel, self.gamma, self.degree, self.coef0)
        if self.landmarks not in CHOICES:
            raise UnknownNameError("choice of landmarks", self.landmarks, CHOICES)

    def choose(self, data: Data, rng: np.random.Generator) -> KernelColumns:
        """The kernel at landmarks of `data`, which `fit` turns into orthonormal features."""
        kernel = Kernel(self.kernel, self.gamma, self.degree, self.coef0).scaled(data.rows)
        return KernelColumns(kernel, choose(data, self.rank, self.landmarks, rng))

    def fit(self, data: Data, rng: np.random.Generator) -> Nystroem:
        """Return the map that has drawn its landmarks from `data`."""
        columns = self.choose(data, rng)
        return replace(self, columns=columns, root=_inverse_root(columns.gram()))

    def __call__(self, rows: Rows) -> Rows:
        """Rows (n, d) → dense rows (n, m)."""
        if self.columns is None:
            raise ParameterError(
                "nystroem has not seen training rows yet; call fit(data, rng) first"
            )
        return self.columns.times(self.root, rows)


def _inverse_root(K: Vector) -> Vector:
    """(K†)^{1/2}, symmetric and so independent of the choice of eigenvectors."""
    values, vectors = np.linalg.eigh(K)
    kept = values > CUTOFF * values[-1]
    thin = vectors[:, kept]
    root: Vector = (thin / np.sqrt(values[kept])) @ thin.T
    return root
