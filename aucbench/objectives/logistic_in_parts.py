"""Logistic loss with an intercept of rows in chunks, and its certified gap."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, log

import numpy as np

from aucbench.contract import Objective
from aucbench.data.arrays import ALL, Block, Vector
from aucbench.data.rounding import UNIT, gamma
from aucbench.objectives.binned import require_all
from aucbench.scale import ChunkedData
from aucbench.scale.row_sums import additions, logistic_sums

TRIALS = 60  # readings for the best intercept at weights that are not known, at most
LONGEST = 2.0  # of a step of the intercept
BALANCED = 1e-10  # share of α by which both classes may differ at the best intercept


@dataclass(frozen=True, eq=False)
class LogisticPoint:
    """P at weights and an intercept.

    Attributes
    ----------
    theta : array of shape (d + 1,)
        w, and c last.
    loss : float
        C Σ_i log(1 + exp(−m_i)), without the ridge.
    value : float
        P = ½‖w‖² + loss.
    gradient : array of shape (d + 1,)
        Of P.
    bend : float
        Second derivative of P in c.
    gap : float
        Bound of P − min P.
    rounding : float
        The part of it that stays when P is minimal.
    """

    theta: Vector
    loss: float
    value: float
    gradient: Vector
    bend: float
    gap: float
    rounding: float

    @property
    def w(self) -> Vector:
        """The weights."""
        return self.theta[:-1]

    @property
    def residual(self) -> float:
        """Length of the gradient."""
        return hypot(*self.gradient.tolist())


class LogisticInParts(Objective):
    """f(w) = min_c C Σ_i log(1 + exp(−m_i)), m_i = y_i (w·z_i + c), and P(w, c) with a ridge.

    **Certificate.** P(w, c) = ½‖w‖² + C Σ ℓ(m_i) has no curvature in c, so that a small gradient
    alone bounds nothing. But for any α_i in [0, 1] with Σ α_i y_i = 0,

        min P ≥ C Σ H(α_i) − ½‖C V‖²,  V = Σ α_i y_i z_i,

    with the entropy H, which is the dual. At a point let α_i = 1/(1 + exp(m_i)), so that
    H(α_i) = ℓ(m_i) + α_i m_i. In the class whose α have the larger sum a they are multiplied by
    κ = a_other/a. H(κα) ≥ κ H(α), because H is concave and H(0) = 0. With the losses L of that
    class, and V of the new α, this gives

        P(w, c) − min P ≤ ½‖w − C V‖² + C (1 − κ) L,

    and V differs from the sum over all α by at most (1 − κ) a R, R = max ‖z_i‖. At the best c it is
    the bound of strong convexity, ½‖∇P‖².

    **Rounding.** A sum over the rows chains M operations (`additions`), and has a relative error of
    γ = γ_M of the sum of its magnitudes. Margins err by ε = γ_{d+16} (R‖w‖ + |c|). Let A be the sum
    of all α. So V errs by γ R A, κ by 4γ, the losses by γ of themselves, and by ε A + ε² n where
    margins err, as do the α_i m_i. All of that is added to the gap.

    Parameters
    ----------
    data : ChunkedData
        Training rows in chunks.
    C : float
        Weight of a loss.

    References
    ----------
    The dual is that of Yu, Huang & Lin, "Dual coordinate descent methods for logistic regression
    and maximum entropy models", Machine Learning 85, 2011, with an intercept that has no penalty.
    """

    def __init__(self, data: ChunkedData, C: float) -> None:
        self.data = data  # type: ignore[assignment]  # rows in chunks
        self.C = C
        self._known: dict[bytes, float] = {}  # the least loss at weights so far

    def at(self, theta: Vector) -> LogisticPoint:
        """Return the point of w (d,) and c, from one reading of the rows."""
        data, C, w, c = self.data, self.C, theta[:-1], float(theta[-1])
        answer = data.reduce(logistic_sums, data.centre, w / data.scale, c)
        (l_neg, a_neg, b_neg), (l_pos, a_pos, b_pos) = answer.numbers.tolist()
        V = answer.total / data.scale
        loss = C * (l_neg + l_pos)
        gradient = np.append(w - C * V, C * (a_neg - a_pos))
        value = loss + 0.5 * float(w @ w)
        gap = self._gap(theta, float(np.linalg.norm(gradient[:-1])), answer.numbers)
        key = w.tobytes()
        self._known[key] = min(loss, self._known.get(key, loss))
        return LogisticPoint(theta, loss, value, gradient, C * (b_neg + b_pos), *gap)

    def _gap(self, theta: Vector, length: float, numbers: Vector) -> tuple[float, float]:
        """Return the gap, and what is left of it at the optimum."""
        (l_neg, a_neg, _), (l_pos, a_pos, _) = numbers.tolist()
        R, norm = self.data.longest, float(np.linalg.norm(theta[:-1]))
        sums = gamma(additions(self.data))
        error = gamma(theta.size + 16) * (R * norm + abs(float(theta[-1])))
        total = a_neg + a_pos
        more, loss = (a_neg, l_neg) if a_neg > a_pos else (a_pos, l_pos)
        apart = abs(a_neg - a_pos) / more if more else 0.0
        e = sums * (l_neg + l_pos) + 4.0 * sums * loss
        e = self.C * (e + 3.0 * (error * total + error * error * self.data.n))
        e += 8.0 * UNIT * norm * norm

        def bound(length: float, apart: float) -> float:
            top = length + self.C * R * (apart * more + sums * (total + 4.0 * more))
            top = (top + gamma(theta.size + 16) * (norm + self.C * R * total)) ** 2
            return float(0.5 * top + self.C * apart * loss + e)

        return bound(length, apart), bound(0.0, 0.0)

    def value(self, w: Vector) -> float:
        """Return f(w), or where it is known the least loss so far at w.

        At w = 0 the survey has it. Elsewhere it takes some readings to find c.
        """
        if not w.any():
            n, counts = self.data.n, (self.data.n_neg, self.data.n_pos)
            return -self.C * float(sum(count * log(count / n) for count in counts))
        known = self._known.get(w.tobytes())
        return float(self._best(w).loss if known is None else known)

    def grad(self, w: Vector, rows: Block = ALL) -> Vector:
        """Return the gradient of f, at the best intercept; it takes some readings.

        Raises
        ------
        UnsupportedError
            When `rows` is not all rows.
        """
        require_all(rows)
        gradient: Vector = self._best(w).gradient[:-1] - w
        return gradient

    def _best(self, w: Vector) -> LogisticPoint:
        """Return the point of the best c, by Newton's method with steps of limited length."""
        c = log(self.data.n_pos / self.data.n_neg)
        for _ in range(TRIALS):
            at = self.at(np.append(w, c))
            slope = float(at.gradient[-1])
            if abs(slope) <= BALANCED * self.C * self.data.n:
                break
            step = -slope / at.bend if at.bend > 0.0 else -slope
            c += min(max(step, -LONGEST), LONGEST)
        return at
