"""Running means and covariances of the two classes, and the steps of OPAUC on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aucbench.data import Chunk
from aucbench.data.arrays import Index, Vector
from aucbench.errors import UnsupportedError
from aucbench.kernels.opauc import opauc_pass

from .reach import SHARE, require_squares

MAX_BYTES = 4 << 30  # d of about 16 000
SLOTS = 32  # at d = 1000 a pass takes 170 ms with 1, 90 with 16 or 32, 98 with 64


@dataclass(slots=True)
class Covariances:
    """Moments of the negative (0) and the positive class (1), and the weights.

    Attributes
    ----------
    w : array of shape (d,)
    n : array of shape (2,)
        Rows of each class so far.
    mean : array of shape (2, d)
    scatter : array of shape (2, d, d)
        Σ (x − mean)(x − mean)ᵀ, upper triangle only, but for the terms that wait.
    pending, held : arrays of shape (2, SLOTS, d) and (2,)
        The first `held` vectors v of a class stand for terms v vᵀ that wait: they are added
        to the scatter together, and to each product with it until then.
    spread : array of shape (3,)
        κ, the largest ‖q‖² + tr S so far, and tr M of each class; kept while η is derived.
    """

    w: Vector
    n: Vector
    mean: Vector
    scatter: Vector
    pending: Vector
    held: Index
    spread: Vector

    @staticmethod
    def at(w: Vector) -> Covariances:
        """Return the memory before the first row, with weights `w`.

        Raises
        ------
        UnsupportedError
            When the scatter would take more than MAX_BYTES.
        """
        d = w.size
        if 16 * d * d > MAX_BYTES:
            raise UnsupportedError(
                f"two {d} x {d} matrices would take {16 * d * d >> 20} MiB of at most "
                f"{MAX_BYTES >> 20} MiB; use opauc-lr, which keeps sketches of them"
            )
        return Covariances(
            w,
            n=np.zeros(2),
            mean=np.zeros((2, d)),
            scatter=np.zeros((2, d, d)),
            pending=np.zeros((2, SLOTS, d)),
            held=np.zeros(2, dtype=np.int32),
            spread=np.zeros(3),
        )

    def learn(self, chunk: Chunk, order: Index, *, eta: float | None, lam: float) -> None:
        """Count each row into its class, then step against the other class.

        Class k: N ← N + 1, M ← M + ((N − 1)/N) (x − c)(x − c)ᵀ, c ← c + (x − c)/N; with the
        other class q = x − c, S = M/N: w ← w − η[λw − y q + (q·w) q + S w]. The rows of a
        CSR matrix take the same centred form: Σ x xᵀ − N c cᵀ would touch stored values only,
        but cancels where means are large, and S w costs O(d²) all the same.

        Without η it is SHARE/(κ + λ), and w shrinks by the root of κ old/new where κ grows.
        """
        if eta is None:
            require_squares(chunk, "eta")
        opauc_pass(
            *chunk.rows.arrays,
            order,
            chunk.y,
            SHARE if eta is None else eta,
            lam,
            self.n,
            self.held,
            self.mean,
            self.scatter,
            self.pending,
            self.w,
            np.empty((3, max(self.w.size, SLOTS))),
            self.spread if eta is None else None,
        )
