"""Measures of a ranking and of probabilities, by name for the command line.

Each takes y, scores, sample_weight and pos_label as `Fold`, and raises `DataError` as it does.
Those of a ranking raise it too when there is one class only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import nan
from typing import Any

import numpy as np
import scipy  # its parts are imported when they are used
from numpy.typing import ArrayLike

from aucbench.data.concordance import weighted_concordance
from aucbench.errors import DataError, ParameterError, UnknownNameError, require_whole
from aucbench.metrics.calibration import calibrated
from aucbench.metrics.partial import Range, partial_auc, partial_influence
from aucbench.stats.measures import Measure, Value
from aucbench.stats.rows import Fold
from aucbench.stats.vectors import Vector

SPEC = re.compile(r"\s*(?P<name>[\w-]+)\s*(?:\[(?P<inside>[^\[\]]*)\])?\s*")


def auc(
    y: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    pos_label: Any = None,
) -> float:
    """Area under the ROC curve: P(s_+ > s_-) + P(s_+ = s_-) / 2.

    Without weights the pairs are counted exactly, in 64-bit integers. With weights v, a pair counts
    v_i v_j, as in `sklearn.metrics.roc_auc_score`. Time: O(n log n).

    Parameters
    ----------
    y : array of shape (n,)
        Labels in {-1, 1}, {0, 1} or booleans, or a pair of words such as no and yes; any two
        labels with `pos_label`.
    scores : array of shape (n,)
        A larger score means more positive. Infinite scores are allowed.
    sample_weight : array of shape (n,), optional
        What each row counts for, at least 0; a row of weight 0 is not there.
    pos_label : label, optional
        The label of the positive rows.

    Raises
    ------
    DataError
        When shapes differ, when a score is NaN, when the labels do not hold both classes or do not
        say which is positive, or when a weight is below 0 or not finite.
    """
    rows = Fold.of_both_classes(y, scores, sample_weight, pos_label=pos_label)
    return weighted_concordance(rows.positive, rows.scores, rows.uneven)


def average_precision(
    y: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    pos_label: Any = None,
) -> float:
    """Average precision: sum over thresholds of (recall - recall before) precision.

    The thresholds are the distinct scores, so that rows of equal scores count together.
    """
    from sklearn.metrics import average_precision_score

    rows = Fold.of_both_classes(y, scores, sample_weight, pos_label=pos_label)
    precision = average_precision_score(rows.positive, _places(rows), sample_weight=rows.weights)
    return min(float(precision), 1.0)  # it adds up shares, whose sum is 1 but for rounding


def precision_at(
    y: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    k: int = 10,
) -> float:
    """Share of positives among the k rows of highest score, from 1 to n of them.

    Of rows that tie for the last places each one is counted by the share of them that has a
    place: this is the mean over the orders in which ties can be broken. k counts rows, and the
    weights weigh those that are among them.
    """
    rows, taken = _top(y, scores, sample_weight, k, pos_label)
    good, bad = taken[rows.positive].sum(), taken[~rows.positive].sum()
    return float(good / (good + bad))  # rounding does not lift it above 1


def recall_at(
    y: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    k: int = 10,
) -> float:
    """Share of the positives that are among the k rows of highest score; as `precision_at`."""
    rows, taken = _top(y, scores, sample_weight, k, pos_label)
    return float(taken[rows.positive].sum() / rows.weights[rows.positive].sum())


def brier(
    y: ArrayLike,
    p: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    pos_label: Any = None,
) -> float:
    """Brier score: the mean of (y - p)², with y in {0, 1} and probabilities p. Smaller is better.

    Raises `DataError` when a probability is not in [0, 1], or there is no row.
    """
    rows = _probabilities(y, p, sample_weight, pos_label)
    return float(np.average((rows.positive - rows.scores) ** 2, weights=rows.weights))


def log_loss(
    y: ArrayLike,
    p: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    pos_label: Any = None,
) -> float:
    """Mean of -log p over the positives and -log (1 - p) over the negatives; as `brier`.

    It is infinite when a row has the probability 0 of its own class.
    """
    rows = _probabilities(y, p, sample_weight, pos_label)
    positive, xlogy = rows.positive.astype(np.float64), scipy.special.xlogy
    losses = -xlogy(positive, rows.scores) - xlogy(1.0 - positive, 1.0 - rows.scores)
    return float(np.average(losses, weights=rows.weights))


def calibrated_brier(
    y: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    pos_label: Any = None,
) -> float:
    """Brier score of the probabilities of `calibrated`; NaN where it has none."""
    rows = Fold(y, scores, sample_weight, pos_label=pos_label)
    p = calibrated(rows.positive, rows.scores, rows.weights)
    return nan if p is None else brier(rows.positive, p, rows.weights)


def calibrated_log_loss(
    y: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    pos_label: Any = None,
) -> float:
    """Log-loss of the probabilities of `calibrated`; NaN where it has none."""
    rows = Fold(y, scores, sample_weight, pos_label=pos_label)
    p = calibrated(rows.positive, rows.scores, rows.weights)
    return nan if p is None else log_loss(rows.positive, p, rows.weights)


def measure(spec: str) -> Measure:
    """Return a measure by its specification.

    Parameters
    ----------
    spec : str
        `auc`, `ap` (average precision), `pauc[max_fpr=.1]`, `precision[k=10]`, `recall[k=10]`,
        `brier` or `log-loss`. The first parameter may be left out, and so may its name. The last
        two are of calibrated scores, and smaller is better; see `calibrated`. Others of `pauc` are
        `min_fpr`, `min_tpr` and `scale`, see `partial_auc`.

    Raises
    ------
    UnknownNameError
        When no measure or parameter has the name.
    ParameterError
        When the text is no specification, or a value makes no sense.
    """
    name, given = parts_of(spec)
    if name not in MEASURES:
        raise UnknownNameError("measure", name, MEASURES)
    usual = MEASURES[name]
    params = filled(name, given, usual.params, spec)
    if usual.check is not None:
        usual.check(**params)
    return replace(
        usual,
        name=named(name, params, usual.params),
        params=params,
        share=usual.share and params.get("scale") != "raw",
    )


def parts_of(spec: str) -> tuple[str, dict[str, str]]:
    """Return the name in a specification, and its values by key; that without a key has ""."""
    parts = SPEC.fullmatch(spec)
    if parts is None:
        raise ParameterError(f"{spec!r} is no measure; write it like pauc[max_fpr=.1]")
    given: dict[str, str] = {}
    for piece in (parts["inside"] or "").split(",") if parts["inside"] is not None else ():
        key, equals, value = (part.strip() for part in piece.partition("="))
        key, value = (key, value) if equals else ("", key)
        if not value or key in given or (not key and given):
            raise ParameterError(f"{spec!r} is no measure; write it like pauc[max_fpr=.1]")
        given[key] = value
    return parts["name"], given


def filled(
    name: str, given: Mapping[str, str], defaults: Mapping[str, Value], spec: str
) -> dict[str, Value]:
    """Return all parameters of a measure: those given, of the type of their defaults."""
    if given and not defaults:
        raise ParameterError(f"the measure {name} has no parameter, got {spec!r}")
    values = dict(defaults)
    for key, text in given.items():
        own = key or next(iter(defaults))
        if own not in defaults:
            raise UnknownNameError(f"parameter of {name}", own, defaults)
        values[own] = text if isinstance(defaults[own], str) else _number(own, text, spec, defaults)
    return values


def named(name: str, params: Mapping[str, Value], defaults: Mapping[str, Value]) -> str:
    """Return the canonical specification: the first number, and what is no default."""
    first = next((key for key, value in defaults.items() if isinstance(value, float | int)), None)
    told = [
        f"{key}={value}" if isinstance(value, str) else f"{key}={value:g}"
        for key, value in params.items()
        if value is not None and (key == first or value != defaults[key])
    ]
    return f"{name}[{','.join(told)}]" if told else name


def _number(key: str, text: str, spec: str, defaults: Mapping[str, Value]) -> float | int:
    try:
        number = float(text)
    except ValueError:
        raise ParameterError(f"{text!r} in {spec!r} is no number") from None
    if not isinstance(defaults[key], int):
        return number
    if not number.is_integer():
        raise ParameterError(f"{key} must be a whole number, got {text}")
    return int(number)


MEASURES: dict[str, Measure] = {
    one.name: one
    for one in (
        Measure("auc", auc, share=True),
        Measure("ap", average_precision, share=True),
        Measure(
            "pauc",
            partial_auc,
            {"max_fpr": 0.1, "min_fpr": 0.0, "min_tpr": 0.0, "scale": "mcclish"},
            share=True,
            moved=partial_influence,
            check=Range,
        ),
        Measure("precision", precision_at, {"k": 10}, share=True, check=partial(require_whole, 1)),
        Measure("recall", recall_at, {"k": 10}, share=True, check=partial(require_whole, 1)),
        Measure("brier", calibrated_brier, smaller=True),
        Measure("log-loss", calibrated_log_loss, smaller=True),
    )
}


def _places(rows: Fold) -> Vector:
    """Return finite numbers in the order of the scores, of which some may be infinite."""
    places: Vector = np.unique(rows.scores, return_inverse=True)[1].astype(np.float64)
    return places


def _top(
    y: ArrayLike, scores: ArrayLike, sample_weight: ArrayLike | None, k: int, pos_label: Any
) -> tuple[Fold, Vector]:
    """Return the rows, and the weight of each times the chance that it is in the first k."""
    require_whole(1, k=k)
    rows = Fold.of_both_classes(y, scores, sample_weight, pos_label=pos_label)
    s = rows.scores
    if k > s.size:
        raise DataError(f"there are {s.size} test rows, fewer than k={k}; ask for fewer")
    last = np.partition(s, s.size - k)[s.size - k]  # the k-th largest
    above, tied = s > last, s == last
    places = (k - np.count_nonzero(above)) / np.count_nonzero(tied)
    return rows, rows.weights * (above + places * tied)


def _probabilities(
    y: ArrayLike, p: ArrayLike, sample_weight: ArrayLike | None, pos_label: Any
) -> Fold:
    rows = Fold(y, p, sample_weight, pos_label=pos_label)
    if not rows.scores.size or rows.scores.min() < 0 or rows.scores.max() > 1:
        raise DataError("probabilities must be in [0, 1], and of one row at least; calibrate first")
    return rows
