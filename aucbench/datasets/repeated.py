"""Rows of a table that occur earlier in it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

MANY = 100_000  # rows from which those that can be equal are found first
ODD, SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)  # of a multiplicative hash
TAKEN = 1 << 16  # rows that are hashed at a time, so that they stay in the cache


def repeated_rows(frame: Any) -> int:
    """Return how many rows of a data frame are equal to an earlier one.

    Equal rows have equal hashes. So of many rows of numbers, those whose hash no other row has are
    left out, and pandas compares the few others.
    """
    if len(frame) >= MANY and all(_is_plain(dtype) for dtype in frame.dtypes):
        frame = frame[_may_repeat(_hashes(frame))]
    return int(frame.duplicated().sum())


def _is_plain(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in "biuf" and dtype.itemsize <= 8


def _hashes(frame: Any) -> NDArray[np.uint64]:
    hashes = np.zeros(len(frame), np.uint64)
    columns = [frame.iloc[:, j].to_numpy() for j in range(frame.shape[1])]
    for lo in range(0, len(frame), TAKEN):
        own = hashes[lo : lo + TAKEN]
        for column in columns:
            own ^= _words(column[lo : lo + TAKEN])
            own *= ODD
            own ^= own >> SHIFT
    return hashes


def _words(column: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a number for each cell; equal cells have equal ones, as do 0 and -0, and any NaN."""
    if column.dtype.kind in "biu":
        return column.astype(np.uint64)
    cells: NDArray[np.float64] = column + 0.0 if column.dtype.itemsize == 8 else column.astype("f8")
    cells += 0.0
    if (gaps := np.isnan(cells)).any():
        cells[gaps] = np.nan
    return cells.view(np.uint64)


def _may_repeat(hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return the rows whose hash another row has."""
    ordered = np.sort(hashes)
    twice = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    if not twice.size:
        return np.zeros(hashes.size, np.bool_)
    at = np.minimum(np.searchsorted(twice, hashes), twice.size - 1)
    return np.asarray(twice[at] == hashes)
