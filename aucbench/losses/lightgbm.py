"""The exact loss over pairs as an objective of LightGBM, and its measure for early stopping.

`objective` is for `lightgbm.train({"objective": objective(), ...}, data)`, for
`LGBMClassifier(objective=objective())`, `LGBMRegressor` and `LGBMRanker`.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from aucbench.data.arrays import Vector
from aucbench.losses.pair_loss import BoundLoss, Loss, PairLoss
from aucbench.metrics.pairs import measured_by
from aucbench.pairs import Pairs


class Boosting:
    """c ∇f(s) and c D, as LightGBM and XGBoost ask an objective for them, see `BoundLoss`.

    Their `train` gives scores and a data set, and their estimators target, scores, weights and the
    sizes of groups. Queries of the library are the groups of pairs of "group", and of "grades" if
    there are queries. XGBoost has one weight for each query, which is refused.

    Parameters and errors are those of `PairLoss`, `NoPairsError` if the rows have one class, and
    `UnsupportedError` for a loss that is piecewise linear.
    """

    def __init__(self, loss: Loss = "squared-hinge", pairs: Pairs | str = "all"):
        self.of = PairLoss(loss, pairs)

    def __call__(
        self, first: Any, second: Any, sample_weight: Any = None, group: Any = None
    ) -> tuple[Vector, Vector]:
        """Return c ∇f(s) and c D, each (n,)."""
        bound, s = self._bound(first, second, sample_weight, group)
        return bound.derivatives(s)

    def measure(
        self, first: Any, second: Any, sample_weight: Any = None, group: Any = None
    ) -> tuple[str, float, bool]:
        """Return the name of the measure of the pairs, its value, and that larger ones are better.

        It is the exact AUC, grouped AUC, partial AUC, or concordance index. It raises
        `NoPairsError` when no two of the rows can be compared.
        """
        bound, s = self._bound(first, second, sample_weight, group)
        return measured_by(self.of.kind), bound.quality(s), True

    def _bound(self, first: Any, second: Any, weights: Any, sizes: Any) -> tuple[BoundLoss, Any]:
        """Return the loss of some rows, that of the last call if they are its rows, and scores."""
        target, s = first, second
        if hasattr(second, "get_label"):
            target, s = second.get_label(), first
            weights, sizes = second.get_weight(), second.get_group()
        # XGBoost has empty arrays for nothing.
        weights, sizes = (x if x is not None and len(x) else None for x in (weights, sizes))
        rows = [target, weights, sizes]
        known = _KNOWN.get(self)
        if known is None or not all(map(np.array_equal, known[0], rows)):
            groups = None if sizes is None else np.repeat(np.arange(len(sizes)), sizes)
            bound = replace(self.of, weights=weights).bind(target, groups)
            known = _KNOWN[self] = [*map(np.array, rows)], bound
        return known[1], s


# The rows of the last call, which an estimator that is copied or saved does not keep.
_KNOWN: WeakKeyDictionary[Boosting, tuple[list[Any], BoundLoss]] = WeakKeyDictionary()
objective = Boosting


def metric(pairs: Pairs | str = "all") -> Callable[..., tuple[str, float, bool]]:
    """Return `Boosting.measure` of pairs, for `feval` of `train` or `eval_metric` of a fit."""
    return Boosting(pairs=pairs).measure
