"""Exact minimum of the AUM along a line, for binary labels, in expected linear time."""

from __future__ import annotations

from math import frexp, inf, isfinite, ldexp

import numpy as np
from numpy.typing import ArrayLike

from aucbench.aum.lines import Found
from aucbench.data.arrays import Vector
from aucbench.data.targets import Labels
from aucbench.errors import DataError
from aucbench.kernels import aum_line
from aucbench.stats.vectors import floats

FEW = 128  # up to this number of examples, none is set aside (measured)
SAMPLED = 3_000  # from this number of examples on, a sample is solved first (measured)
SAMPLE_ROOM = 8_192  # doubles that the kernel needs for its sample
# Numbers below this are multiplied by 2**LIFT, which is exact: 1 over their last digit overflows.
LIFTED_BELOW = 2.0**-900
LIFT = 200


def aum_line_min(scores: ArrayLike, direction: ArrayLike, y: ArrayLike) -> Found:
    """Minimise AUM(scores - step * direction) over step >= 0.

    The AUM is a convex and piecewise linear function of the step:

        AUM(s) = min_c mean_- [s_j - c]_+ + mean_+ [c - s_i]_+.

    Its values and slopes come from weighted selection. An example is set aside once its side of
    c is known for all steps that are left. So the expected time is O(n), without a sort. A slope
    counts as 0 when it is less than 8 units of rounding of the mean |direction| that enters it.

    Parameters
    ----------
    scores, direction : array of shape (n,)
        Finite numbers. After a step the score of example i is scores_i - step direction_i.
    y : array of shape (n,)
        Labels in {-1, 1}, {0, 1} or booleans, of both classes.

    Returns
    -------
    Found
        All steps in [step_lo, step_hi] are minimisers, and step is the middle, or step_lo if
        step_hi is inf. value is the least AUM, with errors as rates. events is 0: there is no
        sweep.

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
    n = target.y.size
    s, d = _finite_vector(scores, "scores", n), _finite_vector(direction, "direction", n)
    (s, low, s_scale, s_power), (d, turned, d_scale, d_power) = _unit(s), _unit(d)
    out, units = np.empty(3), np.array([[low, turned], [s_scale, d_scale]])
    work = np.empty(4 * s.size + SAMPLE_ROOM)
    aum_line.line_min(s, d, target.y, units, FEW, SAMPLED, work, out)
    lo, hi = (_scaled(float(step), s_power - d_power) for step in out[:2])
    if lo == inf:
        raise DataError(
            "the minimum lies at a step above 1.8e308, the largest float; multiply the direction "
            "by a constant"
        )
    middle = lo / 2.0 + hi / 2.0 if isfinite(hi) else lo
    return Found(middle, lo, hi, _scaled(float(out[2]), s_power), events=0)


def _finite_vector(values: ArrayLike, name: str, n: int) -> Vector:
    v = floats(name, values)
    if v.shape != (n,):
        raise DataError(f"{name} has shape {v.shape} but y has {n} labels; give one per label")
    if not np.isfinite(v).all():
        i = int(np.flatnonzero(~np.isfinite(v))[0])
        raise DataError(f"{name} has {v[i]} in row {i}; give finite numbers")
    return v


def _unit(v: Vector) -> tuple[Vector, float, float, int]:
    """Return u, c, f and p with |u - c| f <= 1 and u f = v 2^-p, all exact in floats.

    u is v itself, unless v is so small that f would be too large for a float.
    """
    low, high = float(v.min()), float(v.max())
    lift = LIFT if max(-low, high) < LIFTED_BELOW else 0
    low, high = ldexp(low, lift), ldexp(high, lift)
    # Numbers within a factor of 2 of each other subtract exactly, so this offset costs no digit.
    offset = low if low > 0.0 and high <= 2.0 * low else 0.0
    offset = high if high < 0.0 and low >= 2.0 * high else offset
    power = frexp(max(abs(low - offset), abs(high - offset)))[1]
    return np.ldexp(v, lift) if lift else v, offset, ldexp(1.0, -power), power - lift


def _scaled(value: float, power: int) -> float:
    try:
        return ldexp(value, power)
    except OverflowError:
        return inf
