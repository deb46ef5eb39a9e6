"""What binds rows together when they are divided: groups and times, as numbers.

A group is on one side of a split only. With times, each row that is held out is later than each row
that is learnt from, and equal times are never divided. With both, the rows of groups that are held
out are not learnt from.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Index
from aucbench.errors import DataError
from aucbench.stats.vectors import Mask, is_missing, plain

Parts = tuple[Mask, Mask]  # rows to learn from, rows that are held out


def numbered(name: str, values: Any, n: int) -> Index | None:
    """Return the place of each value among the distinct values, from 0; None for None."""
    if values is None:
        return None
    raw = plain(name, values)
    if raw.shape != (n,):
        raise DataError(f"{name} has shape {raw.shape} for {n} rows; give one value per row")
    if (missing := _missing(raw)).size:
        raise DataError(
            f"{name} has no value in row {missing[0]}, and in {missing.size} row(s) in total; "
            "every row needs one"
        )
    try:
        return np.unique(raw, return_inverse=True)[1].astype(np.int32)
    except TypeError:
        raise DataError(
            f"{name} holds values that cannot be sorted, such as {raw[0]!r}; give numbers, dates "
            "or text, and one kind of them"
        ) from None


def held_out(
    strata: NDArray[Any],
    fraction: float,
    rng: np.random.Generator,
    groups: Index | None = None,
    times: Index | None = None,
) -> Parts:
    """Hold about a share of the rows out.

    At random in each stratum; or whole groups, in random order, each one if this brings the share
    of every stratum nearer to `fraction`; or the last rows in time.
    """
    if not 0 < fraction < 1:
        raise DataError(f"a share of {fraction} cannot be held out; give one between 0 and 1")
    if times is not None:
        return without_shared(_last(times, fraction), groups)
    held = np.zeros(strata.size, np.bool_)
    if groups is not None:
        held[:] = _drawn_groups(strata, fraction, rng, groups)[groups]
        return ~held, held
    drawn = [_draw(np.flatnonzero(strata == s), fraction, rng) for s in np.unique(strata)]
    held[np.concatenate(drawn)] = True
    return ~held, held


def windows(times: Index, count: int, groups: Index | None = None) -> list[Parts]:
    """Return `count` windows of time to hold out; what came before each one is learnt from.

    The windows have about n/(count + 1) rows, and the last one ends with the last row, as those of
    scikit-learn's `TimeSeriesSplit`. Rows of one time belong to one window.
    """
    n, size = times.size, times.size // (count + 1)
    ordered = np.sort(times)
    starts = [ordered[n - (count - k) * size] if size else ordered[0] for k in range(count)]
    edges = np.array([ordered[0], *starts, ordered[-1] + 1])
    if (np.diff(edges) < 1).any():
        raise DataError(
            f"{int(ordered[-1]) + 1} different times of {n} rows do not make {count} windows and "
            "rows before the first one; ask for fewer splits"
        )
    divisions = ((times < lo, (times >= lo) & (times < hi)) for lo, hi in pairwise(edges[1:]))
    return [without_shared(parts, groups) for parts in divisions]


def without_shared(parts: Parts, groups: Index | None) -> Parts:
    """Leave the rows of groups that are held out away from those to learn from."""
    if groups is None:
        return parts
    rest, held = parts
    return rest & ~np.isin(groups, groups[held]), held


def _last(times: Index, fraction: float) -> Parts:
    counts = np.cumsum(np.bincount(times)[::-1])[::-1]  # rows at each time or later
    if times.size and counts.size < 2:
        raise DataError("all rows have the same time, so that none is later; leave times out")
    start = 1 + int(np.argmin(np.abs(counts[1:] / times.size - fraction)))
    return times < start, times >= start


def _drawn_groups(
    strata: NDArray[Any], fraction: float, rng: np.random.Generator, groups: Index
) -> Mask:
    """Return which groups are held out, (number of groups,)."""
    count = int(groups.max()) + 1
    of_each = (np.bincount(groups[strata == s], minlength=count) for s in np.unique(strata))
    rows = np.stack([*of_each], axis=1).astype(np.float64)
    rows /= np.maximum(rows.sum(axis=0), 1.0)  # the share of each stratum that is in the group
    present = np.flatnonzero(rows.sum(axis=1))
    held, share = np.zeros(len(rows), np.bool_), np.zeros(rows.shape[1])
    for group in rng.permutation(present):
        nearer = np.abs(share + rows[group] - fraction).sum() < np.abs(share - fraction).sum()
        if nearer:
            held[group] = True
            share = share + rows[group]
    if not 0 < held[present].sum() < present.size:
        raise DataError(
            f"{present.size} group(s) cannot be split at fraction {fraction}; give more groups, or "
            "another fraction"
        )
    return held


def _draw(members: NDArray[np.intp], fraction: float, rng: np.random.Generator) -> NDArray[np.intp]:
    if members.size < 2:
        raise DataError("a class has 1 row, and both parts of a split need one; give more rows")
    count = max(1, round(fraction * members.size))
    if count == members.size:
        raise DataError(
            f"a share of {fraction} takes all {count} rows of a class, and both parts of a split "
            "need one; give a smaller share or more rows"
        )
    return rng.permutation(members)[:count]


def _missing(raw: NDArray[Any]) -> NDArray[np.intp]:
    """Return the rows without a value."""
    if raw.dtype.kind == "O":
        return np.flatnonzero([is_missing(value) for value in raw.tolist()])
    if raw.dtype.kind in "fM":
        return np.flatnonzero(np.isnat(raw) if raw.dtype.kind == "M" else np.isnan(raw))
    return np.empty(0, np.intp)
