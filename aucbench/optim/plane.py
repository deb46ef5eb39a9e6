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
from heapq import heappop, heappush
from itertools import count, pairwise
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

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
AXES = ((0, 1, 0, 0), (-1, 0, 0, 0), (0, -1, 0, 0), (1, 0, 0, 0))  # east, north, west, south


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
    width : float
        The width of the arc of w, in radians.
    auc_of_scores : float
        The AUC of the scores w₁x₁ + w₂x₂ in doubles: `auc`, unless the best arc is so narrow.
    """

    auc: float
    w: Vector
    twice: int
    pairs: int
    width: float
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
    return best_direction(Data.of(X, np.where(positive_rows(y, pos_label), 1, -1)))


def best_direction(data: Data) -> BestAuc:
    """Find the best AUC of w · x, as `best_auc_2d`, which reads rows and labels."""
    if data.rows.d != 2:
        raise DataError(
            f"the rows have {data.rows.d} feature(s), and the best AUC is known of two; give two "
            "columns, such as X[:, [0, 1]]"
        )
    pairs = data.labels.n_pos * data.labels.n_neg
    if pairs > PAIRS:
        raise DataError(
            f"there are {pairs:.2g} pairs of rows of both classes, more than {PAIRS:.0e}; take a "
            "sample of the rows"
        )
    search = _Search(data)
    search.run()
    most, width, w = search.best / (2 * pairs), search.width, search.middle
    of_scores = auc_of_direction(data, w)
    if of_scores < most:
        wider = _Search(data, NARROW)
        wider.run()
        if wider.best >= 0 and (of_wider := auc_of_direction(data, wider.middle)) > of_scores:
            width, w, of_scores = wider.width, wider.middle, of_wider
    return BestAuc(most, w, search.best, pairs, width, of_scores)


def auc_of_direction(data: Data, w: Vector) -> float:
    """Return the AUC of the scores w · x, rounded, where each row counts once."""
    return weighted_concordance(data.y > 0, data.scores(w), None)


class _Order(NamedTuple):
    """Places of the points before and after a direction, and twice what is concordant then."""

    turn: Vector  # (p₁, p₂, q₁, q₂): the direction in which p passes above q
    scores: Vector  # of the points, rounded
    order: Index  # the points by their places just after
    before: Index
    after: Index
    twice_before: int
    twice_after: int


class _Wedge(NamedTuple):
    """The directions between two, which are less than half a turn apart."""

    minus_most: int  # no direction inside has more than `most`; the heap has the highest first
    number: int
    start: _Order
    end: _Order
    pairs: int  # pairs of points that change their order inside
    middle: Vector  # the turn at which about half of them have


class _Search:
    """The branch and bound over all arcs that are at least so many radians wide.

    Attributes
    ----------
    best : int
        The highest count so far; -1 if no arc is wide enough.
    width : float
        The width of the widest arc known that has it; -1 if none is known.
    middle : array of shape (2,)
        The direction in the middle of that arc.
    """

    def __init__(self, data: Data, least: float = -inf) -> None:
        self._least, self.best, self.width = least, -1, -1.0
        X = np.asarray(data.rows.dense().matrix, np.float64)
        order = np.lexsort((X[:, 1], X[:, 0]))
        ordered, positive = X[order] + 0.0, (data.y[order] > 0).astype(np.int64)  # -0.0 is 0.0
        first = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))
        starts, self._points = np.flatnonzero(first), ordered[first]  # distinct points
        self._pos, self._neg = (np.add.reduceat(y, starts) for y in (positive, 1 - positive))
        with np.errstate(over="ignore", invalid="ignore"):
            self._centred = self._points - self._points.mean(axis=0)
        self._room = SWEPT + SWEPT_EACH * starts.size
        # The points of a pair that changes its order: which is above then, and which is below.
        self._up, self._low = np.empty((2, self._room), np.int32)
        self._gains = np.empty(self._room, np.uint8)  # whether it becomes concordant
        self._heap: list[_Wedge] = []
        self._numbers = count()

    def run(self) -> None:
        """Look at all wedges that may hold a better direction, the most promising one first."""
        axes = [self._order_at(np.array(turn, np.float64)) for turn in AXES]
        everything = int(np.count_nonzero(self._pos)) * int(np.count_nonzero(self._neg))
        for start, end in pairwise([*axes, axes[0]]):
            self._add(start, end, everything)
        while self._heap and self._may_hold(-self._heap[0].minus_most):
            wedge = heappop(self._heap)
            middle = self._order_at(wedge.middle)
            self._add(wedge.start, middle, wedge.pairs)
            self._add(middle, wedge.end, wedge.pairs)

    def _may_hold(self, most: int) -> bool:
        """Whether a wedge may have a better direction, or the arc of the best count."""
        return most > self.best or (most == self.best and self.width < 0.0)

    def _order_at(self, turn: Vector) -> _Order:
        """Return the order of the points at a direction, just before it and just after."""
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self._centred @ weights_of(turn)
        order = argsort(scores)[1]
        before, after = np.empty((2, order.size), np.int32)
        spare = np.empty(order.size, np.int32)
        twice = directions.places(
            self._points, turn, self._pos, self._neg, order, spare, before, after
        )
        if self._least < 0.0 and max(twice) > self.best:  # else the arcs beside it may be narrow
            self.best, self.width = max(twice), -1.0
        return _Order(turn, scores, order, before, after, *twice)

    def _add(self, start: _Order, end: _Order, limit: int) -> None:
        """Count the pairs of a wedge, which are at most `limit`; forget, keep or sweep it."""
        stride = 1 if limit <= self._room else -(-limit // SAMPLED)
        gain, pairs, listed = self._count(start, end, stride)
        most = start.twice_after + 2 * gain
        if not self._may_hold(most):
            return
        if listed < pairs <= self._room:
            listed = self._count(start, end, 1)[2]
        up, low = self._up[:listed], self._low[:listed]
        with np.errstate(all="ignore"):  # where they are level, 0 at the start and 1 at the end
            below = np.abs(start.scores[low] - start.scores[up])
            above = np.abs(end.scores[up] - end.scores[low])
            keys: Vector = np.nan_to_num(below / (below + above), nan=0.5)
        if listed == pairs:
            self._sweep(start, end, keys)
            return
        middle = self._turn(int(np.argpartition(keys, listed // 2)[listed // 2]))
        heappush(self._heap, _Wedge(-most, next(self._numbers), start, end, pairs, middle))

    def _count(self, start: _Order, end: _Order, stride: int) -> tuple[int, int, int]:
        """Return how much a wedge gains, its pairs, and how many are listed: each `stride`-th."""
        ascending = (start.order[rows[start.order] > 0] for rows in (self._pos, self._neg))
        P, N = (end.before[points].astype(np.int64) << 32 | points for points in ascending)
        spare = np.empty(max(P.size, N.size), np.int64)
        of_points, events = (start.after, self._pos, self._neg), (self._up, self._low, self._gains)
        return directions.turns(*of_points, P, N, spare, stride, *events)

    def _turn(self, event: int) -> Vector:
        turn: Vector = self._points[[self._up[event], self._low[event]]].ravel()
        return turn

    def _sweep(self, start: _Order, end: _Order, keys: Vector) -> None:
        """Visit all directions of a wedge, whose pairs are listed."""
        n, order, spare = keys.size, argsort(keys)[1], np.empty(keys.size, np.int32)
        up, low, gains = self._up[:n], self._low[:n], self._gains[:n]
        least = self._least / max(_middle_of(start.turn, end.turn)[0], 1e-300)
        of_pairs, of_points = (self._points, up, low, gains), (self._pos, self._neg)
        twice, before, after = directions.best_arc(
            *of_pairs, *of_points, keys, least, start.twice_after, order, spare
        )
        first = start.turn if before < 0 else self._turn(before)
        last = end.turn if after == n else self._turn(after)
        width, middle = _middle_of(first, last)
        if (twice, width) > (self.best, self.width):
            self.best, self.width, self.middle = twice, width, middle


def weights_of(turn: Vector) -> Vector:
    """The direction in which (turn₁, turn₂) passes above (turn₃, turn₄), its largest entry ±1."""
    with np.errstate(over="ignore"):
        d = turn[:2] - turn[2:]
    if not np.isfinite(d).all():
        d = 0.5 * turn[:2] - 0.5 * turn[2:]
    w: Vector = np.array([d[1], -d[0]]) / np.abs(d).max()
    return w


def _middle_of(start: Vector, end: Vector) -> tuple[float, Vector]:
    """Return the angle between two directions less than half a turn apart, and their middle."""
    (a, b), (c, d) = low, high = [w / np.hypot(*w) for w in map(weights_of, (start, end))]
    middle = low + high
    return max(0.0, float(np.arctan2(a * d - b * c, a * c + b * d))), middle / np.hypot(*middle)
