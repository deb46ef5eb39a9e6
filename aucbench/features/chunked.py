"""Feature maps of rows that are read in chunks: those that are folded into the weights."""

from __future__ import annotations

import numpy as np

from aucbench.contract import FeatureMap, NoMap
from aucbench.errors import UnsupportedError
from aucbench.features.affine import Standard
from aucbench.scale import ChunkedData

STANDARD = ("auto", "standard")
MAPS = (*STANDARD, "none")


def with_features(features: str, data: ChunkedData) -> ChunkedData:
    """Return the rows as solvers see them after a feature map, by its name; no row is read.

    Raises
    ------
    UnsupportedError
        When the map learns from rows in memory.
    """
    if features not in MAPS:
        raise UnsupportedError(
            f"the map {features} learns from rows in memory, and these are read in chunks; take "
            f"one of {', '.join(MAPS)}"
        )
    return data.with_standard(features in STANDARD)


def map_of(data: ChunkedData) -> FeatureMap:
    """Return the map from raw rows to the features that a solver has seen."""
    if not data.standard:
        return NoMap()
    return Standard(mean=data.centre, rest=np.zeros(data.d), spread=data.scale)
