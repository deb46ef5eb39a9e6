"""Intervals and tests over resampled splits, whose training sets overlap (Nadeau and Bengio)."""

from __future__ import annotations

from math import nan, sqrt

import numpy as np
import scipy  # its parts are imported when they are used
from numpy.typing import ArrayLike

from aucbench.errors import DataError, require_above
from aucbench.kernels.vectors import Vector, floats
from aucbench.stats.words import LEVEL, Difference, Interval, require_level

METHOD = "corrected resampled t"
SAME = 1e-12  # values whose differences are smaller are equal; a difference of two AUCs is rounded


def corrected_interval(values: ArrayLike, ratio: float, level: float = LEVEL) -> Interval:
    """Interval of the expected value of a measure: other training rows and other test rows.

    It is mean ± q s sqrt(1/J + ratio), where s is the standard deviation of the J values and q
    the quantile of Student's t with J - 1 degrees of freedom. The splits share rows, so that the
    values are correlated, and 1/J alone would be too little. For K folds 1/J + ratio is
    1/J + 1/(K - 1).

    Parameters
    ----------
    values : array of shape (J,)
        The measure on the test rows of each split, of all repeats. NaN stands for a split without
        a value. It is left out, and the note counts it.
    ratio : float
        Test rows divided by training rows of a split.
    level : float
        In (0, 1).

    Returns
    -------
    Interval
        `low` and `high` are NaN when there are fewer than two values, or all are equal: one
        point would be no interval. They may lie outside the range of the measure.

    Raises
    ------
    DataError
        When `values` is no vector, or holds an infinite value.
    ParameterError
        When `ratio` is not above 0, or `level` is not in (0, 1).

    Notes
    -----
    Nadeau and Bengio (2003), "Inference for the Generalization Error", Machine Learning 52. Their
    correlation ratio / (1 + ratio) is a guess that the number of rows alone decides.
    """
    known, missing = _known(values)
    half, _, note = _spread(known, ratio, level)
    mean = float(known.mean()) if known.size else nan
    return Interval(mean, mean - half, mean + half, level, METHOD, f"{note} {missing}".strip())


def corrected_difference(
    a: ArrayLike, b: ArrayLike, ratio: float, level: float = LEVEL
) -> Difference:
    """Effect a - b of two solvers on the same splits: the corrected resampled t-test.

    The interval is that of `corrected_interval`, of the differences, and p is two-sided with
    t = mean / (s sqrt(1/J + ratio)).

    Parameters
    ----------
    a, b : arrays of shape (J,)
        The measure of each solver on the same splits. Splits where one is NaN are left out, and
        the note counts them.
    ratio, level :
        As in `corrected_interval`.

    Returns
    -------
    Difference
        `low`, `high` and `p` are NaN when there are fewer than two differences, or all are equal.
        When all are 0, p is 1.

    Raises
    ------
    DataError
        As `corrected_interval`, and when `a` and `b` differ in length.
    ParameterError
        As `corrected_interval`.
    """
    values_a, values_b = floats("a", a), floats("b", b)
    if values_a.shape != values_b.shape:
        raise DataError(
            f"one solver has values of shape {values_a.shape} and the other one of shape "
            f"{values_b.shape}; give one for each split, and NaN where there is none"
        )
    with np.errstate(invalid="ignore"):  # inf - inf; `_known` refuses what is infinite
        d = np.where(np.isinf(values_a) | np.isinf(values_b), np.inf, values_a - values_b)
    known, missing = _known(d)
    half, se, note = _spread(known, ratio, level)
    effect = float(known.mean()) if known.size else nan
    if se > 0:
        p = 2 * float(scipy.special.stdtr(known.size - 1, -abs(effect) / se))
    else:
        p = 1.0 if known.size and np.abs(known).max() <= SAME else nan
    note = f"{note} {missing}".strip()
    return Difference(effect, effect - half, effect + half, p, level, METHOD, note)


def standard_error(sd: float, runs: int, ratio: float) -> float:
    """Return sd sqrt(1/J + ratio), the standard error of a mean of J values.

    The ratio is that of `corrected_interval`; 0 for values that share no rows.
    """
    return sd * sqrt(1 / runs + ratio)


def _known(values: ArrayLike) -> tuple[Vector, str]:
    """Return the values that are no NaN, and a sentence that counts the others."""
    v = floats("values", values)
    if v.ndim != 1 or np.isinf(v).any():
        raise DataError(f"the values of the splits must be a vector of finite numbers, got {v!r}")
    known = v[~np.isnan(v)]
    missing = v.size - known.size
    return known, f"{missing} of {v.size} splits have no value." if missing else ""


def _spread(known: Vector, ratio: float, level: float) -> tuple[float, float, str]:
    """Return half the length of the interval, the standard error, and why they are NaN."""
    require_level(level)
    require_above(0.0, ratio=ratio)
    if known.size < 2:
        return nan, nan, "A variance over splits needs two of them."
    if np.ptp(known) <= SAME:
        return nan, nan, "The splits all have the same value."
    se = standard_error(float(known.std(ddof=1)), known.size, ratio)
    return -float(scipy.special.stdtrit(known.size - 1, (1 - level) / 2)) * se, se, ""
