"""Nyström features, which turn every linear solver into a kernel machine, and their landmarks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import FeatureMap
from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector, rows
from aucbench.data.targets import Labels
from aucbench.errors import ParameterError, UnknownNameError, require_count
from aucbench.features.kernel_columns import CUTOFF, Kernel, KernelColumns, is_text

RANK, TEXT_RANK = 300, 1000  # numbers of landmarks


def uniform(data: Data, rank: int, rng: np.random.Generator) -> Rows:
    """Draw training rows without replacement."""
    return _taken(data, rng.choice(data.n, rank, replace=False))


def stratified(data: Data, rank: int, rng: np.random.Generator) -> Rows:
    """Draw half of the landmarks from each class, without replacement.

    If a class has too few rows, more are drawn from the other class. (Rejected: the shares of
    the classes in the data, which leave a rare class with almost no landmark.) Of another target
    it draws as many from each stratum, such as a class of several, or events and censored rows.
    """
    if not isinstance(data.target, Labels):
        return _of_strata(data, rank, rng)
    positive, negative = (np.flatnonzero(data.y == side) for side in (1, -1))
    wanted = min(max(rank // 2, rank - negative.size), positive.size)
    drawn = [
        rng.choice(positive, wanted, replace=False),
        rng.choice(negative, rank - wanted, replace=False),
    ]
    return _taken(data, np.concatenate(drawn))


def _of_strata(data: Data, rank: int, rng: np.random.Generator) -> Rows:
    """Draw as many landmarks from each stratum as its rows allow, the smallest first."""
    members = [
        np.flatnonzero(data.target.strata == stratum) for stratum in np.unique(data.target.strata)
    ]
    drawn: list[np.ndarray[tuple[int], np.dtype[np.intp]]] = []
    left = rank
    for done, rows_of_one in enumerate(sorted(members, key=len)):
        count = min(left // (len(members) - done), rows_of_one.size)
        drawn.append(rng.choice(rows_of_one, count, replace=False))
        left -= count
    return _taken(data, np.concatenate(drawn))


def kmeans(data: Data, rank: int, rng: np.random.Generator) -> Rows:
    """Return the centres of the clusters of mini-batch k-means, dense."""
    from sklearn.cluster import MiniBatchKMeans  # a slow import that only k-means needs

    seed = int(rng.integers(2**31))
    X = data.rows.matrix
    X = X.copy() if data.rows.is_sparse else X  # it refuses CSR arrays that are read-only
    means = MiniBatchKMeans(rank, n_init=1, random_state=seed).fit(X)
    return rows(means.cluster_centers_)


def _taken(data: Data, numbers: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Rows:
    return data.rows.take(np.sort(numbers).astype(np.int32))


CHOICES: Mapping[str, Callable[[Data, int, np.random.Generator], Rows]] = {
    "uniform": uniform,
    "stratified": stratified,
    "kmeans": kmeans,
}


@about(cites=("williams2000", "bae2025"))
@dataclass(frozen=True)
class Nystroem(FeatureMap):
    """φ(x) = (K†)^{1/2} (K(x, z_1), …, K(x, z_m)), K the kernel of the landmarks z.

    φ(x)·φ(x') = k(x)ᵀ K† k(x') is the Nyström approximation of K(x, x'), with
    k(x) = (K(x, z_1), …, K(x, z_m)). It is exact if x or x' is a landmark. There are
    m = min(rank, training rows) landmarks. Rows become dense with m numbers each. Learning takes
    O(m² d + m³), and mapping a row takes O(m d + m²).

    Parameters
    ----------
    rank : int, optional
        Number of landmarks, at least 1. None means 300, or 1000 for rows like text (see `kernel`).
    kernel : str
        "rbf" is exp(−γ‖x − z‖²), "poly" is (γ x·z + c₀)^degree, "linear" is x·z. "auto" is linear
        for rows like text, with fewer than 2 % stored values, and rbf for others.
    gamma : float, "median" or "scale"
        γ > 0, in inverse squared units of the features. "median" is 1/median ‖x − z‖² over pairs
        of rows; "scale" is 1/(d Var X), as in scikit-learn's SVC, which is far too large for
        sparse text.
    degree : int
        The degree of poly, at least 1.
    coef0 : float
        c₀ ≥ 0 of poly.
    landmarks : str
        "uniform" draws training rows without replacement. "stratified" draws half of them from
        each class, as far as the class has enough rows. "kmeans" takes the centres of mini-batch
        k-means.
    columns : KernelColumns, learnt by `fit`
        The kernel with γ as a number, and the landmarks.
    root : array of shape (m, m), learnt by `fit`
        (K†)^{1/2}, symmetric. Eigenvalues up to 1e-12 of the largest one count as 0.

    Raises
    ------
    ParameterError
        When applied before `fit`, or when a parameter is out of its range.
    UnknownNameError
        When there is no kernel, or no choice of landmarks, of this name.
    DataError
        When applied to rows with another number of features, or when the kernel overflows.

    References
    ----------
    Williams & Seeger, "Using the Nyström method to speed up kernel machines", NIPS 2000; in the
    ROC-SVM: Bae & Shin, 2025, section 3.
    """

    rank: int | None = None
    kernel: str = "auto"
    gamma: float | str = "median"
    degree: int = 3
    coef0: float = 1.0
    landmarks: str = "uniform"
    columns: KernelColumns | None = field(default=None, repr=False, compare=False)
    root: Vector | None = field(default=None, repr=False, compare=False)

    keeps_rows: ClassVar[bool] = True  # of k-means the centres, which may be rows

    def __post_init__(self) -> None:
        require_count(1, rank=self.rank)
        Kernel(self.kernel, self.gamma, self.degree, self.coef0)
        if self.landmarks not in CHOICES:
            raise UnknownNameError("choice of landmarks", self.landmarks, CHOICES)

    def choose(self, data: Data, rng: np.random.Generator) -> KernelColumns:
        """Return the kernel at landmarks from `data`; `fit` makes orthonormal features of it."""
        kernel = Kernel(self.kernel, self.gamma, self.degree, self.coef0).scaled(data.rows)
        rank = self.rank or (TEXT_RANK if is_text(data.rows) else RANK)
        if rank >= data.n:
            return KernelColumns(kernel, data.rows)
        return KernelColumns(kernel, CHOICES[self.landmarks](data, rank, rng))

    def fit(self, data: Data, rng: np.random.Generator) -> Nystroem:
        """Return the map with landmarks from `data`."""
        columns = self.choose(data, rng)
        return replace(self, columns=columns, root=_inverse_root(columns.gram()))

    def __call__(self, X: Rows) -> Rows:
        """Map rows (n, d) to dense rows (n, m)."""
        if self.columns is None:
            raise ParameterError(
                "nystroem has not learnt from training rows yet; call fit(data, rng) first"
            )
        return self.columns.times(self.root, X)


def _inverse_root(K: Vector) -> Vector:
    """Return (K†)^{1/2}, symmetric, so it does not depend on the choice of eigenvectors."""
    values, vectors = np.linalg.eigh(K)
    kept = values > CUTOFF * values[-1]
    thin = vectors[:, kept]
    root: Vector = (thin / np.sqrt(values[kept])) @ thin.T
    return root
