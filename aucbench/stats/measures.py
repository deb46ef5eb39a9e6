"""Measures of a ranking other than the AUC, and of probabilities; by name for the command line."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
import scipy  # its parts are imported when they are used
from numpy.typing import ArrayLike

from aucbench.errors import DataError, ParameterError, UnknownNameError, require_whole
from aucbench.kernels.vectors import Mask, Vector, checked_rows
from aucbench.stats.calibration import calibrated
from aucbench.stats.delong import Fold, auc
from aucbench.stats.rows import checked_weights, require_both

SPEC = re.compile(
    r"\s*(?P<name>[\w-]+)\s*(?:\[\s*(?:(?P<key>\w+)\s*=)?\s*(?P<value>[^\[\]=,]+)\])?\s*"
)


def average_precision(y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Average precision: sum over thresholds of (recall - recall before) precision.

    The thresholds are the distinct scores, so that rows of equal scores count together.

    Parameters
    ----------
    y, scores, weights : arrays of shape (n,)
        As in `Fold`.

    Raises
    ------
    DataError
        As `Fold`, and when there is one class only.
    """
    from sklearn.metrics import average_precision_score

    positive, order, w = _ordered(y, scores, weights)
    found = float(average_precision_score(positive, order, sample_weight=w))
    return min(found, 1.0)  # it adds up shares, whose sum is 1 but for rounding


def partial_auc(
    y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None, *, max_fpr: float = 0.1
) -> float:
    """Area under the ROC curve up to a false-positive rate, standardised as by McClish.

    With the area A(f) up to the rate f it is (1 + (A(f) - f² / 2) / (f - f² / 2)) / 2. That is
    1/2 for random scores and 1 for perfect ones. For f = 1 it is the AUC.

    Parameters
    ----------
    y, scores, weights : arrays of shape (n,)
        As in `Fold`.
    max_fpr : float
        f, in (0, 1].

    Raises
    ------
    DataError
        As `Fold`, and when there is one class only.
    ParameterError
        When `max_fpr` is not in (0, 1].

    Notes
    -----
    McClish (1989), "Analyzing a Portion of the ROC Curve", Medical Decision Making 9.
    """
    from sklearn.metrics import roc_auc_score

    _require_rate(max_fpr)
    positive, order, w = _ordered(y, scores, weights)
    return float(roc_auc_score(positive, order, sample_weight=w, max_fpr=max_fpr))


def precision_at(
    y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None, *, k: int = 10
) -> float:
    """Share of positives among the k rows of highest score.

    Of rows that tie for the last places each one is counted by the share of them that has a
    place: this is the mean over the orders in which ties can be broken.

    Parameters
    ----------
    y, scores, weights : arrays of shape (n,)
        As in `Fold`; k counts rows, and the weights weigh those that are among them.
    k : int
        From 1 to n.

    Raises
    ------
    DataError
        As `Fold`, when there is one class only, or when there are fewer than k rows.
    ParameterError
        When `k` is not a whole number >= 1.
    """
    positive, taken = _top(y, scores, weights, k)
    good, bad = taken[positive].sum(), taken[~positive].sum()
    return float(good / (good + bad))  # rounding does not lift it above 1


def recall_at(
    y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None, *, k: int = 10
) -> float:
    """Share of the positives that are among the k rows of highest score; as `precision_at`."""
    positive, taken = _top(y, scores, weights, k)
    return float(taken[positive].sum() / checked_weights(weights, positive.size)[positive].sum())


