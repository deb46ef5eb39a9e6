"""Solvers whose result is a model: classifiers of scikit-learn, and what speaks its language."""

from aucbench.models.estimator import SCORES, Fitted, FromEstimator, fitted, from_estimator
from aucbench.models.trees import TreeSum, portable

__all__ = ["SCORES", "Fitted", "FromEstimator", "TreeSum", "fitted", "from_estimator", "portable"]
