"""Random forest of scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State, count_rows
from aucbench.data.arrays import Vector
from aucbench.errors import ParameterError, require_count
from aucbench.optim.classifiers import Fitted, fitted
from aucbench.ranges import Range

from .parts import balanced, threads

FRACTIONS = ("sqrt", "log2")


@about("tables with interactions, with almost nothing to tune", cites=("breiman2001",))
@dataclass(frozen=True)
class RandomForest(Solver):
    """Mean over trees of the share of positives in the leaf of x.

    Each tree is grown on a bootstrap sample of the rows, and chooses the best of
    `max_features` randomly drawn features at each node, by the Gini impurity.

    Parameters
    ----------
    n_estimators : int
        Trees; each counts as one pass over the rows.
    max_features : str or float
        Features tried at a node: "sqrt" or "log2" of d, or a share of d in (0, 1].
    min_samples_leaf : int
        Rows of each leaf, at least.
    max_depth : int or None
        Of a tree; None grows until leaves are pure or too small.
    balanced : bool
        Whether rows weigh n/(2 n_y), so that both classes count the same.

    References
    ----------
    Breiman, "Random forests", Machine Learning 45, 2001. The space follows Probst, Wright and
    Boulesteix, "Hyperparameters and tuning strategies for random forest", WIREs 9, 2019: the
    features tried at a node matter most, then the size of leaves.
    """

    n_estimators: int = 100
    max_features: str | float = "sqrt"
    min_samples_leaf: int = 1
    max_depth: int | None = None
    balanced: bool = False

    space: ClassVar = {
        "max_features": ("sqrt", "log2", 0.1, 0.25, 0.5, 0.75, 1.0),
        "min_samples_leaf": Range(1, 50, log=True, integer=True),
    }
    needs: ClassVar = Needs(frozenset({"weights"}))

    def __post_init__(self) -> None:
        import_module("sklearn.ensemble")  # off the clock of a fit
        require_count(
            1,
            n_estimators=self.n_estimators,
            min_samples_leaf=self.min_samples_leaf,
            max_depth=self.max_depth,
        )
        if isinstance(self.max_features, str):
            if self.max_features not in FRACTIONS:
                raise ParameterError(
                    f"max_features must be sqrt, log2 or a share of the features, "
                    f"got {self.max_features!r}"
                )
        elif not 0 < self.max_features <= 1:
            raise ParameterError(f"max_features must be in (0, 1], got {self.max_features}")

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> State:
        """Return the forest."""
        from sklearn.ensemble import RandomForestClassifier

        share = self.max_features
        data, kind = balanced(problem.data) if self.balanced else (problem.data, None)
        forest = RandomForestClassifier(
            n_estimators=self.n_estimators,
            max_features=share if isinstance(share, str) else float(share),
            min_samples_leaf=self.min_samples_leaf,
            max_depth=self.max_depth,
            class_weight=kind,
            n_jobs=threads(),
        )
        state = fitted(forest, data, rng, keeps_rows=False)
        if isinstance(state.model, Fitted):  # more threads would add the trees in any order
            state.model.estimator.set_params(n_jobs=1)
        count_rows((self.n_estimators - 1) * problem.data.n)  # each tree counts as a pass
        return state
