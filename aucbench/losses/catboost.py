"""Trees of CatBoost by the exact loss over pairs, and its measure for early stopping.

CatBoost asks an objective for a thousand rows at a time, and a sum over pairs needs all rows. So
there is no objective for its `fit` here, but `train`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import catboost
import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.data.arrays import Vector
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.losses.pair_loss import BoundLoss, Loss, PairLoss
from aucbench.pairs import Pairs

LARGEST = 1 << 24  # rows that have a number in CatBoost's labels, which are of single precision
OURS = {
    "boosting_type": "Plain",
    "boost_from_average": False,
    "leaf_estimation_method": "Newton",
    "leaf_estimation_iterations": 1,
    "leaf_estimation_backtracking": "No",
    "simple_ctr": ["Counter"],  # the codes of categories that read no labels
    "combinations_ctr": ["Counter"],
}
OF_LABELS = {  # options that read the labels, or say what is minimised
    *("loss_function", "objective", "eval_metric", "custom_metric", "custom_loss", "eval_fraction"),
    *("class_weights", "auto_class_weights", "scale_pos_weight", "class_names", "target_border"),
}


class PairsInOrder:
    """The objective and the measure of `train`, with a table of the derivatives of all rows.

    CatBoost measures all rows after each tree, and then asks for the derivatives of blocks, at the
    same scores. The label of a row is its number r, and ~r = −1 − r if it validates.
    """

    no_jit = True  # numba cannot compile these methods, and would warn

    def __init__(self, train: BoundLoss, test: BoundLoss):
        self.train, self.test, self.refusal = train, test, ""
        self._write(np.zeros(train.data.n))

    def __deepcopy__(self, memo: object) -> PairsInOrder:
        return self  # CatBoost copies its parameters

    def _write(self, s: Vector) -> None:
        self._s = s
        self._table = -np.column_stack(self.train.derivatives(s))  # CatBoost maximises

    def calc_ders_range(self, approxes: Vector, targets: Vector, weights: object) -> NDArray[Any]:
        """Return −c ∇f and −c D of some rows, (m, 2)."""
        rows = targets.astype(np.int64)
        if not np.allclose(approxes, self._s[rows], rtol=1e-9, atol=1e-9):
            self.refusal = (
                "CatBoost asks for derivatives at other scores than those after the last tree; "
                "leave out metric_period, model_shrink_rate, langevin, monotone_constraints and "
                "whatever else of params changes scores or skips measures"
            )
            raise UnsupportedError(self.refusal)
        return self._table[rows]

    def evaluate(self, approxes: Any, target: Vector, weight: object) -> tuple[float, float]:
        """Return the measure of all rows, and 1; keep the derivatives of those that train."""
        rows = target.astype(np.int64)
        trains, s = rows[0] >= 0, np.empty(rows.size)
        s[rows if trains else ~rows] = approxes[0]
        if trains:
            self._write(s)
        return (self.train if trains else self.test).quality(s), 1.0

    def is_max_optimal(self) -> bool:
        """Return True: a larger one is better."""
        return True

    def get_final_error(self, error: float, weight: float) -> float:
        """Return the measure."""
        return error


def train(
    params: Mapping[str, Any],
    X: Any,
    target: Any,
    groups: ArrayLike | None = None,
    *,
    loss: Loss = "squared-hinge",
    pairs: Pairs | str = "all",
    weights: ArrayLike | None = None,
    eval_set: tuple[Any, ...] | None = None,
) -> Any:
    """Return a `catboost.CatBoost` whose trees are fitted to c ∇f and c D of `BoundLoss`.

    A category has its own split if its column has at most `one_hot_max_size` (255) of them, and is
    else known by its count, since the other codes of CatBoost read labels. The learning rate is
    0.03 unless params have one: CatBoost chooses by the table for losses of its own only.

    Parameters
    ----------
    params : mapping
        Options of CatBoost, such as iterations, cat_features and early_stopping_rounds.
    X : table of n rows
        Whatever `CatBoost.fit` takes. Names of columns are kept.
    target, groups, loss, pairs, weights :
        As `PairLoss`; the loss has a curvature.
    eval_set : tuple (X, target) or (X, target, groups), optional
        Rows by whose measure training stops, and the best number of trees is chosen.

    Raises
    ------
    ParameterError
        When an option makes no sense with pairs.
    DataError, NoPairsError
        As `PairLoss.bind`, and for more than 2²⁴ rows.
    UnsupportedError
        When an option changes scores between two trees, and as `BoundLoss.curvature`.
    """
    if wrong := {k for k in params if k in OF_LABELS or params[k] != OURS.get(k, params[k])}:
        raise ParameterError(
            f"params has {', '.join(sorted(wrong))}, which boosting by pairs sets or cannot have; "
            "leave it out"
        )
    of = PairLoss(loss, pairs, weights).bind(target, groups)
    held = of if eval_set is None else PairLoss(loss, pairs).bind(*eval_set[1:])
    if max(of.data.n, held.data.n) > LARGEST:
        raise DataError(f"CatBoost's labels number {LARGEST} rows at most; take a sample of them")
    valid = None if eval_set is None else (eval_set[0], ~np.arange(held.data.n))
    table = PairsInOrder(of, held)
    ours = {**OURS, "loss_function": table, "eval_metric": table}
    model = catboost.CatBoost({"one_hot_max_size": 255, **params, **ours})
    try:
        model.fit(X, np.arange(of.data.n), eval_set=valid)
    except catboost.CatBoostError as error:
        if table.refusal:
            raise UnsupportedError(table.refusal) from error
        raise
    finally:
        vars(table).clear()  # the model keeps its parameters, and should keep no rows
    return model
