"""Exact minimum of the AUM along a line, for binary labels, in expected linear time."""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp, inf, isfinite, ldexp

import numpy as np
from numpy.typing import ArrayLike

from aucbench.data.arrays import Vector
from aucbench.data.targets import Labels
from aucbench.errors import DataError
from aucbench.kernels import aum_line

FEW = 128  # examples that are searched without folding (measured)
SAMPLED = 3_000  # examples from which a sample is solved first (measured)
SAMPLE = 8_192  # numbers that the sample of the kernel may take
LIFT = 200  # power of 2 by which the numbers below
TINY = 2.0**-900  # are multiplied, exactly: 1 over their last digit is no float


@dataclass(frozen=True, slots=True)
class LineMinimum:
    """All minimisers of the AUM along a line.

    Attributes
    ----------
    step_lo, step_hi : float
        They are the steps of [step_lo, step_hi], 0 <= step_lo <= step_hi <= inf.
    aum : float
        The minimum, of rates.
    """

    step_lo: float
    step_hi: float
    aum: float

    @property
    def step(self) -> float:
        """Middle of the interval, or its beginning when it has no end."""
        low, high = self.step_lo, self.step_hi
        return low / 2.0 + high / 2.0 if isfinite(high) else low


def aum_line_min(scores: ArrayLike, direction: ArrayLike, y: ArrayLike) -> LineMinimum:
    """Minimise AUM(scores - step * direction) over step >= 0.

    AUM(s) = min_c mean_- [s_j - c]_+ + mean_+ [c - s_i]_+ is convex and piecewise linear in
    the step. Its values and slopes come from weighted selection, and examples are set aside
    once their side of c is settled: expected O(n) in all, without a sort. A slope of less
    than 8 units of rounding of the mean |direction| of the examples in it counts as 0.

    Parameters
    ----------
    scores, direction : array of shape (n,)
        Finite; the prediction of example i after a step is scores_i - step direction_i.
    y : array of shape (n,)
        Labels in {-1, 1}, {0, 1} or booleans, of both classes.

    Returns
    -------
    LineMinimum
        The interval of all minimisers and the minimum (with rates: each class has mean 1).

    Raises
    ------
    DataError
        When shapes differ, a score or direction is NaN or infinite, a class is missing, or the
        first minimiser is too large for a float.

    References
    ----------
    J. Hillman, T. D. Hocking, Optimizing ROC curves with a sort-based surrogate loss for
    binary classification and changepoint detection, JMLR 24 (2023).
    """
    target = Labels.of(y)
    s, d = _vector(scores, "scores", target.y.size), _vector(direction, "direction", target.y.size)
    (s, low, s_scale, s_power), (d, turned, d_scale, d_power) = _unit(s), _unit(d)
    out = np.empty(3)
    shift, scale = np.array([low, turned]), np.array([s_scale, d_scale])
    work = np.empty(4 * s.size + SAMPLE)
    aum_line.line_min(s, d, target.y, shift, scale, FEW, SAMPLED, work, out)
    lo, hi = (_scaled(float(step), s_power - d_power) for step in out[:2])
    if lo == inf:
        raise DataError("the minimum lies at a step beyond 1.8e308; scale the direction up")
    return LineMinimum(lo, hi, _scaled(float(out[2]), s_power))


def _vector(values: ArrayLike, name: str, n: int) -> Vector:
    v = np.ascontiguousarray(values, dtype=np.float64)
    if v.shape != (n,):
        raise DataError(f"{name} has shape {v.shape} but y has {n} labels; give one per label")
    if not np.isfinite(v).all():
        i = int(np.flatnonzero(~np.isfinite(v))[0])
        raise DataError(f"{name} has {v[i]} in row {i}; only finite numbers have a minimum")
    return v


def _unit(v: Vector) -> tuple[Vector, float, float, int]:
    """Return u, c, f and p with |u - c| f <= 1 and u f = v 2^-p, all exact in floats.

    u is v itself unless that is so small that f would be too large for a float.
    """
    low, high = float(v.min()), float(v.max())
    lift = LIFT if max(-low, high) < TINY else 0
    low, high = ldexp(low, lift), ldexp(high, lift)
    # An offset that no difference rounds: numbers within a factor of 2 subtract exactly.
    offset = low if low > 0.0 and high <= 2.0 * low else 0.0
    offset = high if high < 0.0 and low >= 2.0 * high else offset
    power = frexp(max(abs(low - offset), abs(high - offset)))[1]
    return np.ldexp(v, lift) if lift else v, offset, ldexp(1.0, -power), power - lift


def _scaled(value: float, power: int) -> float:
    try:
        return ldexp(value, power)
    except OverflowError:
        return inf
