"""The optimum of the AUM from the rows near the threshold, and a lower bound that always holds.

Design
  a. AUM(s) = max c·(s − shift) over C = {0 ≤ c_j ≤ 1/n₋, −1/n₊ ≤ c_i ≤ 0, Σc = 0}, j negative,
     i positive. So every c of C with Xᵀc = μ a gives a lower bound of the AUM on {w : a·w = 1},
     which is μ − c·shift. Every c of C with Xᵀc = 0 gives a lower bound for all w: −c·shift.
  b. At an optimum only rows at the threshold have a c strictly between its bounds. The c of rows
     far from the threshold of a good w are therefore known. Those of the other rows are the
     solution of a small linear programme, and its multipliers are the weights of a vertex. Two
     such programmes find what takes cutting planes thousands of steps.
  c. The bound does not depend on the tolerances of the programme: c is moved into C, the rest of
     Xᵀc − μ a is made as small as rounding allows, and its effect is subtracted from the bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import fsum, inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.contract import Projector, count_rows
from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector
from aucbench.data.layouts import stored_count
from aucbench.data.rounding import of_pullback, of_scores
from aucbench.data.sorting import argsort
from aucbench.data.targets import Labels
from aucbench.objectives import Aum
from aucbench.projectors import Hyperplane

ROWS = 4  # rows of the first programme, per weight
LONG = 1e9  # nanoseconds that the programme at the end of the descent may always take
LAST = 10.0  # and it may take so many times longer than the steps since the last programme
FAR = 10.0  # a minimiser is assumed to have at most this many times the norm of w
FREE = 1e-9  # c is strictly between its bounds if this share of its interval is on both sides
Numbers = NDArray[np.intp]


class LowerBound:
    """The best lower bound of an AUM so far, and when another programme is worth the time.

    Attributes
    ----------
    below : float
        The bound; -inf where there is none. The AUM of labels is never negative.
    """

    def __init__(self, f: Aum, programmes: Programmes | None, below: float) -> None:
        self.f, self.programmes, self.below = f, programmes, below
        n, d = f.data.rows.n, f.data.rows.d
        self.count = min(n, ROWS * (d + 1))
        self._spent = 0.0
        self._step = 1e6 + 2.0 * stored_count(f.data.rows) + 30.0 * n

    @staticmethod
    def of(f: Aum, project: Projector) -> LowerBound:
        """Return the bound for weights with a·w = 1, or for all weights without a hyperplane."""
        if not isinstance(f.data.target, Labels):
            return LowerBound(f, None, -inf)
        normal = project.normal if isinstance(project, Hyperplane) else None
        if normal is None and not f.shift.any():
            return LowerBound(f, None, 0.0)  # the minimum is 0, at w = 0
        return LowerBound(f, Programmes(f.data, f.shift, normal), 0.0)

    def gap(self, w: Vector, value: float) -> float:
        """Return f(w) − bound plus a bound of the rounding error of f(w) = `value`."""
        return max(0.0, value - self.below) + 4.0 * of_scores(self.f.data, w)

    def count_step(self) -> None:
        """Count a step of the descent."""
        self._spent += self._step

    def is_due(self) -> bool:
        """Return whether the steps since the last programme took as long as another will take."""
        return self.programmes is not None and self._spent >= self.programmes.estimate_time(
            self.count
        )

    def is_too_expensive(self) -> bool:
        """Return whether a programme would take long, and much longer than the recent steps."""
        if self.programmes is None:
            return False
        return self.programmes.estimate_time(self.count) > LONG + LAST * self._spent

    def vertex(self, w: Vector, s: Vector) -> Vector | None:
        """Solve a programme at w with the scores s; raise the bound, and return the vertex."""
        self._spent = 0.0
        if self.programmes is None:
            return None
        vertex = self.programmes.vertex(w, s - self.f.shift, self.count)
        if vertex is None:
            return None
        self.below = max(self.below, vertex.below)
        return vertex.w

    def widen(self) -> bool:
        """Take twice as many rows from now on. Return False where all rows are taken already."""
        before, self.count = self.count, min(self.f.data.rows.n, 2 * self.count)
        return self.count > before

    def raise_bound(self, w: Vector, s: Vector) -> None:
        """Raise the bound by one programme, with more and more rows until it has a solution."""
        going = self.programmes is not None and not self.is_too_expensive()
        while going:
            going = self.vertex(w, s) is None and self.widen() and not self.is_too_expensive()


@dataclass(frozen=True, slots=True)
class Vertex:
    """The result of a programme.

    Attributes
    ----------
    w : array of shape (d,)
        Weights of a vertex.
    below : float
        A lower bound of the AUM over all weights.
    """

    w: Vector
    below: float


@dataclass
class Programmes:
    """Linear programmes of one training set.

    Parameters
    ----------
    data : Data
        The training rows, with labels.
    shift : array of shape (n,)
        Amount by which the margin reduces the scores.
    normal : array of shape (d,) or None
        The vector a where weights must have a·w = 1, else None.
    """

    data: Data
    shift: Vector
    normal: Vector | None

    @cached_property
    def unit(self) -> Vector:
        """Return 1/n₊ or 1/n₋ for each row, the length of the interval of its c, (n,)."""
        labels = self.data.labels
        return np.where(self.data.y > 0, 1.0 / labels.n_pos, 1.0 / labels.n_neg)

    @cached_property
    def low(self) -> Vector:
        """Return the lower ends of these intervals, in units of their length."""
        return np.where(self.data.y > 0, -1.0, 0.0)

    def estimate_time(self, count: int) -> float:
        """Return the measured time of a programme of `count` rows, in nanoseconds, roughly."""
        rank = float(min(self.data.d, count) + 1)
        return 4e6 + 40.0 * count * rank * rank

    def vertex(self, w: Vector, s: Vector, count: int) -> Vertex | None:
        """Solve the programme of the `count` rows nearest to the threshold of w.

        Parameters
        ----------
        w, s : arrays of shape (d,) and (n,)
            Weights, and the scores of the rows minus `shift`.
        count : int
            Number of rows in the programme.

        Returns
        -------
        Vertex or None
            None when these rows are too few to bound the AUM, or there is no solution.
        """
        near, c = self._split_rows(s, count)
        others = self._add_up(c)
        frame = _Frame.of(self.data.rows.take(near.astype(np.int32)), others, self.normal)
        solved = self._solve(frame, near, others)
        if solved is None:
            return None
        c[near], found = solved
        for _ in range(2):
            self._correct_sums(frame, near, c)
        size = max(float(np.linalg.norm(v)) for v in (w, found))
        return Vertex(found, self._bound(c, FAR * size, FAR * float(np.abs(s).max())))

    def _split_rows(self, s: Vector, count: int) -> tuple[Numbers, Vector]:
        """Return the rows near the threshold, and the c of the other rows, (n,)."""
        values, order = argsort(-s)
        labels = self.data.labels
        mass = np.where(self.data.y[order] > 0, labels.n_neg, labels.n_pos).cumsum()
        threshold = -values[np.searchsorted(mass, labels.n_pos * labels.n_neg)]
        near = np.sort(np.argpartition(np.abs(s - threshold), count - 1)[:count])
        c = ((s > threshold) + self.low) * self.unit
        c[near] = 0.0
        return near, c

    def _add_up(self, c: Vector) -> tuple[Vector, float]:
        """Return Xᵀc and Σc."""
        count_rows(self.data.n)
        return self.data.pullback(c), fsum(c)

    def _solve(
        self, frame: _Frame, near: Numbers, others: tuple[Vector, float]
    ) -> tuple[Vector, Vector] | None:
        """Return the c of the rows near the threshold, and the multipliers as weights."""
        from scipy.optimize import linprog

        low = self.low[near]
        unit = self.unit[near] / self.unit.max()
        cost = self.shift[near] * unit
        bounds = [*zip(low, low + 1.0, strict=True)]
        if frame.normal is not None:  # μ is a further variable
            cost = np.r_[cost, -1.0]
            bounds.append((-np.inf, np.inf))
        A = frame.system(slice(None), unit)
        rest = -frame.vector(*others) / self.unit.max()
        solution: Any = linprog(cost, A_eq=A, b_eq=rest, bounds=bounds, method="highs")
        if solution.status != 0:
            return None
        shares = np.clip(solution.x[: near.size], low, low + 1.0)
        return shares * self.unit[near], frame.weights(solution.eqlin.marginals[:-1])

    def _correct_sums(self, frame: _Frame, near: Numbers, c: Vector) -> None:
        """Change c where it is strictly between its bounds, so that Xᵀc − μ a and Σc are near 0."""
        unit = self.unit[near]
        low = self.low[near] * unit
        room = np.minimum(c[near] - low, low + unit - c[near])
        free = np.flatnonzero(room > FREE * unit)
        A = frame.system(free, np.ones(free.size))
        if not A.size:
            return
        change = np.linalg.lstsq(A, -frame.vector(*self._add_up(c)), rcond=None)[0][: free.size]
        moved = c[near[free]] + change
        c[near[free]] = np.clip(moved, low[free], low[free] + unit[free])

    def _bound(self, c: Vector, far: float, reach: float) -> float:
        """Return μ − c·shift minus the largest effect of Xᵀc − μ a and Σc for ‖w‖ ≤ far."""
        g, total = self._add_up(c)
        mu, a = 0.0, self.normal
        if a is not None:
            mu = float(a @ g) / float(a @ a)
            g = g - mu * a
        rest = float(np.linalg.norm(g)) + of_pullback(self.data, float(np.abs(c).sum()))
        below: float = mu - float(c @ self.shift) - rest * far - abs(total) * reach
        return below


@dataclass(frozen=True)
class _Frame:
    """Coordinates in which features are centred and of equal size, at most as many as rows.

    Attributes
    ----------
    rows : array of shape (count, r)
        The rows near the threshold.
    normal : array of shape (r,) or None
        The normal a.
    centre, scale : arrays of shape (d,)
        Mean and size of each feature.
    basis : array of shape (d, r) or None
        Orthonormal basis of the span of these rows, of Xᵀc of the other rows, and of the normal.
        None: all features are used.
    """

    rows: Vector
    normal: Vector | None
    centre: Vector
    scale: Vector
    basis: Vector | None

    @staticmethod
    def of(near: Rows, rest: tuple[Vector, float], normal: Vector | None) -> _Frame:
        """Return the frame for the rows near the threshold, for Xᵀc, Σc of the others, and a."""
        X = near.dense().matrix
        centre = X.mean(axis=0)
        Z = X - centre
        scale = np.abs(Z).max(axis=0)
        scale[scale == 0.0] = 1.0
        Z = Z / scale
        a = None if normal is None else normal / scale
        frame = _Frame(Z, a, centre, scale, None)
        if near.d <= near.n + 2:
            return frame
        spanning = [*Z, frame.vector(*rest)[:-1], *([] if a is None else [a])]
        basis = np.linalg.qr(np.stack(spanning, axis=1))[0]
        return _Frame(Z @ basis, None if a is None else a @ basis, centre, scale, basis)

    def system(self, some: slice | Numbers, unit: Vector) -> Vector:
        """Return the matrix that maps c of some rows, in units of `unit`, and μ to the sums.

        The sums are Xᵀc − μ a and Σc.
        """
        A = np.vstack([self.rows[some].T * unit, unit])
        return A if self.normal is None else np.hstack([A, -np.r_[self.normal, 0.0][:, None]])

    def vector(self, g: Vector, total: float) -> Vector:
        """Return (Xᵀc, Σc) in these coordinates."""
        own = (g - total * self.centre) / self.scale
        return np.append(own if self.basis is None else own @ self.basis, total)

    def weights(self, v: Vector) -> Vector:
        """Return the weights of the features."""
        w: Vector = (v if self.basis is None else self.basis @ v) / self.scale
        return w
