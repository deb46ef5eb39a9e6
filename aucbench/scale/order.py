"""Orders of rows in chunks that are learnt from one by one: as they are, or shuffled twice.

A full shuffle of rows that do not fit would read each part once for each of its rows. With two
levels, the parts come in a random order, some of them are in memory at a time, and the rows of
those are shuffled. In trials, methods that take a step for each row learn as well from that order
as from a full shuffle, unless the rows drift, where order matters by itself: see docs/scale.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Chunk
from aucbench.data.arrays import Rows, rows
from aucbench.errors import UnevenPartsWarning
from aucbench.scale.data import ChunkedData
from aucbench.scale.parts import Columns, Parts, Piece
from aucbench.scale.survey import stacked

Numbers = NDArray[np.int64]
Labels = NDArray[np.int8]
TOGETHER = 8  # parts whose rows are shuffled with each other, at most
BUFFER = 1 << 29  # bytes of such rows, at most, unless a part alone has more
CHUNK = 1 << 16  # rows of a chunk, at most
NUMBERS = 1 << 21  # of a chunk, at most
UNEVEN = 10.0  # ratio of the shares of a class from which a user is warned
FEWEST = 20  # rows of the class that a part would have at the common share


def chunks(data: ChunkedData, rng: np.random.Generator | None) -> Iterator[Chunk]:
    """Yield all rows once, as rows of z: one reading.

    Parameters
    ----------
    data : ChunkedData
        Its parts are read one after the other, in this process.
    rng : Generator, or None
        Draws the order of the parts, and of the rows in each buffer of up to eight parts. None: the
        rows come in their order.

    Warns
    -----
    UnevenPartsWarning
        At the end, where the share of a class differs by more than ten times between parts.
    """
    parts, together, counts = data.parts, 1, {}
    numbers: Sequence[int] = data.numbers
    if rng is not None:
        numbers, together = rng.permutation(numbers).tolist(), _together(parts, numbers)
    for lo in range(0, len(numbers), together):
        pieces = []
        for i in numbers[lo : lo + together]:
            own = [*parts.read(i)]
            counts[i] = np.sum([_counts(piece) for piece in own], axis=0)
            pieces += own
        for X, y in _shuffled(pieces, rng, min(max(NUMBERS // parts.d, 1), CHUNK)):
            yield Chunk(rows(data.features(X)), y)
    _warn_of_uneven(np.array([counts[i] for i in sorted(counts)]))
    data.count_reading()


def _together(parts: Parts, numbers: Sequence[int]) -> int:
    largest = 8 * parts.d * max(parts.sizes[i] for i in numbers)
    return min(max(int(BUFFER // largest), 1), TOGETHER)


def _counts(piece: Piece) -> tuple[int, int]:
    n_pos = int(np.count_nonzero(piece.y > 0))
    return piece.n - n_pos, n_pos


def _shuffled(
    pieces: Sequence[Piece], rng: np.random.Generator | None, step: int
) -> Iterator[tuple[Rows, Labels]]:
    """Yield the rows of pieces, in their order or shuffled with each other."""
    y = np.concatenate([piece.y for piece in pieces])
    # The numbers of a row are side by side, so that rows at random places are read fast.
    parts = [p.rows.dense() if isinstance(p.rows, Columns) else p.rows for p in pieces]
    order = np.arange(y.size, dtype=np.int64)
    if rng is not None:
        rng.shuffle(order)
    for lo in range(0, order.size, step):
        at = order[lo : lo + step]
        yield _gathered(parts, at), y[at]


def _gathered(parts: Sequence[Rows], at: Numbers) -> Rows:
    """Return the rows with the numbers `at`, counted over all parts, in this order."""
    ends = np.cumsum([part.n for part in parts])
    owner = np.searchsorted(ends, at, side="right")
    places = [np.flatnonzero(owner == k) for k in range(len(parts))]
    taken = [
        part.take((at[place] - (end - part.n)).astype(np.int32))
        for part, end, place in zip(parts, ends, places, strict=True)
        if place.size
    ]
    together = np.concatenate(places)
    if any(part.is_sparse for part in taken):
        whole: Rows = reduce(stacked, taken)
        return whole.take(np.argsort(together).astype(np.int32))
    out = np.empty((at.size, parts[0].d))
    out[together] = np.concatenate([part.matrix for part in taken])
    return rows(out)


def _warn_of_uneven(counts: Numbers) -> None:
    """Warn where a class is ten times as frequent in some part as in another one."""
    total, share = counts.sum(axis=1), counts.sum(axis=0) / counts.sum()
    side = int(share[1] <= share[0])  # the rarer class
    judged = total * share[side] >= FEWEST
    if np.count_nonzero(judged) < 2:
        return
    shares = ((counts[:, side] + 0.5) / (total + 1.0))[judged]
    if shares.max() <= UNEVEN * shares.min():
        return
    kind = ("negatives", "positives")[side]
    warn(
        f"the share of {kind} goes from {shares.min():.2g} to {shares.max():.2g} between parts of "
        "the rows, as in a file that is sorted by its labels; a method that takes a step for each "
        "row learns from the last parts more than from the first, so shuffle the rows when they "
        "are written",
        UnevenPartsWarning,
        stacklevel=2,
    )
