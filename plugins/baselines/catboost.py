"""Gradient boosting of CatBoost."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Model, Needs, Problem, Solver, State, count_rows
from aucbench.data.arrays import Rows, Vector
from aucbench.data.layouts import to_library_matrix
from aucbench.errors import (
    DataError,
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

DEEPEST = 16  # of CatBoost


@about("tables with curved effects and interactions", cites=("prokhorenkova2018",))
@dataclass(frozen=True)
class CatBoost(Solver):
    """F ← F + ν T_t, T_t an oblivious tree fitted to the gradient of Σ_i log(1 + exp(−y_i F(x_i))).

    All nodes of one depth split by the same feature and threshold. On few rows (below 50 000) the
    gradient of a row is that of a model without it, "ordered boosting", as CatBoost decides.

    Parameters
    ----------
    n_estimators : int
        Trees; each counts as one pass over the rows. CatBoost itself grows 1000.
    learning_rate : float or None
        ν > 0. None: CatBoost's choice by the numbers of rows and trees, or 0.03 if l2_leaf_reg is
        given.
    depth : int
        Of a tree, from 1 to 16.
    l2_leaf_reg : float or None
        Penalty on the squared values of leaves, in units of the hessian of the loss. None: 3.
    rsm : float
        Share of the features that are tried for a split, in (0, 1].

    References
    ----------
    Prokhorenkova et al., "CatBoost: unbiased boosting with categorical features", NeurIPS 2018.
    """

    n_estimators: int = 300
    learning_rate: float | None = None
    depth: int = 6
    l2_leaf_reg: float | None = None
    rsm: float = 1.0

    space: ClassVar = {
        "learning_rate": Range(0.01, 0.5, log=True),
        "depth": Range(2, 10, integer=True),
        "l2_leaf_reg": Range(1.0, 100.0, log=True),
        "rsm": Range(0.4, 1.0),
    }
    needs: ClassVar = Needs(frozenset({"weights"}), packages=("catboost",), extra="baselines")

    def __post_init__(self) -> None:
        require("catboost", "catboost")
        require_count(1, n_estimators=self.n_estimators, depth=self.depth)
        require_at_most(DEEPEST, depth=self.depth)
        require_above(0, learning_rate=self.learning_rate)
        require_at_least(0, l2_leaf_reg=self.l2_leaf_reg)
        require_share(rsm=self.rsm)

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> State:
        """Return the boosted trees."""
        import catboost

        data = problem.data
        settings = {
            "loss_function": "Logloss",
            "iterations": self.n_estimators,
            "learning_rate": self.learning_rate,
            "depth": self.depth,
            "l2_leaf_reg": self.l2_leaf_reg,
            "rsm": self.rsm,
            "random_seed": int(rng.integers(2**31)),
            "thread_count": threads(),
            "allow_writing_files": False,
            "logging_level": "Silent",
        }
        boosting = catboost.CatBoost({k: v for k, v in settings.items() if v is not None})
        weights = unit_weights(data.weights)
        sample = catboost.Pool(_matrix(data.rows), (data.y > 0).astype(int), weight=weights)
        try:
            boosting.fit(sample)
        except catboost.CatBoostError as error:
            if "constant" not in str(error):
                raise
            raise DataError(
                "no feature varies in the training rows, so that CatBoost cannot split them; take "
                "lightgbm, which gives all of them one score"
            ) from error
        count_rows(boosting.tree_count_ * data.n)
        return State(model=ObliviousTrees(boosting, data.d))


@dataclass(frozen=True)
class ObliviousTrees(Model):
    """Boosted trees: the sum of the values of the leaves of x."""

    boosting: Any
    d: int
    keeps_rows: bool | None = False

    def portable(self) -> TreeSum:
        """Return the trees as arrays, from the JSON that CatBoost writes into a file."""
        with TemporaryDirectory() as folder:
            file = Path(folder) / "trees.json"
            self.boosting.save_model(str(file), format="json")
            stored = json.loads(file.read_text(encoding="utf-8"))
        scale, [bias] = stored["scale_and_bias"]
        trees = map(_nodes, stored["oblivious_trees"])
        return TreeSum.of_trees(trees, self.d, base=bias, scale=scale, single=True)

    def scores(self, rows: Rows) -> Vector:
        """F(x), (n,)."""
        s = self.boosting.predict(
            _matrix(rows), prediction_type="RawFormulaVal", thread_count=threads()
        )
        return np.asarray(s, dtype=np.float64)


def _matrix(rows: Rows) -> Any:
    """Return the rows as CatBoost takes them, which refuses sparse ones that it may not write."""
    X = to_library_matrix(rows)
    return X.copy() if rows.is_sparse else X


def _nodes(tree: Mapping[str, Any]) -> Tree:
    """Return the nodes of a tree, depth by depth; the last split of the file is at the root.

    Bit i of the number of a leaf says whether x exceeds the border of split i.
    """
    splits: Sequence[Mapping[str, Any]] = tree["splits"][::-1]
    counts = 2 ** np.arange(len(splits))
    inner, leaves = int(counts.sum()), np.full(len(tree["leaf_values"]), -1)
    node = np.arange(inner + leaves.size)
    feature = np.repeat([split["float_feature_index"] for split in splits], counts)
    border = np.repeat([split["border"] for split in splits], counts)
    return (
        np.concatenate([feature, leaves]),
        np.concatenate([border, 0.0 * leaves]),
        2 * node + 1,
        2 * node + 2,
        np.concatenate([np.zeros(inner), tree["leaf_values"]]),
    )
