"""Bounds of the AUC from one reading of the scores: counts of both classes by bin.

Let p_b and q_b be the positives and negatives of bin b, Q_b the negatives of the bins below it, and
N = n₊n₋. If bins are monotone in the score, every pair of two bins is in the order of its bins. So

    L = Σ_b p_b Q_b / N  ≤  AUC  ≤  U = L + Σ_b p_b q_b / N,

for any such bins, also where scores are tied, infinite or -0.0. A bin whose rows all have one score
has p_b q_b ties, of which half count, and adds nothing to the width.

Design
  a. Bins follow a sample: each interval between neighbouring quantiles has bins of equal width. So
     the width is about 1/bins whatever the scores are distributed like, while equal bins of the
     whole range would fail where probabilities are crowded at 0. Scores that occur often in the
     sample have a bin of their own.
  b. Counts are whole numbers, and N is a Python integer: the bounds have the same bits for any
     division into parts, any order and any engine, and no number of rows is too large.
  c. A weight v counts k = ⌊v/u⌋ units, with a power of two u. So V/u is between the sum of k and
     that plus the number of rows: weighted bounds are exact in any order too.
  d. The same reading draws a sample of all rows. Where the pilot sample was of other rows than the
     rest, and the bounds are wide, a second reading has the bins of that sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import frexp, inf, ldexp, nextafter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Vector
from aucbench.errors import DataError, require_both_classes
from aucbench.kernels import score_bins
from aucbench.scale.engines import Engine, numbers_of
from aucbench.scale.parts import Columns, Parts, Piece

INTERVALS = 1024  # between quantiles
BINS = 1280  # of an interval: with all of them a table has 31 MB
PER_ROW = 32  # bins for each row, at most
SAMPLE = 1 << 16  # scores of a sample: its quantiles err by an eighth of an interval
OFTEN = 1024  # values of the sample with a bin of their own, at most
PILOTS = 8  # parts whose first rows are the pilot sample
POSITIVE, NEGATIVE, VALUE, MASSES = 0, 1, 2, 3  # columns of a table
DOT = 1 << 16  # products at a time, since Python integers take memory
BITS = 62  # of a sum of weights
HEADROOM = 4  # bits by which a row may be heavier than those of the pilot sample
ULP = 2.0**-52  # of 1: more than what a division of integers rounds
MOST_READINGS = 3  # one, one for better bins, and one where a row is much heavier than the others
Table = NDArray[np.int64]
Numbers = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class ScoreBins:
    """Bins of scores: intervals, each with bins of equal width; see score_bins.h.

    Attributes
    ----------
    edges : array of shape (2^levels,)
        Where intervals begin, ascending; NaN behind the last one.
    per : array of shape (m,)
        1 over the width of the bins of each interval.
    first, last : int32 arrays of shape (m,)
        The first and the last bin of each.
    """

    edges: Vector
    per: Vector
    first: Numbers
    last: Numbers

    @staticmethod
    @np.errstate(over="ignore", invalid="ignore", divide="ignore")  # widths may be 0 or infinite
    def of(sample: Vector, rows: int) -> ScoreBins:
        """Return bins for `rows` scores that are distributed like a sample."""
        sample = np.sort(sample)
        own = _edges(sample)
        alone = np.append(own[1:] == np.nextafter(own[:-1], np.inf), False)
        many = min(BINS, max(1, PER_ROW * rows // own.size))
        sizes = np.where(alone, 1, many)
        first = (np.cumsum(sizes) - sizes).astype(np.int32)
        behind = 2.0 * own[-1] - own[-2] if own.size > 1 else np.nan
        per = np.nan_to_num(sizes / np.diff(own, append=behind), nan=0.0, posinf=np.inf)
        edges = np.full(1 << max(0, int(own.size - 1).bit_length()), np.nan)
        edges[: own.size] = own
        return ScoreBins(edges, per, first, (first + sizes - 1).astype(np.int32))

    @property
    def count(self) -> int:
        """Number of bins."""
        return int(self.last[-1]) + 1

    @property
    def arrays(self) -> tuple[Vector, Vector, Numbers, Numbers, int]:
        """The arguments of the kernels."""
        levels = self.edges.size.bit_length() - 1
        return self.edges, self.per, self.first, self.last, levels


def _edges(sample: Vector) -> Vector:
    """Return quantiles of a sorted sample, more of them at its ends, and values often in it."""
    values, times = np.unique(sample, return_counts=True)
    most = np.argsort(-times, kind="stable")[:OFTEN]
    often = np.concatenate([values[most[times[most] > 1]], values[np.isinf(values)]])
    finite = sample[np.isfinite(sample)]
    near = 1 << np.arange(int(finite.size).bit_length()) >> 1  # places 0, 1, 2, 4, ... from an end
    quantiles = sample[:: max(1, sample.size // INTERVALS)]
    edges = [quantiles, finite[near], finite[finite.size - 1 - near], often]
    return np.unique(np.concatenate([*edges, np.nextafter(often, np.inf)]))


@dataclass(eq=False)
class ScoreTally:
    """Counts of scores by bin, to which pieces are added; exact in any order.

    Attributes
    ----------
    bins : ScoreBins
    rate : float
        Share of the rows that are drawn for the sample.
    unit : float, optional
        u, by which weights are counted; None: rows have no weights.
    most : float
        Units of the heaviest row, at most.
    """

    bins: ScoreBins
    rate: float = 0.0
    unit: float | None = None
    most: float = 0.0
    cut: Table = field(default_factory=lambda: np.zeros(1, np.int64))
    samples: list[Vector] = field(default_factory=list)
    heaviest: float = 0.0
    refused: tuple[int, int] | None = None  # part and row of the first one that cannot be counted

    def __post_init__(self) -> None:
        self.table = np.zeros((self.bins.count, MASSES if self.unit is None else 5), np.int64)

    def add(self, piece: Piece) -> None:
        """Count the rows of a piece."""
        scores = scores_of(piece)
        weights = None
        if self.unit is not None:
            weights = np.ones(piece.n) if piece.weights is None else piece.weights
            self.heaviest = max(self.heaviest, float(weights.max(initial=0.0)))
        at = score_bins.count(
            scores, piece.y, *self.bins.arrays, self.table, weights, self.unit or 1.0, self.most,
            self.cut,
        )  # fmt: skip
        if at >= 0:
            self._refuse(piece.part, piece.first + at)
        self.samples.append(drawn(piece, self.rate))

    def merge(self, other: ScoreTally) -> ScoreTally:
        """Take the counts of another one too, and return itself."""
        mine, theirs = (tally.table.view(np.float64)[:, VALUE] for tally in (self, other))
        filled, also = (tally.table[:, :VALUE].any(axis=1) for tally in (self, other))
        value = np.where(filled, np.where(also & (mine != theirs), np.nan, mine), theirs)
        self.table += other.table
        self.table.view(np.float64)[:, VALUE] = value
        self.cut += other.cut
        self.samples += other.samples
        self.heaviest = max(self.heaviest, other.heaviest)
        if other.refused is not None:
            self._refuse(*other.refused)
        return self

    def _refuse(self, part: int, row: int) -> None:
        self.refused = min(self.refused or (part, row), (part, row))

    @property
    def counts(self) -> ScoreCounts:
        """What was counted."""
        columns = np.ascontiguousarray(self.table.T)
        single = columns[VALUE].view(np.float64)
        masses = tuple(columns[MASSES:]) if self.unit is not None else None
        return ScoreCounts(
            columns[POSITIVE], columns[NEGATIVE], ~np.isnan(single), masses, bool(self.cut[0])
        )


@dataclass(frozen=True, eq=False)
class ScoreCounts:
    """Rows of both classes by bin, from the lowest bin to the highest.

    Attributes
    ----------
    pos, neg : int64 arrays of shape (bins,)
    single : bool array of shape (bins,)
        Whether all rows of the bin have one score.
    masses : two int64 arrays of shape (bins,), optional
        Σ ⌊v/u⌋ of the positives and of the negatives.
    cut : bool
        Whether a weight is no multiple of u.
    """

    pos: Table
    neg: Table
    single: NDArray[np.bool_]
    masses: tuple[Table, ...] | None = None
    cut: bool = False

    @cached_property
    def n_pos(self) -> int:
        """n₊."""
        return int(self.pos.sum())

    @cached_property
    def n_neg(self) -> int:
        """n₋."""
        return int(self.neg.sum())

    @cached_property
    def mixed(self) -> NDArray[np.bool_]:
        """The bins that leave the order of pairs open."""
        return (self.pos > 0) & (self.neg > 0) & ~self.single

    @cached_property
    def below(self) -> Table:
        """Q, the negatives of lower bins."""
        below: Table = np.cumsum(self.neg) - self.neg
        return below

    @cached_property
    def twice(self) -> tuple[int, int]:
        """2 N L and 2 N U."""
        sure = 2 * dot(self.pos, self.below) + dot(self.pos[self.single], self.neg[self.single])
        return sure, sure + 2 * dot(self.pos[self.mixed], self.neg[self.mixed])

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """L and U, rounded down and up; equal where the bins leave nothing open."""
        if self.masses is not None:
            return self._weighted
        pairs = 2 * self.n_pos * self.n_neg
        return outward(*(t / pairs for t in self.twice), exact=self.twice[0] == self.twice[1])

    @property
    def _weighted(self) -> tuple[float, float]:
        """L and U of pairs that count v_i v_j."""
        assert self.masses is not None
        (p, q), single = self.masses, self.single
        ties = dot(p[single], q[single])
        won, lost = (2 * dot(a, np.cumsum(b) - b) + ties for a, b in ((p, q), (p[::-1], q[::-1])))
        return self.weighted_bounds(won, lost)

    def weighted_bounds(self, won: int, lost: int) -> tuple[float, float]:
        """Return L and U, where pairs of these masses, times 2/u², are surely in order and not.

        V/u of a class is at least the sum of k, and less than that plus its rows.
        """
        assert self.masses is not None
        one = int(self.cut)
        most = 2 * (int(self.masses[0].sum()) + one * self.n_pos)
        most *= int(self.masses[1].sum()) + one * self.n_neg
        if won + lost == most:
            return around(won, most)
        return outward(won / most, 1.0 - lost / most, exact=False)

    @property
    def variance(self) -> tuple[float, float]:
        """DeLong's variances of the AUC from the positives and from the negatives.

        Rows of a bin are placed in its middle.
        """
        n_pos, n_neg = float(self.n_pos), float(self.n_neg)
        above = n_pos - np.cumsum(self.pos)
        of_pos = (self.below + self.neg / 2.0) / n_neg
        of_neg = (above + self.pos / 2.0) / n_pos
        return _variance(of_pos, self.pos, n_pos), _variance(of_neg, self.neg, n_neg)


@dataclass(frozen=True, eq=False)
class Counted:
    """Counts, and by what they were made.

    Attributes
    ----------
    counts : ScoreCounts
    bins : ScoreBins
    unit : float or None
        u of the weights.
    readings : int
        How often all rows were read.
    """

    counts: ScoreCounts
    bins: ScoreBins
    unit: float | None
    readings: int


def _variance(placed: Vector, rows: Table, n: float) -> float:
    """Return the variance of the mean placement of n rows."""
    if n < 2:
        return 0.0
    mean = float(rows @ placed) / n
    return float(rows @ (placed - mean) ** 2) / (n - 1.0) / n


def dot(a: Table, b: Table) -> int:
    """Return Σ a_i b_i as a Python integer, which has no largest one."""
    filled = np.flatnonzero((a != 0) & (b != 0))
    blocks = (filled[at : at + DOT] for at in range(0, filled.size, DOT))
    return sum(int(a[rows].astype(object) @ b[rows].astype(object)) for rows in blocks)


def outward(low: float, high: float, *, exact: bool) -> tuple[float, float]:
    """Return bounds in [0, 1] that hold what rounding to the nearest may have left out."""
    if exact:
        return low, low
    return max(0.0, low - ULP), min(1.0, high + ULP)


def around(numerator: int, denominator: int) -> tuple[float, float]:
    """Return the quotient twice if it is a float, and else the floats below and above it."""
    nearest = numerator / denominator  # Python rounds quotients of integers correctly
    apart = Fraction(numerator, denominator) - Fraction(nearest)
    if apart == 0:
        return nearest, nearest
    return (nearest, nextafter(nearest, inf)) if apart > 0 else (nextafter(nearest, -inf), nearest)


def scores_of(piece: Piece) -> NDArray[Any]:
    """Return the scores of a piece, its first column, as they are stored."""
    if isinstance(piece.rows, Columns):
        return piece.rows.arrays[0]
    dense = piece.rows if not piece.rows.is_sparse else piece.rows.dense()
    return np.ascontiguousarray(dense.stored[:: dense.d])


def drawn(piece: Piece, rate: float) -> Vector:
    """Return a random share of the scores of a piece, always the same ones, without NaN."""
    rng = np.random.default_rng([piece.part, piece.first])
    scores = scores_of(piece)
    if rate < 1.0:  # a row that is drawn twice would look like a score that occurs often
        size = int(rng.binomial(piece.n, rate))
        scores = scores[np.unique(rng.integers(piece.n, size=size))]
    with np.errstate(invalid="ignore"):  # a NaN of some bits, which is refused later
        own = np.asarray(scores, np.float64)
    return own[~np.isnan(own)]


def pilot(parts: Parts, numbers: Sequence[int]) -> tuple[Vector, float]:
    """Return some scores of the first pieces of some parts, and their heaviest weight."""
    spread = sorted({numbers[len(numbers) * k // PILOTS] for k in range(PILOTS)})
    samples, heaviest = [], 0.0
    for i in spread:
        piece = next(iter(parts.read(i)))
        samples.append(drawn(piece, SAMPLE / len(spread) / piece.n))
        if piece.weights is not None:
            heaviest = max(heaviest, float(np.nanmax(piece.weights)))
    return np.concatenate(samples), heaviest


def counted(
    parts: Parts,
    engine: Engine,
    *,
    weighted: bool = False,
    width: float = 1e-6,
) -> Counted:
    """Count the scores of parts by bin.

    A second reading is made where the first one leaves bounds that are wider than `width`, and one
    where a weight is much larger than those of the pilot sample.

    Raises
    ------
    DataError
        When a score is NaN, a weight is no finite number above 0, or a class is missing.
    """
    numbers = numbers_of(parts, None)
    rows = parts.n
    sample, heaviest = pilot(parts, numbers)
    for readings in range(1, MOST_READINGS + 1):
        bins = ScoreBins.of(sample if sample.size else np.zeros(1), rows)
        units = units_of(heaviest, rows) if weighted else ()
        tally = engine.tally(parts, ScoreTally, bins, SAMPLE / rows, *units)
        if tally.refused is not None:
            if not weighted or not heaviest < tally.heaviest < inf:
                raise refusal(parts, *tally.refused)
            heaviest = tally.heaviest  # the pilot sample has no row as heavy
            continue
        counts = tally.counts
        require_both_classes(counts.n_pos, counts.n_pos + counts.n_neg)
        low, high = counts.bounds
        if high - low <= width or readings > 1:
            break
        sample = np.concatenate(tally.samples)
    return Counted(counts, bins, units[0] if units else None, readings)


def units_of(heaviest: float, rows: int) -> tuple[float, float]:
    """Return u and the most units of a row, so that sums of all rows fit into 62 bits."""
    most = BITS - rows.bit_length()
    return ldexp(1.0, frexp(heaviest)[1] + HEADROOM - most), ldexp(1.0, most)


def refusal(parts: Parts, part: int, row: int) -> DataError:
    """Return the error of a row that cannot be counted."""
    for piece in parts.read(part):
        at = row - piece.first
        if not 0 <= at < piece.n:
            continue
        where, score = parts.where(part, row), float(scores_of(piece)[at])
        if np.isnan(score):
            return DataError(f"{where} has a NaN as its score; give a number, or leave the row out")
        assert piece.weights is not None
        return DataError(
            f"{where} has the weight {piece.weights[at]}, wanted a finite number above 0; leave "
            "rows out that shall not count"
        )
    raise DataError(f"part {part} gave other rows than before; it must not change while it is read")
