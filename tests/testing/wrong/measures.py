"""Metrics and data sets with one small mistake each; `auc_of_pairs` and `clouds` are right."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np

from aucbench.about import metric
from aucbench.data import Data
from aucbench.hookspecs import hookimpl


def _wins(y: Any, scores: Any, v: Any) -> float:
    """Share of the pairs in order, in which a row counts for its weight v; a tie counts half."""
    positive = y > 0
    at, place = np.unique(scores, return_inverse=True)
    up, down = (np.bincount(place[side], v[side], at.size) for side in (positive, ~positive))
    return float(up @ (np.cumsum(down) - down / 2) / (up.sum() * down.sum()))


@metric(greater_is_better=True, low=0.0, high=1.0)
def auc_of_pairs(y, scores, sample_weight=None):
    """Return the AUC."""
    return _wins(y, scores, np.ones(y.size) if sample_weight is None else sample_weight)


@metric(greater_is_better=True, low=0.0, high=1.0)
def weights_of_positives(y, scores, sample_weight=None):
    """Return the AUC, in which the weights of negatives are forgotten."""
    v = np.ones(y.size) if sample_weight is None else np.where(y > 0, sample_weight, 1.0)
    return _wins(y, scores, v)


@metric(greater_is_better=True, low=0.0, high=1.0)
def ties_by_order(y, scores):
    """Return the AUC of ranks by argsort, in which ties have the order of the rows."""
    rank = np.empty(y.size)
    rank[np.argsort(scores, kind="stable")] = np.arange(1, y.size + 1)
    up = int((y > 0).sum())
    return float((rank[y > 0].sum() - up * (up + 1) / 2) / (up * (y.size - up)))


@metric(greater_is_better=True, low=0.0, high=1.0)
def binned_when_many(y, scores, sample_weight=None):
    """Return the AUC; scores of more than 10 000 rows fall into 50 bins, whose inside is tied."""
    if y.size > 10_000:
        scores = np.digitize(scores, np.linspace(scores.min(), scores.max(), 51)[1:-1])
    return _wins(y, scores, np.ones(y.size) if sample_weight is None else sample_weight)


# --- data sets ---------------------------------------------------------------------------


def clouds(n: int = 300, seed: int = 0) -> Data:
    """Return two clouds of points.

    Parameters
    ----------
    n : int
        Rows.
    seed : int
        Of the random numbers.
    """
    X, y, _ = _drawn(n, seed)
    return Data.of(X, y)


def _drawn(n: int, seed: int | None) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.3, 1, -1)
    return rng.normal(size=(n, 4)) + 0.5 * y[:, None], y, rng


def label_as_feature() -> Data:
    """Return them with the days until a payment was called back: only those of the class were."""
    X, y, rng = _drawn(300, 0)
    days = np.where(y > 0, 1.0 + rng.integers(40, size=y.size), 0.0)
    return Data.of(np.column_stack([X, days]), y)


def row_number() -> Data:
    """Return them with the number of the row in the file."""
    X, y, _ = _drawn(300, 0)
    return Data.of(np.column_stack([X, np.arange(1, y.size + 1)]), y)


def age_today() -> Data:
    """Return them with the age in days, counted until today."""
    X, y, rng = _drawn(300, 0)
    born = rng.integers(5_000, 15_000, size=y.size)
    today = (datetime.now(UTC) - datetime(1970, 1, 1, tzinfo=UTC)).days
    return Data.of(np.column_stack([X, today - born]), y)


def drawn_anew() -> Data:
    """Return them drawn without a seed."""
    X, y, _ = _drawn(300, None)
    return Data.of(X, y)


@hookimpl
def aucbench_metrics():
    """Register the metrics."""
    return {
        f.__name__: f for f in (auc_of_pairs, weights_of_positives, ties_by_order, binned_when_many)
    }


@hookimpl
def aucbench_datasets():
    """Register the data sets."""
    return {f.__name__: f for f in (clouds, label_as_feature, row_number, age_today, drawn_anew)}
