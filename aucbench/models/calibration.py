"""From scores to probabilities, and whether these are true; what is kept is plain numbers.

Design
  a. Of K classes, column k of the scores has a sigmoid of its own, class k against the rest. That
     rises in the score, so that it changes no AUC of a column, and the log-odds of all columns can
     be compared.
  b. For the reliability curve, each half of the rows that were held out gets its probabilities from
     a calibration that was learnt on the other half, so that no row helps to judge its own curve.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit

from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.metrics.calibration import FEWEST, halves, platt
from aucbench.stats import LEVEL, Interval, wilson
from aucbench.stats.vectors import Mask, Vector

FOLDS = 5
METHODS = ("isotonic", "sigmoid")
GROUPS, SMALLEST = 10, 20  # groups of equal size, and the rows that a group needs
DRAWN = 200  # sets of labels that the probabilities would give
MANY = 100_000  # rows from which these sets are not drawn


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


def require_method(method: str | None, classes: int = 2) -> None:
    """Check the name of a method for so many classes; None stands for none.

    Raises
    ------
    UnknownNameError
        When it is neither "sigmoid" nor "isotonic".
    ParameterError
        When it is "isotonic", for three or more classes.
    """
    if method is not None and method not in METHODS:
        raise UnknownNameError("calibration", str(method), METHODS)
    if method == "isotonic" and classes > 2:
        raise ParameterError(
            "calibration='isotonic' is for two classes: its steps would tie the log-odds of "
            f"{classes} classes; take 'sigmoid'"
        )


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
    _require_finite(scores)
    positive = y > 0
    if method == "sigmoid":
        return sigmoid_of(positive, scores)
    # A slow import, which a model that is read from its file does not need.
    from sklearn.isotonic import IsotonicRegression

    rising = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(scores, positive)
    return Isotonic(tuple(rising.X_thresholds_.tolist()), tuple(rising.y_thresholds_.tolist()))


def _require_finite(scores: Vector) -> None:
    if not np.isfinite(scores).all():
        raise DataError("a score is not finite and has no probability; scale the features")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Rows with similar probabilities.

    Attributes
    ----------
    rows : int
    probability : float
        Mean.
    positive : Interval
        Share of positives, with Wilson's interval.
    """

    rows: int
    probability: float
    positive: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """The reliability curve, on rows that trained neither the model nor their calibration.

    Attributes
    ----------
    groups : tuple of Group
        Of equal size, ascending by probability.
    error : float
        Expected calibration error: the mean of |probability − share of positives| over the rows.
    chance : float
        What it would be on average, were all probabilities true.

    References
    ----------
    Pakdaman Naeini, Cooper & Hauskrecht, "Obtaining well calibrated probabilities using Bayesian
    binning", AAAI 2015.
    """

    groups: tuple[Group, ...]
    error: float
    chance: float

    @staticmethod
    def of(method: str, positive: Mask, scores: Vector) -> Reliability | None:
        """Return the curve; None when a class has fewer than 4 rows."""
        n_pos = int(positive.sum())
        if min(n_pos, positive.size - n_pos) < FEWEST:
            return None
        first, p = halves(positive), np.empty(scores.size)
        y = np.where(positive, 1, -1)
        for held in (first, ~first):
            p[held] = calibrator(method, y[~held], scores[~held])(scores[held])
        count = int(np.clip(positive.size // SMALLEST, 1, GROUPS))
        parts = np.array_split(np.argsort(p, kind="stable"), count)
        groups = tuple(
            Group(
                rows=int(part.size),
                probability=float(p[part].mean()),
                positive=wilson(int(positive[part].sum()), int(part.size), LEVEL),
            )
            for part in parts
        )
        error = sum(abs((positive[part] - p[part]).sum()) for part in parts) / p.size
        return Reliability(groups=groups, error=float(error), chance=_chance(p, parts))


def _chance(p: Vector, parts: Sequence[NDArray[np.intp]]) -> float:
    """Return the mean error of labels that are drawn with the probabilities p, in these groups.

    Sums of many labels are normal, with E|Σ(y − p)| = √(2 Σ p(1 − p)/π).
    """
    if p.size > MANY:
        return sum(float(np.sqrt(2.0 / np.pi * (p[q] @ (1.0 - p[q])))) for q in parts) / p.size
    labels = np.random.default_rng(0).random((DRAWN, p.size)) < p
    chance = sum(np.abs((labels[:, part] - p[part]).sum(axis=1)) for part in parts) / p.size
    return float(np.mean(chance))
