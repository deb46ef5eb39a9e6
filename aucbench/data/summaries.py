"""What is computed once from all rows of some data, and kept with them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

import numpy as np

from aucbench.data.arrays import Vector
from aucbench.data.breakpoints import Breakpoints
from aucbench.data.data import Chunk, Data, require_features
from aucbench.data.passes import centred_products, square_norms

T = TypeVar("T")


def kept(of: Callable[[Data], T]) -> Callable[[Data], T]:
    """Keep what a function returns in the instance, as `cached_property`: no field changes."""
    name = f"_{of.__name__}"

    @wraps(of)
    def once(data: Data) -> T:
        known = vars(data)
        if name not in known:
            known[name] = of(data)
        found: T = known[name]
        return found

    return once


@kept
def longest_row(data: Data) -> float:
    """Return max_i ‖x_i‖; infinity where a square overflows."""
    require_features(data)
    return float(np.sqrt(square_norms(data.rows).max()))


@kept
def row_products(data: Data) -> Vector:
    """Return (x_i − m)·(x_j − m) of all rows, m their mean, shape (n, n): for few rows."""
    require_features(data)
    return centred_products(data.rows)


@kept
def whole_chunk(data: Data) -> Chunk:
    """Return the same rows and labels as one chunk."""
    X = data.rows  # of rows that are read in chunks it refuses
    require_features(data)
    return Chunk(X, data.y)


@kept
def breakpoints_of(data: Data) -> Breakpoints:
    """Return the target as breakpoints; labels become breakpoints that count errors.

    Raises
    ------
    UnsupportedError
        When the target is neither of both.
    """
    if isinstance(data.target, Breakpoints):
        return data.target
    return Breakpoints.of_labels(data.labels.y, "count")
