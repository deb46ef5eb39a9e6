"""Features of a column alone, or of a pair of columns: blocks of functions, side by side."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aucbench.contract import FeatureMap
from aucbench.data import Data, Shape, Shapes, Terms
from aucbench.data.arrays import Rows, Vector, rows
from aucbench.data.columns import column_entries
from aucbench.errors import DataError, ParameterError

PIECE = 1024  # dense rows that are mapped at a time


class Block:
    """Functions of one column, or of two."""

    @property
    @abstractmethod
    def width(self) -> int:
        """Their number q."""

    @property
    @abstractmethod
    def curved(self) -> NDArray[np.bool_]:
        """Which of them bend the effect, (q,)."""

    signs: Vector  # the sign that each weight must have, 0 for either, (q,)

    @abstractmethod
    def put(self, out: Vector, *columns: Vector) -> None:
        """Write their values at numbers of the columns, (n,) each, into a matrix (n, q)."""

    def __call__(self, *columns: Vector) -> Vector:
        """Return their values at numbers of the columns, (n,) each -> (n, q)."""
        out = np.empty((columns[0].size, self.width))
        self.put(out, *columns)
        return out


Functions = Sequence[tuple[tuple[int, ...], Block]]  # columns, and what is made of them


class ByColumn(FeatureMap):
    """A map that learns a block of functions of each column: w·φ(x) = Σ_j f_j(x_j).

    A dataclass that extends it has the field `blocks`: for each column its functions, or None.
    """

    name: ClassVar[str]  # by which it is registered
    useless: ClassVar[str]  # the error where no column has functions, with {n} and {d}
    expected_failures: ClassVar[Mapping[str, str]] = {
        "layouts": "features of sparse rows are measured from those of 0"
    }

    blocks: Any  # for each column a Block or None, as a tuple; None before `fit`

    @abstractmethod
    def learn_block(self, x: Vector, shape: Shape, data: Data) -> Any:
        """Return the functions of a column x (n,) of training rows; None where it has none."""

    def learn_blocks(self, data: Data) -> Any:
        """Return the functions of each column; they have the shapes of effects of `data`."""
        shapes = data.shapes or Shapes(())
        columns = enumerate(columns_of(data.rows))
        blocks = tuple(self.learn_block(x, shapes.get(j), data) for j, x in columns)
        if not any(blocks):
            raise DataError(self.useless.format(n=data.n, d=data.d))
        return blocks

    def learnt(self) -> Any:
        """Return `blocks`; raise `ParameterError` where nothing is learnt yet."""
        if self.blocks is None:
            raise ParameterError(
                f"{self.name} has not learnt from training rows yet; call fit(data, rng) first"
            )
        return self.blocks

    def functions(self) -> Functions:
        """Return the columns of each block, and the block, in the order of the features."""
        return [((j,), block) for j, block in enumerate(self.learnt()) if block is not None]

    def terms(self) -> Terms:
        """Return the terms: one for each column that has functions, and one for each pair."""
        columns, blocks = zip(*self.functions(), strict=True)
        widths = [block.width for block in blocks]
        owner = np.repeat(np.arange(len(columns), dtype=np.int32), widths)
        signs = np.concatenate([block.signs for block in blocks])
        terms = Terms(columns, owner, np.concatenate([block.curved for block in blocks]))
        return terms.bounded(np.where(signs > 0, 0.0, -inf), np.where(signs < 0, 0.0, inf))

    def __call__(self, X: Rows) -> Rows:
        """Map rows (n, d) to rows (n, p) of the same layout.

        Of sparse rows only stored numbers are mapped: the functions are 0 at 0.
        """
        if len(self.learnt()) != X.d:
            raise DataError(
                f"{self.name} was fitted on {len(self.learnt())} features, but the rows have "
                f"{X.d}; give the columns it was fitted on"
            )
        if X.is_sparse:
            return _sparse(X, self.functions())
        functions = self.functions()
        out = np.empty((X.n, sum(block.width for _, block in functions)))
        for first in range(0, X.n, PIECE):  # so few rows that they stay in the cache
            piece = slice(first, first + PIECE)
            part, lo = X.take(piece).matrix, 0
            for columns, block in functions:
                block.put(out[piece, lo : lo + block.width], *(part[:, j] for j in columns))
                lo += block.width
        return rows(out)


def _sparse(X: Rows, functions: Functions) -> Rows:
    from scipy.sparse import csr_array

    csc, lo = X.matrix.tocsc(), 0
    values, features, numbers = [], [], []
    for columns, block in functions:
        if len(columns) == 1:
            own = slice(*csc.indptr[columns[0] : columns[0] + 2])
            part, of = block(csc.data[own]), csc.indices[own]
        else:
            both = (np.asarray(csc[:, [j]].todense()).ravel() for j in columns)
            part, of = block(*both), np.arange(X.n)
        i, k = np.nonzero(part)
        values.append(part[i, k])
        features.append(lo + k)
        numbers.append(of[i])
        lo += block.width
    places: tuple[NDArray[Any], NDArray[Any]] = (np.concatenate(numbers), np.concatenate(features))
    return rows(csr_array((np.concatenate(values), places), shape=(X.n, lo)))


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
