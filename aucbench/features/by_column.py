"""Features of a column alone: spline or step functions, one block of them for each column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Terms
from aucbench.data.arrays import Rows, Vector, lock, rows
from aucbench.data.columns import column_entries
from aucbench.errors import DataError, ParameterError

PIECE = 1024  # dense rows that are mapped at a time
B = TypeVar("B")


class Block(Protocol):
    """Functions of one column."""

    @property
    def width(self) -> int:
        """Their number q."""
        ...

    @property
    def curved(self) -> NDArray[np.bool_]:
        """Which of them bend the effect, (q,)."""
        ...

    @property
    def signs(self) -> Vector:
        """The sign that each weight must have, 0 for either, (q,)."""
        ...

    def __call__(self, x: Vector) -> Vector:
        """Their values at numbers x (n,) -> (n, q)."""
        ...

    def put(self, x: Vector, out: Vector) -> None:
        """Write the values into the columns of a matrix (n, q)."""
        ...


@dataclass(frozen=True, eq=False)
class Spline:
    """Functions with B-spline coefficients C on knots; outside of the knots they are constant.

    Numbers are measured from the lowest one in units of the range of the training rows, so that
    digits are kept at any offset.

    Attributes
    ----------
    low, high : float
        The least and the largest training number.
    knots : array of shape (m + degree + 1,)
        In [0, 1], the ends repeated.
    C : array of shape (m, q)
        The coefficients of q functions.
    degree : int
        1 or 3.
    signs : array of shape (q,)
        As in `Block`.
    straight : int
        1 where the first function is the linear part, 0 where there is none.
    """

    low: float
    high: float
    knots: Vector
    C: Vector
    degree: int
    signs: Vector
    straight: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "C", np.ascontiguousarray(self.C))
        lock(self, "knots", "C", "signs")

    @property
    def curved(self) -> NDArray[np.bool_]:
        """All but the linear part."""
        return np.arange(self.width) >= self.straight

    @property
    def width(self) -> int:
        """q."""
        return int(self.C.shape[1])

    def first(self, count: int) -> Spline:
        """Return the first functions only."""
        return replace(self, C=self.C[:, :count], signs=self.signs[:count])

    def bent(self, factor: float) -> Spline:
        """Return the functions with the curved ones times `factor`; 0 leaves them out.

        Increments of an effect that must rise or fall are all that there is of it, and stay.
        """
        if not self.straight:
            return self
        if not factor:
            kept = ~self.curved
            return replace(self, C=self.C[:, kept], signs=self.signs[kept])
        return replace(self, C=self.C * np.where(self.curved, factor, 1.0))

    def __call__(self, x: Vector) -> Vector:
        """Values of the functions, (n,) -> (n, q)."""
        out = np.empty((x.size, self.width))
        self.put(x, out)
        return out

    def put(self, x: Vector, out: Vector) -> None:
        """Write the values of the functions into the columns of a matrix."""
        from aucbench.kernels import splines

        if out.size:
            splines.curves(x, self.low, self.high, self.knots, self.degree, self.C, out)


def unit(x: Vector, low: float, high: float) -> Vector:
    """Return (x − low)/(high − low), and 0 or 1 where x is outside; halves cannot overflow."""
    u: Vector = (x / 2 - low / 2) / (high / 2 - low / 2)
    return np.clip(u, 0.0, 1.0, out=u)


@dataclass(frozen=True, eq=False)
class Steps:
    """scale · (1[x ≥ t_k] − rest_k) for each threshold t_k.

    Attributes
    ----------
    thresholds : array of shape (q,)
        Ascending.
    scale : float
        Common to all steps.
    rest : array of shape (q,)
        What is subtracted, so that features of sparse rows are 0 where the column is.
    sign : int
        The sign that all weights must have; 0 for either.
    """

    thresholds: Vector
    scale: float
    rest: Vector
    sign: int = 0

    def __post_init__(self) -> None:
        lock(self, "thresholds", "rest")

    @property
    def width(self) -> int:
        """q."""
        return int(self.thresholds.size)

    @property
    def curved(self) -> NDArray[np.bool_]:
        """All of them; a table with two values has one step, which is its linear part."""
        return np.full(self.width, self.width > 1)

    @property
    def signs(self) -> Vector:
        """`sign` for each step."""
        return np.full(self.width, float(self.sign))

    def __call__(self, x: Vector) -> Vector:
        """Values of the steps, (n,) -> (n, q)."""
        out = np.empty((x.size, self.width))
        self.put(x, out)
        return out

    def put(self, x: Vector, out: Vector) -> None:
        """Write the values of the steps into the columns of a matrix."""
        np.subtract(x[:, None] >= self.thresholds, self.rest, out=out)
        out *= self.scale


def columns_of(X: Rows) -> Iterator[Vector]:
    """Yield each column (n,); what sparse rows do not store is 0."""
    if not X.is_sparse:
        yield from (column_entries(X, j) for j in range(X.d))
        return
    csc = X.matrix.tocsc()
    for j in range(X.d):
        column = np.zeros(X.n)
        own = slice(*csc.indptr[j : j + 2])
        column[csc.indices[own]] = csc.data[own]
        yield column


class PairBlock(Protocol):
    """Functions of two columns."""

    @property
    def columns(self) -> tuple[int, int]:
        """The numbers of the columns."""
        ...

    @property
    def width(self) -> int:
        """Their number q."""
        ...

    def __call__(self, x: Vector, z: Vector) -> Vector:
        """Their values at numbers of the two columns, (n,) each -> (n, q)."""
        ...


def by_column(
    X: Rows, blocks: Sequence[Block | None], name: str, crosses: Sequence[PairBlock] = ()
) -> Rows:
    """Return the features of all columns side by side, in the layout of the rows.

    Of sparse rows only stored numbers are mapped: the functions are 0 at 0.

    Parameters
    ----------
    X : Rows
        n rows of d columns.
    blocks : sequence of d functions or None
        What is made of each column; None: nothing.
    name : str
        The name of the map, for the error message.
    crosses : sequence of functions
        What is made of pairs of columns; it comes after what is made of single ones.

    Raises
    ------
    DataError
        When the rows have another number of columns.
    """
    if len(blocks) != X.d:
        raise DataError(
            f"{name} was fitted on {len(blocks)} features, but the rows have {X.d}; give the "
            "columns it was fitted on"
        )
    if X.is_sparse:
        return _sparse(X, blocks, crosses)
    p = sum(block.width for block in blocks if block) + sum(cross.width for cross in crosses)
    out = np.empty((X.n, p))
    for first in range(0, X.n, PIECE):
        piece = slice(first, first + PIECE)
        _fill(out[piece], X.take(piece).matrix, blocks, crosses)
    return rows(out)


def _fill(
    out: Vector, X: Vector, blocks: Sequence[Block | None], crosses: Sequence[PairBlock]
) -> None:
    """Write the features of dense rows, few enough that they stay in the cache."""
    lo = 0
    for x, block in zip(X.T, blocks, strict=True):
        if block is not None:
            block.put(x, out[:, lo : lo + block.width])
            lo += block.width
    for cross in crosses:
        out[:, lo : lo + cross.width] = cross(*(X[:, j] for j in cross.columns))
        lo += cross.width


def terms_of(
    blocks: Sequence[Block | None], pairs: Sequence[tuple[tuple[int, int], int]] = ()
) -> Terms:
    """Return one term for each column that has functions, and for each pair and its width."""
    some = [(j, block) for j, block in enumerate(blocks) if block is not None]
    columns: list[tuple[int, ...]] = [(j,) for j, _ in some] + [both for both, _ in pairs]
    widths = [block.width for _, block in some] + [width for _, width in pairs]
    more = sum(width for _, width in pairs)
    owner = np.repeat(np.arange(len(columns), dtype=np.int32), widths)
    signs = np.concatenate([*(block.signs for _, block in some), np.zeros(more)])
    curved = np.concatenate([*(block.curved for _, block in some), np.ones(more, np.bool_)])
    terms = Terms(tuple(columns), owner, curved)
    return terms.bounded(np.where(signs > 0, 0.0, -inf), np.where(signs < 0, 0.0, inf))


def _sparse(X: Rows, blocks: Sequence[Block | None], crosses: Sequence[PairBlock]) -> Rows:
    from scipy.sparse import csr_array

    csc, lo = X.matrix.tocsc(), 0
    values, features, numbers = [], [], []

    def add(part: Vector, of: NDArray[Any], lo: int) -> int:
        i, k = np.nonzero(part)
        values.append(part[i, k])
        features.append(lo + k)
        numbers.append(of[i])
        return lo + int(part.shape[1])

    for j, block in enumerate(blocks):
        if block is not None:
            own = slice(*csc.indptr[j : j + 2])
            lo = add(block(csc.data[own]), csc.indices[own], lo)
    for cross in crosses:
        both = (np.asarray(csc[:, [j]].todense()).ravel() for j in cross.columns)
        lo = add(cross(*both), np.arange(X.n), lo)
    places: tuple[NDArray[Any], NDArray[Any]] = (np.concatenate(numbers), np.concatenate(features))
    return rows(csr_array((np.concatenate(values), places), shape=(X.n, lo)))


def learnt_blocks(blocks: tuple[B, ...] | None, name: str) -> tuple[B, ...]:
    """Return the functions of a map; raise `ParameterError` where it has learnt nothing yet."""
    if blocks is None:
        raise ParameterError(
            f"{name} has not learnt from training rows yet; call fit(data, rng) first"
        )
    return blocks
