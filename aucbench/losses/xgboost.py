"""The exact loss over pairs as an objective of XGBoost, and its measure for early stopping.

`objective` is for `xgboost.train(params, data, obj=objective())`, where `data` may have queries,
and for `XGBClassifier(objective=objective())` and `XGBRegressor`.
"""

from collections.abc import Callable
from typing import Any

from aucbench.losses.boosting import Boosting
from aucbench.pairs import Pairs

objective = Boosting


def metric(pairs: Pairs | str = "all") -> Callable[..., Any]:
    """Return the measure of pairs, for `custom_metric` of `train` or `eval_metric` of an estimator.

    Its name begins with auc, by which XGBoost knows that a larger value is better. Otherwise it is
    `aucbench.losses.lightgbm.metric`.
    """
    of = Boosting(pairs=pairs)
    name = of.measure if of.measure == "auc" else f"auc-{of.measure}"

    def measure(first: Any, second: Any, sample_weight: Any = None) -> tuple[str, float] | float:
        value = of.quality(first, second, sample_weight)
        return (name, value) if hasattr(second, "get_label") else value

    measure.__name__ = name
    return measure
