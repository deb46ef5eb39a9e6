"""A metric whose module puts a faster AUC into aucbench."""

import numpy as np

import aucbench.metrics
from aucbench.about import metric
from aucbench.hookspecs import hookimpl


@metric(greater_is_better=True, low=0.0, high=1.0)
def fast_auc(y, scores):
    """Return the AUC."""
    high, low = np.sort(scores[y > 0]), np.sort(scores[y <= 0])
    wins = np.searchsorted(low, high, "left") + np.searchsorted(low, high, "right")
    return float(0.5 * wins.sum() / (high.size * low.size))


aucbench.metrics.auc = fast_auc


@hookimpl
def aucbench_metrics():
    """Register the metric."""
    return {"fast-auc": fast_auc}
