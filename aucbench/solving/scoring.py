"""Scores of raw rows by weights or by a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from aucbench.contract import FeatureMap, Model, NoMap, Problem
from aucbench.data import scores
from aucbench.data.arrays import Rows, Vector
from aucbench.data.inputs import check_rows
from aucbench.errors import DataError, PluginError, written_at
from aucbench.stats.vectors import plain

MAPPED_ROWS = 8192  # rows mapped at a time: with 300 landmarks 20 MB


class Scoring(Protocol):
    """Weights or a model, one of them: a `State`, or a `Run`."""

    @property
    def w(self) -> Vector | None:
        """Weights of the mapped features, (d,); None with a model."""
        ...

    @property
    def model(self) -> Model | None:
        """The model, which scores raw rows; None with weights."""
        ...


@dataclass(frozen=True)
class Scorer:
    """Scores raw rows by weights or by a model. It is all that a `Run` keeps of a problem.

    It holds no training row, unless the map needs some: see `Run.keeps_rows`.

    Attributes
    ----------
    features : FeatureMap
        Maps raw rows to the features of the weights, already fitted.
    d : int
        Number of weights, or of the columns that a model was trained on.
    """

    features: FeatureMap
    d: int

    @staticmethod
    def of(problem: Problem) -> Scorer:
        """Return what scores raw rows by the weights of a problem."""
        return Scorer(problem.features, problem.data.d)

    def by_each(self, weights: Sequence[Vector], X: Any) -> Vector:
        """Scores by each of m weights, (m, n): each row is mapped once for all of them."""
        raw, phi = check_rows(X)[0], self.features
        if isinstance(phi, NoMap):
            return np.array([scores(raw, w) for w in weights])
        parts = (raw.take(slice(lo, lo + MAPPED_ROWS)) for lo in range(0, raw.n, MAPPED_ROWS))
        mapped = map(phi, parts)
        return np.concatenate([[scores(part, w) for w in weights] for part in mapped], axis=1)

    def __call__(self, learnt: Scoring, X: Any) -> Vector:
        """Scores of raw rows X (n, d) -> (n,) by the weights or the model of a state or a run.

        A score of a model that is not finite becomes NaN, which every measure refuses.

        Raises
        ------
        DataError
            When `X` is not a matrix of finite numbers with the columns trained on.
        PluginError
            When a model does not return n numbers, or there is neither model nor weights.
        """
        if learnt.model is not None:
            return _scores_by(learnt.model, check_rows(X)[0], self.d)
        if learnt.w is None:
            raise PluginError("there is neither w nor a model to score with; yield one of them")
        by_weights: Vector = self.by_each([learnt.w], X)[0]
        return by_weights


def _scores_by(model: Model, rows: Rows, d: int) -> Vector:
    if rows.d != d:
        raise DataError(f"X has {rows.d} columns, the model was trained on {d}; pass the same")
    name = f"what {type(model).__name__}.scores returned"
    try:
        s = plain(name, model.scores(rows))
    except DataError as error:
        raise PluginError(str(error)) from error
    if s.shape != (rows.n,) or s.dtype.kind not in "biuf":
        raise PluginError(
            f"{type(model).__name__}.scores returned {s.dtype} of shape {s.shape} for "
            f"{rows.n} rows, wanted numbers of shape ({rows.n},)"
            f"{written_at(model.scores)}"
        )
    return np.where(np.isfinite(s), s, np.nan).astype(np.float64, copy=False)
