"""The exact loss over pairs, and its measure, as libraries of boosted trees call them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Vector
from aucbench.errors import NoPairsError
from aucbench.losses.pair_loss import BoundLoss, Loss, PairLoss, bend_of
from aucbench.metrics.pairs import measured_by
from aucbench.pairs import Pairs

Given = NDArray[Any] | None


class Boosting:
    """c ∇f(s) and c D of `PairLoss`, at the scores s of n rows, as trees of Newton boosting ask.

    They are those of `BoundLoss.derivatives`: by c the largest curvature is that of a logistic loss
    of a row, so that the defaults of a library for the least curvature of a leaf and for the
    penalty of its value keep their meaning. If no two rows can be compared, the gradient is 0, and
    the first call that sees it warns.

    Weights and groups are those of the library: its queries are the groups of pairs of "group", and
    of "grades" if there are queries. XGBoost has one weight for each query, which is refused.

    Parameters
    ----------
    loss, pairs :
        As `PairLoss`; the loss has a curvature.

    Raises
    ------
    ParameterError, UnsupportedError
        As `PairLoss`, and when the loss is piecewise linear.
    """

    def __init__(self, loss: Loss = "squared-hinge", pairs: Pairs | str = "all"):
        self._of = PairLoss(loss, pairs)
        bend_of(loss)
        self._known: tuple[list[Any], BoundLoss] | None = None
        self._has_warned = False

    def __getstate__(self) -> dict[str, Any]:
        """Leave the rows out of a saved or copied estimator."""
        return vars(self) | {"_known": None}

    def __call__(
        self, first: Any, second: Any, sample_weight: Given = None, group: Given = None
    ) -> tuple[Vector, Vector]:
        """Return `derivatives` of what a library gives, see `rows_of`."""
        return self.derivatives(*rows_of(first, second, sample_weight, group))

    def derivatives(
        self, s: Vector, target: Any, sizes: Given = None, weights: Given = None
    ) -> tuple[Vector, Vector]:
        """Return c ∇f(s) and c D, each (n,); 0 and 1 if no two rows can be compared.

        Parameters
        ----------
        s, target, weights : arrays of shape (n,)
            As in `PairLoss`.
        sizes : array of shape (G,), optional
            The number of rows of each group, in the order of the rows.
        """
        n = len(target)
        try:
            bound = self.bind(target, sizes, weights)
        except NoPairsError as error:
            if not self._has_warned:
                warn(f"nothing is learnt from these rows: {error}", stacklevel=3)
            self._has_warned = True
            return np.zeros(n), np.ones(n)
        return bound.derivatives(s)

    def bind(self, target: Any, sizes: Given = None, weights: Given = None) -> BoundLoss:
        """Return the loss of some rows, that of the last call if they are the same."""
        given = [target, sizes, weights]
        if self._known is None or not all(map(np.array_equal, self._known[0], given)):
            groups = None if sizes is None else np.repeat(np.arange(len(sizes)), sizes)
            bound = replace(self._of, weights=weights).bind(target, groups)
            self._known = [*map(np.array, given)], bound
        return self._known[1]

    @property
    def measure(self) -> str:
        """The name of the measure of the pairs, such as auc or pauc[max_fpr=0.1]."""
        return measured_by(self._of.kind)

    def quality(self, *given: Any) -> float:
        """Return this measure of what a library gives; `NoPairsError` if nothing is compared."""
        s, *rows = rows_of(*given)
        return self.bind(*rows).quality(s)


def rows_of(first: Any, second: Any, weights: Given = None, sizes: Given = None) -> list[Any]:
    """Return scores, target, sizes of groups and weights, as LightGBM and XGBoost give them.

    Their `train` gives scores and a data set, and their estimators target, scores, weights, sizes.
    """
    if not hasattr(second, "get_label"):
        return [second, first, sizes, weights]
    weights = second.get_weight()
    if not hasattr(second, "get_uint_info"):
        return [first, second.get_label(), second.get_group(), weights]
    ends = second.get_uint_info("group_ptr")  # of XGBoost, which has empty arrays for nothing
    sizes = np.diff(ends) if ends.size else None
    return [first, second.get_label(), sizes, weights if weights.size else None]
