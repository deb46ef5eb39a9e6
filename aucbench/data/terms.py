"""The terms of an additive score: to which columns the features belong, and their bounds."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Index, Vector, lock
from aucbench.data.shapes import Shape, Shapes
from aucbench.errors import UnsupportedError


@dataclass(frozen=True, eq=False)
class Terms:
    """The score is a sum of terms, each of them a function of one column or of two.

    Attributes
    ----------
    columns : tuple of tuple of int
        Of each term its one column or its two.
    owner : array of shape (p,)
        The term of each feature; the features of a term are neighbours, in the order of the terms.
    curved : array of bool of shape (p,)
        Whether a feature bends the effect, as against its linear part.
    low, high : array of shape (p,), or None
        Bounds of the weights: 0, or infinite. None: there is no bound at all.
    """

    columns: tuple[tuple[int, ...], ...]
    owner: Index
    curved: NDArray[np.bool_]
    low: Vector | None = None
    high: Vector | None = None

    def __post_init__(self) -> None:
        lock(self, "owner", "curved", "low", "high")

    @staticmethod
    def each(d: int, shapes: Shapes | None = None) -> Terms:
        """Return one linear term for each of d columns, with the bounds of their slopes.

        Raises
        ------
        UnsupportedError
            When an effect must be convex or concave: a line shows no bend.
        """
        slopes = {} if shapes is None else {j: shape.slope for j, shape in shapes.of_columns}
        if shapes is not None and any(shape.bend for _, shape in shapes.of_columns):
            raise UnsupportedError(
                "an effect that is convex or concave needs the features splines, which can bend; "
                "give --features splines"
            )
        low, high = np.full(d, -inf), np.full(d, inf)
        for j, slope in slopes.items():
            low[j], high[j] = (0.0 if slope > 0 else -inf), (0.0 if slope < 0 else inf)
        columns = tuple((j,) for j in range(d))
        owner, curved = np.arange(d, dtype=np.int32), np.zeros(d, np.bool_)
        return Terms(columns, owner, curved).bounded(low, high)

    def bounded(self, low: Vector, high: Vector) -> Terms:
        """Return the terms with these bounds, which are None where they bound nothing."""
        if np.isinf(low).all() and np.isinf(high).all():
            return self
        return Terms(self.columns, self.owner, self.curved, low, high)

    @property
    def slopes(self) -> Shapes | None:
        """The shapes that bounds give to linear terms, one of each column; None without bounds."""
        if self.low is None or self.high is None:
            return None
        signs = (self.low == 0.0).astype(int) - (self.high == 0.0)
        return Shapes(tuple((int(j), Shape(int(signs[j]))) for j in np.flatnonzero(signs)))

    @property
    def are_bounded(self) -> bool:
        """Whether a weight has a bound."""
        return self.low is not None
