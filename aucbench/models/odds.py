"""From scores of K classes to log-odds, probabilities and decisions.

Column k of the scores is calibrated by Platt's sigmoid of its own, 1/(1 + exp(a_k s + b_k)), class
k against the rest. That rises in the score, so that it changes no AUC of a column, and the
log-odds of all columns can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit

from aucbench.data.arrays import Index, Vector
from aucbench.errors import DataError
from aucbench.models.calibration import Sigmoid
from aucbench.stats.calibration import platt


def sigmoids(y: Index, scores: Vector) -> tuple[Sigmoid, ...]:
    """Fit a sigmoid to each column of scores (n, K), of rows of the classes y (n,).

    Raises
    ------
    DataError
        When a score is not finite.
    """
    if not np.isfinite(scores).all():
        raise DataError("a score is not finite and has no probability; scale the features")
    return tuple(sigmoid_of(y == k, s) for k, s in enumerate(scores.T))


def sigmoid_of(positive: NDArray[np.bool_], scores: Vector) -> Sigmoid:
    """Fit a sigmoid to the scores (n,) of one class against the rest, both of which have rows."""
    a, b = platt(positive, np.ascontiguousarray(scores), np.ones(scores.size))
    return Sigmoid(-a, -b)


def log_odds(scores: Vector, each: Sequence[Sigmoid]) -> Vector:
    """Return the log-odds of each class against the rest, −(a_k s_k + b_k), of scores (n, K)."""
    a, b = (np.array([getattr(one, name) for one in each]) for name in ("a", "b"))
    odds: Vector = -(a * scores + b)
    return odds


def probabilities(odds: Vector) -> Vector:
    """Return the probabilities of the classes, divided by their sum, of log-odds (n, K)."""
    # Where all are small, they are in proportion to exp(odds); the largest one is taken out.
    top = np.minimum(odds.max(axis=1, keepdims=True), 0.0)
    p = np.exp(log_expit(odds) - log_expit(top))
    shares: Vector = p / p.sum(axis=1, keepdims=True)
    return shares


def best(odds: Vector) -> NDArray[np.intp]:
    """Return the class with the largest log-odds; of equal ones, the first."""
    place: NDArray[np.intp] = np.argmax(odds, axis=1)
    return place
