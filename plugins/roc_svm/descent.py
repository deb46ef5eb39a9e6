"""The exact minimum of a polyhedral loss plus a ridge, with a certified gap."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import erf, exp, inf, pi, sqrt
from typing import Protocol

import numpy as np

from aucbench.contract import Cut, State
from aucbench.data.arrays import Vector
from aucbench.objectives.binned import BinnedCut, BinnedLoss
from aucbench.objectives.margins import Margins
from aucbench.optim.bundle import EPS, Bundle
from aucbench.optim.lbfgs import Lbfgs, WeakWolfe


class PairLoss(Protocol):
    """A convex mean over pairs of rows, upper rows i and lower rows j, of a loss of s_i − s_j."""

    def cut(self, w: Vector) -> Cut:
        """Return f(w) and its cut at w, from one reading of the rows."""
        ...

    def rounding(self, w: Vector) -> tuple[float, float]:
        """Return (e, η): a computed cut exceeds f(u) by at most e + η‖u − w‖; f(w) errs by ≤ e."""
        ...

    def margins(self, w: Vector, p: Vector) -> Margins:
        """Return mean and covariance of the margins of a pair in the scores of w and of p."""
        ...


@dataclass(frozen=True)
class Level:
    """A point that another method has found, with a bound of its gap.

    Attributes
    ----------
    gap : float
        The bound, without rounding.
    cut : function
        Returns (g, b, error), where b + g · u exceeds f(u) by at most the error.
    weights : function
        Returns the point, (d,).
    """

    gap: float
    cut: Callable[[], tuple[Vector, float, float]]
    weights: Callable[[], Vector]


@dataclass(frozen=True, slots=True)
class _BundlePoint:
    w: Vector
    value: float  # P(w)
    gradient: Vector  # of P


class _GapProgress:
    """All evaluations so far: the best point, the cuts, and the certified gap."""

    def __init__(self, f: PairLoss, lam: float, d: int) -> None:
        self.f, self.lam = f, lam
        self.cuts = Bundle(d, lam)
        self.gaps: list[float] = []
        self.below = -inf  # bound of min P from below
        self.drift = 0.0  # largest error of a cut at its own point
        self.rounding = 0.0  # bound of the rounding error of the last gap
        self._means = 1.0  # 2.0 once there are cuts from means of subgradients, see `below_by`
        self.best = self.minimiser = np.zeros(0)
        self.value = inf
        self.auc: tuple[float, float] | None = None  # bounds at the best point, of rows in chunks
        self.refined = False  # whether the next bounds are finer than those of the last evaluation

    def evaluate(self, w: Vector) -> _BundlePoint:
        """Compute P and a subgradient at w, and update the best point, the cuts and the gap."""
        cut = self.f.cut(w)
        apart = cut.value - cut.slack - cut.intercept - float(cut.slope @ w)
        self.drift = max(self.drift, abs(apart))
        value = cut.value + 0.5 * self.lam * float(w @ w)
        if value < self.value or not self.gaps:
            self.best, self.value = w, value
            self.auc = cut.auc if isinstance(cut, BinnedCut) else None
        self.cuts.add(cut.slope, cut.intercept)
        bound, self.minimiser = self.cuts.minimise()
        self.below = max(self.below, bound)
        self.gaps.append(self._gap())
        coarse = cut.slack > 0.25 * self.gaps[-1]
        self.refined = coarse and isinstance(self.f, BinnedLoss) and self.f.finer()
        return _BundlePoint(w, value, cut.slope + self.lam * w)

    def _gap(self) -> float:
        """Return a bound g of P_best − min P, from g ≤ P_best − bound + rounding + η√(2g/λ).

        The last term bounds the error of rounded cuts at the minimiser: by strong convexity, the
        distance of the minimiser from the best point is at most √(2g/λ).
        """
        e, eta = self.f.rounding(self.best)
        eta *= self._means
        self.rounding = 2.0 * self.drift + 4.0 * EPS * abs(self.value) + e
        apart = max(0.0, self.value - self.below) + self.rounding
        half = eta / sqrt(2.0 * self.lam)
        return (half + sqrt(half * half + apart)) ** 2

    def below_by(self, g: Vector, b: float, error: float) -> None:
        """Add the cut of a mean of subgradients, which the next evaluation takes into account.

        It is a rounded sum of n shares of pairs, so that the error of g is twice that of a
        subgradient, whose coefficients are exact counts.
        """
        self.cuts.add(g, b)
        self._means = 2.0
        self.drift = max(self.drift, error)

    def state(self) -> State:
        """Return the best point."""
        info = {} if self.auc is None else dict(zip(("auc_low", "auc_high"), self.auc, strict=True))
        return State(self.best, gap=self.gaps[-1], value=float(self.value), info=info)

    def first_step(self, at: _BundlePoint, p: Vector, slope: float) -> float:
        """Return the length of the first step, along p, when L-BFGS does not know the scale yet."""
        ridge = (self.lam, self.lam * float(p @ p))
        return normal_step(self.f.margins(at.w, p), ridge, slope)

    def stalled(self) -> bool:
        """Return whether three evaluations have closed less than half of the gap, due to kinks."""
        return len(self.gaps) >= 10 and not self.gaps[-4] - self.gaps[-1] >= 0.5 * self.gaps[-4]


def certified_descent(
    f: PairLoss,
    lam: float,
    w: Vector,
    *,
    hessian: Lbfgs | None = None,
    levels: Iterator[Level] | None = None,
) -> Iterator[State]:
    """Minimise P = f + (λ/2)‖w‖², and yield the best w so far after each evaluation of f.

    Each evaluation gives a cut f ≥ b + g · w. The minimum of the maximum of the cuts plus the
    ridge bounds P from below, and `State.gap` is the distance to this bound. It has three stages:

    1. L-BFGS, as long as P behaves like a smooth function;
    2. the points of another method, if there is one;
    3. steps towards the minimiser of the cuts.

    The generator ends where rounding allows no further progress.

    Parameters
    ----------
    f : PairLoss
        The loss and its rows. Of rows in chunks, whose loss is known by bounds, these get finer
        where they are what keeps the gap open.
    lam : float
        Ridge λ > 0.
    w : array of shape (d,)
        Start. With `levels`, a start other than 0 is taken for the minimum at another λ, and
        L-BFGS is left out.
    hessian : Lbfgs, optional
        What L-BFGS begins with. None: the identity, and the first step by a sample.
    levels : iterator of Level, optional
        The points of another method, whose gaps fall. It begins at the start, not at the best
        point of L-BFGS.
    """
    progress = _GapProgress(f, lam, w.size)
    point = progress.evaluate(w)
    yield progress.state()
    if levels is None or not w.any():
        yield from _quasi_newton(progress, point, Lbfgs() if hessian is None else hessian)
    if levels is not None:
        yield from _along(progress, levels)
    yield from _towards_minimiser(progress)


def _quasi_newton(progress: _GapProgress, at: _BundlePoint, hessian: Lbfgs) -> Iterator[State]:
    """Run L-BFGS with a weak Wolfe search.

    Scores are linear along a search. But most searches take one trial, so that it would cost more
    to add two vectors of scores than it would save.
    """
    point: _BundlePoint | None = at
    while point is not None:
        at, point = point, None
        p = hessian.direction(at.gradient)
        slope = float(at.gradient @ p)
        step = 1.0 if hessian.knows_scale else progress.first_step(at, p, slope)
        search = WeakWolfe(at.value, slope, step)
        while not search.ended:
            trial = progress.evaluate(at.w + search.step * p)
            yield progress.state()
            if progress.stalled():
                return
            if search.tell(trial.value, float(trial.gradient @ p)):
                point = trial
        if point is not None:
            hessian.add(point.w - at.w, point.gradient - at.gradient)


def _along(progress: _GapProgress, levels: Iterator[Level]) -> Iterator[State]:
    """Evaluate P at the levels that halve the gap, until one does not."""
    if progress.gaps[-1] <= 2.0 * progress.rounding:
        return
    for level in levels:
        last = progress.gaps[-1]
        if level.gap <= 0.5 * last:
            progress.below_by(*level.cut())
            progress.evaluate(level.weights())
            yield progress.state()
            if not 2.0 * progress.rounding < progress.gaps[-1] <= 0.5 * last:
                return


def _towards_minimiser(progress: _GapProgress) -> Iterator[State]:
    """Evaluate P at a share of the way from the best point to the minimiser of the cuts.

    The share doubles when P falls by at least half of what the gap promises, and is halved
    otherwise. Such a step always makes progress: it closes part of the gap, or its cut removes
    the minimiser.
    """
    least = 0.1
    share, idle = least, 0
    while idle < 3 and progress.gaps[-1] > 2.0 * progress.rounding:
        value, gap = progress.value, progress.gaps[-1]
        w = progress.best + share * (progress.minimiser - progress.best)
        trial = progress.evaluate(w)
        yield progress.state()
        good = value - trial.value >= 0.5 * share * gap
        share = min(1.0, 2.0 * share) if good else max(least, 0.5 * share)
        idle = 0 if progress.gaps[-1] < gap or progress.refined else idle + 1


def normal_step(margins: Margins, ridge: tuple[float, float], slope: float) -> float:
    """Return the η that would minimise P(w + ηp) if margins of pairs were normal variables.

    Let margins of pairs at the scores s + η ds have the mean 1 − μ and the variance σ². Then the
    hinge has the mean μΦ(μ/σ) + σφ(μ/σ). Its derivative in η is shifted so that it is exact at 0.
    It has one zero, which bisection finds. This costs no evaluation of P.

    Parameters
    ----------
    margins : tuple
        Mean and covariance of the margins of a random pair in the scores of w and of p.
    ridge : tuple of 2 floats
        λ and λ‖p‖², > 0.
    slope : float
        Derivative of P at η = 0, < 0.
    """
    (m, dm), ((v, c), (_, dv)) = margins
    lam, bend = ridge

    def rise(step: float) -> float:
        sd = sqrt(max(v + step * (2.0 * c + step * dv), 1e-200))
        z = (1.0 - m - step * dm) / sd
        density = exp(-0.5 * z * z) / sqrt(2.0 * pi)
        return (c + step * dv) / sd * density - 0.5 * dm * (1.0 + erf(z / sqrt(2.0))) + bend * step

    low, high = 0.0, 1.0 / lam
    target = rise(0.0) - slope
    while high - low > 1e-3 * high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if rise(middle) < target else (low, middle)
    return high
