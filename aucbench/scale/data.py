"""`ChunkedData`: what a solver gets in place of `Data` when the rows are read in chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import zip_longest
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Data
from aucbench.data.arrays import Index, Rows, Vector
from aucbench.data.columns import scale_columns
from aucbench.data.rounding import gamma
from aucbench.data.tally import READ
from aucbench.data.targets import Labels
from aucbench.data.understood import Understood
from aucbench.errors import DataError, UnsupportedError, require_both_classes
from aucbench.scale.chosen import Chosen
from aucbench.scale.engines import Engine, Here, numbers_of
from aucbench.scale.moments import Moments, moments
from aucbench.scale.parts import Columns, Parts, Piece
from aucbench.scale.summary import Summary
from aucbench.scale.survey import Survey, first_gap, stacked, survey

S = TypeVar("S", bound=Summary)
T = TypeVar("T")
SAMPLED = 20_000  # rows of each class that are kept in memory
NUMBERS = 1 << 22  # of such a sample, at most
FEWEST = 1000  # rows of it, at least
AT_ONCE = 1 << 20  # numbers of rows that are scored at a time
NO_ROWS = (
    "the rows are read in chunks and are never in memory together, and this method asks for all "
    "of them; `aucbench list solvers` shows which solvers read chunks"
)


@dataclass(frozen=True, eq=False)
class ChunkedData:
    """Rows with labels in parts, as solvers with `Needs.parts` read them.

    The features are z = (x − m)/σ, with a centre m and a scale σ for each column. Rows are never
    rewritten: weights of z are divided by σ before they meet x, and so are gradients. A loss of
    differences of rows does not depend on m. Sparse rows are not centred, m = 0.

    Attributes
    ----------
    parts : Parts
    engine : Engine
        Reads them.
    seed : int
        Of the sample.
    standard : bool
        Whether σ is the standard deviation of each column; else it is 1.
    understood : Understood
        What the reader of files took from them, for people.
    opened : Mapping
        How the files were opened, from which another process opens them again; empty if the rows
        are in no files.
    """

    parts: Parts
    engine: Engine = field(default_factory=Here)
    seed: int = 0
    standard: bool = False
    understood: Understood = field(default_factory=Understood)
    opened: Mapping[str, Any] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    pairs: None = None  # all pairs of labels
    weights: None = None
    folds: None = None
    groups: None = None
    times: None = None
    shapes: None = None
    terms: None = None
    _readings: list[int] = field(default_factory=lambda: [0])

    d = property(lambda self: self.parts.d, doc="Number of features.")
    names = property(lambda self: self.parts.names, doc="Names of the features.")
    n_neg = property(lambda self: self.survey.counts[0], doc="n_-, the number of negatives.")
    n_pos = property(lambda self: self.survey.counts[1], doc="n_+, the number of positives.")

    @property
    def n(self) -> int:
        """Number of rows."""
        return sum(self.parts.sizes)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the parts that have rows."""
        return tuple(numbers_of(self.parts, None))

    @property
    def p(self) -> float:
        """The share of positives."""
        return float(self.n_pos / self.n)

    @property
    def readings(self) -> int:
        """How often all rows were read so far."""
        return self._readings[0]

    @property
    def rows(self) -> NoReturn:
        """Raise `UnsupportedError`: the rows are not in memory."""
        raise UnsupportedError(NO_ROWS)

    chunk = rows

    @cached_property
    def target(self) -> Labels:
        """The labels of all rows, which are in memory when they are asked for."""
        parts = (self.parts.labels(i) for i in self.numbers)
        return Labels(np.concatenate([*parts]))

    @property
    def labels(self) -> Labels:
        """The target, as `Data.labels`."""
        return self.target

    @property
    def y(self) -> NDArray[np.int8]:
        """Labels, int8 in {-1, +1}, shape (n,)."""
        return self.target.y

    def reduce(self, of: Callable[..., S], *args: Any, **named: Any) -> S:
        """Return of(piece, *args) of all pieces, merged in the fixed tree: one reading."""
        self.count_reading()
        asked = partial(of, **named) if named else of
        return self.engine.reduce(self.parts, asked, *args)

    def scan(self, of: Callable[..., T], *args: Any) -> Iterator[tuple[int, list[T]]]:
        """Yield the number of each part in order, and of(piece, *args) of its pieces."""
        self._readings[0] += 1
        return self.engine.scan(self.parts, of, *args)

    def count_reading(self) -> None:
        """Count a reading of all rows by another way than `reduce`."""
        self._readings[0] += 1
        READ.get().rows += self.n

    @cached_property
    def shift(self) -> Vector:
        """The common shift c of the sums, (d,): about the mean of what the first piece stores."""
        first = next(iter(self.parts.read(self.numbers[0])))
        return shift_of(first)

    @cached_property
    def survey(self) -> Survey:
        """What the first reading says.

        Raises
        ------
        DataError
            When an entry is no finite number, or a class is missing.
        """
        most = min(max(NUMBERS // self.d, FEWEST), SAMPLED)
        known = self.reduce(survey, self.shift, most, self.seed)
        if not np.isfinite(known.squares).all():
            self._refuse_gaps()
        require_both_classes(known.counts[1], self.n)
        return known

    def _refuse_gaps(self) -> NoReturn:
        gap = self.reduce(first_gap)
        if gap.part < 0:
            raise DataError("numbers are so large that their squares overflow; scale the columns")
        name = f"column {gap.column}" if self.names is None else repr(self.names[gap.column])
        raise DataError(
            f"{self.parts.where(gap.part, gap.row)} has {gap.value} in {name}; impute it, or leave "
            "the rows or the column out"
        )

    @cached_property
    def is_sparse(self) -> bool:
        """Whether the rows are CSR."""
        return any(sample.rows.is_sparse for sample in self.survey.samples)

    @cached_property
    def constant(self) -> Index:
        """The columns that have one value."""
        known = self.survey
        flat = (known.low == known.high) & (known.stored.sum(axis=0) == self.n)
        return np.flatnonzero(flat).astype(np.int32)

    @cached_property
    def centre(self) -> Vector:
        """m, (d,): the mean of each column, and exactly the value of a constant one."""
        if self.is_sparse:
            return np.zeros(self.d)
        centre: Vector = self.shift + self.survey.sums.sum(axis=0) / self.n
        centre[self.constant] = (self.shift + self.survey.low)[self.constant]
        return centre

    @cached_property
    def scale(self) -> Vector:
        """σ, (d,): the standard deviation of each column, 1 where it is constant."""
        if not self.standard:
            return np.ones(self.d)
        known = self.survey
        sums, squares, stored = (x.sum(axis=0) for x in (known.sums, known.squares, known.stored))
        scale: Vector = np.sqrt(_of_columns(self.shift, sums, squares, stored, float(self.n))[2])
        scale[self.constant] = 1.0
        scale[scale == 0.0] = 1.0
        return scale

    @cached_property
    def means(self) -> Vector:
        """Class means of z, (2, d): negative, positive."""
        if self.is_sparse:
            share, own, _ = self._of_classes
            return share * (self.shift + own) / self.scale
        counts = np.array(self.survey.counts, float)[:, None]
        means: Vector = (self.survey.sums / counts + (self.shift - self.centre)) / self.scale
        return means

    @cached_property
    def _of_classes(self) -> tuple[Vector, Vector, Vector]:
        """See `_of_columns`; of both classes, each (2, d)."""
        known, counts = self.survey, np.array(self.survey.counts, float)[:, None]
        return _of_columns(self.shift, known.sums, known.squares, known.stored, counts)

    @cached_property
    def square(self) -> float:
        """D² = 1/(n₊n₋) Σ_i Σ_j ‖z_i − z_j‖², the mean square distance of a pair."""
        share, own, _ = self._of_classes
        apart = share[1] * own[1] - share[0] * own[0] + (share[1] - share[0]) * self.shift
        return float((self.variances.sum(axis=0) + (apart / self.scale) ** 2).sum())

    @property
    def variances(self) -> Vector:
        """The variance of each column of z in each class, (2, d): negative, positive."""
        variances: Vector = self._of_classes[2] / self.scale**2
        return variances

    @cached_property
    def moments(self) -> Moments:
        """Second moments of x − m in both classes, from one reading."""
        return self.reduce(moments, self.centre)

    @cached_property
    def longest(self) -> float:
        """A bound of max_i ‖z_i‖, from the ranges of the columns."""
        low, high = self.survey.low, self.survey.high
        if self.is_sparse:  # entries that are not stored are 0
            low, high = np.minimum(low, 0.0), np.maximum(high, 0.0)
        far = np.maximum(np.abs(low), np.abs(high)) + np.abs(self.centre - self.shift)
        return float(np.linalg.norm(far / self.scale)) * (1.0 + gamma(self.d + 8))

    @cached_property
    def sample(self) -> Data:
        """A sample of each class in memory, as rows of z: the negatives, then the positives.

        The shares of the classes are not those of all rows.
        """
        neg, pos = self.survey.samples
        y = np.repeat(np.array([-1, 1], np.int8), [neg.keys.size, pos.keys.size])
        return Data.of(self.features(stacked(neg.rows, pos.rows)), y)

    def features(self, X: Rows) -> Any:
        """Return z of rows, a matrix."""
        if X.is_sparse:
            return scale_columns(X, 1.0 / self.scale).matrix
        return (X.matrix - self.centre) / self.scale

    @cached_property
    def deviation(self) -> Vector:
        """The standard deviation of each column (divisor n), (d,)."""
        mean = self.survey.sums.sum(axis=0) / self.n
        variance = np.maximum(self.survey.squares.sum(axis=0) / self.n - mean * mean, 0.0)
        variance[self.constant] = 0.0
        return np.asarray(np.sqrt(variance))

    @cached_property
    def extremes(self) -> Vector:
        """The smallest and the largest entry of each column, (2, d)."""
        known = self.survey
        zero = np.where(known.stored.sum(axis=0) < self.n, 0.0, np.nan)  # what CSR leaves out
        low, high = known.low + self.shift, known.high + self.shift
        return np.stack([np.fmin(low, zero), np.fmax(high, zero)])

    def take(self, numbers: Index) -> ChunkedData:
        """Return some of the rows, by their numbers, ascending: a copy of none of them.

        Whole parts are read as they are; of other parts, a reading copies the rows.
        """
        return replace(self, parts=Chosen.of(self.parts, numbers), _readings=[0])

    def in_memory(self) -> tuple[Rows, NDArray[np.int8]]:
        """Return all rows in memory with their labels, in their order: one reading."""
        pieces = [piece for _, own in self.scan(rows_of) for piece in own]
        return _joined([rows for rows, _ in pieces]), np.concatenate([y for _, y in pieces])

    def with_standard(self, standard: bool) -> ChunkedData:
        """Return the rows, standardised or not; what is known of them stays known."""
        other, known = replace(self, standard=standard), self.__dict__
        kept = (name for name in ("shift", "survey", "target") if name in known)
        other.__dict__.update({name: known[name] for name in kept})
        return other

    def scores(self, by: Callable[[Rows], Vector]) -> Vector:
        """Return by(rows) of all rows, piece by piece: one reading.

        Parameters
        ----------
        by : function (Rows) -> array of shape (n, ...)
            Scores raw rows, as `Run.decision_function` does those of its own features.
        """
        return np.concatenate([part for _, own in self.scan(scored, by) for part in own])


def rows_of(piece: Piece) -> tuple[Rows, NDArray[np.int8]]:
    """Return the rows of a piece and their labels."""
    return piece.some(slice(None)), piece.y


def scored(piece: Piece, by: Callable[[Rows], Vector]) -> Vector:
    """Return the scores of a piece, some of its rows after the other."""
    step = max(1, AT_ONCE // piece.rows.d)
    return np.concatenate([by(piece.some(slice(lo, lo + step))) for lo in range(0, piece.n, step)])


def _joined(tables: list[Rows]) -> Rows:
    """Return tables of rows, one below the other."""
    while len(tables) > 1:
        pairs = zip_longest(tables[::2], tables[1::2])
        tables = [one if other is None else stacked(one, other) for one, other in pairs]
    return tables[0]


def _of_columns(
    shift: Vector, sums: Vector, squares: Vector, stored: NDArray[np.int64], n: Any
) -> tuple[Vector, Vector, Vector]:
    """Return p, o and the variances of columns with n entries each, whose means are p(c + o).

    A share p of the entries is stored, with the mean μ = c + o and the variance v, and the others
    are 0. So the variance of a column is p v + p(1 − p) μ². The shift c is about μ, so that v loses
    no digits.
    """
    m = np.maximum(stored, 1)
    own = sums / m
    variances = np.maximum(squares / m - own * own, 0.0)
    share = stored / n
    return share, own, share * variances + share * (1.0 - share) * (shift + own) ** 2


def shift_of(piece: Piece) -> Vector:
    """Return the mean of what each column of a piece stores, or its one value; 0 of nothing."""
    own = piece.rows
    columns: Sequence[NDArray[Any]]
    if isinstance(own, Rows):
        matrix = own.take(slice(0, 1 << 16)).matrix
        if own.is_sparse:
            by_column = matrix.tocsc()
            columns = np.split(by_column.data, by_column.indptr[1:-1])
        else:
            columns = [*matrix.T]
    else:
        columns = Columns.take(own, slice(0, 1 << 16)).arrays
    means = [
        float(column[0]) + float((column.astype(np.float64) - float(column[0])).mean())
        if column.size
        else 0.0
        for column in columns
    ]
    shift: Vector = np.nan_to_num(np.array(means), nan=0.0, posinf=0.0, neginf=0.0)
    return shift
