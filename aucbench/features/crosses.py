"""The pairs of columns whose joint effect matters most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from aucbench.data import Data, uncounted
from aucbench.data.arrays import Vector
from aucbench.pairs import members_of
from aucbench.pairs.gram import pair_gram

Pair = tuple[int, int]

CELLS = 8  # bins of a column by which a pair is judged
MOST = 60  # columns whose pairs are judged: those with the largest effects
RIDGE = 1e-3  # of the additive fit, in units of the mean curvature of its weights
TINY = 1e-300  # so that features without a pair have a factor too


def strongest(
    data: Data, allowed: Sequence[int], columns: Mapping[int, Vector], count: int
) -> list[Pair]:
    """Return the pairs of columns whose joint effect an additive fit misses most, the first first.

    The additive fit is the least squares over the pairs of rows with a small ridge. The derivatives
    c of its loss in the scores sum to about 0 over each bin of a column, but not over the cells of
    two columns. A step for each of 8 × 8 cells would lower the loss by about Σ (Σ c)²/(2 Σ h) over
    the cells, where h is the curvature of each row. What steps of either column alone would do is
    subtracted. The fit costs O(n p²), and each pair of columns 2n additions.

    Parameters
    ----------
    data : Data
        The features of an additive fit, with their terms, and the target.
    allowed : sequence of int
        The columns that may be paired; of more than 60 those with the largest effects are.
    columns : mapping of int to array of shape (n,)
        Their numbers.
    count : int
        How many pairs are wanted.
    """
    c, h, effects = _residual(data)
    some = sorted(sorted(allowed, key=lambda j: -effects.get(j, 0.0))[:MOST])
    bins = {j: _bins(columns[j]) for j in some}
    gains = {pair: _gain(c, h, *(bins[j] for j in pair)) for pair in combinations(some, 2)}
    return sorted(gains, key=lambda pair: -gains[pair])[:count]


def _residual(data: Data) -> tuple[Vector, Vector, dict[int, float]]:
    """Return c and h of each row, and the variance of the effect of each column."""
    assert data.terms is not None
    members, terms = members_of(data), data.terms
    above, below = members.row_masses
    with uncounted():
        A = 2.0 * pair_gram(data, members)
        A[np.diag_indices(len(A))] += RIDGE * A.diagonal().mean() + TINY
        factor = cho_factor(A, overwrite_a=True, check_finite=False)
        w = cho_solve(factor, 2.0 * data.pullback(above - below), check_finite=False)
        s = data.scores(w)
    c = 2.0 * (members.laplacian(s) - (above - below))
    effects, X = {}, data.rows.matrix  # once: of float32 rows it is a copy
    for t, (j, *_) in enumerate(terms.columns):
        own = np.flatnonzero(terms.owner == t)
        effects[j] = float(np.var(X[:, own] @ w[own]))
    return c, 2.0 * (above + below), effects


def _bins(x: Vector) -> NDArray[np.intp]:
    """Return the bin of each number, from 0 to 7."""
    levels = np.unique(x)
    if levels.size > CELLS:
        levels = np.unique(np.quantile(x, np.arange(1, CELLS) / CELLS, method="lower"))
    return np.searchsorted(levels[1:] if levels.size == CELLS else levels, x, side="right")


def _gain(c: Vector, h: Vector, a: NDArray[np.intp], b: NDArray[np.intp]) -> float:
    """Return twice the fall of the loss by a step for each cell, beyond those of single columns."""
    cell = a * (CELLS + 1) + b
    G, H = (np.bincount(cell, each, (CELLS + 1) ** 2).reshape(CELLS + 1, -1) for each in (c, h))
    step = np.divide(G, H, out=np.zeros_like(G), where=H > 0.0)
    for axis in (0, 1, 0, 1):
        total = H.sum(axis=axis, keepdims=True)
        mean = (H * step).sum(axis=axis, keepdims=True)
        step = step - np.divide(mean, total, out=np.zeros_like(mean), where=total > 0.0)
    return float((H * step * step).sum())
