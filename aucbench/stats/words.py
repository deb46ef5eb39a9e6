"""The words of a verdict, the records of the numbers behind them, and plain intervals.

Design
  a. A difference is read against a region of practical equivalence (ROPE): below it, no user
     would change a decision. So `equivalent` is a finding of its own and not the absence of one.
  b. A number that cannot be had is NaN, and the note says why in one sentence. No comparison with
     NaN is true, so that a missing number never makes a solver better, worse or equivalent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import isnan, nan, sqrt

import numpy as np
import scipy  # its parts are imported when they are used
from numpy.typing import ArrayLike, NDArray

from aucbench.errors import DataError, ParameterError, require_at_least, require_whole
from aucbench.stats.vectors import floats

ROPE = 0.005  # half the width of the region of practical equivalence, in units of the measure
NAMED = 3  # solvers, or data sets, that a sentence names; of more it gives the number
LEVEL = 0.95  # of intervals; 1 - LEVEL is the size of the tests


class Word(StrEnum):
    """What can be said of the difference a - b of two solvers.

    The two with "probably" and `NOT_YET` are said inside one data set only, see `within`.
    """

    BETTER = "better"
    WORSE = "worse"
    PROBABLY_BETTER = "probably better"  # the pair alone says so; among all pairs it may be chance
    PROBABLY_WORSE = "probably worse"
    EQUIVALENT = "equivalent"
    NOT_YET = "not distinguishable yet"  # more repeats of the splits would tell
    UNCLEAR = "not distinguishable"

    @property
    def flipped(self) -> Word:
        """How b compares with a."""
        return FLIPPED.get(self, self)

    @property
    def between(self) -> str:
        """The word with its preposition, as it stands between two names."""
        if self is Word.NOT_YET:
            return "not yet distinguishable from"
        prepositions = {Word.EQUIVALENT: "to", Word.UNCLEAR: "from"}
        return f"{self} {prepositions.get(self, 'than')}"


FLIPPED = {
    Word.BETTER: Word.WORSE,
    Word.WORSE: Word.BETTER,
    Word.PROBABLY_BETTER: Word.PROBABLY_WORSE,
    Word.PROBABLY_WORSE: Word.PROBABLY_BETTER,
}
PROBABLY = {Word.BETTER: Word.PROBABLY_BETTER, Word.WORSE: Word.PROBABLY_WORSE}


@dataclass(frozen=True, slots=True)
class Interval:
    """A measure with an interval; `low` and `high` are NaN when there is none, see `note`."""

    estimate: float
    low: float
    high: float
    level: float
    method: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference a - b with its interval and the two-sided p-value of "it is 0".

    The estimate has the unit of the measure: .01 is one point of an AUC in per cent. `low`, `high`
    and `p` are NaN when they cannot be had, see `note`. `smaller` says that a smaller value of the
    measure is better, as of a loss. `open` says that the bound which is 0 lies outside: the
    interval ends at 0 and does not hold it.
    """

    estimate: float
    low: float
    high: float
    p: float
    level: float
    method: str
    note: str = ""
    smaller: bool = False
    open: bool = False

    def ends(self) -> tuple[str, str]:
        """Return the bounds for people, as in "-0.0125" and "below 0"."""
        low, high = (f"{bound:+.4f}" for bound in (self.low, self.high))
        if self.open and self.high == 0.0:
            high = "below 0"
        elif self.open:
            low = "above 0"
        return low, high

    @property
    def ahead(self) -> bool:
        """Whether a is ahead of b by the effect."""
        return self.estimate < 0 if self.smaller else self.estimate > 0

    def word(self, rope: float = ROPE, p: float | None = None) -> Word:
        """Say in a word how a compares with b.

        It is `EQUIVALENT` when the whole interval lies in [-rope, rope]. Otherwise it is `BETTER`
        or `WORSE`, by the sign of the effect, when p < 1 - level. Otherwise it is `UNCLEAR`.

        Parameters
        ----------
        rope : float
            Half the width of the region of practical equivalence, in units of the effect.
        p : float, optional
            The p-value after a correction for many comparisons (`holm`); default: the own one.

        Raises
        ------
        ParameterError
            When `rope` is negative or not finite.
        """
        require_at_least(0.0, rope=rope)
        if -rope <= self.low and self.high <= rope:
            return Word.EQUIVALENT
        if 1 - (self.p if p is None else p) > self.level and self.estimate != 0:
            return Word.BETTER if self.ahead else Word.WORSE
        return Word.UNCLEAR

    def flipped(self) -> Difference:
        """Return the difference b - a."""
        return replace(self, estimate=0.0 - self.estimate, low=0.0 - self.high, high=0.0 - self.low)


