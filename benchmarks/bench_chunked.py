"""Rows in chunks: what holding out costs compared with a plain reading, and a fit with its solver.

Read the ratios, not the times.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from aucbench.models.recipe import Recipe
from aucbench.scale import ChunkedData, Here
from aucbench.scale.chosen import Chosen
from aucbench.scale.survey import survey

from .bench_parts import InColumns, table


def timed(call, *args) -> float:
    begin = perf_counter()
    call(*args)
    return perf_counter() - begin


class HeldOut:
    """Readings of 200 000 × 20 float32, as they are and without single rows."""

    version = "1"
    number = repeat = 1

    def setup(self) -> None:
        X, y, _ = table()
        self.parts = InColumns(X, y)

    def track_reading_of_single_rows(self) -> float:
        """A reading without a fifth of the rows, compared with one of all rows."""
        shift = ChunkedData(self.parts).shift
        some = Chosen.of(self.parts, np.flatnonzero(np.arange(self.parts.n) % 5))
        some.sizes  # noqa: B018  which are known after the first reading
        ask = Here().reduce
        return timed(ask, some, survey, shift, 100, 0) / timed(
            ask, self.parts, survey, shift, 100, 0
        )

    def track_whole_fit(self) -> float:
        """A model with its ranges and spreads, compared with the seconds of its solver."""
        recipe = Recipe(solver="svm-or")
        begin = perf_counter()
        _, run = recipe.fit(ChunkedData(self.parts))
        return (perf_counter() - begin) / run.seconds
