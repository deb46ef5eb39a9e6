"""The exact loss over pairs as an objective of LightGBM, and its measure for early stopping."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aucbench.data.arrays import Vector
from aucbench.losses.boosting import Boosting, Given
from aucbench.losses.pair_loss import Loss
from aucbench.pairs import Pairs


def objective(
    loss: Loss = "squared-hinge", pairs: Pairs | str = "all"
) -> Callable[..., tuple[Vector, Vector]]:
    """Return an objective of LightGBM: n ∇f(s), and n times a diagonal bound of the curvature.

    It is one for `lightgbm.train({"objective": objective(), ...}, data)` and for
    `LGBMClassifier(objective=objective())` or `LGBMRanker`. Weights of rows are those of the
    library, and groups its queries: for pairs of "group", and of "grades" if there are queries.

    Parameters
    ----------
    loss, pairs :
        As `aucbench.losses.PairLoss`; the loss has a curvature.

    Raises
    ------
    ParameterError, UnsupportedError
        As `aucbench.losses.PairLoss`, and when the loss is piecewise linear.
    """
    boosting = Boosting(loss, pairs)

    def derivatives(
        first: Any, second: Any, weight: Given = None, group: Given = None
    ) -> tuple[Vector, Vector]:
        scores, target, sizes, weights = _read(first, second, weight, group)
        return boosting.derivatives(scores, target, sizes, weights)

    return derivatives


def metric(pairs: Pairs | str = "all") -> Callable[..., tuple[str, float, bool]]:
    """Return the measure of pairs, for `feval` of `lightgbm.train` or `eval_metric` of a fit.

    It is the exact AUC, grouped AUC, partial AUC, or concordance index: a larger one is better. It
    raises `NoPairsError` when no two of the rows can be compared.
    """
    boosting = Boosting("hinge", pairs)

    def measure(
        first: Any, second: Any, weight: Given = None, group: Given = None
    ) -> tuple[str, float, bool]:
        scores, target, sizes, weights = _read(first, second, weight, group)
        return boosting.measure, boosting.bind(target, sizes, weights).quality(scores), True

    return measure


def _read(first: Any, second: Any, weight: Given, group: Given) -> tuple[Vector, Any, Given, Given]:
    """Return scores, target, sizes of groups and weights of either way in which LightGBM calls.

    `lightgbm.train` gives scores and a Dataset, and the estimators target, scores, weights, sizes.
    """
    if hasattr(second, "get_label"):
        return first, second.get_label(), second.get_group(), second.get_weight()
    return second, first, group, weight
