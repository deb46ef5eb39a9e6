"""The logistic loss on rows relative to their mean."""

from __future__ import annotations

import numpy as np

from aucbench.data import Data
from aucbench.objectives import Logistic


def logistic(data: Data, intercepts: int, *, centre: bool) -> Logistic:
    """Return the mean logistic loss, of rows relative to their mean if `centre`.

    Parameters
    ----------
    data : Data
        Training rows.
    intercepts : int
        Number of last columns that hold 1 and stay as they are.
    centre : bool
        Whether the mean of the other columns is subtracted. The rows are not copied.
    """
    if not centre:
        return Logistic(data)
    mean = data.pullback(np.full(data.n, 1.0 / data.n))
    mean[data.d - intercepts :] = 0.0
    return Logistic(data, mean)
