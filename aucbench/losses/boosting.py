"""What the objectives of boosted trees share: gradients, curvatures and measures of pairs."""

from __future__ import annotations

from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Vector
from aucbench.errors import NoPairsError
from aucbench.losses.pair_loss import BoundLoss, Loss, PairLoss
from aucbench.pairs import Pairs

Given = NDArray[Any] | None


class Boosting:
    """n ∇f(s) and n D of `PairLoss`, at the scores s of n rows, as trees of Newton boosting ask.

    The factor n makes the curvature of a row about that of a loss of rows. So the defaults of a
    library for the least curvature of a leaf and for the penalty of its value keep their meaning.
    Rows that are asked for again, tree by tree, are prepared once.

    Parameters
    ----------
    loss, pairs :
        As `PairLoss`; with a curvature.
    """

    def __init__(self, loss: Loss, pairs: Pairs | str):
        self._of = PairLoss(loss, pairs)
        self._known: tuple[tuple[Given, ...], BoundLoss] | None = None
        self._has_warned = False

    def derivatives(
        self, s: Vector, target: NDArray[Any], sizes: Given, weights: Given
    ) -> tuple[Vector, Vector]:
        """Return n ∇f and n D, each (n,); 0 and 1 if no two rows can be compared, with a warning.

        Parameters
        ----------
        s, target, weights : arrays of shape (n,)
            As in `PairLoss`; weights may be None.
        sizes : array of shape (G,), or None
            The number of rows of each group, in the order of the rows.

        Raises
        ------
        DataError, UnsupportedError
            As `PairLoss.curvature`.
        """
        n = len(target)
        try:
            bound = self.bind(target, sizes, weights)
        except NoPairsError as error:
            if not self._has_warned:
                warn(f"nothing is learnt from these rows: {error}", stacklevel=3)
            self._has_warned = True
            return np.zeros(n), np.ones(n)
        return n * bound.value_and_gradient(s)[1], n * bound.curvature(s)

    def bind(self, target: NDArray[Any], sizes: Given, weights: Given) -> BoundLoss:
        """Return the loss of some rows, that of the last call if they are the same."""
        given = (target, sizes, weights)
        if self._known is None or not all(map(_are_equal, self._known[0], given)):
            groups = None if sizes is None else np.repeat(np.arange(len(sizes)), sizes)
            of = PairLoss(self._of.loss, self._of.pairs, weights)
            kept = tuple(None if one is None else one.copy() for one in given)
            self._known = kept, of.bind(target, groups)
        return self._known[1]

    @property
    def measure(self) -> str:
        """The name of the measure that belongs to the pairs."""
        return "auc" if self._of.kind is None else self._of.kind.measure


def _are_equal(known: Given, given: Given) -> bool:
    return known is given or (known is not None and np.array_equal(known, given))  # type: ignore[arg-type]
