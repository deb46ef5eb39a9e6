"""The constant added to all scores with which the fewest errors are made."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from aucbench.aum.loss import require_finite, scores_of, sorted_thresholds
from aucbench.data.breakpoints import Breakpoints


def intercept_of_least_errors(breakpoints: Breakpoints, scores: ArrayLike) -> float:
    """Constant c that minimises FP(c) + FN(c), the errors of the scores plus c.

    They are constant between the thresholds T_b = value_b − score_b; c lies in the middle of the
    first interval with the least sum, and 1 beyond the outermost threshold where that interval
    has no end. 0 without breakpoints. O(B log B).

    Raises
    ------
    DataError
        As `aum_loss`.
    """
    s = scores_of(breakpoints, scores)
    require_finite(s)
    T, order = sorted_thresholds(breakpoints, s)
    if not T.size:
        return 0.0
    last = np.flatnonzero(np.r_[T[1:] != T[:-1], True])  # of the lines that are tied
    change = np.cumsum((breakpoints.fp_diff + breakpoints.fn_diff)[order])[last]
    ends = np.r_[T[0] - 2.0, T[last], T[-1] + 2.0]
    k = int(np.argmin(np.r_[0.0, change]))
    return float(ends[k] / 2.0 + ends[k + 1] / 2.0)
