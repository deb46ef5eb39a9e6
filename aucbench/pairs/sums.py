"""Sums of hinges over the pairs, and shares of pairs in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from aucbench.data.arrays import Index, Vector
from aucbench.data.sorting import argsort
from aucbench.errors import DataError
from aucbench.kernels import blocks, hinge
from aucbench.pairs.segments import Segments

Bend = Callable[[Vector], Vector]
HINGE, SQUARED, BEND, CONCORDANCE = range(len(blocks.MODES))
SMALL = 512  # rows of a group up to which all its pairs cost less than a sort (measured)
NONE = np.zeros(1)


class BlockSums:
    """Mean loss over the pairs, its derivatives in the scores, and the active mass.

    With t_i = s_i − 1, a pair of an upper row i and a lower row j is active if s_j > t_i; at a
    margin of exactly 1 the derivative is 0. With the mean hinge f, its derivatives c and the
    active mass A = Σ π_ij 1[active], f = A + c·s.

    A group of at most 512 rows takes all of its pairs. A larger one takes one sort of the scores
    and O(n) for each bit of its keys (cython/blocks.h).

    Parameters
    ----------
    of : Segments
        The pairs.
    squared : bool
        Whether the hinges are squared.
    """

    def __init__(self, of: Segments, *, squared: bool):
        self.n, self.squared = of.n, squared
        self._passes = Passes(of)

    def __call__(self, s: Vector) -> tuple[float, Vector, float]:
        """Return the mean loss, its derivatives in s (n,), and A; for squared hinges A is NaN.

        If a score is NaN or infinite, so is the mean, or NaN, and the derivatives have no meaning.

        Raises
        ------
        DataError
            Unless there is one score for each row.
        """
        self._last = s
        c, value, mass = self._passes(SQUARED if self.squared else HINGE, 1.0, s)
        return value, c, np.nan if self.squared else mass

    def bend(self) -> Bend:
        """Return u -> D u, with the second derivatives D (n, n) at the scores of the last call.

        The product stays that of these scores, whatever is called later. It costs about as much
        as a call.
        """
        s = self._last.copy()

        def product(u: Vector) -> Vector:
            return self._passes(BEND, 1.0, s, u)[0]

        return product


def concordant(of: Segments, s: Vector) -> Vector:
    """Return A (n,): for each row the sum of π k over its pairs, k = 1[s_i > s_j] + ½ 1[=].

    Raises
    ------
    DataError
        Unless there is one score for each row.
    """
    return Passes(of)(CONCORDANCE, 0.0, s)[0]


def _taken(s: Vector, rows: Index) -> Vector:
    taken = np.empty(rows.size)
    hinge.read(s, rows, 1.0, 0.0, taken)
    return taken


class Passes:
    """Passes over all pairs of segments; it owns the memory that they need.

    Parameters
    ----------
    of : Segments
        The pairs.
    """

    def __init__(self, of: Segments):
        self.n, self.of = of.n, of
        sizes = np.diff(self.of.starts)
        self._small = np.flatnonzero(sizes <= SMALL)
        self._large = np.flatnonzero(sizes > SMALL)
        self._groups = {g: _Group.of(of, g) for g in self._large.tolist()}
        self._room = int(sizes[self._small].max(initial=0))
        self._most = int(sizes[self._large].max(initial=0))
        self._once = self.of.rows.size == self.n and np.bincount(self.of.rows).max() == 1

    def __call__(
        self, mode: int, shift: float, s: Vector, u: Vector = NONE
    ) -> tuple[Vector, float, float]:
        """Return the sums of the rows (n,), the value and the active mass.

        Raises
        ------
        DataError
            Unless there is one score for each row.
        """
        if s.shape != (self.n,):
            raise DataError(f"scores have shape {s.shape} for {self.n} rows; give one per row")
        of = self.of
        x = _taken(s, of.rows)
        v = _taken(u, of.rows) if mode == BEND else u
        out, value, mass = np.empty(x.size), *np.zeros((2, of.starts.size - 1))
        given = (mode, shift, of.starts, self._small, self._room, of.key, x, of.a, of.b, v)
        with np.errstate(over="ignore", invalid="ignore"):  # of scores that are not finite
            blocks.small_groups(*given, self._scratch, out, value, mass)
            for g in self._large.tolist():
                value[g], mass[g] = self._of_large(mode, shift, g, x, v, out)
            return self._placed(out), float(value.sum()), float(mass.sum())

    def _placed(self, out: Vector) -> Vector:
        """Return what the memberships have found as sums over each row."""
        if not self._once:
            return np.bincount(self.of.rows, out, self.n).astype(np.float64, copy=False)
        placed = np.empty(self.n)
        placed[self.of.rows] = out
        return placed

    @cached_property
    def _scratch(self) -> Vector:
        return np.empty(blocks.OF_LEAF * (self._room + blocks.LOWERS))

    @cached_property
    def _memory(self) -> tuple[Vector, Vector, Index, Vector, Index, Vector]:
        m = self._most + 1
        leaf = np.empty(blocks.leaf_room())
        whole = np.empty((2, m)), np.empty((2, m)), np.empty((2, m), np.int32)
        return *whole, np.empty((9, m)), np.empty((3, m), np.int32), leaf

    def _of_large(
        self, mode: int, shift: float, g: int, x: Vector, u: Vector, out: Vector
    ) -> tuple[float, float]:
        group, m = self._groups[g], self._groups[g].key.size
        part = slice(int(self.of.starts[g]), int(self.of.starts[g]) + m)
        sorted_x, sorted_u, place, scratch, places, leaf = self._memory
        sorted_x[0, :m], place[0, :m] = argsort(x[part])
        v = u[part] if mode == BEND else u
        if mode == BEND:
            sorted_u[0, :m] = v[place[0, :m]]
        rows = (group.first, group.key, x[part], group.a, group.b, v)
        memory = (sorted_x, sorted_u, place, scratch, places, leaf)
        found = blocks.large_group(mode, shift, group.even, *rows, *memory, out[part])
        if group.even:
            out[part] *= group.factor
        return found[0] * group.factor, found[1] * group.factor


@dataclass(frozen=True)
class _Group:
    """A group that is sorted: its keys, where each begins, and shares divided by a factor."""

    key: Index
    first: Index
    a: Vector
    b: Vector
    factor: float
    even: bool

    @staticmethod
    def of(segments: Segments, g: int) -> _Group:
        """Return a group; counts of rows are exact where all of its shares are even."""
        part = slice(*segments.starts[g : g + 2].tolist())
        key, a, b = segments.key[part], segments.a[part], segments.b[part]
        first = np.searchsorted(key, np.arange(int(key[-1]) + 2)).astype(np.int32)
        upper, lower = a[a > 0.0], b[key > 0]
        if upper.size and lower.size and np.ptp(upper) == np.ptp(lower) == 0.0:
            ones = np.ones(key.size)
            return _Group(key, first, (a > 0.0) * ones, ones, float(upper[0] * lower[0]), True)
        return _Group(key, first, a, b, 1.0, False)
