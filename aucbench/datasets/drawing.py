"""`sample_rows`: which rows of a large data set `rows=N` keeps; the same ones at each reading."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Breakpoints, Categories, Data, Index, Labels, Target
from aucbench.datasets.reading import FEWEST_ROWS
from aucbench.errors import UnsupportedError, require_whole

FEWEST = 100  # rows of a class that a drawing keeps, where there are so many
SEED = 0


def sample_rows(target: Target, rows: int | None) -> Index | None:
    """Return the numbers of at most `rows` rows, in order; None where all of them are kept.

    Of k classes, each but the largest keeps min(n_y, max(round(N n_y / n), 100), N // k) of its n_y
    rows, and the largest has the rest of the N. So the shares stay, but a rare class does not fall
    below 100 rows. Of grades and of times, any N rows are drawn. The seed is fixed, so a name with
    `rows=N` always means the same rows.
    """
    if rows is None or rows >= target.n:
        return None
    rng = np.random.default_rng(SEED)
    if not isinstance(target, Labels | Categories):
        return np.sort(rng.choice(target.n, rows, replace=False)).astype(np.int32)
    parts = [rng.choice(of, count, replace=False) for of, count in _shares(target.y, rows)]
    return np.sort(np.concatenate(parts)).astype(np.int32)


def sample_data(data: Data, rows: int) -> Data:
    """Return at most `rows` rows of data that no file has, as `sample_rows` says.

    Raises
    ------
    ParameterError
        When `rows` is no such number.
    UnsupportedError
        When the data have breakpoints, whose rows are no pairs of two classes.
    """
    require_whole(FEWEST_ROWS, rows=rows)
    if isinstance(data.target, Breakpoints):
        raise UnsupportedError(f"rows={rows} is for labels, grades and times; leave it out")
    if (kept := sample_rows(data.target, rows)) is None:
        return data
    remark = f"{rows:,} of {data.n:,} rows, drawn as rows={rows}"
    known = data.understood
    label = f"{known.label}; {remark}" if known.label else remark
    return replace(data.take(kept), understood=replace(known, label=label))


def _shares(y: NDArray[np.generic], rows: int) -> list[tuple[Index, int]]:
    """Return the rows of each class, the rarest first, and how many of them are kept."""
    classes = [np.flatnonzero(y == label).astype(np.int32) for label in np.unique(y)]
    *others, largest = sorted(classes, key=len)
    most = rows // len(classes)
    counts = [min(of.size, max(round(rows * of.size / y.size), FEWEST), most) for of in others]
    return [*zip(others, counts, strict=True), (largest, rows - sum(counts))]
