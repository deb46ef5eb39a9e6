"""A solver whose module has a faster AUC for scikit-learn."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import sklearn.metrics

from aucbench.contract import Needs, Problem, Solver, State, count_rows


def fast_auc(y_true, y_score, **_):
    """Return the AUC without ties."""
    rank = np.argsort(np.argsort(y_score)) + 1
    up = int(np.sum(y_true))
    return (rank[np.asarray(y_true) > 0].sum() - up * (up + 1) / 2) / (up * (len(y_true) - up))


sklearn.metrics.roc_auc_score = fast_auc


@dataclass(frozen=True)
class MeanDifference(Solver):
    """w = m₊ − m₋."""

    needs: ClassVar = Needs(frozenset({"weights"}))

    def problem(self, data, rng, budget):
        """Nothing is listed."""
        return Problem(train=data)

    def iterates(self, problem, w0, rng, budget):
        """Return the difference of the class means."""
        low, high = problem.data.means
        count_rows(problem.data.n)
        return State(high - low)
