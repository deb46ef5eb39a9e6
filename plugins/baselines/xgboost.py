"""Gradient boosting of XGBoost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Model, Needs, Problem, Solver, State, count_rows
from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector
from aucbench.data.layouts import to_library_matrix
from aucbench.errors import (
    require_above,
    require_at_least,
    require_at_most,
    require_count,
    require_share,
)
from aucbench.optim.trees import Tree, TreeSum
from aucbench.ranges import Range
from aucbench.stats.vectors import unit_weights

from .parts import Derivatives, OnDense, dense, require, threads

SMALLEST, LARGEST = 1e-37, 1e38  # of numbers that 32 bits hold with all their digits


@about("tables with curved effects and interactions", cites=("chen2016",))
@dataclass(frozen=True)
class XgBoost(Solver):
    """F ← F + ν T_t, T_t a tree fitted to the gradient of Σ_i log(1 + exp(−y_i F(x_i))).

    XGBoost takes what a sparse row does not store for missing, and not for 0. Sparse rows are
    therefore made dense, so that both layouts mean the same; beyond 2 GiB they are refused.

    Parameters
    ----------
    n_estimators : int
        Trees; each counts as one pass over the rows.
    learning_rate : float
        ν > 0.
    max_depth : int
        Of a tree, at least 1.
    min_child_weight : float
        Sum of the hessian of the loss in each leaf, at least; ≥ 0.
    subsample, colsample_bytree : float
        Shares of the rows and of the features that a tree sees, in (0, 1].
    reg_lambda : float
        Penalty on the squared values of leaves, in units of the hessian of the loss.

    References
    ----------
    Chen and Guestrin, "XGBoost: a scalable tree boosting system", KDD 2016. The space is near
    that of Grinsztajn, Oyallon and Varoquaux, "Why do tree-based models still outperform deep
    learning on tabular data?", NeurIPS 2022.
    """

    n_estimators: int = 100
    learning_rate: float = 0.3
    max_depth: int = 6
    min_child_weight: float = 1.0
    subsample: float = 1.0
    colsample_bytree: float = 1.0
    reg_lambda: float = 1.0

    space: ClassVar = {
        "learning_rate": Range(0.01, 0.7, log=True),
        "max_depth": Range(1, 11, integer=True),
        "min_child_weight": Range(1.0, 100.0, log=True),
        "subsample": Range(0.5, 1.0),
        "colsample_bytree": Range(0.5, 1.0),
        "reg_lambda": Range(0.1, 10.0, log=True),
    }
    needs: ClassVar = Needs(
        frozenset({"weights"}), packages=("xgboost",), extra="baselines"
    )  # drawn where a share of rows or columns is below 1

    def __post_init__(self) -> None:
        require("xgboost", "xgboost")
        require_count(1, n_estimators=self.n_estimators, max_depth=self.max_depth)
        require_above(0, learning_rate=self.learning_rate)
        require_at_least(0, min_child_weight=self.min_child_weight, reg_lambda=self.reg_lambda)
        require_share(subsample=self.subsample, colsample_bytree=self.colsample_bytree)
        for name in self.space:  # XGBoost refuses what is no normal number of 32 bits
            if value := getattr(self, name):
                require_at_least(SMALLEST, **{name: value})
                require_at_most(LARGEST, **{name: value})

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """The rows, dense; no objective is listed."""
        return Problem(train=data.with_rows(dense(data.rows, "xgboost")))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> State:
        """Return the boosted trees."""
        settings, data = {**self.settings(rng), "objective": "binary:logistic"}, problem.data
        return boosted(
            settings, data.rows, self.n_estimators, 1.0 * (data.y > 0), unit_weights(data.weights)
        )

    def settings(self, rng: np.random.Generator) -> dict[str, Any]:
        """Return the parameters of XGBoost, without the objective."""
        return {
            "learning_rate": self.learning_rate,
            "max_depth": self.max_depth,
            "min_child_weight": self.min_child_weight,
            "subsample": self.subsample,
            "colsample_bytree": self.colsample_bytree,
            "reg_lambda": self.reg_lambda,
            "tree_method": "hist",
            "seed": int(rng.integers(2**31)),
            "nthread": threads(),
        }


@dataclass(frozen=True)
class Trees(Model):
    """Boosted trees: the sum of the values of the leaves of x."""

    booster: Any
    keeps_rows: bool | None = False

    def portable(self) -> TreeSum:
        """Return the trees as arrays, from the JSON that XGBoost writes.

        XGBoost adds in single precision, so that its scores differ by about 1e-6 of the largest.
        """
        learner = json.loads(bytes(self.booster.save_raw("json")))["learner"]
        grown = learner["gradient_booster"]["model"]["trees"]
        return TreeSum.of_trees(
            map(_nodes, grown),
            int(learner["learner_model_param"]["num_feature"]),
            base=_base(learner),
            single=True,
        )

    def scores(self, rows: Rows) -> Vector:
        """F(x) of dense rows, (n,)."""
        import xgboost

        sample = xgboost.DMatrix(to_library_matrix(rows), nthread=threads())
        return np.asarray(self.booster.predict(sample, output_margin=True), dtype=np.float64)


def _nodes(tree: Mapping[str, Any]) -> Tree:
    """Return the nodes of a tree; split_conditions has thresholds, and the values of leaves."""
    left, right = tree["left_children"], tree["right_children"]
    split = np.array(tree["split_conditions"])
    # it goes left where x < threshold, which are the x up to the next smaller number
    below = np.nextafter(split.astype(np.float32), np.float32(-np.inf)).astype(np.float64)
    feature = np.where(np.array(left) < 0, -1, tree["split_indices"])
    return feature, below, left, right, split


def _base(learner: Mapping[str, Any]) -> float:
    """Return the margin to which trees are added; the file has it as a probability or a margin."""
    stored = float(str(learner["learner_model_param"]["base_score"]).strip("[]"))
    if learner["objective"]["name"] == "binary:logistic":
        return float(np.log(stored) - np.log1p(-stored))
    return stored


def boosted(
    settings: dict[str, Any],
    rows: Rows,
    count: int,
    labels: Vector,
    weights: Vector | None = None,
    objective: Derivatives | None = None,
) -> State:
    """Return the state with `count` trees, fitted to dense rows by an objective of ours or its."""
    import xgboost

    sample = xgboost.DMatrix(to_library_matrix(rows), labels, weight=weights, nthread=threads())
    booster = xgboost.train(settings, sample, count, obj=objective)
    count_rows(count * rows.n)
    return State(model=OnDense(Trees(booster)))
