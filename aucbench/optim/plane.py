"""The best AUC of all linear scores of two features, exactly.

The AUC of w₁x₁ + w₂x₂ depends on the direction of w alone, and changes where a positive and a
negative row are level: at up to 2 n₊n₋ directions. Zhou and Skiena visit all of them in their
order. Here a branch and bound counts most of them without a visit:

  a. A wedge lies between two directions. The order of the rows at both ends tells how many pairs
     become concordant within it, in O(n log n): no direction of the wedge can gain more.
  b. A wedge that may hold a better direction is halved at the middle of its pairs, or swept if
     these are few. A wedge ends just before or just after a direction, so that a direction in which
     many rows are level is the end of two wedges and inside none.
  c. Signs are those of sums of products of the features, which are exact for any doubles, and the
     rest are counts. Nothing depends on a tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.data import Data
from aucbench.data.arrays import Index, Vector
from aucbench.data.concordance import weighted_concordance
from aucbench.data.sorting import argsort
from aucbench.errors import DataError
from aucbench.kernels import directions
from aucbench.stats.rows import positive_rows

PAIRS = 10**10  # a quarter of an hour for noise; the worst rows, near a line, take longer
SWEPT = 1 << 14  # pairs of a wedge that are swept, and SWEPT_EACH more for each point
SWEPT_EACH = 4
NARROW = 1e-13  # radians: scores of an arc that is narrower may be equal when they are rounded
SAMPLED = 1 << 11  # pairs of another wedge, of which the middle one halves it
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class BestAuc:
    """The best AUC of w · x over all w, of rows with two features.

    Attributes
    ----------
    auc : float
        twice / (2 pairs), rounded once.
    w : array of shape (2,)
        A direction that has it, of length 1: the middle of an arc of best directions. An arc may be
        too narrow for rounded scores, as for rows near a line: if their AUC is higher in the middle
        of the best arc that is wider than 10⁻¹³ radians, it is that.
    twice : int
        2 #{(i, j): w·x_i > w·x_j} + #{(i, j): w·x_i = w·x_j} over positive i and negative j, in
        exact arithmetic. No direction has more.
    pairs : int
        n₊n₋.
    arc : tuple of two floats
        The angles of the ends of the arc of w, in radians; the second one is the larger.
    missed : int
        How much less than `twice` w itself has in exact arithmetic: 0, unless the best arc is so
        narrow.
    auc_of_scores : float
        The AUC of the scores w₁x₁ + w₂x₂ in doubles: `auc`, unless the best arc is so narrow.
    """

    auc: float
    w: Vector
    twice: int
    pairs: int
    arc: tuple[float, float]
    missed: int
    auc_of_scores: float


def best_auc_2d(X: Any, y: ArrayLike, *, pos_label: Any = None) -> BestAuc:
    """Find the best AUC of all linear scores w · x of rows with two features, exactly.

    No loss is involved: it is the maximum of the AUC itself, to which a surrogate can be compared.
    Time: O(n₊n₋ log n) at most. If the AUC has one peak, as for most rows, about O(n^1.5 log n):
    half a second for 10⁴ rows, 20 seconds for 10⁵. Rows near a line take ten times longer, since
    most signs need more digits than doubles have. Memory: O(n) for each wedge that may hold the
    best direction, and there are about √n of them.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, 2)
        Finite numbers. Rows may be equal, and a column may be constant.
    y : array of shape (n,)
        Labels as `aucbench.metrics.auc` takes them.
    pos_label : label, optional
        The label of the positive rows.

    Raises
    ------
    DataError
        When X has another number of columns or a number that is not finite, when the labels are
        not those of two classes, or when there are more than 10¹⁰ pairs.

    References
    ----------
    Zhou & Skiena, "Does it pay to optimize AUC?", AAAI 2023: the sweep over all directions, in
    O(n₊n₋ log(n₊n₋)) time and O(n₊n₋) memory.

    Examples
    --------
    >>> from aucbench.metrics import best_auc_2d
    >>> best = best_auc_2d([[0, 0], [1, 3], [3, 1], [1, 1]], [0, 1, 1, 0])
    >>> best.auc, best.twice, best.pairs
    (1.0, 8, 4)
    """
    positive = positive_rows(y, pos_label)
    data = Data.of(X, np.where(positive, 1, -1))
    return best_direction(data)


def best_direction(data: Data) -> BestAuc:
    """Find the best AUC of w · x, as `best_auc_2d`, which reads rows and labels."""
    if data.rows.d != 2:
        raise DataError(
            f"the rows have {data.rows.d} feature(s), and the best AUC is known of two; give two "
            "columns, such as X[:, [0, 1]]"
        )
    X, positive = np.asarray(data.rows.dense().matrix, np.float64), data.y > 0
    pairs = int(positive.sum()) * int((~positive).sum())
    if pairs > PAIRS:
        raise DataError(
            f"there are {pairs:.2g} pairs of rows of both classes, more than {PAIRS:.0e}; take a "
            "sample of the rows"
        )
    plane = _Plane.of(X, positive)
    twice, ends = _Search(plane).run()
    assert ends is not None  # each arc is in a wedge, and those that may have the most are swept
    arc = _Arc.between(*ends)
    w, most = arc.middle, twice / (2 * pairs)
    of_scores = auc_of(X, positive, w)
    if of_scores < most and (ends := _Search(plane, NARROW).run()[1]):
        wider = _Arc.between(*ends)
        if (of_wider := auc_of(X, positive, wider.middle)) > of_scores:
            w, arc, of_scores = wider.middle, wider, of_wider
    ends_of_arc = arc.start, arc.start + arc.width
    return BestAuc(most, w, twice, pairs, ends_of_arc, twice - plane.twice_at(w), of_scores)


@dataclass(frozen=True, slots=True, eq=False)
class _Arc:
    """The directions between two, less than half a turn apart, rounded."""

    start: float  # radians
    width: float
    middle: Vector  # of length 1

    @staticmethod
    def between(start: Vector, end: Vector) -> _Arc:
        low, high = (unit(weights_of(turn)) for turn in (start, end))
        (a, b), (c, d) = low, high
        width = max(0.0, float(np.arctan2(a * d - b * c, a * c + b * d)))
        return _Arc(float(np.arctan2(b, a)), width, unit(low + high))


@dataclass(frozen=True, eq=False)
class _Plane:
    """Distinct points with their rows of each class."""

    points: NDArray[np.float64]
    pos: Counts
    neg: Counts

    @cached_property
    def centred(self) -> NDArray[np.float64]:
        """The points less their mean, rounded: what is known of them before exact signs."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(self.points - self.points.mean(axis=0))

    @staticmethod
    def of(X: NDArray[np.float64], positive: NDArray[np.bool_]) -> _Plane:
        order = np.lexsort((X[:, 1], X[:, 0]))
        own = X[order] + 0.0  # -0.0 is 0.0
        first = np.append(True, (own[1:] != own[:-1]).any(axis=1))
        starts, y = np.flatnonzero(first), positive[order].astype(np.int64)
        return _Plane(own[first], np.add.reduceat(y, starts), np.add.reduceat(1 - y, starts))

    @property
    def n(self) -> int:
        return self.pos.size

    def order(self, turn: Vector) -> _Order:
        """The order of the points at a direction, just before it and just after."""
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self.centred @ weights_of(turn)
        order = argsort(scores)[1]
        spare, before, after = (np.empty(self.n, np.int32) for _ in range(3))
        twice = directions.places(
            self.points, turn, self.pos, self.neg, order, spare, before, after
        )
        return _Order(turn, scores, order, before, after, *twice)

    def twice_at(self, w: Vector) -> int:
        """2 #{concordant pairs} + #{pairs that are level} of w, in exact arithmetic."""
        at = self.order(np.array([-w[1], w[0], 0.0, 0.0]))
        return (at.twice_before + at.twice_after) // 2


