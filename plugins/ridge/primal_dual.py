"""The ridge term of SPDAM's saddle point: its minimum, and the duality gap."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from aucbench.data.arrays import Vector
from aucbench.data.rounding import UNIT, gamma, longest, of_pullback

from .centred import CentredRows


@dataclass(frozen=True, slots=True)
class Ridge:
    """g(w) = ½(w·δ)² + w·δ + (λ/4)‖w‖², and its minima, computed along δ and across it.

    δ may be longer than all other vectors by powers of ten. So the part across δ is never computed
    as a difference of vectors that have a part along δ, and no two terms of the dual value cancel.

    Attributes
    ----------
    rows : CentredRows
        The centred rows.
    lam : float
        Ridge λ > 0.
    delta : array of shape (d,)
        δ = m₋ − m₊.
    square : float
        ‖δ‖².
    """

    rows: CentredRows
    lam: float
    delta: Vector
    square: float

    @staticmethod
    def of(rows: CentredRows, lam: float) -> Ridge:
        """Return g for the rows and the ridge `lam`."""
        delta = np.subtract(*rows.data.means)
        return Ridge(rows, lam, delta, float(delta @ delta))

    def split(self, v: Vector) -> tuple[float, Vector]:
        """Return (a, r) of v = aδ + r, r across δ. A second step removes a rest of δ from r."""
        if not self.square:
            return 0.0, v
        along = float(self.delta @ v) / self.square
        across = v - along * self.delta
        across -= float(self.delta @ across) / self.square * self.delta
        return along, across

    def primal(self, w: Vector, u: Vector, pull: float) -> Vector:
        """Return argmin_v ⟨u, v⟩ + g(v) + (pull/2)‖v − w‖²."""
        (a, r), (b, s) = self.split(w), self.split(u)
        c = 0.5 * self.lam + pull
        solution: Vector = (pull * r - s) / c
        solution += (pull * a - 1.0 - b) / (c + self.square) * self.delta
        return solution

    def gap(self, primal: float, slack: float, beta: Vector, u: Vector) -> float:
        """Return the primal minus the dual value, plus a bound of their rounding errors.

        The dual value is twice
        D(β) = ½ − ‖β‖²/(2n) − ‖r‖²/λ − (1 + a)²‖δ‖²/(λ + 2‖δ‖²), where u = aδ + r.
        The result is infinity when the dual value exceeds the primal one by more than rounding
        can explain.

        Parameters
        ----------
        primal, slack : float
            Primal value, and a bound of its rounding error.
        beta, u : arrays of shape (n,) and (d,)
            β, and (1/n) Σ β_i x̄_i.
        """
        a, r = self.split(u)
        spread = float(beta @ beta) / beta.size
        across, bend = float(r @ r) / self.lam, self.lam + 2.0 * self.square
        along = (1.0 + a) ** 2 * (self.square / bend)
        dual = 1.0 - spread - 2.0 * (across + along)
        slack += 2.0 * self._rounding(beta, a, float(np.linalg.norm(r)))
        slack += 64.0 * UNIT * (1.0 + abs(primal) + spread + across + along)
        return max(0.0, primal - dual) + slack if primal - dual >= -slack else inf

    def _rounding(self, beta: Vector, a: float, r: float) -> float:
        """Bound the effect on D of errors in u and δ: D = min_v [u·v + g(v)] − ‖β‖²/(2n)."""
        data = self.rows.data
        of_mean = gamma(data.n + 4) * longest(data)
        weight = float(np.abs(beta) @ self.rows.scale) / data.n
        length, bend = sqrt(self.square), 0.5 * self.lam + self.square
        at = abs(1.0 + a) * length / bend  # length of the minimiser along δ
        error = 2.0 * of_pullback(data, weight) + of_mean * (weight + 2.0 * (1.0 + at * length))
        error += 4.0 * UNIT * (r + abs(a) * length)  # from the split into parts
        rounding: float = error * (2.0 * r / self.lam + at) + error * (error / self.lam)
        return rounding
