"""A measure of scores, as tests of differences take it: name, direction and variance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from aucbench.errors import DataError
from aucbench.stats.influence import Influence
from aucbench.stats.rows import Fold, Rows
from aucbench.stats.vectors import Vector

Value = float | int | str | None


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of scores. Call it with y, scores and sample_weight.

    One without a function is that of values from elsewhere: it has a name and a direction only.
    """

    name: str  # the canonical specification, such as "pauc[max_fpr=0.1]"
    # (y, scores, sample_weight) -> float, and its parameters
    function: Callable[..., float] | None = None
    params: Mapping[str, Value] = field(default_factory=dict, hash=False)
    smaller: bool = False  # whether a smaller value is better; else a larger one is
    share: bool = False  # whether its values are in [0, 1], and 1 is the best
    # (fold, parameters) -> how it moves with each row; None: its variance is not known
    moved: Callable[..., Influence] | None = None
    check: Callable[..., Any] | None = None  # raises where parameters make no sense

    def __call__(
        self, y: ArrayLike, scores: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the value on rows, NaN where they have none; errors are those of the function."""
        if self.function is None:
            raise DataError(f"the measure {self.name} is known by its values only")
        return self.function(y, scores, sample_weight, **self.params)

    @property
    def is_told(self) -> bool:
        """Whether it is known by its values only."""
        return self.function is None

    @property
    def has_variance(self) -> bool:
        """Whether its variance over test rows is known."""
        return self.moved is not None

    def influence(self, fold: Rows) -> Influence | None:
        """Return how it moves with each row of a fold; None where the fold has no value."""
        if self.moved is None or not isinstance(fold, Fold) or not fold.has_both_classes:
            return None
        return self.moved(fold, **self.params)

    def values(self, folds: Sequence[Rows | None]) -> Vector:
        """Return the value on each fold; NaN without a fold, and where it has one class only."""
        return np.array(
            [
                self(fold.positive, fold.scores, fold.weights)
                if isinstance(fold, Fold) and fold.has_both_classes
                else nan
                for fold in folds
            ],
            dtype=np.float64,
        )

    def failure(self, rows: Rows) -> str:
        """Return why it has no value on rows, where it does not raise an error; mostly empty."""
        return ""

    @property
    def failures(self) -> tuple[str, ...]:
        """Return sentences about values that it could not give; errors are raised instead."""
        return ()


AUC = Measure("auc", share=True)  # by the placements of the rows, so that it needs no function
