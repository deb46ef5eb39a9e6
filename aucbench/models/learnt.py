"""What a fit of the classifier learns from training rows: an encoding, a map and a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector
from aucbench.datasets.tables import Encoding
from aucbench.features.chain import applied, mapped
from aucbench.protocols import MAPPED_ROWS, FeatureMap, NoMap, Solver
from aucbench.records import Run
from aucbench.registry import get_preprocessing, get_solver
from aucbench.solving.loop import solve
from aucbench.solving.wrappers import WithStart


@dataclass(frozen=True, slots=True, eq=False)
class Learnt:
    """An encoding of tables, the map of features, and the run."""

    encoding: Encoding | None
    features: FeatureMap
    run: Run

    def scores(self, rows: Rows) -> Vector:
        """Scores of raw rows, 8192 mapped at a time."""
        if self.encoding is None and isinstance(self.features, NoMap):
            return self.run.decision_function(rows)
        parts = (rows.take(slice(lo, lo + MAPPED_ROWS)) for lo in range(0, rows.n, MAPPED_ROWS))
        return np.concatenate([self._part(part) for part in parts])

    def _part(self, rows: Rows) -> Vector:
        encoded = rows if self.encoding is None else self.encoding(rows)
        return self.run.decision_function(mapped(self.features, encoded))

    @property
    def without_texts(self) -> Encoding | None:
        """The encoding without the free texts of the training rows, which it does not need."""
        if self.encoding is None:
            return None
        return replace(self.encoding, schema=self.encoding.schema.unbound())


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """What a warm start goes on from."""

    weights: Vector
    features: FeatureMap
    encoding: Encoding | None


def learnt(
    solver: str | Solver,
    features: str | FeatureMap,
    train: Data,
    seed: int,
    start: Start | None = None,
    **limits: Any,
) -> Learnt:
    """Return what the training rows teach; `limits` are those of `solve`."""
    method, encoding = get_solver(solver), None
    if train.schema is not None:
        encoding = Encoding.learn(train.schema, train.rows)
        if start is not None and start.encoding is not None:
            encoding = replace(start.encoding, schema=train.schema)
        train = encoding.applied(train)
    if start is None:
        phi = get_preprocessing(features)
        phi = phi.fit(train, np.random.default_rng([seed, 0]))  # as the first split of a run
    else:
        method, phi = WithStart(method, start.weights, required=True), start.features
    return Learnt(encoding, phi, solve(method, applied(phi, train), seed=seed, **limits))