@dataclass(frozen=True, slots=True, eq=False)
class _Order:
    """Places of the points before and after a direction, and twice what is concordant then."""

    turn: Vector  # (p₁, p₂, q₁, q₂): the direction in which p passes above q
    scores: Vector  # of the points, rounded
    order: Index  # the points by their places just after
    before: Index
    after: Index
    twice_before: int
    twice_after: int


@dataclass(frozen=True, eq=False)
class _Wedge:
    """The directions between two, which are less than half a turn apart."""

    start: _Order
    end: _Order
    most: int  # no direction inside has more
    points: int  # pairs of points that change their order inside
    middle: Vector  # the turn at which about half of them have


class _Search:
    """The branch and bound: the best count so far, and the ends of an arc that has it.

    If it asks for a least width, which is in radians, the count is that of arcs which have it.
    """

    def __init__(self, plane: _Plane, least: float = 0.0) -> None:
        self.plane, self.least, self.best = plane, least, -1
        self.ends: tuple[Vector, Vector] | None = None
        self.width = -1.0
        self._room = SWEPT + SWEPT_EACH * plane.n
        self._events = (  # pairs that change their order: above, below, whether the AUC gains
            np.empty(self._room, np.int32),
            np.empty(self._room, np.int32),
            np.empty(self._room, np.uint8),
        )
        self._heap: list[tuple[int, int, _Wedge]] = []
        self._number = count()

    def run(self) -> tuple[int, tuple[Vector, Vector] | None]:
        """Return the best count, and the turns at the ends of an arc that has it.

        -1 and None, if no arc is wide enough.
        """
        axes = [self._order(np.array(turn, np.float64)) for turn in AXES]
        everything = int(np.count_nonzero(self.plane.pos)) * int(np.count_nonzero(self.plane.neg))
        for start, end in zip(axes, axes[1:] + axes[:1], strict=True):
            self._add(start, end, everything)
        while self._heap and self._may_hold(-self._heap[0][0]):
            wedge = heappop(self._heap)[2]
            middle = self._order(wedge.middle)
            self._add(wedge.start, middle, wedge.points)
            self._add(middle, wedge.end, wedge.points)
        return self.best, self.ends

    def _may_hold(self, most: int) -> bool:
        """Whether a wedge may have a better direction, or the arc of the best count."""
        return most > self.best or (most == self.best and self.ends is None)

    def _order(self, turn: Vector) -> _Order:
        at = self.plane.order(turn)
        if not self.least:  # the width of the arcs on both sides is not known yet
            self._better(max(at.twice_before, at.twice_after))
        return at

    def _better(self, twice: int) -> None:
        if twice > self.best:
            self.best, self.ends, self.width = twice, None, -1.0

    def _add(self, start: _Order, end: _Order, points: int) -> None:
        """Count the pairs of a wedge, of which there are `points` at most; keep or sweep it."""
        plane, (up, low, gains) = self.plane, self._events
        stride = 1 if points <= self._room else -(-points // SAMPLED)
        while True:
            P, N = (
                end.before[kept].astype(np.int64) << 32 | kept
                for kept in (start.order[rows[start.order] > 0] for rows in (plane.pos, plane.neg))
            )
            spare = np.empty(max(P.size, N.size), np.int64)
            gain, _, pairs, listed = directions.turns(
                start.after, plane.pos, plane.neg, P, N, spare, stride, up, low, gains
            )
            most = start.twice_after + 2 * gain
            if not self._may_hold(most):
                return
            if listed == pairs or pairs > self._room:
                break
            stride = 1
        keys = self._keys(start.scores, end.scores, listed)
        if listed == pairs:
            self._sweep(start, end, keys)
            return
        half = int(np.argpartition(keys, listed // 2)[listed // 2])
        middle = self._turn(half)
        heappush(self._heap, (-most, next(self._number), _Wedge(start, end, most, pairs, middle)))

    def _keys(self, start: Vector, end: Vector, listed: int) -> Vector:
        """Where the pairs are level, from 0 at the start of a wedge to 1 at its end, rounded."""
        up, low = (of[:listed] for of in self._events[:2])
        with np.errstate(all="ignore"):
            below, above = np.abs(start[low] - start[up]), np.abs(end[up] - end[low])
            keys: Vector = np.nan_to_num(below / (below + above), nan=0.5)
        return keys

    def _turn(self, event: int) -> Vector:
        up, low, _ = self._events
        return self.plane.points[[up[event], low[event]]].ravel()

    def _sweep(self, start: _Order, end: _Order, keys: Vector) -> None:
        n, plane = keys.size, self.plane
        order, (up, low, gains) = argsort(keys)[1], self._events
        of, rows, spare = (
            (up[:n], low[:n], gains[:n]),
            (plane.pos, plane.neg),
            np.empty(n, np.int32),
        )
        wedge = _Arc.between(start.turn, end.turn).width
        least = -1.0 if not self.least else self.least / wedge if wedge else inf
        twice, width, before, after = directions.best_arc(
            plane.points, *of, *rows, keys, least, start.twice_after, order, spare
        )
        self._better(twice)
        if twice == self.best and (self.ends is None or width * wedge > self.width):
            self.ends = (
                start.turn if before < 0 else self._turn(before),
                end.turn if after == n else self._turn(after),
            )
            self.width = width * wedge


AXES = ((0, 1, 0, 0), (-1, 0, 0, 0), (0, -1, 0, 0), (1, 0, 0, 0))  # east, north, west, south


def auc_of(X: NDArray[np.float64], positive: NDArray[np.bool_], w: Vector) -> float:
    """AUC of the scores w₁x₁ + w₂x₂, rounded. Equal rows have equal ones, unlike those of X @ w."""
    with np.errstate(over="ignore"):
        return weighted_concordance(positive, w[0] * X[:, 0] + w[1] * X[:, 1], None)


def weights_of(turn: Vector) -> Vector:
    """The direction in which (turn₁, turn₂) passes above (turn₃, turn₄), its largest entry ±1."""
    with np.errstate(over="ignore"):
        d = turn[:2] - turn[2:]
    if not np.isfinite(d).all():
        d = 0.5 * turn[:2] - 0.5 * turn[2:]
    w: Vector = np.array([d[1], -d[0]]) / np.abs(d).max()
    return w


def unit(w: Vector) -> Vector:
    """w, divided by its length."""
    return np.asarray(w / np.hypot(*w))
