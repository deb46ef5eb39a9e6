"""A model of the features of a table: cells are encoded once, and then moved or replaced.

A column of a table becomes a block of features, which depends on this column alone. So dealing out
the cells of a column anew moves a block, and no row is encoded again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Rows, Vector, rows
from aucbench.datasets.tables import Encoding
from aucbench.models.model import Model

Numbers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Encoded:
    """A model without its encoding.

    Attributes
    ----------
    model : Model
        It scores features.
    encoding : Encoding or None
        Makes them of the codes of a table; None: they are the numbers of the table.
    owner : array
        The number of the column to which each feature belongs.
    """

    model: Model
    encoding: Encoding | None
    owner: Numbers

    @staticmethod
    def of(model: Model) -> Encoded:
        """Take the encoding off a model."""
        if model.encoding is None:
            return Encoded(model, None, np.arange(model.width))
        owner = np.repeat(np.arange(model.width), [part.width for part in model.encoding.parts])
        bare = replace(model, encoding=None, columns=None, width=model.encoding.d)
        return Encoded(bare, model.encoding, owner)

    def features(self, table: Rows) -> Rows:
        """Return the features of rows (n, columns) of a table."""
        return table if self.encoding is None else self.encoding(table)

    def dealt(self, features: Rows, j: int, order: Numbers) -> Rows:
        """Return features in which the cells of a column are those of the rows in another order."""
        block = np.flatnonzero(self.owner == j)
        if not features.is_sparse:
            matrix = np.array(features.matrix)
            matrix[:, block] = matrix[np.ix_(order, block)]
            return rows(matrix)
        matrix, place = features.matrix.tocsc(copy=True), np.argsort(order)
        for k in block:
            own = slice(*matrix.indptr[k : k + 2])
            matrix.indices[own] = place[matrix.indices[own]]
        return rows(matrix.tocsr())

    def blocks(self, table: Rows, j: int, values: Vector) -> Vector:
        """Return the features of a column for each value, (values, features of the column)."""
        if self.encoding is None:
            return values[:, None]
        codes = np.repeat(np.asarray(table.take(slice(0, 1)).matrix, float), values.size, axis=0)
        codes[:, j] = values
        matrix: Any = self.encoding(rows(codes)).matrix
        own = matrix[:, np.flatnonzero(self.owner == j)]
        block: Vector = own.toarray() if self.encoding.sparse else np.asarray(own)
        return block

    def set_to(self, features: Rows, j: int, block: Vector) -> Rows:
        """Return features in which a column has one value, whose features are given."""
        matrix: Any = features.matrix.tolil(copy=True) if features.is_sparse else None
        matrix = np.array(features.matrix) if matrix is None else matrix
        matrix[:, np.flatnonzero(self.owner == j)] = np.tile(block, (features.n, 1))
        return rows(matrix.tocsr() if features.is_sparse else matrix)
