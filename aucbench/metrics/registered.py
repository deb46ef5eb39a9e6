"""The metrics that `--metrics` knows without a plugin of another package."""

from __future__ import annotations

from collections.abc import Callable

from numpy.typing import ArrayLike

from aucbench.about import about, metric
from aucbench.hookspecs import Factories, hookimpl
from aucbench.metrics import classes
from aucbench.metrics.group_ranges import grouped_partial_auc
from aucbench.metrics.measures import (
    auc,
    average_precision,
    calibrated_brier,
    calibrated_log_loss,
    precision_at,
    recall_at,
)
from aucbench.metrics.order import grade_auc, survival_cindex
from aucbench.metrics.pairs import gauc
from aucbench.metrics.partial import partial_auc

CALIBRATED = {
    "one-positive": "a calibration needs two positive rows, and without one there is no value",
    "order-of-rows": "the two halves that are calibrated follow the order of the rows",
    "weights-of-rows": "a row that occurs twice may be in both halves",
}
FIRST = {"weights-of-rows": "it counts the first k rows, whatever they weigh"}


def of_probabilities(function: Callable[..., float], purpose: str) -> Callable[..., float]:
    """Return a loss of calibrated probabilities, which breaks some laws with good reason."""
    function.expected_failures = CALIBRATED  # type: ignore[attr-defined]
    return about(purpose)(metric(greater_is_better=False, low=0.0)(function))


def of_first(function: Callable[..., float], purpose: str) -> Callable[..., float]:
    """Return a share among the first k rows, which breaks a law with good reason."""
    function.expected_failures = FIRST  # type: ignore[attr-defined]
    return about(purpose)(RATE(function))


def hand_till(y: ArrayLike, scores: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """M of classes that are numbered, as a registered metric; see `aucbench.metrics.hand_till`."""
    return classes.hand_till(y, scores, sample_weight)


def one_vs_rest(y: ArrayLike, scores: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Mean AUC of a class against the rest; see `aucbench.metrics.one_vs_rest`."""
    return classes.one_vs_rest(y, scores, sample_weight)


RATE = metric(low=0.0, high=1.0)
CLASSES = metric(low=0.0, high=1.0, of="classes")
METRICS: Factories = {
    "auc": about("whether positives rank above negatives")(RATE(auc)),
    "ap": about("precision over all recalls")(RATE(average_precision)),
    "pauc": about("the AUC at some false-positive and true-positive rates")(RATE(partial_auc)),
    "gpauc": about("the partial AUC of groups, on average")(RATE(grouped_partial_auc)),
    "gauc": about("whether positives rank above negatives of their group")(RATE(gauc)),
    "cindex": about("whether rows with an earlier event rank above others")(
        metric(low=0.0, high=1.0, of="survival times")(survival_cindex)
    ),
    "grade-auc": about("whether higher grades rank above lower ones")(RATE(grade_auc)),
    "hand-till": about("whether each class ranks above each other one in its own score")(
        CLASSES(hand_till)
    ),
    "one-vs-rest": about("whether each class ranks above the rest in its own score")(
        CLASSES(one_vs_rest)
    ),
    "precision": of_first(precision_at, "how many of the first k rows are positive"),
    "recall": of_first(recall_at, "how many positives are among the first k rows"),
    "brier": of_probabilities(calibrated_brier, "squared error of calibrated probabilities"),
    "log-loss": of_probabilities(calibrated_log_loss, "log-loss of calibrated probabilities"),
}


@hookimpl
def aucbench_metrics() -> Factories:
    """Return the metrics."""
    return METRICS
