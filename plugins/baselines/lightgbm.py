"""Gradient boosting of LightGBM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Model, Needs, Problem, Solver, State, count_rows
from aucbench.data.arrays import Rows, Vector
from aucbench.data.layouts import to_library_matrix
from aucbench.errors import (
    UnsupportedError,
    require_above,
    require_at_least,
    require_at_most,
    require_count,
    require_share,
)
from aucbench.optim.trees import Tree, TreeSum
from aucbench.ranges import Range
from aucbench.stats.vectors import unit_weights

from .parts import require, threads

MOST_LEAVES = 131_072  # of LightGBM


@about("tables with curved effects and interactions, fast on many rows", cites=("ke2017",))
@dataclass(frozen=True)
class LightGbm(Solver):
    """F ← F + ν T_t, T_t a tree fitted to the gradient of Σ_i log(1 + exp(−y_i F(x_i))).

    Parameters
    ----------
    n_estimators : int
        Trees; each counts as one pass over the rows.
    learning_rate : float
        ν > 0.
    num_leaves : int
        Leaves of a tree, at least 2.
    min_child_samples : int
        Rows of each leaf, at least.
    colsample_bytree : float
        Share of the features that a tree sees, in (0, 1].
    reg_lambda : float
        Penalty on the squared values of leaves, in units of the hessian of the loss.

    References
    ----------
    Ke et al., "LightGBM: a highly efficient gradient boosting decision tree", NeurIPS 2017.
    """

    n_estimators: int = 100
    learning_rate: float = 0.1
    num_leaves: int = 31
    min_child_samples: int = 20
    colsample_bytree: float = 1.0
    reg_lambda: float = 0.0

    space: ClassVar = {
        "learning_rate": Range(0.01, 0.5, log=True),
        "num_leaves": Range(4, 256, log=True, integer=True),
        "min_child_samples": Range(2, 100, log=True, integer=True),
        "colsample_bytree": Range(0.4, 1.0),
    }
    needs: ClassVar = Needs(
        frozenset({"weights"}), packages=("lightgbm",), extra="baselines"
    )  # drawn where colsample_bytree is below 1

    def __post_init__(self) -> None:
        require("lightgbm", "lightgbm")
        require_count(1, n_estimators=self.n_estimators, min_child_samples=self.min_child_samples)
        require_count(2, num_leaves=self.num_leaves)
        require_at_most(MOST_LEAVES, num_leaves=self.num_leaves)
        require_above(0, learning_rate=self.learning_rate)
        require_at_least(0, reg_lambda=self.reg_lambda)
        require_share(colsample_bytree=self.colsample_bytree)

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> State:
        """Return the boosted trees."""
        settings, data = {**self.settings(rng), "objective": "binary"}, problem.data
        return boosted(
            settings, data.rows, self.n_estimators, 1.0 * (data.y > 0), unit_weights(data.weights)
        )

    def settings(self, rng: np.random.Generator) -> dict[str, Any]:
        """Return the parameters of LightGBM, without the objective."""
        return {
            "learning_rate": self.learning_rate,
            "num_leaves": self.num_leaves,
            "min_data_in_leaf": self.min_child_samples,
            "feature_fraction": self.colsample_bytree,
            "lambda_l2": self.reg_lambda,
            "seed": int(rng.integers(2**31)),
            "num_threads": threads(),
            "deterministic": True,
            "force_row_wise": True,  # else it times both ways, and takes the faster of the day
            "verbosity": -1,
        }


@dataclass(frozen=True)
class Trees(Model):
    """Boosted trees: the sum of the values of the leaves of x."""

    booster: Any
    keeps_rows: bool | None = False

    def portable(self) -> TreeSum:
        """Return the trees as arrays, from the JSON that LightGBM writes."""
        dumped = self.booster.dump_model()
        trees = (_nodes(tree["tree_structure"]) for tree in dumped["tree_info"])
        return TreeSum.of_trees(trees, int(dumped["max_feature_idx"]) + 1)

    def scores(self, rows: Rows) -> Vector:
        """F(x), (n,)."""
        s = self.booster.predict(to_library_matrix(rows), raw_score=True, num_threads=threads())
        return np.asarray(s, dtype=np.float64)


def _nodes(root: Mapping[str, Any]) -> Tree:
    """Return the nodes of a tree, in the order of a walk that takes left before right."""
    nodes: list[tuple[int, float, int, int, float]] = []

    def add(node: Mapping[str, Any]) -> int:
        """Add a node with all below it, and return its number."""
        at = len(nodes)
        if "leaf_value" in node:
            nodes.append((-1, 0.0, at, at, node["leaf_value"]))
            return at
        if node["decision_type"] != "<=":
            raise UnsupportedError(
                f"a split of LightGBM compares by {node['decision_type']!r}, which cannot be "
                "saved; train without categorical features"
            )
        nodes.append((-1, 0.0, at, at, 0.0))
        left, right = add(node["left_child"]), add(node["right_child"])
        nodes[at] = (node["split_feature"], node["threshold"], left, right, 0.0)
        return at

    add(root)
    return zip(*nodes, strict=True)


def boosted(
    settings: dict[str, Any], rows: Rows, count: int, labels: Vector, weights: Vector | None = None
) -> State:
    """Return the state with `count` trees, fitted to the rows."""
    import lightgbm

    sample = lightgbm.Dataset(to_library_matrix(rows), labels, weight=weights)
    booster = lightgbm.train(settings, sample, count)
    count_rows(booster.num_trees() * rows.n)
    return State(model=Trees(booster))
