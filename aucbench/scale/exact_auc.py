"""The AUC exactly, from scores that do not fit in memory: by ranges of scores.

Bins of one class, and those whose rows all have one score, are counted. The scores of the other
bins are read again, as many bins at a time as fit, and each range is sorted as `auc` sorts
all scores. What ranges say adds up in Python integers, so the AUC is the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.sorting import argsort, sort
from aucbench.errors import DataError
from aucbench.kernels import ranks, score_bins
from aucbench.kernels.parallel import mapped
from aucbench.scale.auc_bins import Counted, ScoreBins, ScoreCounts, dot, scores_of
from aucbench.scale.engines import Engine
from aucbench.scale.parts import Parts, Piece

Range = slice  # of bins
Sides = tuple[NDArray[Any], NDArray[Any]]  # of positives, and of negatives


def exact_twice(
    parts: Parts,
    engine: Engine,
    known: Counted,
    room: int,
) -> tuple[int, int]:
    """Return 2 #{s_i > s_j} + #{s_i = s_j} over all pairs, and the number of readings.

    Parameters
    ----------
    parts, engine :
        Where the scores are.
    known : Counted
        What `counted` has returned for them.
    room : int
        Scores that may be in memory at a time.

    Raises
    ------
    DataError
        When a bin that must be sorted has more scores than there is room for, or parts have
        changed.
    """
    counts = known.counts
    twice, readings = counts.twice[0], 0
    for part in ranges(counts, room):
        (pos, neg), _ = range_scores(parts, engine, known, part)
        mapped(sort, [pos, neg])
        p, q = (np.where(counts.mixed[part], side[part], 0) for side in (counts.pos, counts.neg))
        across = dot(p, np.cumsum(q) - q)  # pairs of two bins of the range, which are counted
        twice += ranks.concordant_twice(pos, neg) - 2 * across
        readings += 1
    return twice, readings


def ranges(counts: ScoreCounts, room: int) -> Iterator[Range]:
    """Divide the bins that are open into ranges with room for their scores.

    Raises
    ------
    DataError
        When a single bin has more.
    """
    sizes = np.where(counts.mixed, counts.pos + counts.neg, 0)
    largest = int(sizes.max(initial=0))
    if largest > room:
        raise DataError(
            f"{largest} scores are so close to each other that they must be sorted together, and "
            f"there is memory for {room}; give more memory, or take the bounds"
        )
    ends = np.cumsum(sizes)
    start = int(np.flatnonzero(sizes)[0]) if largest else sizes.size
    while start < sizes.size and ends[-1] > ends[start] - sizes[start]:
        stop = int(np.searchsorted(ends, ends[start] - sizes[start] + room, side="right"))
        yield slice(start, stop)
        start = stop


def range_scores(
    parts: Parts,
    engine: Engine,
    known: Counted,
    part: Range,
) -> tuple[Sides, Sides | None]:
    """Return the scores of the open bins of a range, and the masses ⌊v/u⌋ of weights: one reading.

    Raises
    ------
    DataError
        When there are more or fewer of them than were counted.
    """
    counts, bins, unit = known.counts, known.bins, known.unit
    wanted = np.zeros(bins.count, np.uint8)
    wanted[part] = counts.mixed[part]
    sizes = [int(side[part][counts.mixed[part]].sum()) for side in (counts.pos, counts.neg)]
    kinds = (np.float64,) if unit is None else (np.float64, np.int64)
    columns = [[np.empty(size, kind) for size in sizes] for kind in kinds]
    at = [0, 0]
    for _, answers in engine.scan(parts, chosen, bins, wanted, unit):
        for answer in answers:
            for k, own in enumerate(answer):
                for column, values in zip(columns, own, strict=True):
                    fit = values[: max(0, sizes[k] - at[k])]
                    column[k][at[k] : at[k] + fit.size] = fit
                at[k] += own[0].size
    if at != sizes:
        raise DataError("parts gave other scores than before; they must not change meanwhile")
    scores, *masses = ((pos, neg) for pos, neg in columns)
    return scores, masses[0] if masses else None


def chosen(
    piece: Piece, bins: ScoreBins, wanted: NDArray[np.uint8], unit: float | None
) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
    """Return the scores of positives and of negatives in the wanted bins, and their masses."""
    scores, rows = scores_of(piece), np.empty(piece.n, np.int32)
    rows = rows[: score_bins.gather(scores, *bins.arrays, wanted, rows)]
    columns = [scores[rows]]
    if unit is not None:
        weights = np.ones(piece.n) if piece.weights is None else piece.weights
        columns.append((weights[rows] / unit).astype(np.int64))
    positive = piece.y[rows] > 0
    return [column[positive] for column in columns], [column[~positive] for column in columns]


def exact_masses(
    parts: Parts,
    engine: Engine,
    known: Counted,
    room: int,
) -> tuple[tuple[float, float], int]:
    """Return bounds of the weighted AUC as wide as masses are rounded, and the readings.

    Raises
    ------
    DataError
        As `exact_twice`.
    """
    counts = known.counts
    assert counts.masses is not None
    p, q = counts.masses
    won, lost = 2 * dot(p, np.cumsum(q) - q), 2 * dot(q, np.cumsum(p) - p)
    ties = dot(p[counts.single], q[counts.single])
    readings = 0
    for part in ranges(counts, room):
        scores, masses = range_scores(parts, engine, known, part)
        assert masses is not None
        own, all_pairs = _won(scores, masses), 2 * int(masses[0].sum()) * int(masses[1].sum())
        a, b = (np.where(counts.mixed[part], side[part], 0) for side in counts.masses)
        won += own - 2 * dot(a, np.cumsum(b) - b)
        lost += all_pairs - own - 2 * dot(b, np.cumsum(a) - a)
        readings += 1
    return counts.weighted_bounds(won + ties, lost + ties), readings


def _won(scores: Sides, masses: Sides) -> int:
    """Return Σ k_i k_j (2 1[s_i > s_j] + 1[s_i = s_j])."""
    (s, own), (others, behind) = (argsort(side) for side in scores)
    below = np.append(0, np.cumsum(masses[1][behind]))
    first, after = (np.searchsorted(others, s, side) for side in ("left", "right"))
    k = masses[0][own]
    return dot(k, below[first]) + dot(k, below[after])
