"""Solvers whose result is a model: classifiers of scikit-learn, and what speaks its language."""

from aucbench.models.estimator import SCORES, Fitted, FromEstimator, fitted, from_estimator

__all__ = ["SCORES", "Fitted", "FromEstimator", "fitted", "from_estimator"]
