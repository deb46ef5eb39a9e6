"""The optimum of the AUM from the rows near the threshold, and a bound that holds whatever it is.

Design
  a. AUM(s) = max c·(s − shift) over C = {0 ≤ c_j ≤ 1/n₋, −1/n₊ ≤ c_i ≤ 0, Σc = 0}, j negative,
     i positive. So every c of C with Xᵀc = μ a bounds the AUM on {w : a·w = 1} from below, by
     μ − c·shift, and one with Xᵀc = 0 bounds it for all w, by −c·shift.
  b. At an optimum only rows at the threshold have a c between its bounds. The c of rows far from
     the threshold of a good w are therefore known, and those of the others are the solution of a
     small linear programme, whose multipliers are the weights of a vertex: cutting planes take
     thousands of steps to what two such programmes find.
  c. The bound does not rest on the tolerances of the programme: c is put into C, what is left
     of Xᵀc − μ a is made as small as rounding allows, and counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector
from aucbench.data.rounding import of_pullback

FAR = 10.0  # a minimiser is looked for within this many times ‖w‖
FREE = 1e-9  # share of its interval by which c is between its bounds
Numbers = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Vertex:
    """What a programme found.

    Attributes
    ----------
    w : (d,) weights of a vertex
    below : a lower bound of the AUM, of all weights
    """

    w: Vector
    below: float


def load() -> None:
    """Import what solves programmes, so that the clock of a fit does not pay for it."""
    import_module("scipy.optimize")


@dataclass(frozen=True)
class Programmes:
    """Linear programmes of one training set.

    Parameters
    ----------
    data : Data
        With labels.
    shift : array of shape (n,)
        What the margin takes off the scores.
    normal : array of shape (d,) or None
        a, where a·w = 1 is asked for.
    """

    data: Data
    shift: Vector
    normal: Vector | None

    @cached_property
    def unit(self) -> Vector:
        """1/n₊ or 1/n₋, the length of the interval of each c, (n,)."""
        labels = self.data.labels
        return np.where(self.data.y > 0, 1.0 / labels.n_pos, 1.0 / labels.n_neg)

    @cached_property
    def low(self) -> Vector:
        """Lower ends of these intervals, in units of their length."""
        return np.where(self.data.y > 0, -1.0, 0.0)

    def work(self, count: int) -> float:
        """About how many nanoseconds a programme of `count` rows takes (measured)."""
        rank = float(min(self.data.d, count) + 1)
        return 4e6 + 40.0 * count * rank * rank

    def vertex(self, w: Vector, s: Vector, count: int) -> Vertex | None:
        """Solve the programme of the `count` rows nearest to the threshold of w.

        Parameters
        ----------
        w, s : arrays of shape (d,) and (n,)
            Weights, and scores of the rows less `shift`.
        count : int

        Returns
        -------
        Vertex or None
            None when these rows are too few to bound the AUM, or it cannot be solved.
        """
        near, c = self._sides(s, count)
        others = self._sum(c)
        frame = _Frame.of(self.data.rows.take(near.astype(np.int32)), others, self.normal)
        solved = self._solved(frame, near, others)
        if solved is None:
            return None
        c[near], found = solved
        for _ in range(2):
            self._mend(frame, near, c)
        size = max(float(np.linalg.norm(v)) for v in (w, found))
        return Vertex(found, self._bound(c, FAR * size, FAR * float(np.abs(s).max())))

    def _sides(self, s: Vector, count: int) -> tuple[Numbers, Vector]:
        """Rows near the threshold, and c of the others, (n,)."""
        order = np.argsort(-s, kind="stable")
        labels = self.data.labels
        mass = np.where(self.data.y[order] > 0, labels.n_neg, labels.n_pos).cumsum()
        threshold = s[order[np.searchsorted(mass, labels.n_pos * labels.n_neg)]]
        near = np.sort(np.argpartition(np.abs(s - threshold), count - 1)[:count])
        c = ((s > threshold) + self.low) * self.unit
        c[near] = 0.0
        return near, c

    def _sum(self, c: Vector) -> tuple[Vector, float]:
        """Xᵀc and Σc."""
        return self.data.pullback(c), fsum(c)

    def _solved(
        self, frame: _Frame, near: Numbers, others: tuple[Vector, float]
    ) -> tuple[Vector, Vector] | None:
        """c of the rows near, and the weights that are its multipliers."""
        from scipy.optimize import linprog

        low, unit = self.low[near], self.unit[near] / self.unit.max()
        cost, bounds = self.shift[near] * unit, [*zip(low, low + 1.0, strict=True)]
        if frame.normal is not None:
            cost, bounds = np.r_[cost, -1.0], [*bounds, (-np.inf, np.inf)]
        A, rest = frame.system(slice(None), unit), -frame.vector(*others) / self.unit.max()
        found: Any = linprog(cost, A_eq=A, b_eq=rest, bounds=bounds, method="highs")
        if found.status != 0:
            return None
        shares = np.clip(found.x[: near.size], low, low + 1.0)
        return shares * self.unit[near], frame.weights(found.eqlin.marginals[:-1])

    def _mend(self, frame: _Frame, near: Numbers, c: Vector) -> None:
        """Take off c, where it is between its bounds, what is left of Xᵀc − μ a and of Σc."""
        low, unit = self.low[near] * self.unit[near], self.unit[near]
        room = np.minimum(c[near] - low, low + unit - c[near])
        free = np.flatnonzero(room > FREE * unit)
        A = frame.system(free, np.ones(free.size))
        if not A.size:
            return
        change = np.linalg.lstsq(A, -frame.vector(*self._sum(c)), rcond=None)[0][: free.size]
        moved = c[near[free]] + change
        c[near[free]] = np.clip(moved, low[free], low[free] + unit[free])

    def _bound(self, c: Vector, far: float, reach: float) -> float:
        """μ − c·shift, less what Xᵀc − μ a and Σc can take off it at weights no longer than far."""
        g, total = self._sum(c)
        mu, a = 0.0, self.normal
        if a is not None:
            mu = float(a @ g) / float(a @ a)
            g = g - mu * a
        rest = float(np.linalg.norm(g)) + of_pullback(self.data, float(np.abs(c).sum()))
        below: float = mu - float(c @ self.shift) - rest * far - abs(total) * reach
        return below


@dataclass(frozen=True)
class _Frame:
    """Coordinates in which features are centred and of equal size, no more than there are rows.

    Attributes
    ----------
    rows : (count, r) the rows near
    normal : (r,) or None
    centre, scale : (d,)
    basis : (d, r) or None
        Orthonormal, of what rows, their complement and the normal span; None: all features.
    """

    rows: Vector
    normal: Vector | None
    centre: Vector
    scale: Vector
    basis: Vector | None

    @staticmethod
    def of(near: Rows, rest: tuple[Vector, float], normal: Vector | None) -> _Frame:
        """Frame of the rows near, of Xᵀc and Σc of the others, and of the normal."""
        X = near.matrix.toarray() if near.is_sparse else near.matrix
        centre = X.mean(axis=0)
        Z = X - centre
        scale = np.abs(Z).max(axis=0)
        scale[scale == 0.0] = 1.0
        Z, a = Z / scale, None if normal is None else normal / scale
        frame = _Frame(Z, a, centre, scale, None)
        if near.d <= near.n + 2:
            return frame
        spanning = [*Z, frame.vector(*rest)[:-1], *([] if a is None else [a])]
        basis = np.linalg.qr(np.stack(spanning, axis=1))[0]
        return _Frame(Z @ basis, None if a is None else a @ basis, centre, scale, basis)

    def system(self, some: slice | Numbers, unit: Vector) -> Vector:
        """What makes (Xᵀc − μ a, Σc) of c in units of `unit`, of some rows, and of μ."""
        A = np.vstack([self.rows[some].T * unit, unit])
        return A if self.normal is None else np.hstack([A, -np.r_[self.normal, 0.0][:, None]])

    def vector(self, g: Vector, total: float) -> Vector:
        """(Xᵀc, Σc) in these coordinates."""
        own = (g - total * self.centre) / self.scale
        return np.append(own if self.basis is None else own @ self.basis, total)

    def weights(self, v: Vector) -> Vector:
        """Weights of the features."""
        found: Vector = (v if self.basis is None else self.basis @ v) / self.scale
        return found
