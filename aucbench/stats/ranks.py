"""Ranks of numbers; `scipy.stats` has them too, and takes half a second to import."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.kernels.vectors import floats


def average_ranks_of(values: ArrayLike) -> NDArray[np.float64]:
    """Ranks along the last axis, 1 for the smallest value; equal values share their mean rank.

    Parameters
    ----------
    values : array of shape (..., n)
        Without NaN; infinite values are allowed.
    """
    x = floats("values", values)
    if not x.size:
        return np.empty(x.shape)
    order = np.argsort(x, axis=-1, kind="stable")
    ordered = np.take_along_axis(x, order, -1)
    place = np.arange(x.shape[-1])
    new = np.ones(x.shape, np.bool_)  # whether a value differs from the one before it
    new[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    last = np.ones(x.shape, np.bool_)
    last[..., :-1] = new[..., 1:]
    first = np.maximum.accumulate(np.where(new, place, 0), axis=-1)
    final = np.minimum.accumulate(np.where(last, place, place.size)[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(x.shape)
    np.put_along_axis(ranks, order, (first + final) / 2.0 + 1.0, -1)
    return ranks
