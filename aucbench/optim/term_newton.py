"""Newton steps for a smooth loss over pairs, with bounds of weights and the group lasso."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf
from typing import Protocol

import numpy as np
from scipy.linalg import LinAlgError

from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.rounding import Slack, gamma, longest, of_scores
from aucbench.data.tally import READ, count_at_least, count_rows
from aucbench.optim.term_model import Face, model_minimum
from aucbench.projectors import GroupL2

ARMIJO = 1e-4
HALVINGS = 30
LOOSEST = 0.5  # residual that conjugate gradients leave, relative to that at the start
LONGEST = 500  # products with the Hessian in one step
MANY = 2  # products of a step that do not yet show that its model is not good enough
SHARES = (1.0, 0.5, 0.25)  # of the way from the minimum of M to a step that may be better


class Bent(Protocol):
    """A smooth convex loss f of scores; `PairwiseSquaredHinge` and `PairwiseSquare` are such."""

    @property
    def data(self) -> Data:
        """The rows."""
        ...

    def bent(self, s: Vector) -> tuple[float, Vector, Callable[[Vector], Vector]]:
        """Return f, its derivatives in the scores, and the product with the second ones."""
        ...

    def pullback(self, c: Vector) -> Vector:
        """Return Xᵀc of such derivatives c."""
        ...

    def rounding_at(self, w: Vector, error: float, spread: float) -> Slack:
        """Return (e, η) for scores of w that err by at most `error`, and are `spread` apart."""
        ...


class TermPoint:
    """P = f + Ω at w, its smooth part, and the certificate.

    With the gradient g of f + (λ/2)‖·‖², and Ω without this ridge, P is at least

        P(w) + g·(v − w) + (λ/2)‖v − w‖² + Ω(v) − Ω(w)

    at every v. The least of these is at u, the prox of Ω/λ at w − g/λ. So it bounds the gap.

    Parameters
    ----------
    f : Bent
        The loss and its rows.
    penalty : GroupL2
        Ω, with the ridge λ > 0.
    w : array of shape (d,)
        A point within the bounds.
    s : array of shape (n,)
        The scores of w.
    error : float
        Bound of their rounding errors.
    """

    def __init__(self, f: Bent, penalty: GroupL2, w: Vector, s: Vector, error: float) -> None:
        self._f, self._penalty = f, penalty
        self.w, self.s, self.error = w, s, error
        loss, self._c, self._bend = f.bent(s)
        self.lengths = penalty.of_lengths(w)  # Ω without the ridge
        self.value = loss + 0.5 * penalty.l2 * float(w @ w) + self.lengths
        self.slack = (inf, inf)
        self.residual = self.gap = inf

    def scores(self, v: Vector) -> Vector:
        """Return the scores of v."""
        return self._f.data.scores(v)

    def product(self, v: Vector) -> tuple[Vector, Vector]:
        """Return the scores of v, and H v, with the Hessian H of f + (λ/2)‖·‖²."""
        q = self._f.data.scores(v)
        return q, self._f.pullback(self._bend(q)) + self._penalty.l2 * v

    def curvature(self, p: Vector, q: Vector) -> float:
        """Return pᵀH p, where p has the scores q, without a reading of the rows."""
        return float(q @ self._bend(q)) + self._penalty.l2 * float(p @ p)

    def differentiate(self) -> None:
        """Compute g, the gap, and its length λ‖u − w‖, which is that of g without Ω."""
        lam = self._penalty.l2
        self.gradient = self._f.pullback(self._c) + lam * self.w
        self.slack = self._f.rounding_at(self.w, self.error, float(np.ptp(self.s)))
        with np.errstate(over="ignore", invalid="ignore"):
            u = replace(self._penalty, l2=0.0)(self.w - self.gradient / lam, 1.0 / lam)
            self.residual = lam * float(np.linalg.norm(u - self.w))
            self.gap = self._gap(u)
        if not self.gap < inf:
            self.gap = inf

    def _gap(self, u: Vector) -> float:
        """Return the bound at u, and what rounding may add.

        The errors of g count like η. That of u, which is the minimum of a function of second
        order, counts with its square.
        """
        (e, eta), lam, step = self.slack, self._penalty.l2, u - self.w
        own = gamma(self.w.size + 32)
        size, steep = float(np.linalg.norm(self.w)), float(np.linalg.norm(self.gradient))
        away, bent = float(np.linalg.norm(step)), 0.5 * lam * float(step @ step)
        falls, lengths = self.gradient * step, self._penalty.of_lengths(u)
        fall = self.lengths - lengths - float(falls.sum()) - bent
        eta += own * (lam * size + steep)
        rounded = own * (float(np.abs(falls).sum()) + bent + lengths + self.lengths)
        rounded += 4.0 * lam * (own * (size + steep / lam)) ** 2
        apart = max(fall, 0.0) + rounded + eta * (away + eta / (2.0 * lam)) + e
        return apart * (1.0 + own)


Model = Callable[[Vector, int], Vector]  # scores, and how often there was one before


def term_newton(
    f: Bent,
    penalty: GroupL2,
    w: Vector,
    model: Model,
    *,
    precision: float = 0.0,
    enough: float = 0.0,
) -> Iterator[TermPoint]:
    """Yield points of descent of P = f + Ω from w, at least once.

    A step has three parts. The minimum of a model of f plus Ω, which reads no rows, tells which
    weights stay at a bound or at 0. Conjugate gradients with the Hessian of f improve it along the
    others. A search by halves reads no rows, because scores are linear on the way.

    It ends when the length of the gradient is `enough`, when a step promises to lower P by at most
    `precision` P, or when rounding allows no further progress.

    Parameters
    ----------
    f : Bent
        The loss and its rows.
    penalty : GroupL2
        Ω, with the ridge λ > 0.
    w : array of shape (d,)
        The start, within the bounds.
    model : function (scores, k) -> array of shape (d, d) or (d,)
        The k-th model, from 0: a positive definite matrix, or a diagonal. It counts as one reading
        of the rows. There is a new one after a step which shows that the last one is too old, or
        that it is from too few rows.
    precision, enough : float
        When to end.

    References
    ----------
    Lee, Sun & Saunders, "Proximal Newton-type methods for minimizing composite functions", SIAM J.
    Optim. 24, 2014.
    """
    n, M, poor, renewed = f.data.n, np.zeros(0), True, 0
    at = TermPoint(f, penalty, w, _scores(f.data, w), of_scores(f.data, w))
    at.differentiate()
    yield at
    while at.residual > max(at.slack[1], enough):
        if poor:
            read = READ.get().rows
            M, renewed = model(at.s, renewed), renewed + 1
            count_at_least(read + n)
        step = TermStep(at, penalty, M)
        if not -step.promise > precision * at.value:
            return
        for _ in step.approach():
            yield at
        poor = step.poor
        following = step.search(f)
        if following is None:
            return
        at = following
        at.differentiate()
        count_rows(n)  # of the gradient
        yield at


def _scores(data: Data, w: Vector) -> Vector:
    if w.any():
        return data.scores(w)
    count_rows(data.n)  # of the gradient
    return np.zeros(data.n)


class TermStep:
    """A step p from a point, and its scores q.

    Parameters
    ----------
    at : TermPoint
        The point.
    penalty : GroupL2
        Ω.
    M : array of shape (d, d) or (d,)
        About the Hessian, or its diagonal.

    Attributes
    ----------
    promise : float
        g·p + Ω(w + p) − Ω(w) of the minimum of the model, which bounds the slope along it.
    poor : bool
        Whether M was of little use: p took many products, or it could not be improved as a whole.
    """

    def __init__(self, at: TermPoint, penalty: GroupL2, M: Vector) -> None:
        self._at, self._penalty, self._M = at, penalty, M
        try:
            self._aim = model_minimum(M, at.gradient, penalty, at.w)
        except LinAlgError:  # rounding has made the model indefinite
            self._M = M.diagonal().copy()
            self._aim = model_minimum(self._M, at.gradient, penalty, at.w)
        self.p, self.q = self._aim - at.w, np.zeros(at.s.size)
        self.promise = self._slope(self.p)
        self.poor = False
        self._directions, self._travelled = 1, float(np.linalg.norm(self.p))

    def _slope(self, p: Vector) -> float:
        at = self._at
        return float(at.gradient @ p) + self._penalty.of_lengths(at.w + p) - at.lengths

    def approach(self) -> Iterator[None]:
        """Let p approach the minimum of the Hessian's own model; yield after each reading.

        The weights that the minimum of M has at a bound stay there, and so do terms that are 0.
        Others that go beyond a bound are moved to it, and terms that turn round become 0. That may
        spoil the step. So p is the best point, by the Hessian's model, on the way to it from the
        minimum of M.
        """
        at, first = self._at, self.p.copy()
        self.q, Hp = at.product(first)
        yield
        first_q = self.q.copy()
        face = Face.at(self._penalty, self._aim, np.zeros(at.w.size))
        yield from self._conjugate_gradients(Hp, face)
        outside = face.left_by(at.w + self.p)
        if outside.any():
            self.p[outside] = -at.w[outside]
            self.q = at.scores(self.p)
            self._travelled += float(np.linalg.norm(self.p))
            yield
        self._shorten(first, first_q)

    def _shorten(self, first: Vector, first_q: Vector) -> None:
        best, least, best_share = (first, first_q), self._expected(first, first_q), 0.0
        for share in SHARES:  # where both agree, so do all between them, to the last bit
            p, q = self.p, self.q
            if share < 1.0:
                p, q = first + share * (p - first), first_q + share * (q - first_q)
            if self._slope(p) < 0.0 and (change := self._expected(p, q)) < least:
                best, least, best_share = (p, q), change, share
        self.p, self.q = best
        self.poor = self._directions > MANY or (self._directions > 1 and best_share < 1.0)

    def _expected(self, p: Vector, q: Vector) -> float:
        """Return the change of P that the Hessian's model expects of p, which has the scores q."""
        return self._slope(p) + 0.5 * self._at.curvature(p, q)

    def _conjugate_gradients(self, Hp: Vector, face: Face) -> Iterator[None]:
        at, M = self._at, self._M
        along = M * self.p if M.ndim == 1 else M @ self.p
        least = LOOSEST**2 * float(self.p @ along)
        r = -(at.gradient + Hp + face.pull)
        solve, v, before = face.solver(M), np.zeros(at.w.size), inf
        while self._directions < LONGEST:
            z = solve(r)
            rz = float(r @ z)
            if not rz > least:
                return
            v, before = z + rz / before * v, rz
            q, Hv = at.product(v)
            yield
            Hv += face.curved(v)
            curvature = float(v @ Hv)
            if not curvature > 0.0:
                return
            self._go(rz / curvature, v, q)
            r -= rz / curvature * Hv

    def _go(self, a: float, v: Vector, q: Vector) -> None:
        self.p += a * v
        self.q += a * q
        self._directions += 1
        self._travelled += a * float(np.linalg.norm(v))

    def search(self, f: Bent) -> TermPoint | None:
        """Return a lower point on the way from `at` along p, within the bounds."""
        at, slope, t = self._at, self._slope(self.p), 1.0
        length = longest(f.data) * self._travelled
        error = 4.0 * gamma(f.data.d + 4 * self._directions + 16) * length
        for _ in range(HALVINGS):
            w = self._penalty.bounded(at.w + t * self.p)
            wrong = at.error + t * error + of_scores(f.data, w)
            trial = TermPoint(f, self._penalty, w, at.s + t * self.q, wrong)
            if trial.value <= at.value + ARMIJO * t * slope:
                return trial if trial.value < at.value else None
            t *= 0.5
        return None
