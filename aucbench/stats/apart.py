"""Whether the AUCs of two independent sets of rows differ, such as those of two groups of rows.

Design
  a. Each AUC has its own interval, with room for rows that nobody saw, and the two are independent.
     So the interval of their difference follows from the bounds of both: on each side the squares
     of the distances to the bounds are added (MOVER; Zou and Donner, 2008, Statistics in
     Medicine 27). p is the largest size of the test whose interval leaves 0 out.
  b. (Rejected: a t-test with the variances of DeLong added. A group of 20 positives that by chance
     has none of the few rows which a model misplaces then looks better in 10 to 20 % of samples.)
"""

from __future__ import annotations

from math import log10

import scipy  # its parts are imported when they are used

from aucbench.stats.delong import Placements, interval_of

SMALLEST = 1e-12  # p-values below it are this one
LARGEST = 0.999


def equal_p(a: Placements, b: Placements) -> float | None:
    """Return the two-sided p-value of "both AUCs are equal"; None where one has no AUC."""
    if not a.values.size or not b.values.size:
        return None
    if a.aucs.mean() < b.aucs.mean():
        a, b = b, a

    def beyond(exponent: float) -> float:
        """Above 0 where an interval of this size leaves 0 out."""
        level = 1.0 - 10.0**exponent
        above, below = interval_of(a, level), interval_of(b, level)
        reach = (above.estimate - above.low) ** 2 + (below.high - below.estimate) ** 2
        return (above.estimate - below.estimate) ** 2 - reach

    ends = log10(SMALLEST), log10(LARGEST)
    if beyond(ends[1]) <= 0.0:
        return 1.0
    if beyond(ends[0]) >= 0.0:
        return SMALLEST
    return float(10.0 ** scipy.optimize.brentq(beyond, *ends, xtol=1e-9))
