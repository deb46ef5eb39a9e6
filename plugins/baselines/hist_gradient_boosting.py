"""Histogram gradient boosting of scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State, count_rows
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.errors import require_above, require_at_least, require_count
from aucbench.optim.classifiers import Fitted, fitted
from aucbench.ranges import Range

from .parts import OnDense, balanced, dense

NAME = "hist-gradient-boosting"


@about("tables with curved effects and interactions; always installed", cites=("ke2017",))
@dataclass(frozen=True)
class HistGradientBoosting(Solver):
    """F ← F + ν T_t, T_t a tree fitted to the gradient of Σ_i log(1 + exp(−y_i F(x_i))).

    Features are cut into 255 bins. With more than 10 000 rows, as scikit-learn has it, a tenth
    of them is held out and boosting stops early.

    Its histograms read dense columns, and scikit-learn refuses sparse rows. They are made dense
    here while they take at most 2 GiB, and are refused beyond.

    Parameters
    ----------
    learning_rate : float
        ν > 0.
    max_iter : int
        Trees; each counts as one pass over the rows.
    max_leaf_nodes : int
        Leaves of a tree, at least 2.
    min_samples_leaf : int
        Rows of each leaf, at least.
    l2_regularization : float
        Penalty on the values of leaves, in units of the hessian of the loss.
    balanced : bool
        Whether rows weigh n/(2 n_y), so that both classes count the same.

    References
    ----------
    Ke et al., "LightGBM: a highly efficient gradient boosting decision tree", NeurIPS 2017,
    which scikit-learn follows. The space is near that of Grinsztajn, Oyallon and Varoquaux,
    "Why do tree-based models still outperform deep learning on tabular data?", NeurIPS 2022.
    """

    learning_rate: float = 0.1
    max_iter: int = 100
    max_leaf_nodes: int = 31
    min_samples_leaf: int = 20
    l2_regularization: float = 0.0
    balanced: bool = False

    space: ClassVar = {
        "learning_rate": Range(0.01, 1.0, log=True),
        "max_leaf_nodes": Range(4, 128, log=True, integer=True),
        "min_samples_leaf": Range(2, 100, log=True, integer=True),
    }
    needs: ClassVar = Needs(frozenset({"weights"}))
    expected_failures: ClassVar = {"seeds-differ": "a seed divides more than 10 000 rows only"}

    def __post_init__(self) -> None:
        import_module("sklearn.ensemble")  # off the clock of a fit
        require_above(0, learning_rate=self.learning_rate)
        require_at_least(0, l2_regularization=self.l2_regularization)
        require_count(1, max_iter=self.max_iter, min_samples_leaf=self.min_samples_leaf)
        require_count(2, max_leaf_nodes=self.max_leaf_nodes)

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """The rows, dense; no objective is listed."""
        return Problem(train=data.with_rows(dense(data.rows, NAME)))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> State:
        """Return the boosted trees."""
        from sklearn.ensemble import HistGradientBoostingClassifier

        data, kind = balanced(problem.data) if self.balanced else (problem.data, None)
        boosting = HistGradientBoostingClassifier(
            learning_rate=self.learning_rate,
            max_iter=self.max_iter,
            max_leaf_nodes=self.max_leaf_nodes,
            min_samples_leaf=self.min_samples_leaf,
            l2_regularization=self.l2_regularization,
            class_weight=kind,
        )
        state = fitted(boosting, data, rng, keeps_rows=False)
        trees = state.model.estimator.n_iter_ if isinstance(state.model, Fitted) else 1
        count_rows((trees - 1) * problem.data.n)  # each tree counts as a pass
        return replace(state, model=None if state.model is None else OnDense(state.model))
