"""From scores to probabilities; what is kept is plain numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from aucbench.data.arrays import Vector
from aucbench.errors import DataError, UnknownNameError
from aucbench.stats.calibration import platt

FOLDS = 5
METHODS = ("isotonic", "sigmoid")


@dataclass(frozen=True)
class Sigmoid:
    """P(positive | s) = 1/(1 + exp(a s + b)), Platt's calibration.

    Attributes
    ----------
    a : float
        In inverse units of the score; at most 0: the probability never falls in the score.
    b : float

    References
    ----------
    Platt, "Probabilistic outputs for support vector machines", 1999.
    """

    a: float
    b: float

    def __call__(self, scores: Vector) -> Vector:
        """Probabilities of scores (n,) -> (n,)."""
        p: Vector = expit(-(self.a * scores + self.b))
        return p


@dataclass(frozen=True)
class Isotonic:
    """P(positive | s) is linear between knots and constant outside, and it never falls.

    Attributes
    ----------
    scores : tuple of float
        The knots, ascending.
    probabilities : tuple of float
        Probabilities at the knots, not descending.

    References
    ----------
    Zadrozny & Elkan, "Transforming classifier scores into accurate multiclass probability
    estimates", KDD 2002.
    """

    scores: tuple[float, ...]
    probabilities: tuple[float, ...]

    def __call__(self, scores: Vector) -> Vector:
        """Probabilities of scores (n,) -> (n,)."""
        p: Vector = np.interp(scores, self.scores, self.probabilities)
        return p


Calibrator = Sigmoid | Isotonic


def require_method(method: str | None) -> None:
    """Raise `UnknownNameError` unless it is None, "sigmoid" or "isotonic"."""
    if method is not None and method not in METHODS:
        raise UnknownNameError("calibration", str(method), METHODS)


def calibrator(method: str, y: NDArray[Any], scores: Vector) -> Calibrator:
    """Fit a calibrator to scores (n,) of rows that did not train what scored them.

    Parameters
    ----------
    method : str
        One of `METHODS`.
    y : array of shape (n,), in {-1, +1}
    scores : array of shape (n,)

    Raises
    ------
    DataError
        When a score is not finite.
    """
    if not np.isfinite(scores).all():
        raise DataError("a score is not finite and has no probability; scale the features")
    positive = y > 0
    if method == "sigmoid":
        a, b = platt(positive, scores, np.ones(scores.size))
        return Sigmoid(-a, -b)
    # A slow import, which a model that is read from its file does not need.
    from sklearn.isotonic import IsotonicRegression

    rising = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(scores, positive)
    return Isotonic(tuple(rising.X_thresholds_.tolist()), tuple(rising.y_thresholds_.tolist()))
