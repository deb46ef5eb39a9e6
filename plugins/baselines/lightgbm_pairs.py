"""Boosted trees on the exact loss over all pairs of rows, of LightGBM."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Problem, State
from aucbench.data.arrays import Vector

from .lightgbm import LightGbm, boosted
from .parts import PAIRS, CurvedLoss, derivatives_of_pairs, require_curved


@about("boosted trees that learn the order of pairs of rows", cites=("ke2017", "rust2023"))
@dataclass(frozen=True)
class LightGbmPairs(LightGbm):
    """F ← F + ν T_t, T_t fitted to the gradient of f(F) = Σ_ij π_ij φ(F(x_i) − F(x_j)).

    i runs over positives and j over negatives, or (i, j) over the pairs of the data: of one group,
    of ordered times or grades, or in a range of the ROC curve. Weights of rows weigh their pairs.
    The gradient g is that of all pairs, by one sort for each tree. With the diagonal bound D of the
    Hessian (`aucbench.losses`), a leaf has the value −Σ g_r / (Σ D_r + λ) over its rows r. Both
    are multiplied by c, so that the largest D_r is ¼, as that of a logistic loss of one row.

    Parameters
    ----------
    n_estimators, learning_rate, num_leaves, min_child_samples, colsample_bytree :
        As `lightgbm`.
    reg_lambda : float
        λ, the penalty on the squared values of leaves, in units of c D.
    loss : {"squared-hinge", "logistic", "square"}
        φ(z) = [1 − z]₊², log(1 + e⁻ᶻ), or (1 − z)².

    References
    ----------
    Ke et al., "LightGBM: a highly efficient gradient boosting decision tree", NeurIPS 2017. The
    gradient of the squared hinge by one sort: Rust and Hocking, "A log-linear gradient descent
    algorithm for unbalanced binary classification using the all pairs squared hinge loss", 2023.
    """

    loss: CurvedLoss = "squared-hinge"

    needs: ClassVar = replace(LightGbm.needs, capabilities=PAIRS)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_curved(self.loss)

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> State:
        """Return the boosted trees."""
        data, settings = problem.data, {**self.settings(rng), "metric": "None"}
        settings["feature_pre_filter"] = False  # else it fails where no feature can be split
        settings["objective"] = derivatives_of_pairs(data, self.loss)
        none = np.zeros(data.n)  # the objective knows the target
        return boosted(settings, data.rows, self.n_estimators, none)
