"""Cutting planes of a convex function, and the minimum of their maximum plus a ridge."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Vector

Support = NDArray[np.intp]  # numbers of cuts

EPS = float(np.finfo(np.float64).eps)
TINY_CURVATURE = 1e-280  # curvature that is added to a face, so that very flat cuts have one too
CUTS_AT_FIRST = 16  # cuts at first; doubled when it is full
KEEP = 512  # number of cuts from which old cuts without weight are discarded


class Bundle:
    """Cuts b_k + g_k · w below a convex h, and min_w max_k (b_k + g_k · w) + (λ/2)‖w‖².

    The dual is a concave quadratic on the simplex: D(α) = b · α − ‖Aᵀα‖²/(2λ), where the rows of A
    are the g_k, and w = −Aᵀα/λ. Every α of the simplex gives a lower bound of h + (λ/2)‖·‖².

    The memory is O(K d + K²) for K cuts. To add a cut costs O(K d), and a step of `minimise`
    costs O(K s + s³), where s is the number of cuts with weight.

    Parameters
    ----------
    d : int
        Number of weights.
    lam : float
        Ridge λ > 0.
    """

    def __init__(self, d: int, lam: float) -> None:
        self.lam = lam
        self.count = 0
        self._g = np.empty((CUTS_AT_FIRST, d))
        self._b = np.empty(CUTS_AT_FIRST)
        self._gram = np.empty((CUTS_AT_FIRST, CUTS_AT_FIRST))  # AAᵀ/λ
        self._lengths = np.empty(CUTS_AT_FIRST)  # ‖g_k‖
        self._alpha = np.zeros(CUTS_AT_FIRST)

    def add(self, g: Vector, b: float) -> None:
        """Store the cut h(w) ≥ b + g · w."""
        if self.count == self._b.size:
            self._make_room()
        k = self.count
        self.count = k + 1
        self._g[k], self._b[k], self._alpha[k] = g, b, 0.0
        self._gram[k, : k + 1] = self._g[: k + 1] @ g / self.lam
        self._gram[:k, k] = self._gram[k, :k]
        self._lengths[k] = sqrt(float(g @ g))

    def minimise(self) -> tuple[float, Vector]:
        """Return a lower bound of the minimum of the model, and its minimiser w.

        The bound is reduced by the largest error that rounding can cause.

        It is an active-set method that starts from the last α. The cut that is highest at w joins
        the support. Then Newton steps on the face of the support follow. When a step would make a
        weight negative, it is shortened, and that cut leaves the support. The method ends where
        rounding stops the bound from rising.
        """
        K = self.count
        G, b, alpha = self._g[:K], self._b[:K], self._alpha[:K]
        Q = self._gram[:K, :K]
        if not alpha.any():
            alpha[np.argmax(b - 0.5 * Q.diagonal())] = 1.0
        lengths = self._lengths[:K]
        bound, w, square = -inf, G[0], 0.0
        for _ in range(20 + 4 * K):
            support = np.flatnonzero(alpha)
            last, w = bound, alpha[support] @ G[support] / -self.lam
            square = float(w @ w)
            bound = float(alpha @ b) - 0.5 * self.lam * square
            heights = b + G @ w
            k = int(heights.argmax())
            slack = 4.0 * EPS * (1.0 + sqrt(square) * lengths[k])
            if not bound > last or heights[k] - alpha @ heights <= slack:
                break
            support = support if alpha[k] else np.append(support, k)
            _ascend(Q, heights, alpha, support)
        rounding = 8.0 * EPS * (1.0 + sqrt(square) * float(alpha @ lengths))
        return max(bound, last) - rounding, w

    @property
    def shares(self) -> Vector:
        """Return α of the last minimum, one number for each cut."""
        return self._alpha[: self.count]

    def _make_room(self) -> None:
        K = self.count
        kept = np.arange(K)
        if K >= KEEP:
            # Cuts without weight in the older half are discarded. This leaves the bound as it is.
            kept = np.flatnonzero((self._alpha > 0.0) | (kept >= K // 2))
        size = K if kept.size <= 3 * K // 4 else 2 * K
        m = self.count = kept.size
        gram = np.empty((size, size))
        gram[:m, :m] = self._gram[np.ix_(kept, kept)]
        self._gram = gram
        self._g, self._b, self._lengths, self._alpha = (
            _grown(old[kept], size) for old in (self._g, self._b, self._lengths, self._alpha)
        )


def _grown(part: Vector, size: int) -> Vector:
    """Return a copy with room for `size` entries or rows."""
    new = np.zeros((size, *part.shape[1:]))
    new[: len(part)] = part
    return new


def _ascend(Q: Vector, heights: Vector, alpha: Vector, S: Support) -> None:
    """Maximise the dual on the face S of the simplex, or on a face of S; change `alpha` in place.

    `heights` is the gradient of the dual at `alpha`.
    """
    r = np.append(heights[S], 0.0)
    while S.size > 1:
        m = S.size
        F = np.ones((m + 1, m + 1))
        F[:m, :m] = Q[S[:, None], S]
        # Cuts that are affinely dependent make the dual flat on the face. A small curvature of the
        # size of rounding turns this into a long step, which ends where a weight is zero.
        F.flat[:: m + 2] = F.flat[:: m + 2] * (1.0 + 64.0 * EPS) + TINY_CURVATURE
        F[m, m] = 0.0
        step = np.linalg.solve(F, r)[:m]
        old = alpha[S]
        ratios = np.full(m, inf)
        np.divide(old, -step, out=ratios, where=step < 0.0)
        length = min(1.0, float(ratios.min()))
        new = np.maximum(old + length * step, 0.0) * (ratios > length)
        alpha[S] = new / new.sum()
        if length == 1.0:
            return
        r[:m] -= length * (F[:m, :m] @ step)
        kept = new > 0.0
        S, r = S[kept], r[np.append(kept, True)]