def brier(y: ArrayLike, p: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Brier score: the mean of (y - p)², with y in {0, 1}. Smaller is better.

    Parameters
    ----------
    y, weights : arrays of shape (n,)
        As in `Fold`.
    p : array of shape (n,)
        Probabilities of the positive class, in [0, 1].

    Raises
    ------
    DataError
        As `Fold`, and when a probability is not in [0, 1], or there is no row.
    """
    positive, probabilities, w = _probabilities(y, p, weights)
    return float(np.average((positive - probabilities) ** 2, weights=w))


def log_loss(y: ArrayLike, p: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Mean of -log p over the positives and -log (1 - p) over the negatives; as `brier`.

    It is infinite when a row has the probability 0 of its own class.
    """
    positive, probabilities, w = _probabilities(y, p, weights)
    xlogy = scipy.special.xlogy
    losses = -xlogy(positive, probabilities) - xlogy(1.0 - positive, 1.0 - probabilities)
    return float(np.average(losses, weights=w))


def calibrated_brier(y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Brier score of the probabilities of `calibrated`; NaN where it has none."""
    p = calibrated(y, scores, weights)
    return nan if p is None else brier(y, p, weights)


def calibrated_log_loss(y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Log-loss of the probabilities of `calibrated`; NaN where it has none."""
    p = calibrated(y, scores, weights)
    return nan if p is None else log_loss(y, p, weights)


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of scores. Call it with y, scores and weights.

    Attributes
    ----------
    name : str
        The canonical specification, such as "pauc[max_fpr=0.1]".
    function : callable
        (y, scores, weights) -> float, with the parameter `key` if it has one.
    key, value :
        The parameter and its value; "" and 0 if there is none.
    smaller : bool
        Whether a smaller value is better; else a larger one is.
    """

    name: str
    function: Callable[..., float]
    key: str = ""
    value: float | int = 0
    smaller: bool = False

    def __call__(self, y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> float:
        """Return the value on rows, NaN where they have none; errors are those of the function."""
        return self.function(y, scores, weights, **({self.key: self.value} if self.key else {}))

    def values(self, folds: Sequence[Fold | None]) -> Vector:
        """Return the value on each fold; NaN without a fold, and where it has one class only."""
        return np.array(
            [
                self(fold.positive, fold.scores, fold.weights)
                if fold is not None and fold.has_both_classes
                else nan
                for fold in folds
            ],
            dtype=np.float64,
        )

    def failure(self, y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> str:
        """Return why it has no value on rows, where it does not raise an error; mostly empty."""
        return ""

    @property
    def failures(self) -> tuple[str, ...]:
        """Return sentences about values that it could not give; errors are raised instead."""
        return ()


def measure(spec: str) -> Measure:
    """Return a measure by its specification.

    Parameters
    ----------
    spec : str
        `auc`, `ap` (average precision), `pauc[max_fpr=.1]`, `precision[k=10]`, `recall[k=10]`,
        `brier` or `log-loss`. The parameter may be left out, and so may its name. The last two
        are of calibrated scores, and smaller is better; see `calibrated`.

    Raises
    ------
    UnknownNameError
        When no measure or parameter has the name.
    ParameterError
        When the text is no specification, or its value makes no sense.
    """
    read = SPEC.fullmatch(spec)
    if read is None:
        raise ParameterError(f"{spec!r} is no measure; write it like pauc[max_fpr=.1]")
    name, key, value = read["name"], read["key"], read["value"]
    if name not in MEASURES:
        raise UnknownNameError("measure", name, MEASURES)
    function, known, default = MEASURES[name]
    if value is None:
        value = default
    elif not known:
        raise ParameterError(f"the measure {name} has no parameter, got {spec!r}")
    if key and key != known:
        raise UnknownNameError(f"parameter of {name}", key, [known])
    if not known:
        return Measure(name, function, smaller=name in LOSSES)
    number = _number(spec, value)
    if known == "k":
        if not number.is_integer():
            raise ParameterError(f"k must be a whole number, got {value}")
        number = int(number)
        require_whole(1, k=number)
    else:
        _require_rate(number)
    return Measure(f"{name}[{known}={number:g}]", function, known, number)


MEASURES: dict[str, tuple[Callable[..., float], str, str]] = {
    "auc": (auc, "", ""),
    "ap": (average_precision, "", ""),
    "pauc": (partial_auc, "max_fpr", "0.1"),
    "precision": (precision_at, "k", "10"),
    "recall": (recall_at, "k", "10"),
    "brier": (calibrated_brier, "", ""),
    "log-loss": (calibrated_log_loss, "", ""),
}
LOSSES = ("brier", "log-loss")


def _number(spec: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise ParameterError(f"{value!r} in {spec!r} is no number") from None


def _require_rate(max_fpr: float) -> None:
    if not 0 < max_fpr <= 1:
        raise ParameterError(f"max_fpr must be in (0, 1], got {max_fpr}")


def _ordered(
    y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None
) -> tuple[Mask, Vector, Vector]:
    """Return positives, scores as finite numbers of the same order, and weights."""
    positive, s = checked_rows(y, scores)
    require_both(positive)
    order: Vector = np.unique(s, return_inverse=True)[1].astype(np.float64)  # some are infinite
    return positive, order, checked_weights(weights, s.size)


def _top(y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None, k: int) -> tuple[Mask, Vector]:
    """Return positives, and the weight of each row times the chance that it is in the first k."""
    require_whole(1, k=k)
    positive, s = checked_rows(y, scores)
    require_both(positive)
    if k > s.size:
        raise DataError(f"there are {s.size} test rows, fewer than k={k}; ask for fewer")
    last = np.partition(s, s.size - k)[s.size - k]  # the k-th largest
    above, tied = s > last, s == last
    places = (k - np.count_nonzero(above)) / np.count_nonzero(tied)
    return positive, checked_weights(weights, s.size) * (above + places * tied)


def _probabilities(
    y: ArrayLike, p: ArrayLike, weights: ArrayLike | None
) -> tuple[Vector, Vector, Vector]:
    positive, probabilities = checked_rows(y, p)
    if not probabilities.size or probabilities.min() < 0 or probabilities.max() > 1:
        raise DataError("probabilities must be in [0, 1], and of one row at least; calibrate first")
    w = checked_weights(weights, probabilities.size)
    return positive.astype(np.float64), probabilities, w
