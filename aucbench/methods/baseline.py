"""One fit of somebody else's linear classifier, told as a solver's single state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from aucbench.protocols import Problem, State


def one_fit(estimator: Any, problem: Problem) -> Iterator[State]:
    """Fit a scikit-learn linear classifier and yield its weights.

    The intercept is dropped: a constant added to every score leaves the AUC as it is. Each
    iteration that the estimator reports counts as one pass over the rows.
    """
    data = problem.data
    estimator.fit(data.rows.matrix, data.y)
    passes = int(np.max(estimator.n_iter_))
    yield State(1, np.ravel(estimator.coef_).astype(np.float64), passes * data.n)
