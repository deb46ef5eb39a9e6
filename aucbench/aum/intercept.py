"""The constant that, added to all scores, makes the fewest errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from aucbench.aum.loss import require_finite, require_scores, sort_thresholds
from aucbench.data.breakpoints import Breakpoints


def intercept_of_least_errors(breakpoints: Breakpoints, scores: ArrayLike) -> float:
    """Constant c that minimises FP(c) + FN(c), the errors of the scores plus c.

    The errors are constant between the thresholds T_b = value_b − score_b. So c is the middle of
    the first interval in which FP + FN is least. Where that interval has no end, c lies 1 beyond
    the outermost threshold. Without breakpoints c is 0. Time: O(B log B) for B breakpoints.

    Parameters
    ----------
    breakpoints : Breakpoints
        Where the errors of each example change.
    scores : array of shape (n,)
        Finite real scores, one for each example.

    Returns
    -------
    float
        c, in units of the scores.

    Raises
    ------
    DataError
        When scores have another shape or are not finite.
    """
    s = require_scores(breakpoints, scores)
    require_finite(s)
    T, order = sort_thresholds(breakpoints, s)
    if not T.size:
        return 0.0
    last = np.flatnonzero(
        np.r_[T[1:] != T[:-1], True]
    )  # the last of each group of equal thresholds
    change = np.cumsum((breakpoints.fp_diff + breakpoints.fn_diff)[order])[last]
    ends = np.r_[T[0] - 2.0, T[last], T[-1] + 2.0]
    k = int(np.argmin(np.r_[0.0, change]))
    return float(ends[k] / 2.0 + ends[k + 1] / 2.0)
