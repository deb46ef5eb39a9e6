"""The norm of a function in representer form."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular

from aucbench.data.arrays import Vector
from aucbench.data.rounding import gamma
from aucbench.errors import require_above
from aucbench.projectors.argument import require_writable

PRODUCTS = 20  # of the inverse iteration


@dataclass(frozen=True, eq=False)
class KernelNorm:
    """Ω(α) = (λ/2) αᵀKα = (λ/2)‖Rα‖², the squared norm of Σ_l α_l K(z_l, ·), K = RᵀR.

    Its prox solves (I + step λK) u = v, O(m³). In the coordinates v = Rα it is (λ/2)‖v‖².

    Parameters
    ----------
    lam : float
        λ > 0.
    root : array of shape (m, m)
        R, upper triangular and regular.
    """

    lam: float
    root: Vector

    def __post_init__(self) -> None:
        require_above(0, lam=self.lam)

    def __call__(self, v: Vector, step: float = 1.0) -> Vector:
        """Overwrite `v` with its prox and return it."""
        require_writable(v)
        M = step * self.lam * (self.root.T @ self.root)
        M[np.diag_indices(v.size)] += 1.0
        v[:] = cho_solve(cho_factor(M), v)
        return v

    def contains(self, w: Vector) -> bool:
        """Return True: a penalty allows every w."""
        return True

    def value(self, w: Vector) -> float:
        """(λ/2) wᵀKw."""
        v = self.root @ w
        return self.lam / 2 * float(np.dot(v, v))

    def coordinates(self, alpha: Vector) -> Vector:
        """v = Rα."""
        return self.root @ alpha

    def weights(self, v: Vector) -> Vector:
        """α = R⁻¹v."""
        return solve_triangular(self.root, v, check_finite=False)

    def pulled(self, g: Vector) -> Vector:
        """R⁻ᵀg: a gradient in α becomes one in v."""
        return solve_triangular(self.root, g, trans="T", check_finite=False)

    @cached_property
    def stretch(self) -> float:
        """‖R⁻¹‖₂, the largest ‖α‖/‖v‖: twice what inverse iteration finds, which is too little."""
        v, length = np.linspace(1.0, 2.0, len(self.root)), 1.0
        for _ in range(PRODUCTS):
            v = self.weights(self.pulled(v / length))
            length = float(np.linalg.norm(v))
        return 2.0 * sqrt(length)

    @cached_property
    def rounding(self) -> float:
        """What `pulled` may do to a product g·v, per ‖α‖: (R + E)ᵀg = b, |E| ≤ γ_m|R|.

        For gradients in v no longer than 4‖R‖_F, that of four times all landmarks together.
        """
        return 4.0 * gamma(len(self.root) + 4) * float(np.sum(self.root * self.root))
