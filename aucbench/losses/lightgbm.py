"""The exact loss over pairs as an objective of LightGBM, and its measure for early stopping.

`objective` is for `lightgbm.train({"objective": objective(), ...}, data)`, for
`LGBMClassifier(objective=objective())`, `LGBMRegressor` and `LGBMRanker`.
"""

from collections.abc import Callable
from typing import Any

from aucbench.losses.boosting import Boosting
from aucbench.pairs import Pairs

objective = Boosting


def metric(pairs: Pairs | str = "all") -> Callable[..., tuple[str, float, bool]]:
    """Return the measure of pairs, for `feval` of `lightgbm.train` or `eval_metric` of a fit.

    It is the exact AUC, grouped AUC, partial AUC, or concordance index: a larger one is better. It
    raises `NoPairsError` when no two of the rows can be compared.
    """
    of = Boosting(pairs=pairs)

    def measure(
        first: Any, second: Any, weight: Any = None, group: Any = None
    ) -> tuple[str, float, bool]:
        return of.measure, of.quality(first, second, weight, group), True

    return measure
