"""Sums of hinges over the pairs, and shares of pairs in order."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Index, Vector
from aucbench.data.sorting import argsort
from aucbench.errors import DataError
from aucbench.kernels import hinge
from aucbench.kernels.parallel import count, mapped
from aucbench.pairs.members import Members
from aucbench.stats.vectors import even_classes

Bend = Callable[[Vector], Vector]
HINGE, SQUARED, BEND, CONCORDANCE = range(len(hinge.MODES))
SMALL = 512  # rows of a group up to which all its pairs cost less than a sort (measured)
NONE = np.zeros(1)

CELLS = 2  # cells of the grid per sorted score
BLOCK = 256  # rows whose sums are kept apart: that of cython/hinge.pyx
SHARED_FROM = 2**17  # rows of the larger class from which threads share them
MOVES = 4  # moves per sorted score after which insertion sort costs more than another sort
PAD = 4  # infinities behind the sorted scores: cython/hinge.h compares this many at once


class ClassSums:
    """Mean hinge over all pairs of two classes, its derivatives in the scores, and active mass.

    With t_i = s_i − 1, a pair of an upper row i and a lower row j is active if s_j > t_i. It counts
    m_i m_j. Only the smaller class is sorted (see cython/hinge.pyx). A call starts from the order
    of the last call. The object owns the memory that a call needs, so two threads must not share
    it.

    Parameters
    ----------
    upper : mask of shape (n,)
        The rows of the upper class; there is a row of each class.
    mass : array of shape (n,), or None
        m > 0; None: 1.
    total : float
        What the pairs count in sum.
    squared : bool
        Whether the hinges are squared.
    """

    def __init__(
        self, upper: NDArray[np.bool_], mass: Vector | None, total: float, *, squared: bool
    ):
        above, below = (np.flatnonzero(side).astype(np.int32) for side in (upper, ~upper))
        self.n, self.mass, self.total = upper.size, mass, total
        reflected = below.size < above.size  # the lower rows are sorted
        self.rows, self.others = (below, above) if reflected else (above, below)
        # a = sign s + shift, and b = sign s + other_shift
        self.sign, self.shift = (-1.0, 0.0) if reflected else (1.0, -1.0)
        self.other_shift = 1.0 if reflected else 0.0
        self.centre, self.scale = 0.0, 1.0  # of the grid
        self.order, self.has_order = np.empty_like(self.rows), False
        m, ranked = self.rows.size, squared or mass is not None
        self.a, self.spare = np.full(m + PAD, np.inf), np.empty(m)
        self.counts = np.empty(m + 1, np.int32)
        self.table = np.empty(CELLS * m + 2, np.int32)
        self.parts = np.empty(-(-self.others.size // BLOCK))
        self.rank = np.empty(self.others.size, np.int32) if ranked else None
        # Masses of the lowest a, and of each rank; and their sums times the scores.
        self.masses = (None, None) if mass is None else np.empty((2, m + 1))
        self.sums = np.empty((2, m + 1)) if squared else (None, None)

    @staticmethod
    def of_labels(y: NDArray[np.int8], weights: Vector | None, *, squared: bool) -> ClassSums:
        """Return the sums over all pairs of a positive and a negative, rows with weights or not."""
        upper = y > 0
        if weights is None:
            n_pos = int(np.count_nonzero(upper))
            return ClassSums(upper, None, n_pos * (y.size - n_pos), squared=squared)
        v = even_classes(weights, upper)
        total = float(v[upper].sum()) * float(v[~upper].sum())
        return ClassSums(upper, v, total, squared=squared)

    def __call__(self, s: Vector) -> tuple[float, Vector, float]:
        """Return the mean loss, its derivatives in s (n,), and the mass of the active pairs.

        If a score is NaN or infinite, so is the mean, and the derivatives have no meaning.

        Raises
        ------
        DataError
            Unless there is one score for each row.
        """
        if s.shape != (self.n,):
            raise DataError(f"scores have shape {s.shape} for {self.n} rows; give one per row")
        s = np.ascontiguousarray(s)
        self._sort(s)
        c, mass = np.empty(self.n), self.mass
        (lowest, of_rank), (lowest_sums, sums) = self.masses, self.sums
        if self.rank is not None:
            hinge.lowest_sums(self.a, self.order, mass, lowest, lowest_sums)
        self._read_others(s, c)
        if self.rank is not None:
            front = (s, self.others, self.sign, self.other_shift, float(self.a[0]))
            hinge.rank_sums(*front, mass, self.rank, of_rank, sums)
        kept = (self.a, self.order, mass, self.counts, of_rank, sums, self.parts)
        loss, active = hinge.sorted_rows(self.sign / self.total, *kept, c)
        return loss / self.total, c, active / self.total

    def bend(self) -> Bend:
        """Return u -> D u, with the second derivatives D (n, n) at the scores of the last call.

        The product stays that of these scores, whatever is called later. It costs O(n).
        """
        assert self.rank is not None
        order, known = self.order.copy(), (self.counts.copy(), self.rank.copy())
        lowest, of_rank = np.empty((2, 2, order.size + 1))

        def product(u: Vector) -> Vector:
            out, step = np.empty(self.n), 1.0 / self.total
            hinge.bend(u, self.others, step, order, self.mass, *known, lowest, of_rank, out)
            return out

        return product

    def _read_others(self, s: Vector, c: Vector) -> None:
        """Find the ranks of the larger class; threads share its rows, and each counts on its own.

        Counts are whole numbers, and the sums of blocks are kept apart. So the number of threads
        changes no bit.
        """
        size = self.others.size
        if size < SHARED_FROM:
            hinge.other_rows(self, s, 0, size, self.counts, c)
            return
        shares = min(count(), self.parts.size)
        cuts = [min(size, BLOCK * (self.parts.size * k // shares)) for k in range(shares + 1)]

        def read(cut: tuple[int, int]) -> Index:
            counts = self.counts if cut[0] == 0 else np.empty_like(self.counts)
            hinge.other_rows(self, s, *cut, counts, c)
            return counts

        for counts in mapped(read, [*pairwise(cuts)])[1:]:
            self.counts += counts

    def _sort(self, s: Vector) -> None:
        """Update a, order, and the grid with its table for the scores s."""
        m, moves = self.rows.size, MOVES * self.rows.size
        if self.has_order:
            hinge.read(s, self.order, self.sign, self.shift, self.a)
            self.has_order = hinge.mend(self.a, self.order, moves)
        if self.has_order:
            self.centre, self.scale = _grid(self.a[:m])
            hinge.index(self.a, m, self.centre, self.scale, self.counts, self.table)
            return
        hinge.read(s, self.rows, self.sign, self.shift, self.spare)
        self.centre, self.scale = grid = _grid(self.spare)
        table, order = self.table, self.order
        hinge.spread(self.spare, self.rows, *grid, self.counts, table, self.a, order)
        if not hinge.mend(self.a, order, moves):
            self.a[:m], again = argsort(self.a[:m])
            order[:] = order[again]
        self.has_order = True


def _grid(a: Vector) -> tuple[float, float]:
    """Return the median of a sample, and 1 over the distance between its quartiles."""
    sample = np.sort(a[:: 1 + a.size // 128]).tolist()
    low, centre, high = (sample[part * (len(sample) - 1) // 4] for part in (1, 2, 3))
    widths = (high - low, sample[-1] - sample[0])
    width = next((width for width in widths if width > 0.0), 1.0)
    return centre, 1.0 / min(width, 1e300)


class PairSums:
    """Mean hinge over the pairs of groups, its derivatives in the scores, and the active mass.

    With t_i = s_i − 1, a pair of an upper row i and a lower row j is active if s_j > t_i; at a
    margin of exactly 1 the derivative is 0. With the mean hinge f, its derivatives c and the
    active mass A = Σ π_ij 1[active], f = A + c·s.

    A group of at most 512 rows takes all of its pairs. A larger one of two keys is summed by
    `ClassSums`. One of more keys takes one sort of the scores and O(n) for each bit of its keys
    (cython/blocks.h).

    Parameters
    ----------
    of : Members
        The pairs.
    squared : bool
        Whether the hinges are squared.
    """

    def __init__(self, of: Members, *, squared: bool):
        self.squared, self._of = squared, of
        large = np.flatnonzero(np.diff(of.starts) > SMALL).tolist()
        parts = {g: slice(*of.starts[g : g + 2].tolist()) for g in large}
        self._classes = {
            g: (part, _of_two_keys(of, part, squared=squared))
            for g, part in parts.items()
            if of.key[part][-1] == 1
        }
        self._passes = Passes(of, without=self._classes)

    def __call__(self, s: Vector) -> tuple[float, Vector, float]:
        """Return the mean loss, its derivatives in s (n,), and A; for squared hinges A is NaN.

        If a score is NaN or infinite, so is the mean, or NaN, and the derivatives have no meaning.

        Raises
        ------
        DataError
            Unless there is one score for each row.
        """
        self._last = s
        x, out = self._passes.taken(s)
        value, mass = self._passes.sums(SQUARED if self.squared else HINGE, 1.0, x, NONE, out)
        for part, classes in self._classes.values():
            own, out[part], active = classes(x[part])
            value, mass = value + own, mass + active
        return value, self._of.added(out), np.nan if self.squared else mass

    def bend(self) -> Bend:
        """Return u -> D u, with the second derivatives D (n, n) at the scores of the last call.

        The product stays that of these scores, whatever is called later. It costs about as much
        as a call.
        """
        x, _ = self._passes.taken(self._last)
        bends = [(part, classes.bend()) for part, classes in self._classes.values()]

        def product(u: Vector) -> Vector:
            v, out = self._passes.taken(u)
            self._passes.sums(BEND, 1.0, x, v, out)
            for part, bend in bends:
                out[part] = bend(v[part])
            return self._of.added(out)

        return product


def _of_two_keys(of: Members, part: slice, *, squared: bool) -> ClassSums:
    """Return the sums of one group; its pairs are counted where they all count the same."""
    upper = of.key[part] == 0
    mass = np.where(upper, of.a[part], of.b[part])
    above, below = mass[upper], mass[~upper]
    if np.ptp(above) == np.ptp(below) == 0.0 < above[0] * below[0]:
        return ClassSums(upper, None, 1.0 / float(above[0] * below[0]), squared=squared)
    return ClassSums(upper, mass, 1.0, squared=squared)


def concordance(of: Members, s: Vector) -> tuple[float, Vector, Vector]:
    """Return θ, A and B for scores s (n,).

    θ = Σ π_ij k_ij with k = 1[s_i > s_j] + ½ 1[s_i = s_j], the share of pairs in order.
    A_r (n,) is the sum of π k over the pairs of row r, and B_r (n,) that of π.

    Raises
    ------
    DataError
        Unless there is one score for each row.
    """
    passes = Passes(of)
    x, out = passes.taken(np.asarray(s, np.float64))
    passes.sums(CONCORDANCE, 0.0, x, NONE, out)
    A, (above, below) = of.added(out), of.row_masses
    return 0.5 * float(A.sum()), A, above + below


class Passes:
    """Passes over all pairs of members; it owns the memory that they need.

    Parameters
    ----------
    of : Members
        The pairs.
    without : collection of int
        Numbers of large groups that are left out.
    """

    def __init__(self, of: Members, without: Collection[int] = ()):
        self.n, self.of = of.n, of
        sizes = np.diff(self.of.starts)
        self._small = np.flatnonzero(sizes <= SMALL)
        large = np.flatnonzero(sizes > SMALL).tolist()
        self._groups = {g: _Group.of(of, g) for g in large if g not in without}
        self._room = int(sizes[self._small].max(initial=0))
        self._most = max((group.key.size for group in self._groups.values()), default=0)

    def taken(self, s: Vector) -> tuple[Vector, Vector]:
        """Return the scores of the memberships (R,), and memory for their sums.

        Raises
        ------
        DataError
            Unless there is one score for each row.
        """
        if s.shape != (self.n,):
            raise DataError(f"scores have shape {s.shape} for {self.n} rows; give one per row")
        x, out = np.empty((2, self.of.rows.size))
        hinge.read(np.ascontiguousarray(s), self.of.rows, 1.0, 0.0, x)
        return x, out

    def sums(
        self, mode: int, shift: float, x: Vector, v: Vector, out: Vector
    ) -> tuple[float, float]:
        """Set the sums of the memberships; return the value and the active mass."""
        found = np.zeros((2, self.of.starts.size - 1))
        given = (self.of, self._small, self._room, mode, shift, x, v)
        with np.errstate(over="ignore", invalid="ignore"):  # of scores that are not finite
            hinge.small_groups(*given, self._scratch, out, found)
            for g in self._groups:
                found[:, g] = self._of_large(mode, shift, g, x, v, out)
            return float(found[0].sum()), float(found[1].sum())

    @cached_property
    def _scratch(self) -> Vector:
        return np.empty(hinge.OF_LEAF * (self._room + hinge.LOWERS))

    @cached_property
    def _memory(self) -> _Memory:
        m = self._most + 1
        numbers, places = np.empty((13, m)), np.empty((5, m), np.int32)
        leaf = np.empty(hinge.leaf_room())
        return _Memory(numbers[:2], numbers[2:4], numbers[4:], places[:2], places[2:], leaf)

    def _of_large(
        self, mode: int, shift: float, g: int, x: Vector, u: Vector, out: Vector
    ) -> tuple[float, float]:
        group, m = self._groups[g], self._groups[g].key.size
        part = slice(int(self.of.starts[g]), int(self.of.starts[g]) + m)
        memory = self._memory
        memory.sorted_x[0, :m], memory.place[0, :m] = argsort(x[part])
        v = u[part] if mode == BEND else u
        if mode == BEND:
            memory.sorted_u[0, :m] = v[memory.place[0, :m]]
        found = hinge.large_group(group, memory, mode, shift, x[part], v, out[part])
        if group.even:
            out[part] *= group.factor
        return found[0] * group.factor, found[1] * group.factor


@dataclass(frozen=True)
class _Memory:
    """Work space of `large_group` for m rows."""

    sorted_x: Vector  # (2, m + 1)
    sorted_u: Vector  # (2, m + 1)
    scratch: Vector  # (9, m + 1)
    place: Index  # (2, m + 1)
    places: Index  # (3, m + 1)
    leaf: Vector


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
    def of(members: Members, g: int) -> _Group:
        """Return a group; counts of rows are exact where all of its shares are even."""
        part = slice(*members.starts[g : g + 2].tolist())
        key, a, b = members.key[part], members.a[part], members.b[part]
        first = np.searchsorted(key, np.arange(int(key[-1]) + 2)).astype(np.int32)
        upper, lower = a[a > 0.0], b[key > 0]
        if upper.size and lower.size and np.ptp(upper) == np.ptp(lower) == 0.0:
            ones = np.ones(key.size)
            return _Group(key, first, (a > 0.0) * ones, ones, float(upper[0] * lower[0]), True)
        return _Group(key, first, a, b, 1.0, False)
