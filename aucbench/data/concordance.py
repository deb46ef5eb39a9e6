"""Concordance: the share of pairs of a positive and a negative that scores order correctly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Vector
from aucbench.data.sorting import argsort, sort
from aucbench.errors import DataError
from aucbench.kernels import ranks
from aucbench.kernels.parallel import count, mapped
from aucbench.stats.vectors import even

MAX_PAIRS = 2**62
SHARED_FROM = 2**17  # scores from which threads share them: less takes about a millisecond
SAMPLE = 2**10  # scores that say where the ranges of the threads begin


def concordance(positive: NDArray[np.bool_], s: Vector, n_pos: int) -> float:
    """Return P(s_+ > s_-) + P(s_+ = s_-) / 2 over all pairs of a positive and a negative.

    The counts are exact 64-bit integers. They take one sort of each class and one merge. Threads
    divide large inputs into ranges of scores, and add up integers, so they change no bit.
    """
    pairs = n_pos * (s.size - n_pos)
    if pairs > MAX_PAIRS:
        raise DataError(f"there are {pairs} pairs, more than 2**62; use a sample of the rows")

    def counted(ends: tuple[float, float]) -> tuple[int, int, int]:
        # One block of memory costs less than two. Each class has one spare entry.
        pos, neg = np.split(np.empty(s.size + 2), [n_pos + 1])
        a, b = ranks.split(positive.view(np.uint8), s, *ends, pos, neg)
        sort(pos[:a])
        sort(neg[:b])
        return a, b, ranks.concordant_twice(pos[:a], neg[:b])

    twice = lower = 0
    for a, b, within in mapped(counted, _ranges(s)):
        twice += within + 2 * a * lower  # a positive is above all negatives of lower ranges
        lower += b
    return twice / (2 * pairs)


def _ranges(s: Vector) -> list[tuple[float, float]]:
    """Divide all scores into one range for each thread, ascending; a sample says where they begin.

    Ranges have both their ends, and no score is between the end of one and the start of the next.
    """
    parts = count() if s.size >= SHARED_FROM else 1
    sample = np.sort(s[:: -(-s.size // SAMPLE)]) if parts > 1 else s
    inner = {float(sample[sample.size * k // parts]) for k in range(1, parts)} - {-np.inf}
    starts = sorted(inner | {-np.inf})
    ends = [*np.nextafter(starts[1:], -np.inf).tolist(), np.inf]
    return list(zip(starts, ends, strict=True))


def weighted_concordance(
    positive: NDArray[np.bool_], s: Vector, weights: Vector | None = None
) -> float:
    """Return Σ v_i v_j (1[s_i > s_j] + ½ 1[s_i = s_j]) / (V₊V₋), i positive, j negative.

    V₊ and V₋ are the sums of the weights v of both classes. Time: O(n log n). Without weights it
    is `concordance`.
    """
    if weights is None:
        return concordance(positive, s, int(np.count_nonzero(positive)))
    sizes = np.count_nonzero(positive), np.count_nonzero(~positive)
    pos, neg = (np.empty((2, size + 1)) for size in sizes)  # each row has one spare entry
    mask = np.ascontiguousarray(positive).view(np.uint8)
    ranks.split_weighted(mask, *map(np.ascontiguousarray, (s, weights)), *pos, *neg)
    (own, at), (others, behind) = argsort(pos[0, :-1]), argsort(neg[0, :-1])
    shares, masses = even(pos[1, :-1])[at], even(neg[1, :-1])[behind]
    below = np.zeros(masses.size + 1)
    np.cumsum(masses, out=below[1:])
    first, twice = np.empty(own.size, np.uintp), np.empty(own.size)
    ranks.masses_below(own, others, below, first, twice)
    share = shares @ twice / (2.0 * below[-1] * shares.sum())
    return min(float(share), 1.0)  # a sum of shares of pairs may be rounded up
