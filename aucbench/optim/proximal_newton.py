"""Minimise a convex loss of scores with an elastic net: Newton steps and a certified gap."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import cast

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from aucbench.contract import State, count_rows
from aucbench.data.arrays import Vector
from aucbench.data.passes import gram, square_pullback
from aucbench.data.rounding import gamma, of_pullback, of_scores
from aucbench.objectives import IntervalHinge
from aucbench.projectors import ElasticNet

DAMPING = 1e-9  # share of the squared columns that is added to the Hessian at first
LEAST_DAMPING = 1e-14
SUFFICIENT = 1e-4  # share of the predicted fall that a step must reach
HALVINGS = 40
PRECISION = 1e-9  # share of the objective at the start that is small enough a gap
FAR = 10.0  # a minimiser is assumed to have at most this many times the present scores


def proximal_newton(f: IntervalHinge, penalty: ElasticNet, w: Vector) -> Iterator[State]:
    """Yield points of descent of f(Xw) + Ω(w), from w on, to a gap of 10⁻⁹ of it at the start.

    A step minimises the quadratic model of f plus Ω (`feature_signs`), and is halved until F
    falls enough. Where f is piecewise quadratic, the model is exact on the piece of the minimum,
    so the last steps are exact. It also ends where rounding leaves no better step. A step forms
    the Hessian of d weights, in O(n d²).

    The gap is F(w) − D(c) with the dual D(c) = −f*(c) − Ω*(−Xᵀc), at the derivatives c of f. They
    are changed so that Σc = 0, which the intercept needs, and for l2 = 0 multiplied so that
    |Xᵀc| ≤ l1. The bound holds for minimisers with scores up to ten times as large as those of w.

    (Rejected: L-BFGS-B of SciPy on the positive and negative parts of w. Gaps were up to 10⁻⁸, for
    10 to 60 times as many readings of the rows.)

    Parameters
    ----------
    f : IntervalHinge
        The loss, or another one of scores that has its attribute `data`, whose last column is 1,
        and its methods `of_scores`, `bends` and `conjugate`.
    penalty : ElasticNet
        Ω, which does not count the intercept.
    w : array of shape (d,)
        The start; it is not changed.

    References
    ----------
    Lee, Sun & Saunders, "Proximal Newton-type methods for minimizing composite functions", SIAM J.
    Optim. 24, 2014. The dual is Fenchel's.
    """
    data, d = f.data, w.size
    l1, l2 = (np.where(np.arange(d) < penalty.count(w), x, 0.0) for x in (penalty.l1, penalty.l2))
    squares = square_pullback(data.rows, np.full(data.n, 1.0 / data.n))
    squares, damping = np.where(squares > 0.0, squares, 1.0), DAMPING
    s = data.scores(w)
    loss, c = f.of_scores(s)
    value = loss + penalty.value(w)
    enough = PRECISION * value
    while True:
        g = data.pullback(c)
        gap = _gap(f, penalty, w, s, c, value)
        count_rows(data.n)  # which Xᵀc and the gap read
        yield State(w, gap=gap, value=value)
        if gap <= enough:
            return
        H = gram(data.rows, f.bends(s), np.zeros(d))
        H[np.diag_indices(d)] += l2
        aim, damping = _aim(H, g + l2 * w, l1, w, squares, damping)
        step = aim - w
        slope = float(g @ step) + penalty.value(w + step) - penalty.value(w)
        v, t = data.scores(step), 1.0
        for _ in range(HALVINGS):
            moved = w + t * step
            reached = f.of_scores(s + t * v)[0] + penalty.value(moved)
            if reached <= value + SUFFICIENT * t * slope:
                break
            t *= 0.5
        if not (slope < 0.0 and reached < value):
            return
        if t == 1.0:  # along features that are almost copies, damping is all that limits steps
            damping = max(0.1 * damping, LEAST_DAMPING)
        w, s = moved, data.scores(moved)
        loss, c = f.of_scores(s)
        value = loss + penalty.value(w)


def minimiser(f: IntervalHinge, penalty: ElasticNet, w: Vector) -> Vector:
    """Return the last point of `proximal_newton` from w on."""
    for state in proximal_newton(f, penalty, w):
        w = cast(Vector, state.w)
    return w


def _aim(
    H: Vector, g: Vector, l1: Vector, w: Vector, squares: Vector, damping: float
) -> tuple[Vector, float]:
    """Return the minimiser of the model at w, with enough damping to have one, and the damping."""
    while True:
        damped = H + np.diag(damping * squares)
        try:
            return feature_signs(damped, g - damped @ w, l1, w), damping
        except LinAlgError:
            damping *= 100.0


def feature_signs(H: Vector, q: Vector, l1: Vector, start: Vector) -> Vector:
    """Return the minimiser of ½vᵀHv + q·v + Σ_j l1_j |v_j|.

    The signs of the weights are guessed. For given signs the minimiser solves a linear system.
    Of the points on the way to it at which a sign changes, and its end, the best one is taken.
    When the signs are right, the weight that is 0 and would lower the objective most gets one.

    Parameters
    ----------
    H : array of shape (d, d)
        Positive definite.
    q, l1 : arrays of shape (d,)
        l1 ≥ 0; where it is 0 the weight is always active.
    start : array of shape (d,)
        From where to start.

    References
    ----------
    Lee, Battle, Raina & Ng, "Efficient sparse coding algorithms", NeurIPS 2006, Algorithm 1.
    """
    v, signed = start.copy(), l1 > 0.0
    signs = np.where(signed, np.sign(v), 0.0)  # step 1
    active = (v != 0.0) | ~signed
    slack = 1e-12 * (np.abs(q) + np.abs(H).max(axis=0) * (1.0 + np.abs(v).max()))
    for _ in range(20 * v.size + 20):
        A = np.flatnonzero(active)
        if A.size:  # step 3
            system = H[np.ix_(A, A)]
            aim = cho_solve(cho_factor(system, check_finite=False), -q[A] - l1[A] * signs[A])
            t = _best_on_way(system, q[A], l1[A], v[A], aim)
            v[A] += t * (aim - v[A])
            if t < 1.0:
                zeros = A[(np.abs(v[A]) <= 1e-14 * np.abs(aim - v[A])) & signed[A]]
                v[zeros], active[zeros] = 0.0, False
            right = t == 1.0 and (np.sign(v[A]) == signs[A])[signed[A]].all()
            signs[A] = np.where(signed[A], np.sign(v[A]), 0.0)
            if not right:  # step 4a
                continue
        slopes = H @ v + q
        excess = np.where(active, -inf, np.abs(slopes) - l1 - slack)
        j = int(np.argmax(excess))
        if not excess[j] > 0.0:  # step 4b
            break
        active[j], signs[j] = True, -np.sign(slopes[j])  # step 2
    return v


def _best_on_way(H: Vector, q: Vector, l1: Vector, v: Vector, aim: Vector) -> float:
    """Return the t in (0, 1] with the least objective at v + t (aim − v), of 1 and sign changes."""
    step = aim - v
    crossing = (l1 > 0.0) & (v * aim < 0.0)
    ts = np.append(v[crossing] / (v[crossing] - aim[crossing]), 1.0)
    bend, slope = 0.5 * float(step @ H @ step), float((H @ v + q) @ step)
    penalties = np.abs(v[:, None] + step[:, None] * ts) * l1[:, None]
    values = bend * ts * ts + slope * ts + penalties.sum(axis=0)
    return float(ts[int(np.argmin(values))])


def _gap(
    f: IntervalHinge, penalty: ElasticNet, w: Vector, s: Vector, c: Vector, value: float
) -> float:
    """Return F(w) minus a lower bound of F, see `proximal_newton`."""
    data = f.data
    u = c.copy()
    up, down = float(u[u > 0.0].sum()), -float(u[u < 0.0].sum())
    if up > down:
        u[u > 0.0] *= down / up
    elif down > up:
        u[u < 0.0] *= up / down
    weight = float(np.abs(u).sum())
    largest = np.abs(data.pullback(u)[: penalty.count(w)]) + of_pullback(data, weight)
    if not penalty.l2 and largest.size and (top := float(largest.max())) > penalty.l1:
        u *= penalty.l1 / top
        largest *= penalty.l1 / top
    over = np.maximum(largest - penalty.l1, 0.0)
    dual = -f.conjugate(u) - (float(over @ over) / (2.0 * penalty.l2) if penalty.l2 else 0.0)
    slack = of_scores(data, w) * float(np.abs(c).sum())
    slack += abs(float(u.sum())) * FAR * float(np.abs(s).max())
    slack += gamma(data.n + 16) * (value + abs(dual) + weight * float(np.abs(s).max()))
    return value - dual + slack
