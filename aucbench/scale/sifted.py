"""Some rows of parts, where parts as a whole are too few: chosen by a hash, or by their numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Index
from aucbench.scale.parts import Parts, Piece

STEP = np.uint64(0x9E3779B97F4A7C15)  # of SplitMix64, and its two factors
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
KEPT = 4  # parts whose numbers are in memory


class SomeRows(ABC):
    """Some rows of other parts, by their numbers in each part.

    A reading copies the rows, but for parts that it has as a whole.
    """

    parts: Parts

    d = property(lambda self: self.parts.d)
    names = property(lambda self: self.parts.names)
    n = property(lambda self: sum(self.sizes))

    @abstractmethod
    def own(self, i: int) -> Index:
        """Return the numbers of the rows of part i that belong to it, ascending."""

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of rows of each part."""
        return tuple(int(self.own(i).size) for i in range(len(self.parts.sizes)))

    def read(self, i: int) -> Iterator[Piece]:
        """Yield the rows of part i that belong to it."""
        yield from self.of_pieces(i, read_from(self.parts).read(i))

    def of_pieces(self, i: int, pieces: Iterator[Piece]) -> Iterator[Piece]:
        """Yield the rows of part i that belong to it, from the pieces that a reader gives."""
        if isinstance(self.parts, SomeRows):
            pieces = self.parts.of_pieces(i, pieces)
        done, own = 0, self.own(i)
        if own.size == self.parts.sizes[i]:
            yield from pieces
            return
        for piece in pieces:
            low, high = np.searchsorted(own, [piece.first, piece.first + piece.n])
            chosen = (own[low:high] - piece.first).astype(np.int32)
            if chosen.size:
                weights = None if piece.weights is None else piece.weights[chosen]
                rows, y = piece.rows.take(chosen), piece.y[chosen]
                yield replace(piece, rows=rows, y=y, weights=weights, first=done)
            done += int(chosen.size)

    def where(self, i: int, row: int) -> str:
        """Say where a row is, as the parts do."""
        return self.parts.where(i, int(self.own(i)[row]))


@dataclass(frozen=True, eq=False)
class Sifted(SomeRows):
    """Some rows of other parts: those whose hash of (seed, part, row) is below a share, or not.

    Parameters
    ----------
    parts : Parts
    share : float
        Of the rows, in (0, 1).
    seed : int
    held : bool
        Whether it has the rows that are held out, else the others.
    """

    parts: Parts
    share: float
    seed: int
    held: bool

    @cached_property
    def fingerprint(self) -> str:
        """Hash of that of the parts, and of the rule."""
        rule = f"{self.parts.fingerprint} {self.share!r} {self.seed} {self.held}"
        return sha256(rule.encode()).hexdigest()

    def own(self, i: int) -> Index:
        """Return the numbers of the rows of part i that belong to it, ascending."""
        below = _below(self.parts.sizes[i], i, self.seed, self.share)
        return np.flatnonzero(below == self.held).astype(np.int32)


@dataclass(frozen=True, eq=False)
class Chosen(SomeRows):
    """Some rows of other parts, by their numbers among all rows.

    Parameters
    ----------
    parts : Parts
    numbers : array of int
        Ascending.
    """

    parts: Parts
    numbers: Index

    @cached_property
    def fingerprint(self) -> str:
        """Hash of that of the parts, and of the numbers."""
        digest = sha256(self.parts.fingerprint.encode())
        digest.update(np.ascontiguousarray(self.numbers).data)
        return digest.hexdigest()

    def own(self, i: int) -> Index:
        """Return the numbers of the rows of part i that belong to it, ascending."""
        start = int(self._starts[i])
        low, high = np.searchsorted(self.numbers, [start, start + self.parts.sizes[i]])
        return (self.numbers[low:high] - start).astype(np.int32)

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        return np.cumsum([0, *self.parts.sizes])


def read_from(parts: Parts) -> Parts:
    """Return the parts of which these are some rows: what a reader has opened."""
    return read_from(parts.parts) if isinstance(parts, SomeRows) else parts


@lru_cache(maxsize=KEPT)
def _below(n: int, part: int, seed: int, share: float) -> NDArray[np.bool_]:
    """Return which of n rows have a hash below the share of the largest one."""
    key = int.from_bytes(sha256(f"{seed} {part}".encode()).digest()[:8], "little")
    with np.errstate(over="ignore"):
        z: NDArray[Any] = (np.arange(n, dtype=np.uint64) + np.uint64(1)) * STEP + np.uint64(key)
        z = (z ^ (z >> np.uint64(30))) * FIRST
        z = (z ^ (z >> np.uint64(27))) * SECOND
        z ^= z >> np.uint64(31)
    return z < np.uint64(int(share * 2.0**64))
