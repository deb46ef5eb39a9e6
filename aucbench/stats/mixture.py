"""The interval of a mean where rows that would change it may be hidden: the mixture beta.

Design
  a. A variance is estimated from the rows that were seen. A small group of rows that a model places
     quite differently may be absent from the test rows, or have one or two rows there, and then
     the variance is too small by far.
  b. So a value θ below the AUC A is tested by a mixture: a share 1 − θ/A of the rows would have to
     be hidden and placed at 0. They bring the variance that such a share of N rows has, and the
     other rows keep DeLong's. θ above A is tested by symmetry.
  c. Where many rows are misplaced, hidden ones count less: w = min(1, 10/x), where x is the number
     of misplaced rows. For a difference of two solvers w is 1/2 or less. Both were chosen by
     simulation, see docs/statistics.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log

import scipy  # its parts are imported when they are used

FULL = 10.0  # misplaced rows up to which hidden ones count in full
HALF = 0.5  # what a hidden row counts for a difference: one solver places it well, one at random
FEWEST, MOST = 2.0, 1e9  # effective rows of the beta distribution; N where that is less
LEAST_TAIL, MOST_TAIL = 1e-290, 0.4999  # between which a p-value is looked for


@dataclass(frozen=True, slots=True)
class Seen:
    """What N rows with values in [0, 1] say of their mean A.

    Parameters
    ----------
    mean : float
        A, in [0, 1].
    variance, degrees : float
        The estimated variance V >= 0 of A, and its degrees of freedom f.
    rows : float
        N: the largest variance that A can have is A (1 − A)/N.
    weight : float
        w, in [0, 1]: what a hidden row counts.
    """

    mean: float
    variance: float
    degrees: float
    rows: float
    weight: float

    def tail(self, theta: float, tail: float) -> float:
        """Return how likely a mean of A or more is where θ <= A is true; quantiles at `tail`.

        With z the normal quantile and t that of Student's distribution it is

            I_θ(A ν, ν − A ν + 1),       ν = θ (1 − θ)/(κ² v), from min(2, N) to 10⁹,
            v = V θ/A + w θ (A − θ)/N,   κ = t(d)/z,   d = max(1, f (v A/(V θ))²)

        where I is the regularised incomplete beta function.
        """
        if theta <= 0.0:
            return 0.0
        seen = self.variance * theta / self.mean
        v = seen + self.weight * theta * (self.mean - theta) / self.rows
        if v <= 0.0:
            return 1.0
        more = v / seen if seen > 0.0 else inf
        kappa = _longer(max(1.0, self.degrees * more * more), tail)
        n = min(MOST, max(min(FEWEST, self.rows), theta * (1.0 - theta) / (kappa * kappa * v)))
        a = self.mean * n
        return float(scipy.special.betainc(a, n - a + 1.0, theta))

    def low(self, level: float) -> float:
        """Return the least θ that is not rejected: whose tail is at least (1 − level)/2."""
        tail, ndtri = (1.0 - level) / 2.0, scipy.special.ndtri
        z = ndtri(tail)

        def beyond(theta: float) -> float:
            """Its normal quantile is nearly a line in θ, so that few steps are needed."""
            return float(ndtri(min(max(self.tail(theta, tail), LEAST_TAIL), 1.0 - 1e-9)) - z)

        if self.mean <= 0.0:
            return 0.0
        return float(scipy.optimize.brentq(beyond, 0.0, self.mean, xtol=1e-15, rtol=1e-14))

    def p(self, theta: float) -> float:
        """Return the two-sided p-value of θ <= A: the largest 1 − level with θ below the bound."""

        def beyond(size: float) -> float:
            tail = 10.0**size
            return log(max(self.tail(theta, tail), LEAST_TAIL**1.1)) - log(tail)

        if self.tail(theta, MOST_TAIL) >= MOST_TAIL:
            return 1.0
        if self.tail(theta, LEAST_TAIL) <= LEAST_TAIL:
            return 0.0
        ends = log(LEAST_TAIL, 10), log(MOST_TAIL, 10)
        return float(2.0 * 10.0 ** scipy.optimize.brentq(beyond, *ends, xtol=1e-13, rtol=1e-14))


def mixture_beta(
    mean: float,
    variance: float,
    degrees: float,
    rows: float,
    level: float,
    *,
    full: bool = False,
    weight: float = 1.0,
) -> tuple[float, float]:
    """Return the least and the largest mean that are not rejected; parameters as in `Seen`.

    w is `weight` min(1, 10/x), where x = N min(A, 1 − A) rows are misplaced, or 1 where the
    variance is known in part: `full`. Without a misplaced row and with w = 1 the bounds are those
    of Clopper and Pearson for N rows.
    """
    hidden = 1.0 if full else weight * FULL / max(FULL, rows * min(mean, 1.0 - mean))
    ends = (Seen(at, variance, degrees, rows, hidden) for at in (mean, 1.0 - mean))
    low, below = (end.low(level) for end in ends)
    return low, 1.0 - below


@dataclass(frozen=True, slots=True)
class Lead:
    """A difference D = F − B of two AUCs on the same rows, as far as hidden rows could lower it.

    The pairs of rows that only the first solver places rightly are the share F, and those that only
    the second does are B. D is moved to [0, 1]: from −1, where all rows would be hidden, to F.
    """

    seen: Seen  # of (1 + D)/(1 + F)
    width: float  # 1 + F

    @staticmethod
    def of(
        difference: float,
        behind: float,
        variance: float,
        degrees: float,
        rows: float,
        *,
        full: bool,
    ) -> Lead:
        """Return the lead for D, B, the variance of D and N rows.

        Hidden rows count w = 1/(2 max(1, N B)), or 1 where the variance is known in part: `full`.
        """
        width = 1.0 + difference + behind
        weight = 1.0 if full else HALF / max(1.0, rows * behind)
        mean = min(1.0, max(0.0, (1.0 + difference) / width))
        return Lead(Seen(mean, variance / width**2, degrees, rows, weight), width)

    def low(self, level: float) -> float:
        """Return the least difference that is not rejected."""
        return self.width * self.seen.low(level) - 1.0

    @property
    def p_of_0(self) -> float:
        """The two-sided p-value of a difference of 0, which is at most D."""
        return self.seen.p(1.0 / self.width)


def _longer(degrees: float, tail: float) -> float:
    """Return how much longer a quantile of Student's t is than that of the normal distribution."""
    if degrees >= MOST:
        return 1.0
    return float(scipy.special.stdtrit(degrees, tail) / scipy.special.ndtri(tail))
