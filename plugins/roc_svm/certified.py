"""The exact minimum of a polyhedral loss plus a ridge, with a certified gap."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf, sqrt
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from aucbench.contract import Cut, State, count_rows
from aucbench.data import uncounted
from aucbench.data.arrays import ALL, Block, Index, Vector
from aucbench.data.rounding import Slack, gamma
from aucbench.objectives.binned import BinnedCut, BinnedLoss
from aucbench.optim import Lbfgs, WeakWolfe
from aucbench.optim.bundle import EPS, Bundle

from .line_search import (
    margins_of_classes,
    margins_of_pairs,
    normal_step,
    sample,
)
from .row_newton import RowNewton

EARLIEST = 10  # evaluations before L-BFGS may give up, see `_GapProgress.stalled`
JUDGED = 3  # evaluations that L-BFGS is judged by
GAIN = 0.5  # least part of the gap that they must close
AUC = ("auc_low", "auc_high")  # in what a state says of itself
LEAST = 0.1  # least share of the way to the minimiser of the cuts
COARSE = 0.25  # share of the gap from which the slack of bounds asks for finer ones
IDLE = 3  # evaluations in a row without progress, after which rounding is the reason


class LabelledRows(Protocol):
    """Rows in memory with labels: `Data`, or the same rows in other coordinates."""

    @property
    def n(self) -> int:
        """Number of rows."""
        ...

    @property
    def d(self) -> int:
        """Number of weights."""
        ...

    @property
    def y(self) -> NDArray[np.int8]:
        """Labels, (n,)."""
        ...

    def scores(self, w: Vector, block: Block = ALL) -> Vector:
        """Return the scores of a block of rows, (|B|,)."""
        ...


class PairLoss(Protocol):
    """A mean of [1 − s_i + s_j]₊ over pairs of rows in memory, upper rows i and lower rows j."""

    @property
    def data(self) -> LabelledRows:
        """The rows."""
        ...

    @property
    def some_pairs(self) -> tuple[Index, Index] | None:
        """Pairs that were drawn, upper and lower rows; None: all pairs of the two classes."""
        ...

    def cut(self, w: Vector) -> Cut:
        """Return f(w) and its cut at w, from one reading of the rows."""
        ...

    def pullback(self, c: Vector) -> Vector:
        """Return Xᵀc of derivatives c (n,) in the scores."""
        ...

    def rounding(self, w: Vector) -> Slack:
        """Return (e, η): a computed cut exceeds f(u) by at most e + η‖u − w‖; f(w) errs by ≤ e."""
        ...


@dataclass(frozen=True, slots=True)
class _BundlePoint:
    w: Vector
    value: float  # P(w)
    gradient: Vector  # of P


class _GapProgress:
    """All evaluations so far: the best point, the cuts, and the certified gap."""

    def __init__(self, f: PairLoss | BinnedLoss, lam: float) -> None:
        self.f, self.lam = f, lam
        # Rows in memory: of rows in chunks a sample, which a first step is chosen by.
        self.rows: LabelledRows = f.data.sample if isinstance(f, BinnedLoss) else f.data
        self.cuts = Bundle(f.data.d, lam)
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
        coarse = cut.slack > COARSE * self.gaps[-1]
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

    def below_by(self, c: Vector) -> None:
        """Add the cut of a mean of subgradients over all pairs of two classes.

        c (n,) are its derivatives in the scores, and b is half of their magnitudes.

        They are rounded sums of n shares of pairs, so that the error of g is twice that of a
        subgradient, whose c are exact counts. The next evaluation takes the cut into account.
        """
        b = -0.5 * float(c @ self.rows.y)
        self.cuts.add(self.pullback(c), b)
        self._means = 2.0
        self.drift = max(self.drift, 4.0 * gamma(self.rows.n + 4) * b)

    def pullback(self, c: Vector) -> Vector:
        """Return Xᵀc, which is a reading of its own where there were no scores before."""
        assert not isinstance(self.f, BinnedLoss)  # its rows are not in memory
        count_rows(self.rows.n)
        return self.f.pullback(c)

    def state(self) -> State:
        """Return the best point."""
        info = {} if self.auc is None else dict(zip(AUC, self.auc, strict=True))
        return State(self.best, gap=self.gaps[-1], value=float(self.value), info=info)

    def first_step(self, at: _BundlePoint, p: Vector, slope: float) -> float:
        """Return the length of the first step, along p, when L-BFGS does not know the scale yet."""
        pairs = self.f.some_pairs
        rows = None if pairs is None else np.unique(np.concatenate(pairs))
        some: Block = sample(self.rows.y) if rows is None else rows
        ds = self.rows.scores(p, some)
        s = self.rows.scores(at.w, some) if at.w.any() else np.zeros(ds.size)
        if pairs is None or rows is None:
            margins = margins_of_classes(self.rows.y[some], s, ds)
        else:
            i, j = (np.searchsorted(rows, side) for side in pairs)
            margins = margins_of_pairs(s[i] - s[j], ds[i] - ds[j])
        return normal_step(margins, (self.lam, self.lam * float(p @ p)), slope)

    def stalled(self) -> bool:
        """Return whether the last evaluations closed less than GAIN of the gap, due to kinks."""
        if len(self.gaps) < EARLIEST:
            return False
        before = self.gaps[-1 - JUDGED]
        return not before - self.gaps[-1] >= GAIN * before


def certified_descent(
    f: PairLoss | BinnedLoss,
    lam: float,
    w: Vector,
    newton: Callable[[], RowNewton] | None = None,
    hessian: Lbfgs | None = None,
) -> Iterator[State]:
    """Minimise P = f + (λ/2)‖w‖², and yield the best w so far after each evaluation of f.

    Each evaluation gives a cut f ≥ b + g · w. The minimum of the maximum of the cuts plus the
    ridge bounds P from below, and `State.gap` is the distance to this bound. L-BFGS searches as
    long as P behaves like a smooth function. Where `newton` is given, a path of Newton steps
    follows. After that, steps go towards the minimiser of the cuts. The generator ends where
    rounding allows no further progress.

    Parameters
    ----------
    f : PairLoss or BinnedLoss
        The loss and its rows. Of rows in chunks, whose loss is known by bounds, these get finer
        where they are what keeps the gap open.
    lam : float
        Ridge λ > 0.
    w : array of shape (d,)
        Start. With `newton`, a start other than 0 is taken for the minimum at another λ, and
        L-BFGS is left out.
    newton : function, optional
        Returns the Newton steps, for all pairs of rows that are worth it: see `worth_newton`.
    hessian : Lbfgs, optional
        What L-BFGS begins with. None: the identity, and the first step by a sample.
    """
    progress = _GapProgress(f, lam)
    point = progress.evaluate(w)
    yield progress.state()
    if newton is None or not w.any():
        yield from _quasi_newton(progress, point, Lbfgs() if hessian is None else hessian)
    if newton is not None:
        yield from _newton_path(progress, newton, w)
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


def _newton_path(
    progress: _GapProgress, newton: Callable[[], RowNewton], start: Vector
) -> Iterator[State]:
    """Evaluate P at the levels of Newton's path that halve the gap, until one does not.

    To form the products of the rows counts as a pass, also where they are known. The path begins
    at the start, not at the best point of L-BFGS, which is far from all levels.
    """
    if progress.gaps[-1] <= 2.0 * progress.rounding:
        return
    data, lam = progress.rows, progress.lam
    s = data.scores(start) if start.any() else np.zeros(data.n)
    count_rows(data.n)
    with uncounted():
        steps = newton()
    for at, c, gap in steps.levels(start, s):
        last = progress.gaps[-1]
        if gap <= 0.5 * last:
            progress.below_by(c)
            progress.evaluate(at(start, lam, progress.pullback))
            yield progress.state()
            if not 2.0 * progress.rounding < progress.gaps[-1] <= 0.5 * last:
                return


def _towards_minimiser(progress: _GapProgress) -> Iterator[State]:
    """Evaluate P at a share of the way from the best point to the minimiser of the cuts.

    The share doubles when P falls by at least half of what the gap promises, and is halved
    otherwise. Such a step always makes progress: it closes part of the gap, or its cut removes
    the minimiser.
    """
    share, idle = LEAST, 0
    while idle < IDLE and progress.gaps[-1] > 2.0 * progress.rounding:
        value, gap = progress.value, progress.gaps[-1]
        w = progress.best + share * (progress.minimiser - progress.best)
        trial = progress.evaluate(w)
        yield progress.state()
        good = value - trial.value >= 0.5 * share * gap
        share = min(1.0, 2.0 * share) if good else max(LEAST, 0.5 * share)
        idle = 0 if progress.gaps[-1] < gap or progress.refined else idle + 1
