"""The share of pairs, a positive and a negative, that scores put in the right order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Vector
from aucbench.errors import DataError
from aucbench.kernels import ranks

MAX_PAIRS = 2**62
RADIX_FROM = 2_000  # keys from which sorting by digits wins (measured)


def concordance(positive: NDArray[np.bool_], s: Vector, n_pos: int) -> float:
    """P(s_+ > s_-) + P(s_+ = s_-) / 2, from exact counts, over all pairs of both classes.

    One sort per class and one merge in 64-bit integers.

    Raises
    ------
    DataError
        When there are more than 2**62 pairs.
    """
    pairs = n_pos * (s.size - n_pos)
    if pairs > MAX_PAIRS:
        raise DataError(f"{pairs} pairs exceed 2**62; score a sample of the rows")
    pos, neg = np.empty(n_pos + 1, np.uint64), np.empty(s.size - n_pos + 1, np.uint64)
    ranks.split_keys(positive.view(np.uint8), s, pos, neg)
    return ranks.concordant_twice(_sorted(pos[:-1]), _sorted(neg[:-1])) / (2 * pairs)


def _sorted(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Sort in place: by comparison while that is quicker, else by digits."""
    if keys.size < RADIX_FROM:
        keys.sort()
    else:
        ranks.radix_sort(keys, np.empty_like(keys), np.empty((6, 2048), np.uint32))
    return keys
