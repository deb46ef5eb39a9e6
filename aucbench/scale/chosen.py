"""Some rows of parts, by their numbers: what is learnt from, or what is held out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Index
from aucbench.scale.parts import Parts, Piece


@dataclass(frozen=True, eq=False)
class Chosen:
    """Some rows of other parts. A reading copies them, but for parts that it has as a whole.

    Attributes
    ----------
    parts : Parts
    bits : array of uint8
        A bit for each row of the parts, eight of them in a byte: whether it belongs to it. So it is
        small where it is sent to workers.
    """

    parts: Parts
    bits: NDArray[np.uint8]

    d = property(lambda self: self.parts.d)
    names = property(lambda self: self.parts.names)
    n = property(lambda self: sum(self.sizes))

    @staticmethod
    def of(parts: Parts, numbers: Index) -> Chosen:
        """Return the rows with these numbers, in the order of the parts."""
        mask = np.zeros(sum(parts.sizes), np.bool_)
        mask[numbers] = True
        return Chosen(parts, np.packbits(mask))

    @cached_property
    def fingerprint(self) -> str:
        """Hash of that of the parts, and of the numbers."""
        return sha256(self.parts.fingerprint.encode() + self.bits.tobytes()).hexdigest()

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of rows of each part."""
        return tuple(int(np.count_nonzero(self._mask(i))) for i in range(len(self.parts.sizes)))

    def read(self, i: int) -> Iterator[Piece]:
        """Yield the rows of part i that belong to it."""
        if self.sizes[i]:
            yield from self.of_pieces(i, read_from(self.parts).read(i))

    def of_pieces(self, i: int, pieces: Iterator[Piece]) -> Iterator[Piece]:
        """Yield the rows of part i that belong to it, from the pieces that a reader gives."""
        if isinstance(self.parts, Chosen):
            pieces = self.parts.of_pieces(i, pieces)
        if self.sizes[i] == self.parts.sizes[i]:
            yield from pieces
            return
        done, mask = 0, self._mask(i)
        for piece in pieces:
            own = np.flatnonzero(mask[piece.first : piece.first + piece.n]).astype(np.int32)
            if own.size:
                weights = None if piece.weights is None else piece.weights[own]
                rows, y = piece.rows.take(own), piece.y[own]
                yield replace(piece, rows=rows, y=y, weights=weights, first=done)
            done += int(own.size)

    def labels(self, i: int) -> NDArray[np.int8]:
        """Return the labels of the rows of part i that belong to it."""
        return self.parts.labels(i)[self._mask(i)]

    def where(self, i: int, row: int) -> str:
        """Say where a row is, as the parts do."""
        return self.parts.where(i, int(np.flatnonzero(self._mask(i))[row]))

    def _mask(self, i: int) -> NDArray[np.bool_]:
        """Return which rows of part i belong to it."""
        lo, hi = self._starts[i], self._starts[i + 1]
        bits = np.unpackbits(self.bits[lo // 8 : -(-hi // 8)])
        mask: NDArray[np.bool_] = bits[lo % 8 : lo % 8 + hi - lo].view(np.bool_)
        return mask

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *np.cumsum(self.parts.sizes, dtype=np.int64).tolist()]


def read_from(parts: Parts) -> Parts:
    """Return the parts of which these are some rows: what a reader has opened."""
    return read_from(parts.parts) if isinstance(parts, Chosen) else parts
