"""Random sketches of the covariances of the two classes, and the steps of OPAUC on them."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from aucbench.data import Chunk
from aucbench.data.arrays import Index, Vector
from aucbench.kernels.sketch import sketch_pass

from .reach import SHARE, require_squares

SLICE = 4096  # rows whose random numbers are drawn at a time


@dataclass(slots=True)
class Sketches:
    """Sketches of the negative (0) and the positive class (1), and w = s u + B a.

    All directions of a step lie in the row x, in w and in the columns of B; so w moves by
    the stored values of x and by the few numbers of a.

    Attributes
    ----------
    u : array of shape (d,)
    B : array of shape (d, 2τ + 2)
        [Z, X] of the negative, then of the positive class: Z = Σ x rᵀ and X = Σ x.
    G : array of shape (2τ + 2, 2τ + 2)
        BᵀB.
    ha : array of shape (2, 2τ + 2)
        Bᵀu, and a.
    n, q : arrays of shape (2,) and (2, τ)
        Rows of each class so far, and Σ r.
    numbers : array of shape (2,)
        s, and the work done since w was last made explicit.
    spread : array of shape (1,)
        κ, the largest ‖x − c‖² + tr Ŝ so far; kept while η is derived.
    rng : Generator
        Draws r ~ N(0, I)/√τ, one row's after the other's.
    """

    u: Vector
    B: Vector
    G: Vector
    ha: Vector
    n: Vector
    q: Vector
    numbers: Vector
    spread: Vector
    rng: np.random.Generator

    @staticmethod
    def at(w: Vector, rank: int, rng: np.random.Generator) -> Sketches:
        """Return the memory before the first row, with weights `w`."""
        m = 2 * rank + 2
        return Sketches(
            w,
            B=np.zeros((w.size, m)),
            G=np.zeros((m, m)),
            ha=np.zeros((2, m)),
            n=np.zeros(2),
            q=np.zeros((2, rank)),
            numbers=np.array([1.0, 0.0]),
            spread=np.zeros(1),
            rng=rng,
        )

    def learn(self, chunk: Chunk, order: Index, *, eta: float | None, lam: float) -> None:
        """Count each row into its class, then step against the other class.

        Class k: Z ← Z + x rᵀ, q ← q + r, N ← N + 1, c = X/N; then with the other class
        w ← w − η[λw − y (x − c) + ((x − c)·w)(x − c) + Ŝ w], where
        Ŝ w = (Z v − (q·v) c)/N, v = Zᵀw − (c·w) q: Ŝ = Y Yᵀ/N of Y = Z − c qᵀ = Σ (x − c) rᵀ,
        unbiased and positive semi-definite. (The authors' MATLAB code subtracts only 1/N of
        c cᵀ, which is biased.) Without η it is SHARE/(κ + λ), and w shrinks by the root of
        κ old/new where κ grows.
        """
        if eta is None:
            require_squares(chunk, "eta")
        for lo in range(0, order.size, SLICE):
            part = order[lo : lo + SLICE]
            rank = self.q.shape[1]
            sketch_pass(
                *chunk.rows.arrays,
                part,
                chunk.y,
                self.rng.standard_normal((part.size, rank)) / sqrt(rank),
                SHARE if eta is None else eta,
                lam,
                self.n,
                self.q,
                self.B,
                self.G,
                self.ha,
                self.u,
                self.numbers,
                np.empty((3, self.B.shape[1])),
                self.spread if eta is None else None,
            )

    @property
    def w(self) -> Vector:
        """s u + B a, a fresh array; O(dτ)."""
        w: Vector = self.numbers[0] * self.u + self.B @ self.ha[1]
        return w
