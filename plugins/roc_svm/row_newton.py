"""The pairwise hinge with a ridge on rows with more features than rows: a path of Newton steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import inf, sqrt

import numpy as np

from aucbench.contract import count_rows
from aucbench.data import Data, uncounted
from aucbench.data.arrays import Vector
from aucbench.data.rounding import gamma
from aucbench.data.summaries import longest_row, row_products
from aucbench.objectives import PairwiseHinge

from .descent import Level

MOST_ROWS = 3000  # whose Gram matrix and whose pairs are kept: 72 and at most 18 MB
FALL = 0.1  # μ of the next level, in units of this one, unless that took too many steps
MOST_FALL = 0.7  # the path ends if even so near a level takes too many steps
LONGEST = 1e100  # rows whose products cannot overflow
STEPS = 10  # Newton steps in a level, after which the fall was too large
LEVEL = 0.3  # a level ends when its distance to the minimum is this part of the price of smoothing
FLAT = 1e-14  # relative slope at which rounding hides the rest of a level
SLOPE = 0.1  # at the end of a line search, in units of its begin
TRIALS = 30  # of a line search


def worth_newton(data: Data) -> bool:
    """Return whether there are at least as many features as rows, and few rows."""
    return data.n <= min(data.d, MOST_ROWS) and longest_row(data) < LONGEST


def newton_levels(f: PairwiseHinge, lam: float, start: Vector) -> Iterator[Level]:
    """Yield the levels of `RowNewton` from a start (d,).

    To form the products of the rows counts as a pass, also if they are known.
    """
    data = f.data
    s = data.scores(start) if start.any() else np.zeros(data.n)
    count_rows(data.n)
    with uncounted():
        steps = RowNewton(data, lam)

    def pullback(c: Vector) -> Vector:  # without scores before, it is a reading of its own
        count_rows(data.n)
        return f.pullback(c)

    def cut(c: Vector) -> tuple[Vector, float, float]:
        b = -0.5 * float(c @ data.y)  # half of their magnitudes
        return pullback(c), b, 4.0 * gamma(data.n + 4) * b

    for at, c, gap in steps.levels(start, s):
        yield Level(gap, partial(cut, c), partial(at, start, lam, pullback))


@dataclass(frozen=True)
class Weights:
    """w = share w₀ − Xᵀa/λ, by its scores s (n,), up to a constant, and its square ‖w‖²."""

    s: Vector
    square: float
    a: Vector
    share: float

    def __call__(self, start: Vector, lam: float, pullback: Callable[[Vector], Vector]) -> Vector:
        """Return w (d,) itself."""
        return self.share * start - pullback(self.a) / lam


@dataclass(frozen=True)
class Smoothed:
    """The smoothed hinge at scores.

    Attributes
    ----------
    z : array of shape (n₊, n₋)
        1 − s_i + s_j of all pairs.
    c : array of shape (n,)
        Its derivatives in the scores.
    value : float
        Mean of φ_μ(z).
    hinge : float
        Mean of [z]₊.
    price : float
        h(w) − b − g·w ≥ 0: how far the cut of c is below the hinge h at its own point.
    flat : bool
        Whether rounding leaves no way down from here.
    """

    z: Vector
    c: Vector
    value: float
    hinge: float
    price: float
    flat: bool = False


class RowNewton:
    """Minimisers of P_μ(w) = Σ_ij v_ij φ_μ(1 − w·(x_i − x_j)) + (λ/2)‖w‖² for falling μ.

    The sum is a mean over the pairs, and φ_μ(z) is 0 below 0, z²/(2μ) up to μ, and z − μ/2 above.
    The derivatives c of the mean in the scores are means of subgradients of the hinge h. So each of
    them gives a cut h(u) ≥ b + g·u, with g = Xᵀc, and the gap at w has two parts:

        P(w) − min P ≤ [h(w) − b − g·w] + ‖g + λw‖²/(2λ).

    The first is the price of smoothing, at most in proportion to μ, and the second the distance
    from the minimum of P_μ. A level ends when the second part is the smaller one.

    Let M be the derivatives of c, which couple the pairs with 0 < z < μ, and Q = XXᵀ. A Newton step
    leads to w̄ = −Xᵀc̄/λ, whose derivatives are c̄ as long as no pair enters or leaves this window:

        (λI + MQ) c̄ = λ(c − Ms).

    Only the rows of pairs in the window are unknown. With the derivatives for a smaller μ but the
    same window, the same system predicts the next level, which most often needs no further step. A
    step costs O(n² + m³) for m unknown rows, and it reads no row: the scores of w̄ are −Qc̄/λ.

    Parameters
    ----------
    data : Data
        At most some thousand rows.
    lam : float
        Ridge λ > 0.

    References
    ----------
    Chapelle, "Training a support vector machine in the primal", Neural Computation 19, 2007: Newton
    steps for such a smoothed hinge of single rows.
    """

    def __init__(self, data: Data, lam: float) -> None:
        self.lam, self._gram = lam, row_products(data)
        self._pos, self._neg = (np.flatnonzero(data.y == side) for side in (1, -1))
        shares = data.labels.shares
        self._v, self._u = shares[self._pos], shares[self._neg]

    def levels(self, w: Vector, s: Vector) -> Iterator[tuple[Weights, Vector, float]]:
        """Yield the minimiser of P_μ, its c (n,) and its gap for each μ, from w with scores s.

        It ends where rounding hides the next level. If w is not near enough to a level, it starts
        from 0, where all pairs are in the window of a large μ.
        """
        none = np.zeros(s.size)
        at = last = Weights(s - s.mean(), float(w @ w), none, 1.0)
        mu, fall = self._first(at.s), FALL
        while fall < MOST_FALL:
            level = self._minimised(at, mu)
            if level is None and last.share and w.any():
                at = last = Weights(none, 0.0, none, 0.0)
                mu = self._first(none)
                continue
            if level is None:  # back to the last level, and on by less
                mu, fall = mu / fall, sqrt(fall)
                at, mu = self._predicted(last, mu, fall), mu * fall
                continue
            last, f, gap = level
            yield last, f.c, gap
            if f.flat:
                return
            fall = max(FALL, fall * fall)
            at, mu = self._predicted(last, mu, fall), mu * fall

    def _first(self, s: Vector) -> float:
        """Return the power of ten whose cut at the start is the best bound of the minimum."""
        tried = 10.0 ** np.arange(12, -13, -1)
        cuts = [self._smoothed(s, mu).c for mu in tried]
        bounds = [float(c[self._neg].sum() - c @ self._gram @ c / (2.0 * self.lam)) for c in cuts]
        return float(tried[int(np.argmax(bounds))])

    def _smoothed(self, s: Vector, mu: float) -> Smoothed:
        z = s[self._neg] - (s[self._pos] - 1.0)[:, None]
        loss = np.maximum(z, 0.0)
        share = np.minimum(loss / mu, 1.0)  # derivatives of φ
        c = np.empty(s.size)
        by_pos = share @ self._u
        c[self._pos], c[self._neg] = -self._v * by_pos, self._u * (self._v @ share)
        hinge = float(self._v @ loss @ self._u)
        loss *= share
        shared = float(self._v @ loss @ self._u)
        share *= share
        value = shared - 0.5 * mu * float(self._v @ share @ self._u)
        return Smoothed(z, c, value, hinge, max(hinge - shared, 0.0))

    def _minimised(self, at: Weights, mu: float) -> tuple[Weights, Smoothed, float] | None:
        """Return the minimum of P_μ and its gap; None after too many steps."""
        for _ in range(STEPS):
            f = self._smoothed(at.s, mu)
            inner = float(f.c @ (self._gram @ f.c + 2.0 * self.lam * at.s))
            rest = max(inner / self.lam + self.lam * at.square, 0.0) / 2.0
            if rest <= LEVEL * f.price:
                return at, f, rest + f.price
            moved = self._step(at, f, mu)
            if moved is None:
                return at, replace(f, flat=True), rest + f.price
            at = moved
        return None

    def _step(self, at: Weights, f: Smoothed, mu: float) -> Weights | None:
        """Return the minimum of P_μ on the line to w̄; None if rounding leaves no way down."""
        to = self._target(at, f, mu)
        if to is None:
            return None
        ds = to.s - at.s
        inner = -float(to.a @ at.s) / self.lam + to.share * at.square - at.square
        length = to.square - at.square - 2.0 * inner  # ‖w̄ − w‖²
        slope = float(f.c @ ds) + self.lam * inner
        if not slope < -FLAT * (f.hinge + self.lam * at.square):
            return None
        low, high, step = 0.0, inf, 1.0
        for _ in range(TRIALS):
            c = self._smoothed(at.s + step * ds, mu).c
            rise = float(c @ ds) + self.lam * (inner + step * length)
            if abs(rise) <= -SLOPE * slope:
                break
            low, high = (step, high) if rise < 0.0 else (low, step)
            step = 2.0 * step if high == inf else 0.5 * (low + high)
        square = at.square + step * (2.0 * inner + step * length)
        a = (1.0 - step) * at.a + step * to.a
        return Weights(at.s + step * ds, max(square, 0.0), a, (1.0 - step) * at.share)

    def _predicted(self, at: Weights, mu: float, fall: float) -> Weights:
        """Return the minimum at the next μ if the window stays as it is, or `at` if that is lower.

        `at` is the minimum at μ.
        """
        there = self._target(at, self._smoothed(at.s, mu), mu, fall)
        if there is None:
            return at
        new, old = (
            self._smoothed(p.s, fall * mu).value + 0.5 * self.lam * p.square for p in (there, at)
        )
        return there if new < old else at

    def _target(self, at: Weights, f: Smoothed, mu: float, fall: float = 1.0) -> Weights | None:
        """Return w̄ for `fall` times μ and the window of μ; None if λ is lost beside MQ."""
        W = (f.z > 0.0) & (f.z < mu)
        i, j = np.flatnonzero(W.any(axis=1)), np.flatnonzero(W.any(axis=0))
        rows = np.concatenate([self._pos[i], self._neg[j]])
        c = f.c.copy()
        if rows.size:
            V = W[np.ix_(i, j)] * (self._v[i] / (fall * mu))[:, None] * self._u[j]
            Q, Z = self._gram[rows], (1.0 - fall) * V * f.z[np.ix_(i, j)]
            base = c[rows] + np.concatenate([-Z.sum(axis=1), Z.sum(axis=0)])
            c[rows] = 0.0
            right = self.lam * (base - _coupled(V, at.s[rows])) - _coupled(V, Q @ c)
            left = _coupled(V, Q[:, rows])
            left.flat[:: rows.size + 1] += self.lam
            try:
                c[rows] = np.linalg.solve(left, right)
            except np.linalg.LinAlgError:  # without λ it is singular
                return None
        c -= c.mean()  # exactly 0 but for rounding; rows are centred in Q, and not in Xᵀc
        s = self._gram @ c / -self.lam
        return Weights(s, -float(c @ s) / self.lam, c, 0.0)


def _coupled(V: Vector, B: Vector) -> Vector:
    """Return MB, where M is the Laplacian of the bipartite graph with the weights V (p, q)."""
    p, degrees = len(V), np.concatenate([V.sum(axis=1), V.sum(axis=0)])
    coupled: Vector = (degrees * B.T).T
    coupled[:p] -= V @ B[p:]
    coupled[p:] -= V.T @ B[:p]
    return coupled
