"""The score of a model as a sum of effects, each of one column of its table or of two.

Design
  a. The terms of the features are those of the maps, see `aucbench.protocols.terms`. What an
     encoding makes of one column of the table, such as the levels of a category or the flag of a
     missing cell, is one effect.
  b. An effect of rows is one product with the mapped rows, so that taking it out of a score costs
     no further scoring.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from aucbench.data.arrays import Index, Rows, Vector
from aucbench.models.model import Model
from aucbench.models.shape import TIMES
from aucbench.protocols import MAPPED_ROWS

Columns = tuple[int, ...]
NO_EFFECT = -1  # of an intercept


@dataclass(frozen=True, eq=False)
class Additive:
    """A model whose score is a sum of effects, and a constant.

    Attributes
    ----------
    model : Model
    columns : tuple of tuple of int
        The column of the table of each effect, or its two, in ascending order.
    owner : array of shape (p,)
        The effect of each weight; -1: of none.
    """

    model: Model
    columns: tuple[Columns, ...]
    owner: Index

    @staticmethod
    def of(model: Model) -> Additive | None:
        """Return the effects of a model; None where its score is no such sum."""
        encoding, known = model.encoding, None if model.weights is None else model.terms
        if known is None:
            return None
        of_feature = np.arange(model.width)
        if encoding is not None:
            of_feature = np.repeat(of_feature, [part.width for part in encoding.parts])
        named = [tuple(sorted({*of_feature[[*one]].tolist()})) for one in known.columns]
        place = {columns: number for number, columns in enumerate(dict.fromkeys(named))}
        owner = np.full(np.asarray(model.weights).size, NO_EFFECT, np.int32)
        owner[: known.owner.size] = np.array([place[one] for one in named], np.int32)[known.owner]
        return Additive(model, tuple(place), owner)

    def name(self, number: int) -> str:
        """Return the name of an effect: that of its column, or those of both."""
        names = self.model.columns
        return TIMES.join(names[j] if names else f"column {j}" for j in self.columns[number])

    def largest(self, most: int) -> list[int]:
        """Return the numbers of the effects that move the score most, the largest first.

        How much they move it is about the root of Σ (w_j s_j)² over their features, s_j the spread
        of the feature.
        """
        spread = 1.0 if self.model.spread is None else np.nan_to_num(self.model.spread, nan=1.0)
        squares = (np.asarray(self.model.weights) * spread) ** 2
        owned = self.owner != NO_EFFECT
        moved = np.bincount(self.owner[owned], squares[owned], len(self.columns))
        return [int(number) for number in np.argsort(-moved, kind="stable")[:most]]

    def effects(self, table: Rows, numbers: Sequence[int]) -> Vector:
        """Return some effects of rows (n, columns of the table) -> (n, len(numbers))."""
        place = np.full(len(self.columns) + 1, -1)
        place[[*numbers]] = np.arange(len(numbers))
        column = place[self.owner]  # the last place is that of no effect
        own = np.flatnonzero(column >= 0)
        weights = np.asarray(self.model.weights)
        parts = csr_array((weights[own], (own, column[own])), shape=(weights.size, len(numbers)))
        lows = range(0, table.n, MAPPED_ROWS)
        pieces = (self.model.mapped(table.take(slice(lo, lo + MAPPED_ROWS))) for lo in lows)
        sums = [np.zeros((0, len(numbers))), *(_dense(one.matrix @ parts) for one in pieces)]
        return np.concatenate(sums)


def _dense(product: object) -> Vector:
    dense: Vector = product.toarray() if hasattr(product, "toarray") else np.asarray(product)
    return dense
