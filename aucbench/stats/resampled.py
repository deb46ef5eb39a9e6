"""Intervals and tests over resampled splits, whose training sets overlap (Nadeau and Bengio).

Design
  a. Repeats of the folds go over the same rows. They make the standard deviation of the values
     better known, so they count among the degrees of freedom. They bring no new row, so the
     variance of the mean is that of one repeat. (Rejected: 1 / J over all J values. With 10
     repeats of 5 folds the variance is then too small by a third for methods that depend much on
     their training rows, and equal ones are called different twice as often as promised.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan, sqrt

import numpy as np
import scipy  # its parts are imported when they are used
from numpy.typing import ArrayLike

from aucbench.errors import DataError, require_above, require_whole
from aucbench.stats.vectors import Vector, floats
from aucbench.stats.words import LEVEL, Difference, Interval, require_level

METHOD = "corrected resampled t"
SAME = 1e-12  # values whose differences are smaller are equal; a difference of two AUCs is rounded


@dataclass(frozen=True, slots=True)
class Splits:
    """What the t-test over splits needs of their values: the mean of J ones, and its variance.

    The variance of the mean is s² (1/K + ratio), where s is the standard deviation of the J values
    and K = J / repeats the number of folds of a repeat.
    """

    mean: float  # NaN without a value
    sd: float  # 0 for equal values, NaN for fewer than two
    count: int  # J
    repeats: int
    ratio: float  # test rows divided by training rows of a split
    missing: int = 0  # further splits, which have no value

    @staticmethod
    def of(values: ArrayLike, ratio: float, repeats: int = 1) -> Splits:
        """Return what is needed of a vector of values, where NaN stands for none."""
        require_above(0.0, ratio=ratio)
        require_whole(1, repeats=repeats)
        v = floats("values", values)
        if v.ndim != 1 or np.isinf(v).any():
            raise DataError(
                f"the values of the splits must be a vector of finite numbers, got {v!r}"
            )
        if v.size == 1:  # tables of others have many, and NumPy is slow to say this
            value = float(v[0])
            return Splits(value, nan, int(value == value), repeats, ratio, int(value != value))
        known = v[~np.isnan(v)]
        mean = float(known.mean()) if known.size else nan
        sd = float(known.std(ddof=1)) if known.size > 1 else nan
        if known.size > 1 and np.ptp(known) <= SAME:
            sd = 0.0
        return Splits(mean, sd, known.size, repeats, ratio, v.size - known.size)

    @property
    def note(self) -> str:
        """Why there is no interval, and how many splits have no value."""
        reason = "" if self.sd else "The splits all have the same value."
        if self.count < 2:
            reason = "A variance over splits needs two of them."
        total = self.count + self.missing
        missing = f"{self.missing} of {total} splits have no value." if self.missing else ""
        return f"{reason} {missing}".strip()

    @property
    def p(self) -> float:
        """Two-sided p-value of "the mean is 0"; 1 if all values are 0, NaN if all are another."""
        if self.sd > 0:
            t = abs(self.mean) / self._error
            return 2 * float(scipy.special.stdtr(self.count - 1, -t))
        return 1.0 if abs(self.mean) <= SAME else nan

    def half(self, level: float = LEVEL) -> float:
        """Half the length of the interval: what a mean must exceed to be told from 0."""
        require_level(level)
        if not self.sd > 0:
            return nan
        return -float(scipy.special.stdtrit(self.count - 1, (1 - level) / 2)) * self._error

    def difference(self, level: float = LEVEL) -> Difference:
        """Return the mean as that of differences, with its interval and p."""
        mean, half = self.mean, self.half(level)
        return Difference(mean, mean - half, mean + half, self.p, level, METHOD, self.note)

    def repeated(self, repeats: int) -> Splits:
        """Return what so many repeats would have if their values scatter as these."""
        return replace(self, count=self.count * repeats // self.repeats, repeats=repeats)

    @property
    def _error(self) -> float:
        return standard_error(self.sd, max(1.0, self.count / self.repeats), self.ratio)


def corrected_interval(
    values: ArrayLike, ratio: float, level: float = LEVEL, repeats: int = 1
) -> Interval:
    """Interval of the expected value of a measure: other training rows and other test rows.

    It is mean ± q s sqrt(1/K + ratio), where s is the standard deviation of the J values, K the
    number of folds of a repeat, and q the quantile of Student's t with J - 1 degrees of freedom.
    The splits share rows, so that the values are correlated, and 1/J alone would be too little.
    For K folds 1/K + ratio is 1/K + 1/(K - 1).

    Parameters
    ----------
    values : array of shape (J,)
        The measure on the test rows of each split, of all repeats. NaN stands for a split without
        a value. It is left out, and the note counts it.
    ratio : float
        Test rows divided by training rows of a split.
    level : float
        In (0, 1).
    repeats : int
        How often the splits go over the same rows. Repeats test the same rows again, so the
        variance of the mean is taken to be that of one repeat, as in `auc_interval`.

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
        When `ratio` is not above 0, `level` is not in (0, 1), or `repeats` is not a whole number
        >= 1.

    Notes
    -----
    Nadeau and Bengio (2003), "Inference for the Generalization Error", Machine Learning 52. Their
    correlation ratio / (1 + ratio) is a guess that the number of rows alone decides. They have
    1/J for all J splits; K in its place is our own rule, with simulations in `docs/statistics.md`.
    """
    splits = Splits.of(values, ratio, repeats)
    mean, half = splits.mean, splits.half(level)
    return Interval(mean, mean - half, mean + half, level, METHOD, splits.note)


def corrected_difference(
    a: ArrayLike, b: ArrayLike, ratio: float, level: float = LEVEL, repeats: int = 1
) -> Difference:
    """Effect a - b of two solvers on the same splits: the corrected resampled t-test.

    The interval is that of `corrected_interval`, of the differences, and p is two-sided with
    t = mean / (s sqrt(1/K + ratio)).

    Parameters
    ----------
    a, b : arrays of shape (J,)
        The measure of each solver on the same splits. Splits where one is NaN are left out, and
        the note counts them.
    ratio, level, repeats :
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
    return Splits.of(differences(a, b), ratio, repeats).difference(level)


def differences(a: ArrayLike, b: ArrayLike) -> Vector:
    """Return a - b, split by split: infinite where one is, and NaN where one has no value."""
    values_a, values_b = floats("a", a), floats("b", b)
    if values_a.shape != values_b.shape:
        raise DataError(
            f"one solver has values of shape {values_a.shape} and the other one of shape "
            f"{values_b.shape}; give one for each split, and NaN where there is none"
        )
    with np.errstate(invalid="ignore"):  # inf - inf is refused later, as what is infinite
        return np.where(np.isinf(values_a) | np.isinf(values_b), np.inf, values_a - values_b)


def standard_error(sd: float, runs: float, ratio: float) -> float:
    """Return sd sqrt(1/K + ratio), the standard error of a mean over the K splits of a repeat.

    The ratio is that of `corrected_interval`; 0 for values that share no rows.
    """
    return sd * sqrt(1 / runs + ratio)
