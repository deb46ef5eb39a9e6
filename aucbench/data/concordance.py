"""Concordance: the share of pairs of a positive and a negative that scores order correctly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Vector
from aucbench.data.sorting import argsort, sort_keys
from aucbench.errors import DataError
from aucbench.kernels import ranks

MAX_PAIRS = 2**62


def concordance(positive: NDArray[np.bool_], s: Vector, n_pos: int) -> float:
    """Return P(s_+ > s_-) + P(s_+ = s_-) / 2 over all pairs of a positive and a negative.

    The counts are exact 64-bit integers. They take one sort of each class and one merge.

    Parameters
    ----------
    positive : boolean array of shape (n,)
        Which rows are positive.
    s : array of shape (n,)
        Scores without NaN.
    n_pos : int
        The number of positives, from 1 to n - 1.

    Raises
    ------
    DataError
        When there are more than 2**62 pairs.
    """
    pairs = n_pos * (s.size - n_pos)
    if pairs > MAX_PAIRS:
        raise DataError(f"there are {pairs} pairs, more than 2**62; use a sample of the rows")
    # One block of memory costs less than two, and every call gets it anew.
    pos, neg = np.split(np.empty(s.size + 2, np.uint64), [n_pos + 1])
    ranks.split_keys(positive.view(np.uint8), s, pos, neg)
    for keys in (pos := pos[:-1], neg := neg[:-1]):
        sort_keys(keys)
    return ranks.concordant_twice(pos, neg) / (2 * pairs)


def weighted_concordance(
    positive: NDArray[np.bool_], s: Vector, weights: Vector | None = None
) -> float:
    """Return Σ v_i v_j (1[s_i > s_j] + ½ 1[s_i = s_j]) / (V₊V₋), i positive, j negative.

    V₊ and V₋ are the sums of the weights v of both classes. Time: O(n log n). Without weights it
    is `concordance`.

    Parameters
    ----------
    positive, s :
        As for `concordance`; both classes occur.
    weights : array of shape (n,), optional
        Above 0.
    """
    if weights is None:
        return concordance(positive, s, int(np.count_nonzero(positive)))
    own, shares = _ascending(s[positive], weights[positive])
    others, masses = _ascending(s[~positive], weights[~positive])
    below = np.concatenate([[0.0], np.cumsum(masses)])
    # Sorted values are found much faster than others.
    twice = below[np.searchsorted(others, own)] + below[np.searchsorted(others, own, "right")]
    return float(shares @ twice / (2.0 * below[-1] * shares.sum()))


def _ascending(s: Vector, weights: Vector) -> tuple[Vector, Vector]:
    s, order = argsort(s)
    return s, weights[order]
