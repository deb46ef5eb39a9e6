"""`ScoreFunction`: one column of scores, with what was learnt about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, cast

import numpy as np

from aucbench.contract import FeatureMap
from aucbench.contract import Model as Scoring
from aucbench.data import scores as weighted_sums
from aucbench.data.arrays import Rows, Vector
from aucbench.errors import DataError, UnsupportedError
from aucbench.models.assessment import Assessment
from aucbench.models.calibration import Calibrator, Reliability
from aucbench.models.maps import KIND, steps_of, tree_of
from aucbench.models.operating import Operating
from aucbench.models.shape import EffectShape
from aucbench.optim.trees import TreeSum, portable
from aucbench.records import Run
from aucbench.stats import Interval

LINEAR = "linear"


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreFunction:
    """The score of a mapped row x is w · φ_k(… φ_1(x)), or the sum of trees at φ_k(… φ_1(x)).

    Attributes
    ----------
    weights : array of shape (d,), or None
        w; None with trees.
    trees : TreeSum or None
    maps : tuple of FeatureMap
        φ_1, ..., φ_k, the solver's own maps, learnt; they come after those of the model.
    unsaved : object with scores(rows) -> (n,), or None
        In place of weights and trees: what a solver learnt that no file can hold.
    threshold : float
        Of two classes: a row whose score is at least this is predicted positive.
    operating : Operating or None
        How the threshold was chosen, and what it does.
    calibrator : Sigmoid, Isotonic or None
        From a score to the probability of the positive class; of three or more classes a sigmoid,
        from a score to the probability of this class against the rest.
    reliability : Reliability or None
        Whether the probabilities are true.
    assessment : Assessment or None
        What held-out rows say about it.
    auc : Interval or None
        Of three or more classes: the AUC of this class against the rest, on held-out rows.
    spread : array of shape (d,), or None
        Standard deviation of each feature of w over the training rows.
    shapes : tuple of EffectShape
        If the score is a sum of effects: the curve of each effect, those that move the score most
        first.

    Raises
    ------
    DataError
        When it has none or several of weights, trees and what is not saved, or the threshold is
        not finite.
    """

    weights: Vector | None
    trees: TreeSum | None
    maps: tuple[FeatureMap, ...]
    threshold: float = 0.0
    operating: Operating | None = None
    calibrator: Calibrator | None = None
    reliability: Reliability | None = None
    assessment: Assessment | None = None
    auc: Interval | None = None
    spread: Vector | None = None
    shapes: tuple[EffectShape, ...] = ()
    unsaved: Scoring | None = None

    def __post_init__(self) -> None:
        if sum(part is not None for part in (self.weights, self.trees, self.unsaved)) != 1:
            raise DataError("a score has weights or trees, one of them")
        if not isfinite(self.threshold):
            raise DataError(f"the threshold is {self.threshold}; choose a finite one")

    @property
    def d(self) -> int:
        """Number of features of w, or of the trees."""
        return np.asarray(self.weights).size if self.trees is None else self.trees.d

    @property
    def keeps_rows(self) -> bool:
        """Whether it may hold training rows: the landmarks of a kernel, or what is not saved."""
        return self.unsaved is not None or any(phi.keeps_rows for phi in self.maps)

    def mapped(self, rows: Rows) -> Rows:
        """Return the features of w or of the trees, of rows that the model has mapped."""
        for phi in self.maps:
            rows = phi(rows)
        return rows

    def scores(self, rows: Rows) -> Vector:
        """Scores of rows that the model has mapped -> (n,)."""
        mapped, sums = self.mapped(rows), self.trees or self.unsaved
        return (
            weighted_sums(mapped, np.asarray(self.weights)) if sums is None else sums.scores(mapped)
        )

    def to_tree(self) -> dict[str, Any]:
        """Return all of it as plain values and arrays.

        Raises
        ------
        UnsupportedError
            When one of its maps, or what the solver learnt, is not one of aucbench's own.
        """
        trees = self.trees if self.unsaved is None else portable(self.unsaved)
        return {
            "score": tree_of(trees or {KIND: LINEAR, "weights": self.weights}),
            "maps": [tree_of(phi) for own in self.maps for phi in steps_of(own)],
            "threshold": float(self.threshold),
            "operating": None if self.operating is None else finite(self.operating.to_json()),
            "calibrator": tree_of(self.calibrator),
            "reliability": None if self.reliability is None else finite(asdict(self.reliability)),
            "assessment": None if self.assessment is None else finite(asdict(self.assessment)),
            "auc": None if self.auc is None else finite(asdict(self.auc)),
            "spread": self.spread,
            "shapes": [asdict(shape) for shape in self.shapes],
        }


def functions_of(run: Run) -> tuple[ScoreFunction, ...]:
    """Return the score function of a run, or the K functions of a run of K classes."""
    return tuple(_function_of(own) for own in run.parts or (run,))


def _function_of(run: Run) -> ScoreFunction:
    maps = as_steps(run.scorer.features)
    if run.w is not None:
        return ScoreFunction(weights=run.w, trees=None, maps=maps)
    try:
        return ScoreFunction(weights=None, trees=portable(cast(Any, run.model)), maps=maps)
    except UnsupportedError:
        return ScoreFunction(weights=None, trees=None, maps=maps, unsaved=run.model)


def as_steps(phi: FeatureMap) -> tuple[FeatureMap, ...]:
    """Return the maps that a map consists of; one that no file can hold stays as it is."""
    try:
        return tuple(steps_of(phi))
    except UnsupportedError:
        return (phi,)


def finite(plain: Any) -> Any:
    """Return plain values with None in place of NaN and infinity, which JSON does not have."""
    if isinstance(plain, Mapping):
        return {str(name): finite(value) for name, value in plain.items()}
    if isinstance(plain, list | tuple):
        return [finite(value) for value in plain]
    plain = plain.item() if isinstance(plain, np.generic) else plain
    return None if isinstance(plain, float) and not isfinite(plain) else plain
