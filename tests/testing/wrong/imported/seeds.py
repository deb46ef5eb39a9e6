"""A metric whose module seeds the global generator."""

import numpy as np

from aucbench.about import metric
from aucbench.hookspecs import hookimpl

np.random.seed(0)  # noqa: NPY002


@metric(greater_is_better=True, low=-1.0, high=1.0)
def gini(y, scores):
    """Return 2 AUC − 1."""
    high, low = np.sort(scores[y > 0]), np.sort(scores[y <= 0])
    wins = np.searchsorted(low, high, "left") + np.searchsorted(low, high, "right")
    return float(wins.sum() / (high.size * low.size) - 1.0)


@hookimpl
def aucbench_metrics():
    """Register the metric."""
    return {"gini": gini}
