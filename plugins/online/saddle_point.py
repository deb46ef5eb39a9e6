"""The saddle point that SOLAM and regSOLAM move through: they differ in penalty and radius."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aucbench.data import Chunk
from aucbench.data.arrays import Index, Vector
from aucbench.kernels import solam


@dataclass(slots=True)
class SaddlePoint:
    """The point (w, a, b), α, the γ-weighted sum of the w so far, and the counts.

    Attributes
    ----------
    w, total : array of shape (d,)
        The present w, and Σ γ_t w_t.
    work : array of shape (d,)
        Zeros; scratch of the kernel.
    numbers : array of shape (7,)
        a, b, α, κ, rows seen, positives seen, Σ γ_t.
    running : bool
        κ is the largest norm of a row seen so far; else it stays as given.
    """

    w: Vector
    total: Vector
    work: Vector
    numbers: Vector
    running: bool

    @staticmethod
    def at(w: Vector, kappa: float | None) -> SaddlePoint:
        """Return the point (w, 0, 0), 0 before the first row; κ is `kappa` or runs."""
        numbers = np.zeros(7)
        numbers[3] = kappa or 0.0
        return SaddlePoint(w, np.zeros(w.size), np.zeros(w.size), numbers, kappa is None)

    def move(self, chunk: Chunk, order: Index, *, xi: float, lam: float, R: float) -> None:
        """Take a step of length γ_t = ξ/√t for each row, t counting all rows ever seen.

        With the running share p of positives, κ and s = w·x, a positive row has the gradient
        ∂w = 2(1−p)(s − a − 1 − α) x + λw, ∂a = −2(1−p)(s − a), ∂α = −2(1−p) s − 2p(1−p) α,
        a negative one ∂w = 2p(s − b + 1 + α) x + λw, ∂b = −2p(s − b),
        ∂α = 2p s − 2p(1−p) α. The point descends in (w, a, b) and ascends in α, from the old
        point; then ‖w‖ ≤ R, |a|, |b| ≤ Rκ and |α| ≤ 2Rκ by projection.
        """
        seen = int(self.numbers[4])
        steps = xi / np.sqrt(np.arange(seen + 1, seen + order.size + 1))
        solam.solam_pass(
            *chunk.rows.arrays,
            order,
            chunk.y,
            chunk.square_norms,
            steps,
            lam,
            R,
            self.running,
            self.w,
            self.work,
            self.total,
            self.numbers,
        )

    @property
    def mean(self) -> Vector:
        """Σ γ_t w_t / Σ γ_t over the points before each step; w before the first one."""
        weight = self.numbers[6]
        return self.total / weight if weight else self.w
