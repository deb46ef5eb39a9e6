"""Mean times of solvers. A failure is a time of infinity; NaN is read as one too."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import ArrayLike

from aucbench.errors import DataError
from aucbench.kernels.vectors import floats


def shifted_geometric_mean(times: ArrayLike) -> float:
    """Return exp(mean of log(t + 1)) - 1, in which a factor counts and a blink does not.

    Parameters
    ----------
    times : array of shape (m,)
        Seconds; those far below 1 hardly count. Where a solver failed they are inf or NaN, and one
        failure makes the mean infinite.

    Raises
    ------
    DataError
        When there is no time, or one is negative.
    """
    t = floats("times", times)
    if (t < 0).any():
        raise DataError("a time is negative; give inf or NaN where a solver failed")
    t = np.where(np.isnan(t), inf, t)
    if t.ndim != 1 or t.size == 0:
        raise DataError(f"times must be a vector with at least one number, got shape {t.shape}")
    return float(np.exp(np.log(t + 1.0).mean()) - 1.0)
