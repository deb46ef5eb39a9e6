"""How the margins of pairs are spread at given weights, from a sample of the rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aucbench.contract import count_rows
from aucbench.data import Data
from aucbench.data.arrays import Block, Index, Vector

SAMPLE, SPACING = 8192, 16  # least number of sampled rows, but at least one row of 16
ENOUGH_ROWS = 64  # of each class; with fewer in the sample, all rows are taken

Margins = tuple[list[float], list[list[float]]]  # mean (2,) and covariance (2, 2)


def scores_at(data: Data, w: Vector) -> Vector:
    """Return the scores (n,) of w. At w = 0 it counts the rows that the gradient reads."""
    if w.any():
        return data.scores(w)
    count_rows(data.n)
    return np.zeros(data.n)


def spread_of_margins(
    data: Data, pairs: tuple[Index, Index] | None, w: Vector, p: Vector
) -> Margins:
    """Return mean and covariance of the margins of a random pair in the scores of w and of p.

    Parameters
    ----------
    data : Data
        Rows in memory.
    pairs : tuple of two arrays, or None
        Pairs that were drawn, upper and lower rows. None: all pairs of the two classes, by the
        rows of `sample`.
    w, p : array of shape (d,)
        A point and a direction.
    """
    if pairs is None:
        some = sample(data.y)
        return margins_of_classes(data.y[some], *_scores_of_both(data, w, p, some))
    rows = np.unique(np.concatenate(pairs))
    s, ds = _scores_of_both(data, w, p, rows)
    i, j = (np.searchsorted(rows, side) for side in pairs)
    return _moments(np.stack([s[i] - s[j], ds[i] - ds[j]]))


def _scores_of_both(data: Data, w: Vector, p: Vector, rows: Block) -> tuple[Vector, Vector]:
    ds = data.scores(p, rows)
    return data.scores(w, rows) if w.any() else np.zeros(ds.size), ds


def sample(y: NDArray[np.int8]) -> slice:
    """Return evenly spaced rows, or all rows where these would have too few rows of a class."""
    some = slice(None, None, min(max(1, y.size // SAMPLE), SPACING))
    counts = [np.count_nonzero(y[some] == side) for side in (1, -1)]
    return some if min(counts) >= ENOUGH_ROWS else slice(None)


def margins_of_classes(y: NDArray[np.int8], s: Vector, ds: Vector) -> Margins:
    """Return mean and covariance of the margins of a random pair of two independent rows.

    Parameters
    ----------
    y : array of shape (n,), int8 in {-1, +1}
    s, ds : array of shape (n,)
        Scores of a point and of a direction.
    """
    mean, cov = np.zeros(2), np.zeros((2, 2))
    for side in (1, -1):
        members = y == side
        m, c = _moments(np.stack([s[members], ds[members]]))
        mean += side * np.array(m)
        cov += c
    return mean.tolist(), cov.tolist()


def _moments(both: Vector) -> Margins:
    mean = both.mean(axis=1)
    both -= mean[:, None]
    return mean.tolist(), (both @ both.T / both.shape[1]).tolist()
