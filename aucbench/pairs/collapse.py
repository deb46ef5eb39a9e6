"""When the loss in a range of the ROC curve is least at w = 0, so that its scores say nothing.

At w = 0 all scores are tied, so that any choice of rows in the range gives a subgradient. So w = 0
is a minimum, for every loss that falls at 0 and every ridge, if and only if a convex mixture of
positives with at most 1/((1 − α)n₊) of each, and one of negatives with at most 1/(βn₋) of each, are
the same point: the reduced convex hulls of the classes meet.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.errors import DataError, ParameterError

LONGEST = 4000  # columns of rows that are made dense for the linear programme

COLLAPSED = (
    "no direction lifts the mean positive above the mean of the highest negatives in the range, so "
    "that w = 0 is the best and its scores say nothing: widen the range, or add rest=0.5"
)


def least_range(data: Data, min_tpr: float = 0.0) -> float:
    """Return β*, the false-positive rate up to which w = 0 minimises the loss in a range.

    β* = 1/(V₋ t*), where t* is the least t with Σ_j b_j x_j = Σ_i a_i x_i, Σa = Σb = 1,
    0 ≤ a_i ≤ v_i/((1 − α)V₊) and 0 ≤ b_j ≤ v_j t: one linear programme with n + 1 unknowns. It is 0
    where the classes can be parted for each range, and then no range is too narrow. Scaling or
    moving the features changes nothing.

    Parameters
    ----------
    data : Data
        Training rows with labels.
    min_tpr : float
        α in [0, 1).

    Raises
    ------
    DataError
        When the rows have more than 4000 features, or the programme has no answer.
    ParameterError
        When `min_tpr` is not in [0, 1).

    Examples
    --------
    >>> import numpy as np
    >>> from aucbench import Data
    >>> least_range(Data.of(np.array([[1.0], [0], [0], [0], [3]]), [1, 0, 0, 0, 0]))
    0.75
    """
    if not 0.0 <= min_tpr < 1.0:
        raise ParameterError(f"min_tpr is {min_tpr!r}; give a share from 0 to 1, below it")
    data.require_features()
    if data.d > LONGEST:
        raise DataError(
            f"the rows have {data.d} features, and the linear programme takes at most {LONGEST}; "
            "select some of them"
        )
    X, positive = data.rows.dense().matrix.astype(np.float64), data.labels.y > 0
    shares = data.labels.shares
    scale = np.abs(X - X.mean(axis=0)).max(axis=0)
    X = (X - X.mean(axis=0)) / np.where(scale > 0.0, scale, 1.0)
    t = _least(X, positive, shares, min_tpr)
    return 0.0 if t is None else min(1.0, 1.0 / t)


def _least(X: Vector, positive: NDArray[np.bool_], shares: Vector, min_tpr: float) -> float | None:
    """Return the least t with b ≤ t · share, where the mixtures can be the same; else None."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, diags_array, hstack

    a, b = shares[positive], shares[~positive]
    P, Q = X[positive].T, X[~positive].T
    ones = np.concatenate([np.ones(a.size), np.zeros(b.size)])
    equal = np.vstack([np.hstack([P, -Q]), ones, 1.0 - ones])
    equal = np.hstack([equal, np.zeros((len(equal), 1))])
    right = np.concatenate([np.zeros(X.shape[1]), [1.0, 1.0]])
    below = hstack(
        [csr_array((b.size, a.size)), diags_array(np.ones(b.size)), csr_array(-b[:, None])]
    )
    room = [(0.0, share / (1.0 - min_tpr)) for share in a.tolist()]
    cost = np.append(np.zeros(a.size + b.size), 1.0)
    bounds = [*room, *[(0.0, None)] * b.size, (0.0, None)]
    limits: Any = {"A_ub": below, "b_ub": np.zeros(b.size), "A_eq": equal, "b_eq": right}
    found: Any = linprog(cost, bounds=bounds, method="highs", **limits)
    if found.status not in (0, 2):
        raise DataError(f"the linear programme has no answer: {found.message}")
    return float(found.fun) if found.status == 0 else None
