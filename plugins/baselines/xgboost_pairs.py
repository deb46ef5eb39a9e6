"""Boosted trees on the exact loss over all pairs of rows, of XGBoost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Problem, State
from aucbench.data.arrays import Vector

from .parts import PAIRS, CurvedLoss, derivatives_of_pairs, require_curved
from .xgboost import XgBoost, boosted


@about("boosted trees that learn the order of pairs of rows", cites=("chen2016", "rust2023"))
@dataclass(frozen=True)
class XgBoostPairs(XgBoost):
    """F ← F + ν T_t, T_t fitted to the gradient of f(F) = Σ_ij π_ij φ(F(x_i) − F(x_j)).

    The pairs, φ, their gradient and the bound of the curvature are those of `lightgbm-pairs`.
    Sparse rows are made dense, as `xgboost` does.

    Parameters
    ----------
    n_estimators, learning_rate, max_depth, subsample, colsample_bytree :
        As `xgboost`.
    min_child_weight, reg_lambda : float
        Least sum of c D over the rows of a leaf, and the penalty on the squared values of leaves in
        units of c D, where D bounds the curvature of f in the score of a row, and c D is at most ¼.
    loss : {"squared-hinge", "logistic", "square"}
        φ(z) = [1 − z]₊², log(1 + e⁻ᶻ), or (1 − z)².

    References
    ----------
    Chen and Guestrin, "XGBoost: a scalable tree boosting system", KDD 2016. The gradient of the
    squared hinge by one sort: Rust and Hocking, "A log-linear gradient descent algorithm for
    unbalanced binary classification using the all pairs squared hinge loss", 2023.
    """

    loss: CurvedLoss = "squared-hinge"

    needs: ClassVar = replace(XgBoost.needs, capabilities=PAIRS)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_curved(self.loss)

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> State:
        """Return the boosted trees."""
        data, settings = problem.data, {**self.settings(rng), "base_score": 0.0}
        return boosted(
            settings | {"disable_default_eval_metric": True},
            data.rows,
            self.n_estimators,
            np.zeros(data.n),  # the objective knows the target
            objective=derivatives_of_pairs(data, self.loss),
        )
