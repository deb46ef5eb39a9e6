"""The rows that are held out when rows come in parts: which they are, and their scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Data
from aucbench.data.arrays import Index, Rows, Vector, rows
from aucbench.data.understood import Remark
from aucbench.datasets.suspects import outliers_of_columns, suspects
from aucbench.datasets.tables import Encoding
from aucbench.datasets.tables.parts import Dates, OneHot
from aucbench.errors import DataError
from aucbench.features.scaling import DENSE_LIMIT
from aucbench.kernels.vectors import Mask
from aucbench.models.parted_telling import SILENT, Teller
from aucbench.records import Run
from aucbench.scale import ChunkedData, Parts, Piece
from aucbench.scale.sifted import Sifted, read_from
from aucbench.scale.survey import stacked
from aucbench.solving.parted import Answer, answers

SHARE, MOST_HELD = 0.2, 4_000_000  # of the rows, and rows, that are held out
FEWEST_PARTS = 8  # of which some are held out; else single rows are
ALIKE, NOISE = 0.25, 3.0  # standard deviations between parts that are alike, and of their means
PEEKED, FIRST = 8, 1 << 14  # parts that are compared, and rows of a piece
FLAT = 1e-9  # of the mean: what rounding makes of a constant column
SAMPLE, RARE, MOST_SAMPLED = 50_000, 500, 400_000  # rows in memory; of the rarer class; at most
NUMBERS = 20_000_000  # of such a sample, at most


@dataclass(frozen=True, eq=False)
class Held:
    """Rows that were held out, and their scores by a fit that has not seen them.

    Attributes
    ----------
    y : array of shape (n,), int8 in {-1, +1}
    scores : array of shape (n,)
    judges : array of shape (n,), bool
        Rows that did not help to choose a solver.
    sample : Data
        Some of those that judge, in memory, as they were read.
    sampled : array of int
        Their places.
    """

    y: NDArray[np.int8]
    scores: Vector
    judges: Mask
    sample: Data
    sampled: Index

    @property
    def what(self) -> str:
        """Which rows these are, for people."""
        return f"{self.y.size} rows held out"


@dataclass(frozen=True, eq=False)
class Peeks:
    """What the first rows of some parts say: k parts.

    Attributes
    ----------
    parts, rows, positives : arrays of shape (k,)
    sums, squares : arrays of shape (k, d)
        Σ (x − c) and Σ (x − c)², with a common shift c.
    """

    parts: NDArray[np.int64]
    rows: NDArray[np.int64]
    positives: NDArray[np.int64]
    sums: Vector
    squares: Vector

    def merge(self, other: Peeks) -> Peeks:
        """Return what both say; pieces of one part add up."""
        known, at = np.unique(np.concatenate([self.parts, other.parts]), return_inverse=True)
        added = []
        for name in ("rows", "positives", "sums", "squares"):
            both = np.concatenate([getattr(self, name), getattr(other, name)])
            total = np.zeros((known.size, *both.shape[1:]), both.dtype)
            np.add.at(total, at, both)
            added.append(total)
        return Peeks(known, *added)


def parted(
    whole: ChunkedData, share: float | None, seed: int, tell: Teller = SILENT
) -> tuple[ChunkedData, ChunkedData]:
    """Return the rows to learn from, and those held out; both are surveyed, and so is the whole.

    Parameters
    ----------
    share : float or None
        Of the rows held out; None: a fifth, and not more than 4 million rows.

    Raises
    ------
    DataError
        As `ChunkedData.survey`, of the rows to learn from or those held out.
    """
    share = min(SHARE, MOST_HELD / whole.n) if share is None else share
    if len(whole.numbers) >= FEWEST_PARTS:
        unlike = why_unlike(whole)
        if unlike is None:
            train, held = whole.held_out(share, seed)
            if not _lacks_a_class(held):
                whole.surveyed_by(train, held)
                return train, held
            unlike = "some parts lack a class"
        tell.stage(f"{unlike}: single rows are held out, by a hash of their numbers")
    train, held = (whole.on(Sifted(whole.parts, share, seed, side)) for side in (False, True))
    whole.surveyed_by(train, held)
    return train, held


def why_unlike(whole: ChunkedData) -> str | None:
    """Return in what parts differ more than random parts of one table; None: in nothing.

    The parts of a file that is sorted, or that changes along its rows, do.
    """
    step = -(-len(whole.numbers) // PEEKED)
    some = whole.numbers[::step]
    seen = whole.engine.reduce(whole.parts, peek, whole.shift, some=some)
    n, room = seen.rows[:, None], ALIKE + NOISE / np.sqrt(seen.rows.min())
    shares = seen.positives / seen.rows
    p = seen.positives.sum() / seen.rows.sum()
    if shares.std() > room * np.sqrt(p * (1 - p)):
        low, high = shares.min(), shares.max()
        return f"the share of positives differs between parts, from {low:.3g} to {high:.3g}"
    means, total = seen.sums / n, n.sum()
    mean = seen.sums.sum(axis=0) / total
    spread = np.sqrt(np.maximum(seen.squares.sum(axis=0) / total - mean * mean, 0.0))
    apart = means.std(axis=0) > room * spread + np.abs(mean) * FLAT
    if apart.any():
        names = whole.names or [f"column {j}" for j in range(whole.d)]
        return f"{names[int(apart.argmax())]!r} differs between parts"
    return None


def peek(piece: Piece, shift: Vector) -> Peeks:
    """Return what the first rows of a piece say."""
    some = slice(0, FIRST)
    table = piece.some(some).astype(np.float64).densified(DENSE_LIMIT, "a fit by parts").matrix
    moved, positive = table - shift, piece.y[some] > 0
    return Peeks(
        parts=np.array([piece.part]),
        rows=np.array([positive.size]),
        positives=np.array([np.count_nonzero(positive)]),
        sums=moved.sum(axis=0)[None],
        squares=(moved * moved).sum(axis=0)[None],
    )


def deviation(data: ChunkedData) -> Vector:
    """Return the standard deviation of each column (divisor n), (d,)."""
    mean = data.survey.sums.sum(axis=0) / data.n
    variance = np.maximum(data.survey.squares.sum(axis=0) / data.n - mean * mean, 0.0)
    variance[data.constant] = 0.0
    return np.asarray(np.sqrt(variance))


def held_rows(held: ChunkedData, run: Run, train: ChunkedData, seed: int, *, alone: bool) -> Held:
    """Return the rows held out with their scores, some of them in memory: one reading.

    Parameters
    ----------
    alone : bool
        Whether all rows judge, since nothing was chosen.
    """
    wanted = _sample_size(held) * (1 if alone else 2)
    known = answers(held, run, train, min(1.0, wanted / held.n), seed)
    y, scores = join_answers(known)
    judges = np.ones(y.size, np.bool_) if alone else judging(y.size, seed)
    starts = np.cumsum([0, *(answer.y.size for answer in known)])
    places = np.concatenate([own.places + lo for own, lo in zip(known, starts[:-1], strict=True)])
    own = np.flatnonzero(judges[places]).astype(np.int32)
    places = places[own].astype(np.int32)
    sample = _with_names(held, _stacked([answer.rows for answer in known]).take(own), y[places])
    return Held(y=y, scores=scores, judges=judges, sample=sample, sampled=places)


def judging(n: int, seed: int) -> Mask:
    """Return which of n rows held out judge; the others choose."""
    chosen: Mask = np.random.default_rng([seed, 1]).random(n) < 0.5
    return chosen


def strange(sample: Data) -> Iterator[Remark]:
    """Yield remarks on columns that often mean a mistake, from rows that were held out."""
    from pandas import DataFrame

    if sample.rows.is_sparse:  # as of sparse files that are read into memory
        return
    table = sample.rows.matrix
    names = sample.names or [f"column {j}" for j in range(sample.d)]
    frame = DataFrame(dict(zip(names, table.T, strict=True)))
    for column in () if sample.schema is None else sample.schema.columns:
        if column.levels:
            codes = frame[column.name].to_numpy().astype(int)
            frame[column.name] = np.array(column.levels, object)[codes]
        elif column.kind == "date":
            frame[column.name] = frame[column.name].to_numpy().astype("datetime64[s]")
    yield from suspects(frame, sample.y > 0)


def outlying(data: ChunkedData) -> Iterator[Remark]:
    """Yield remarks on features with outliers, from the sample and the extremes of all rows."""
    survey = data.survey
    extremes = np.vstack([data.shift + survey.low, data.shift + survey.high])
    sample = stacked(*(sample.rows for sample in survey.samples))
    table = stacked(sample, rows(extremes))
    yield from outliers_of_columns(table, data.names, deviations=deviation(data))


def encoding_of(parts: Parts) -> Encoding | None:
    """Return what has made features of the columns of files; None where all hold numbers."""
    known: Encoding | None = getattr(read_from(parts), "encoding", None)
    return known


def _stacked(tables: list[Rows]) -> Rows:
    """Return tables of rows, one below the other."""
    while len(tables) > 1:
        pairs = zip_longest(tables[::2], tables[1::2])
        tables = [one if other is None else stacked(one, other) for one, other in pairs]
    return tables[0]


def _with_names(held: ChunkedData, table: Rows, y: NDArray[np.int8]) -> Data:
    """Return rows in memory as they were read: codes of a table, where text became features."""
    encoding = encoding_of(held.parts)
    if encoding is None:
        return replace(Data.of(table, y), names=held.names)
    made = Data.of(codes_of(encoding, table), y)
    return replace(made, names=encoding.schema.names, schema=encoding.schema)


def codes_of(encoding: Encoding, features: Rows) -> Vector:
    """Return codes (n, columns) that have these features; rare levels share the first of them."""
    table = features.astype(np.float64).densified(DENSE_LIMIT, "a fit by parts").matrix
    codes, at = np.zeros((features.n, len(encoding.parts))), 0
    for j, (column, part) in enumerate(zip(encoding.schema.columns, encoding.parts, strict=True)):
        block = table[:, at : at + part.width]
        at += part.width
        if isinstance(part, OneHot) and part.width:
            levels = [column.levels.index(level) for level in (*part.kept, *part.rare[:1])]
            codes[:, j] = np.array(levels)[block.argmax(axis=1)]
        elif isinstance(part, Dates):
            codes[:, j] = part.codes(block)
        elif part.width:
            codes[:, j] = block[:, 0]
    return codes


def ranges_of_parts(data: ChunkedData) -> Vector:
    """Return the smallest and the largest number of each column of files, as `ranges_of`."""
    known = data.survey
    zero = np.where(known.stored.sum(axis=0) < data.n, 0.0, np.nan)  # which sparse rows leave out
    low, high = known.low + data.shift, known.high + data.shift
    ends = np.stack([np.fmin(low, zero), np.fmax(high, zero)])
    encoding = encoding_of(data.parts)
    return ends if encoding is None else codes_of(encoding, rows(ends))


def join_answers(known: list[Answer]) -> tuple[NDArray[np.int8], Vector]:
    """Return labels and scores of the rows held out, in their order.

    Raises
    ------
    DataError
        When a score is not finite.
    """
    scores = np.concatenate([answer.scores for answer in known])
    if not np.isfinite(scores).all():
        raise DataError("a score of a row that was held out is not finite; scale the features")
    return np.concatenate([answer.y for answer in known]), scores


def _sample_size(held: ChunkedData) -> int:
    """Return how many rows are kept in memory: enough of the rarer class, and not too many."""
    rarer = min(held.n_pos, held.n_neg) / held.n
    return int(min(max(SAMPLE, RARE / rarer), MOST_SAMPLED, NUMBERS / held.d))


def _lacks_a_class(data: ChunkedData) -> bool:
    try:
        return not all(data.survey.counts)
    except DataError:
        sides = {side for _, own in data.scan(_sides) for each in own for side in each}
        if len(sides) > 1:
            raise
        return True


def _sides(piece: Piece) -> list[int]:
    return [int(side) for side in np.unique(piece.y)]
