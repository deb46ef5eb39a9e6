"""The first reading: counts, sums and ranges of the columns, and a sample of each class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Rows, Vector, rows
from aucbench.errors import UnsupportedError
from aucbench.kernels import bins
from aucbench.scale.parts import Columns, Piece
from aucbench.scale.tiles import room, tile_rows

SIDES = (-1, 1)  # the classes, in the order of their numbers


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows of a class with the smallest random keys, so that it merges.

    Attributes
    ----------
    keys : array of shape (m,)
    rows : Rows
        m rows.
    most : int
        Rows that it may have.
    """

    keys: Vector
    rows: Rows
    most: int

    @staticmethod
    def of(piece: Piece, keys: Vector, side: int, most: int) -> Sample:
        """Return the sample of one class of a piece."""
        own = np.flatnonzero(piece.y == side).astype(np.int32)
        chosen = own[_smallest(keys[own], most)]
        return Sample(keys[chosen], piece.some(chosen), most)

    def merge(self, other: Sample) -> Sample:
        """Return the smallest keys of both."""
        keys = np.concatenate([self.keys, other.keys])
        chosen = _smallest(keys, self.most)
        return Sample(keys[chosen], stacked(self.rows, other.rows).take(chosen), self.most)


@dataclass(frozen=True, eq=False)
class Survey:
    """What one reading says of the rows, apart for both classes: index 0 negative, 1 positive.

    Attributes
    ----------
    counts : tuple of 2 int
        Rows.
    sums, squares : arrays of shape (2, d)
        Σ (x − c) and Σ (x − c)² of the entries that are stored, with the common shift c.
    low, high : arrays of shape (d,)
        The smallest and the largest x − c of each column, of the entries that are stored.
    stored : array of shape (2, d)
        Entries of each column that are stored; of dense rows all of them.
    samples : tuple of 2 Sample
    """

    counts: tuple[int, int]
    sums: Vector
    squares: Vector
    low: Vector
    high: Vector
    stored: NDArray[np.int64]
    samples: tuple[Sample, Sample]

    def merge(self, other: Survey) -> Survey:
        """Return the survey of both parts."""
        neg, pos = (a + b for a, b in zip(self.counts, other.counts, strict=True))
        first, second = (a.merge(b) for a, b in zip(self.samples, other.samples, strict=True))
        return Survey(
            (neg, pos),
            self.sums + other.sums,
            self.squares + other.squares,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            self.stored + other.stored,
            (first, second),
        )


def survey(piece: Piece, shift: Vector, most: int, seed: int) -> Survey:
    """Return the survey of a piece: `most` rows of each class are its sample."""
    if piece.weights is not None:
        raise UnsupportedError(
            "the rows have weights, and a fit in chunks counts every row once; leave the weights "
            "out, or read files that fit in memory"
        )
    d = shift.size
    sums, squares = np.zeros((2, d)), np.zeros((2, d))
    low, high = np.full(d, np.inf), np.full(d, -np.inf)
    own = (room(d), np.empty(tile_rows(d)), np.empty(4 * d))
    bins.moments(piece.arrays, piece.y, shift, sums, squares, low, high, *own)
    keys = np.random.default_rng([seed, piece.part, piece.first]).random(piece.n)
    n_pos = int(np.count_nonzero(piece.y > 0))
    neg, pos = (Sample.of(piece, keys, side, most) for side in SIDES)
    counts = piece.n - n_pos, n_pos
    return Survey(counts, sums, squares, low, high, _stored(piece, counts), (neg, pos))


@dataclass(frozen=True)
class Gap:
    """The first entry that is no finite number.

    Attributes
    ----------
    part, row, column : int
        Its place; -1 where there is none.
    value : float
    """

    part: int = -1
    row: int = -1
    column: int = -1
    value: float = 0.0

    def merge(self, other: Gap) -> Gap:
        """Return the first one."""
        return other if self.part < 0 else self


def first_gap(piece: Piece) -> Gap:
    """Return the first entry of a piece that is no finite number."""
    if isinstance(piece.rows, Columns):
        odd = [~np.isfinite(column) for column in piece.rows.arrays]
        firsts = [int(bad.argmax()) if bad.any() else piece.n for bad in odd]
        row = min(firsts)
        if row == piece.n:
            return Gap()
        column = firsts.index(row)
        value = float(piece.rows.arrays[column][row])
        return Gap(piece.part, piece.first + row, column, value)
    own = piece.rows
    bad = np.flatnonzero(~np.isfinite(own.stored))
    if not bad.size:
        return Gap()
    at = int(bad[0])
    if own.columns is None or own.starts is None:
        row, column = divmod(at, own.d)
    else:
        row = int(np.searchsorted(own.starts, at, side="right")) - 1
        column = int(own.columns[at])
    return Gap(piece.part, piece.first + row, column, float(own.stored[at]))


def stacked(first: Rows, second: Rows) -> Rows:
    """Return the rows of both, one below the other."""
    if not first.is_sparse and not second.is_sparse:
        return rows(np.vstack([first.matrix, second.matrix]))
    from scipy.sparse import csr_array, vstack

    return rows(csr_array(vstack([csr_array(first.matrix), csr_array(second.matrix)])))


def _smallest(keys: Vector, most: int) -> NDArray[np.int32]:
    """Return the places of the smallest keys, ascending by key."""
    places = np.arange(keys.size) if keys.size <= most else np.argpartition(keys, most)[:most]
    return places[np.argsort(keys[places])].astype(np.int32)


def _stored(piece: Piece, counts: tuple[int, int]) -> NDArray[np.int64]:
    own = piece.rows
    if isinstance(own, Rows) and own.columns is not None and own.starts is not None:
        positive = np.repeat(piece.y > 0, np.diff(own.starts))
        sides = (own.columns[~positive], own.columns[positive])
        return np.stack([np.bincount(side, minlength=own.d) for side in sides])
    return np.repeat(np.array(counts, np.int64)[:, None], own.d, axis=1)
