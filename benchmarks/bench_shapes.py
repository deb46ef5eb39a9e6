"""The shapes of effects, beside one fit, and the effects of rows."""

from __future__ import annotations

from functools import cache

import numpy as np

import aucbench
from aucbench.models.effects import Additive, shapes
from aucbench.models.model import Model
from aucbench.models.recipe import Recipe

from .rows import labels

N, D = 5_000, 10
RECIPE = Recipe(solver="rank-svm", features="splines")
ROWS = np.arange(N, dtype=np.int32)


@cache
def fitted() -> tuple[Model, aucbench.Data]:
    """A model on splines of 10 columns."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((N, D))
    data = aucbench.Data.of(X, labels(np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2, rng))
    return RECIPE.fitted(data), data


class Shapes:
    """5 000 rows and 10 columns."""

    version = "1"

    def setup(self) -> None:
        self.model, self.data = fitted()
        self.additive = Additive.of(self.model)

    def time_fit(self) -> None:
        RECIPE.fitted(self.data)

    def time_shapes(self) -> None:
        shapes(self.model, self.data, ROWS)

    def time_effects_of_rows(self) -> None:
        assert self.additive is not None
        self.additive.effects(self.data.rows, range(D))