def holm(p: ArrayLike) -> NDArray[np.float64]:
    """Adjust p-values for their number: max over j <= i of min(1, (m - j + 1) p_(j)).

    p_(1) <= ... <= p_(m) are the sorted values. Who rejects where the adjusted value is < alpha
    rejects a true hypothesis with a probability of at most alpha, whatever depends on what.

    Parameters
    ----------
    p : array of shape (m,)
        NaN stands for a test that could not be made. It passes through and does not count in m.

    Raises
    ------
    DataError
        When `p` is no vector, or holds a number outside [0, 1].

    Notes
    -----
    Holm (1979), "A simple sequentially rejective multiple test procedure", Scandinavian Journal
    of Statistics 6.
    """
    values = floats("p", p)
    if values.ndim != 1 or (values < 0).any() or (values > 1).any():
        raise DataError(f"p-values must be a vector of numbers in [0, 1], got {values!r}")
    order = np.argsort(values)[: np.count_nonzero(~np.isnan(values))]  # NaN is sorted last
    steps = np.arange(order.size, 0, -1) * values[order]
    adjusted = np.full(values.shape, np.nan)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted


def wilson(count: int, n: int, level: float = LEVEL) -> Interval:
    """Wilson's interval of a share p = count / n of independent rows; NaN, with a note, for n = 0.

    It holds all p₀ with |p − p₀| ≤ z √(p₀(1 − p₀)/n), where z is the normal quantile. It stays in
    [0, 1], and it has a width for shares of 0 and 1 too. Wilson, "Probable inference, the law of
    succession, and statistical inference", JASA 22, 1927.
    """
    require_level(level)
    require_whole(0, count=count, n=n)
    if count > n:
        raise DataError(f"{count} of {n} rows is no share; give a count from 0 to {n}")
    if not n:
        return Interval(nan, nan, nan, level, "Wilson", "There is no row.")
    return _wilson(count / n, n, float(scipy.special.ndtri((1 + level) / 2)), level, "Wilson")


def wilson_of_groups(
    yes: NDArray[np.bool_], of: NDArray[np.bool_], groups: ArrayLike, level: float = LEVEL
) -> Interval:
    """Wilson's interval of the share p of `yes` among the rows `of`, where groups are independent.

    The variance of p is G/(G − 1) Σ_g (Σ_{i in g} (yes_i − p))² / n² over the rows of G groups, and
    the interval that of p (1 − p)/variance independent rows, at most n; z is the quantile of
    Student's t with G − 1 degrees of freedom. Where p is 0 or 1, groups count as rows.

    Parameters
    ----------
    yes, of : arrays of shape (n,), bool
    groups : array of shape (n,)
        Whole numbers from 0.

    Notes
    -----
    Korn & Graubard, "Confidence intervals for proportions with small expected number of positive
    counts estimated from survey data", Survey Methodology 24, 1998, have this effective size.
    """
    require_level(level)
    size = np.unique(np.asarray(groups)[of]).size
    p = float(yes[of].mean()) if size else nan
    if size < 2:
        return Interval(p, nan, nan, level, "Wilson", "There are fewer than two groups.")
    t = float(scipy.special.stdtrit(size - 1, (1 + level) / 2))
    return _wilson(
        p, effective_size(yes[of], np.asarray(groups)[of]), t, level, "Wilson, by groups"
    )


def effective_size(yes: NDArray[np.bool_], groups: ArrayLike) -> float:
    """Return of how many independent rows a share has this variance, see `wilson_of_groups`."""
    number = np.unique(groups, return_inverse=True)[1]
    size, n, p = int(number.max()) + 1, yes.size, float(yes.mean())
    sums = np.bincount(number, yes - p)
    variance = size / (size - 1) * float(sums @ sums) / n**2
    return min(float(n), p * (1 - p) / variance) if variance > 0 else float(size)


def _wilson(p: float, n: float, z: float, level: float, method: str) -> Interval:
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    low, high = 0.0 if p == 0 else middle - half, 1.0 if p == 1 else middle + half
    return Interval(p, low, high, level, method)


def require_level(level: float) -> None:
    """Raise `ParameterError` unless the level of an interval is in (0, 1)."""
    if not 0 < level < 1:
        raise ParameterError(f"the level must be in (0, 1), got {level}; 0.95 is usual")


def top(sign: float) -> str:
    """Return what the best value of a measure is; the sign is -1 where smaller is better."""
    return "highest" if sign > 0.0 else "lowest"


def with_interval(d: Difference) -> str:
    """Return an effect with its interval, or alone where it has none."""
    if isnan(d.low):
        return f"{d.estimate:+.4f}"
    return f"{d.estimate:+.4f}, {d.level * 100:.4g} % interval {' to '.join(d.ends())}"


def listed(names: Sequence[str], last: str = "and", most: int = NAMED) -> str:
    """Return names as in "a, b and c"; of more than `most`, some and the number of the others."""
    if len(names) == 1:
        return names[0]
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} {last} {len(names) - most} others"
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def counted(count: int) -> str:
    """Return a number of data sets in words."""
    return f"{count} data set{'' if count == 1 else 's'}"


def times(factor: float) -> str:
    """Return a factor in words: "14 times"."""
    return f"{factor:.0f} times" if factor >= 9.95 else f"{factor:.1f} times"
