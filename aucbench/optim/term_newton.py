"""Newton steps for a smooth loss over pairs with a ridge, bounds of weights and the group lasso."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from math import inf
from typing import Protocol

import numpy as np
from scipy.linalg import LinAlgError

from aucbench.contract import count_rows
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.rounding import Slack, gamma, gap_of_gradient, longest, of_scores
from aucbench.data.tally import READ, count_at_least
from aucbench.objectives.margins import scores_at
from aucbench.optim.conjugate_gradient import conjugate_gradient
from aucbench.optim.lbfgs import Lbfgs
from aucbench.optim.term_model import Face, Model, model_minimum
from aucbench.projectors import GroupL2

ARMIJO = 1e-4
HALVINGS = 30
LOOSEST = 0.5  # residual that conjugate gradients leave, relative to that at the start
LONGEST = 500  # products with the Hessian in one step
MEMORY = 5  # directions of a step that improve the model of the next one

Pairs = Iterable[tuple[Vector, Vector]]


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

    at every v. The least of these is at u, the prox of Ω/λ at w − g/λ. So it bounds the gap. With
    a ridge alone u is w − g/λ, and the bound is ‖g‖²/(2λ).

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
        if self._penalty.is_ridge:
            self.residual = float(np.linalg.norm(self.gradient))
            self.gap = gap_of_gradient(self.residual, self.w, lam, self.slack)
            return
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


# The scores, and the last step; None before the first.
Models = Callable[[Vector, "TermStep | None"], Model]


def term_newton(
    f: Bent,
    penalty: GroupL2,
    w: Vector,
    models: Models,
    *,
    precision: float = 0.0,
    enough: float = 0.0,
) -> Iterator[TermPoint]:
    """Yield points of descent of P = f + Ω from w, at least once.

    A step p solves H p = −G approximately, with the Hessian H of f + (λ/2)‖·‖², in three parts.
    Under bounds, or with a group lasso, the minimum of a model of f plus Ω, which reads no rows,
    tells which weights stay at a bound or at 0. Conjugate gradients improve the others. They end at
    a residual of η = min(1/2, (‖G‖/‖G₀‖)^¼) of that at the start, in the norm of M⁻¹, where M is
    the model. The last 5 directions of the step before, and their products with H, improve M as in
    L-BFGS. A search by halves reads no rows, because scores are linear on the way.

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
    models : function (scores, step) -> Model
        The model for the next step, given the last one: the same, or a new one if it shows that the
        last model is too old, or that it is from too few rows. A new one counts as one reading of
        the rows.
    precision, enough : float
        When to end.

    References
    ----------
    Lee, Sun & Saunders, "Proximal Newton-type methods for minimizing composite functions", SIAM J.
    Optim. 24, 2014. Truncated Newton steps: Steihaug, "The conjugate gradient method and trust
    regions in large scale optimization", SIAM J. Numer. Anal. 20, 1983. Pairs of a step before:
    Morales & Nocedal, "Automatic preconditioning by limited memory quasi-Newton updating", SIAM J.
    Optim. 10, 2000.
    """
    n = f.data.n
    step: TermStep | None = None
    model: Model | None = None
    at = TermPoint(f, penalty, w, scores_at(f.data, w), of_scores(f.data, w))
    at.differentiate()
    yield at
    first = at.residual
    while at.residual > max(at.slack[1], enough):
        read, last = READ.get().rows, model
        model = models(at.s, step)
        if model is not last:
            count_at_least(read + n)
        eta = min(LOOSEST, (at.residual / first) ** 0.25)
        step = TermStep(at, penalty, model, step.pairs if step else ())
        if not step.promise > precision * at.value:
            return
        for _ in step.approach(eta):
            yield at
        following = step.search(f)
        if following is None:
            return
        at = following
        at.differentiate()
        count_rows(n)  # of the gradient
        yield at


class TermStep:
    """A step p from a point, and its scores q.

    Parameters
    ----------
    at : TermPoint
        The point.
    penalty : GroupL2
        Ω.
    model : Model
        About the Hessian.
    pairs : sequence of (v, Hv)
        Directions of the step before, and their products with the Hessian.

    Attributes
    ----------
    promise : float
        How far P falls at most by the model, about.
    products : int
        Products with the Hessian.
    shortened : bool
        Whether the step is better than the minimum of the model, but not as a whole.
    """

    def __init__(self, at: TermPoint, penalty: GroupL2, model: Model, pairs: Pairs) -> None:
        self._at, self._penalty, self._model = at, penalty, model
        try:
            self._begin(pairs)
        except LinAlgError:  # rounding has made the model indefinite
            self._model = model.diagonal()
            self._begin(pairs)
        self.products, self.shortened = 0, False
        self.pairs: deque[tuple[Vector, Vector]] = deque(maxlen=MEMORY)

    def _begin(self, pairs: Pairs) -> None:
        """Go to the minimum of the model, if a term may become 0 or stop at a bound."""
        at, penalty, model = self._at, self._penalty, self._model
        self.p, self.q = np.zeros(at.w.size), np.zeros(at.s.size)
        aim = at.w
        if not penalty.is_ridge:
            aim = model_minimum(model, at.gradient, penalty, at.w)
            self.p = aim - at.w
        self._face = Face.at(penalty, aim, np.zeros(at.w.size))
        self._inverse = Lbfgs(MEMORY, model.solver(self._face))
        self._first: Vector | None = None  # the first direction of conjugate gradients, if known
        for v, Hv in pairs:
            self._inverse.add(self._face.kept(v), self._face.kept(Hv))
        if penalty.is_ridge:
            self._first = self._inverse.direction(at.gradient)
            self._start = -float(at.gradient @ self._first)
            self.promise = 0.5 * self._start
        else:
            self._start = float(self.p @ model.times(self.p))
            self.promise = -self._slope(self.p)
        self._travelled = float(np.linalg.norm(self.p))

    def _slope(self, p: Vector) -> float:
        at = self._at
        return float(at.gradient @ p) + self._penalty.of_lengths(at.w + p) - at.lengths

    def approach(self, eta: float) -> Iterator[None]:
        """Let p approach the minimum of the Hessian's own model; yield after each reading.

        The weights that the minimum of M has at a bound stay there, and so do terms that are 0.
        Others that go beyond a bound are moved to it, and terms that turn round become 0. That may
        spoil the step. So p is the best point, by the Hessian's model, on the way to it from the
        minimum of M.
        """
        if self._penalty.is_ridge:
            yield from self._improve(-self._at.gradient, eta)
            return
        at, face, first = self._at, self._face, self.p.copy()
        Hp = self._product(first)
        yield
        first_q, self.q = self._scores, self._scores.copy()
        yield from self._improve(-(at.gradient + Hp + face.pull), eta)
        outside = face.left_by(at.w + self.p)
        if outside.any():
            self.p[outside] = -at.w[outside]
            self.q = at.scores(self.p)
            self._travelled += float(np.linalg.norm(self.p))
            yield
        self._shorten(first, first_q)

    def _improve(self, r: Vector, eta: float) -> Iterator[None]:
        """Add conjugate directions to p, from the residual r."""
        product = self._product if self._penalty.is_ridge else self._product_on_face
        least = eta * eta * self._start
        for alpha, v, Hv in conjugate_gradient(product, r, self._precondition, least):
            yield
            self.p += alpha * v
            self.q += alpha * self._scores
            self._travelled += alpha * float(np.linalg.norm(v))
            self.pairs.append((v, Hv))
            if self.products >= LONGEST:
                return

    def _precondition(self, r: Vector) -> Vector:
        first, self._first = self._first, None
        return self._inverse.direction(-r) if first is None else first

    def _product(self, v: Vector) -> Vector:
        self._scores, Hv = self._at.product(v)
        self.products += 1
        return Hv

    def _product_on_face(self, v: Vector) -> Vector:
        return self._product(v) + self._face.curved(v)

    def _shorten(self, first: Vector, first_q: Vector) -> None:
        best, least, best_share = (first, first_q), self._expected(first, first_q), 0.0
        for share in (1.0, 0.5, 0.25):  # where both agree, so do all between them, to the last bit
            p, q = self.p, self.q
            if share < 1.0:
                p, q = first + share * (p - first), first_q + share * (q - first_q)
            if self._slope(p) < 0.0 and (change := self._expected(p, q)) < least:
                best, least, best_share = (p, q), change, share
        self.p, self.q = best
        self.shortened = best_share < 1.0

    def _expected(self, p: Vector, q: Vector) -> float:
        """Return the change of P that the Hessian's model expects of p, which has the scores q."""
        return self._slope(p) + 0.5 * self._at.curvature(p, q)

    def search(self, f: Bent) -> TermPoint | None:
        """Return a lower point on the way from `at` along p, within the bounds."""
        at, slope, t = self._at, self._slope(self.p), 1.0
        error = 4.0 * gamma(f.data.d + 4 * self.products + 16) * longest(f.data) * self._travelled
        for _ in range(HALVINGS):
            w = self._penalty.bounded(at.w + t * self.p)
            wrong = at.error + t * error + of_scores(f.data, w)
            trial = TermPoint(f, self._penalty, w, at.s + t * self.q, wrong)
            if trial.value <= at.value + ARMIJO * t * slope:
                return trial if trial.value < at.value else None
            t *= 0.5
        return None
