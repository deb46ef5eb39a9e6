"""The exact loss over pairs as an objective of XGBoost, and its measure for early stopping."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from aucbench.data.arrays import Vector
from aucbench.losses.boosting import Boosting, Given
from aucbench.losses.pair_loss import Loss
from aucbench.pairs import Pairs


def objective(
    loss: Loss = "squared-hinge", pairs: Pairs | str = "all"
) -> Callable[..., tuple[Vector, Vector]]:
    """Return an objective of XGBoost: n ∇f(s), and n times a diagonal bound of the curvature.

    It is one for `xgboost.train(params, data, obj=objective())` and for
    `XGBClassifier(objective=objective())`. Weights of rows are those of the library, and groups
    its queries (`qid`): for pairs of "group", and of "grades" if there are queries.

    Parameters and errors are those of `aucbench.losses.lightgbm.objective`.
    """
    boosting = Boosting(loss, pairs)

    def derivatives(first: Any, second: Any, weight: Given = None) -> tuple[Vector, Vector]:
        scores, target, sizes, weights = _read(first, second, weight)
        return boosting.derivatives(scores, target, sizes, weights)

    return derivatives


def metric(pairs: Pairs | str = "all") -> Callable[..., tuple[str, float]]:
    """Return the measure of pairs, for `custom_metric` of `xgboost.train`.

    A larger one is better, which XGBoost does not know: give
    `xgboost.callback.EarlyStopping(rounds, maximize=True)`. Otherwise as
    `aucbench.losses.lightgbm.metric`.
    """
    boosting = Boosting("hinge", pairs)

    def measure(scores: Any, data: Any) -> tuple[str, float]:
        s, target, sizes, weights = _read(scores, data, None)
        return boosting.measure, boosting.bind(target, sizes, weights).quality(s)

    return measure


def _read(first: Any, second: Any, weight: Given) -> tuple[Vector, Any, Given, Given]:
    """Return scores, target, sizes of groups and weights of either way in which XGBoost calls.

    `xgboost.train` gives scores and a DMatrix, and the estimators target, scores and weights.
    """
    if not hasattr(second, "get_label"):
        return second, first, None, weight
    ends, weights = second.get_uint_info("group_ptr"), second.get_weight()
    sizes = np.diff(ends) if ends.size else None
    return first, second.get_label(), sizes, weights if weights.size else None
