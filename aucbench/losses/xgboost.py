"""The exact loss over pairs as an objective of XGBoost, and its measure for early stopping.

`objective` is for `xgboost.train(params, data, obj=objective())`, where `data` may have queries,
and for `XGBClassifier(objective=objective())` and `XGBRegressor`.
"""

from collections.abc import Callable
from typing import Any

from aucbench.losses.lightgbm import objective as objective
from aucbench.metrics.pairs import measured_by
from aucbench.pairs import Pairs


def metric(pairs: Pairs | str = "all") -> Callable[..., Any]:
    """Return `Boosting.measure`, for `custom_metric` of `train` or `eval_metric` of an estimator.

    Its name begins with auc, by which XGBoost knows that a larger value is better.
    """
    of = objective(pairs=pairs)
    name = measured_by(of.of.kind)

    def measure(first: Any, second: Any, sample_weight: Any = None) -> tuple[str, float] | float:
        value = of.measure(first, second, sample_weight)[1]
        return (measure.__name__, value) if hasattr(second, "get_label") else value

    measure.__name__ = name if name == "auc" else f"auc-{name}"
    return measure
