"""The squared norm of a function that is a sum of kernels at landmarks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np
import scipy  # its part is imported when it is used

from aucbench.contract import Projector
from aucbench.data.arrays import Vector
from aucbench.data.rounding import gamma
from aucbench.errors import require_above
from aucbench.projectors.argument import require_writable_vector

PRODUCTS = 20  # steps of the inverse iteration


@dataclass(frozen=True, eq=False)
class KernelNorm(Projector):
    """Ω(α) = (λ/2) αᵀKα = (λ/2)‖Rα‖² with K = RᵀR.

    αᵀKα is the squared norm of the function Σ_l α_l K(z_l, ·) over m landmarks z_l. The prox
    solves (I + step λK) u = v in O(m³). In the coordinates v = Rα, Ω is (λ/2)‖v‖².

    Parameters
    ----------
    lam : float
        λ > 0.
    root : array of shape (m, m)
        R, upper triangular and not singular.

    Raises
    ------
    ParameterError
        When λ is not a finite number greater than 0.
    """

    lam: float
    root: Vector

    def __post_init__(self) -> None:
        require_above(0, lam=self.lam)

    def __call__(self, v: Vector, step: float = 1.0) -> Vector:
        """Overwrite `v` with its prox and return it."""
        require_writable_vector(v)
        M = step * self.lam * (self.root.T @ self.root)
        M[np.diag_indices(v.size)] += 1.0
        v[:] = scipy.linalg.cho_solve(scipy.linalg.cho_factor(M), v)
        return v

    def value(self, w: Vector) -> float:
        """Return (λ/2) wᵀKw."""
        v = self.root @ w
        return self.lam / 2 * float(np.dot(v, v))

    def coordinates(self, alpha: Vector) -> Vector:
        """Return the coordinates v = Rα."""
        return self.root @ alpha

    def weights(self, v: Vector) -> Vector:
        """Return the weights α = R⁻¹v."""
        return scipy.linalg.solve_triangular(self.root, v, check_finite=False)

    def pulled(self, g: Vector) -> Vector:
        """Return R⁻ᵀg, which turns a gradient in α into a gradient in v."""
        return scipy.linalg.solve_triangular(self.root, g, trans="T", check_finite=False)

    @cached_property
    def stretch(self) -> float:
        """A bound of ‖R⁻¹‖₂, the largest ‖α‖/‖v‖.

        Inverse iteration finds a value that is too small; it is doubled.
        """
        v, length = np.linspace(1.0, 2.0, len(self.root)), 1.0
        for _ in range(PRODUCTS):
            v = self.weights(self.pulled(v / length))
            length = float(np.linalg.norm(v))
        return 2.0 * sqrt(length)

    @cached_property
    def rounding(self) -> float:
        """A bound of the error of g·v through `pulled`, divided by ‖α‖.

        The computed g solves (R + E)ᵀg = b with |E| ≤ γ_m|R|. The bound holds for gradients in v
        that are at most 4‖R‖_F long.
        """
        return 4.0 * gamma(len(self.root) + 4) * float(np.linalg.norm(self.root)) ** 2
