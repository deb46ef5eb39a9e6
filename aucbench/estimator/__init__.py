"""The scikit-learn face of every solver."""

from aucbench.estimator.classifier import AUCClassifier

__all__ = ["AUCClassifier"]
