"""Measures of a ranking and of probabilities, by name for the command line.

Each takes y, scores and weights as `Fold`, and raises `DataError` as it does. Those of a ranking
raise it too when there is one class only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
import scipy  # its parts are imported when they are used
from numpy.typing import ArrayLike

from aucbench.data.concordance import weighted_concordance
from aucbench.errors import DataError, ParameterError, UnknownNameError, require_whole
from aucbench.kernels.vectors import Vector
from aucbench.stats.calibration import calibrated
from aucbench.stats.rows import Fold

SPEC = re.compile(
    r"\s*(?P<name>[\w-]+)\s*(?:\[\s*(?:(?P<key>\w+)\s*=)?\s*(?P<value>[^\[\]=,]+)\])?\s*"
)


def auc(y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Area under the ROC curve P(s_+ > s_-) + P(s_+ = s_-) / 2, with weights of rows."""
    rows = Fold.of_both_classes(y, scores, weights)
    even = (rows.weights == 1.0).all()  # then pairs are counted in whole numbers
    return weighted_concordance(rows.positive, rows.scores, None if even else rows.weights)


def average_precision(y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Average precision: sum over thresholds of (recall - recall before) precision.

    The thresholds are the distinct scores, so that rows of equal scores count together.
    """
    from sklearn.metrics import average_precision_score

    rows = Fold.of_both_classes(y, scores, weights)
    precision = average_precision_score(rows.positive, _places(rows), sample_weight=rows.weights)
    return min(float(precision), 1.0)  # it adds up shares, whose sum is 1 but for rounding


def partial_auc(
    y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None, *, max_fpr: float = 0.1
) -> float:
    """Area under the ROC curve up to the false-positive rate f = `max_fpr`, standardised.

    With the area A(f) up to the rate f it is (1 + (A(f) - f² / 2) / (f - f² / 2)) / 2. That is
    1/2 for random scores and 1 for perfect ones. For f = 1 it is the AUC. McClish (1989),
    "Analyzing a Portion of the ROC Curve", Medical Decision Making 9.
    """
    from sklearn.metrics import roc_auc_score

    _require_rate(max_fpr)
    rows = Fold.of_both_classes(y, scores, weights)
    area = roc_auc_score(rows.positive, _places(rows), sample_weight=rows.weights, max_fpr=max_fpr)
    return float(area)


def precision_at(
    y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None, *, k: int = 10
) -> float:
    """Share of positives among the k rows of highest score, from 1 to n of them.

    Of rows that tie for the last places each one is counted by the share of them that has a
    place: this is the mean over the orders in which ties can be broken. k counts rows, and the
    weights weigh those that are among them.
    """
    rows, taken = _top(y, scores, weights, k)
    good, bad = taken[rows.positive].sum(), taken[~rows.positive].sum()
    return float(good / (good + bad))  # rounding does not lift it above 1


def recall_at(
    y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None, *, k: int = 10
) -> float:
    """Share of the positives that are among the k rows of highest score; as `precision_at`."""
    rows, taken = _top(y, scores, weights, k)
    return float(taken[rows.positive].sum() / rows.weights[rows.positive].sum())


def brier(y: ArrayLike, p: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Brier score: the mean of (y - p)², with y in {0, 1} and probabilities p. Smaller is better.

    Raises `DataError` when a probability is not in [0, 1], or there is no row.
    """
    rows = _probabilities(y, p, weights)
    return float(np.average((rows.positive - rows.scores) ** 2, weights=rows.weights))


def log_loss(y: ArrayLike, p: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Mean of -log p over the positives and -log (1 - p) over the negatives; as `brier`.

    It is infinite when a row has the probability 0 of its own class.
    """
    rows = _probabilities(y, p, weights)
    positive, xlogy = rows.positive.astype(np.float64), scipy.special.xlogy
    losses = -xlogy(positive, rows.scores) - xlogy(1.0 - positive, 1.0 - rows.scores)
    return float(np.average(losses, weights=rows.weights))


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

    One without a function is that of values from elsewhere: it has a name and a direction only.
    """

    name: str  # the canonical specification, such as "pauc[max_fpr=0.1]"
    # (y, scores, weights) -> float, and `key` if it has one
    function: Callable[..., float] | None = None
    key: str = ""  # a parameter
    value: float | int = 0
    smaller: bool = False  # whether a smaller value is better; else a larger one is
    share: bool = False  # whether its values are in [0, 1], and 1 is the best

    def __call__(self, y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> float:
        """Return the value on rows, NaN where they have none; errors are those of the function."""
        if self.function is None:
            raise DataError(f"the measure {self.name} is known by its values only")
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
    parts = SPEC.fullmatch(spec)
    if parts is None:
        raise ParameterError(f"{spec!r} is no measure; write it like pauc[max_fpr=.1]")
    name, key, value = parts["name"], parts["key"], parts["value"]
    if name not in MEASURES:
        raise UnknownNameError("measure", name, MEASURES)
    function, known, default = MEASURES[name]
    if not known:
        if value is not None:
            raise ParameterError(f"the measure {name} has no parameter, got {spec!r}")
        return Measure(name, function, smaller=name in LOSSES, share=name not in LOSSES)
    if key and key != known:
        raise UnknownNameError(f"parameter of {name}", key, [known])
    value = default if value is None else value
    try:
        number = float(value)
    except ValueError:
        raise ParameterError(f"{value!r} in {spec!r} is no number") from None
    if known == "max_fpr":
        _require_rate(number)
    elif number.is_integer():
        number = int(number)
        require_whole(1, k=number)
    else:
        raise ParameterError(f"k must be a whole number, got {value}")
    return Measure(f"{name}[{known}={number:g}]", function, known, number, share=True)


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


def _require_rate(max_fpr: float) -> None:
    if not 0 < max_fpr <= 1:
        raise ParameterError(f"max_fpr must be in (0, 1], got {max_fpr}")


def _places(rows: Fold) -> Vector:
    """Return finite numbers in the order of the scores, of which some may be infinite."""
    places: Vector = np.unique(rows.scores, return_inverse=True)[1].astype(np.float64)
    return places


def _top(y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None, k: int) -> tuple[Fold, Vector]:
    """Return the rows, and the weight of each times the chance that it is in the first k."""
    require_whole(1, k=k)
    rows = Fold.of_both_classes(y, scores, weights)
    s = rows.scores
    if k > s.size:
        raise DataError(f"there are {s.size} test rows, fewer than k={k}; ask for fewer")
    last = np.partition(s, s.size - k)[s.size - k]  # the k-th largest
    above, tied = s > last, s == last
    places = (k - np.count_nonzero(above)) / np.count_nonzero(tied)
    return rows, rows.weights * (above + places * tied)


def _probabilities(y: ArrayLike, p: ArrayLike, weights: ArrayLike | None) -> Fold:
    rows = Fold(y, p, weights)
    if not rows.scores.size or rows.scores.min() < 0 or rows.scores.max() > 1:
        raise DataError("probabilities must be in [0, 1], and of one row at least; calibrate first")
    return rows
