"""Logistic regression by stochastic gradient descent, of scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import ClassVar, Literal

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State, count_rows
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.layouts import to_library_matrix
from aucbench.errors import ParameterError, require_above, require_at_most, require_count
from aucbench.features import AppendOne
from aucbench.ranges import Range
from aucbench.stats.vectors import unit_weights

from .parts import balanced

MOST = 1e20  # of alpha; beyond, the steps of scikit-learn underflow
PENALTIES = ("l2", "l1", "elasticnet")


@about("a linear baseline for very many rows", sparse=True, cites=("bottou2012",))
@dataclass(frozen=True)
class SgdLogistic(Solver):
    """w ← w − η_t (∇ log(1 + exp(−y_i w·x_i)) + α ∇R(w)), row by row, η_t = 1/(α (t₀ + t)).

    Unlike `logistic` it is not driven to the optimum: it ends when the loss of a pass falls by
    less than `tol` for five passes. The intercept is the weight of a last feature 1, penalised
    as the others: scikit-learn's own learns a hundred times more slowly from sparse rows than
    from dense ones.

    Parameters
    ----------
    alpha : float
        Regularisation α > 0, in units of 1/loss averaged over the rows.
    penalty : {"l2", "l1", "elasticnet"}
        R: "l2" is ½‖w‖², "l1" ‖w‖₁, "elasticnet" 0.15 ‖w‖₁ + 0.85/2 ‖w‖².
    max_iter : int
        Passes allowed; scikit-learn warns when they do not suffice.
    tol : float
        Fall of the mean loss of a pass that counts as progress, > 0.
    balanced : bool
        Whether rows weigh n/(2 n_y), so that both classes count the same.

    References
    ----------
    Bottou, "Stochastic gradient descent tricks", 2012.
    """

    alpha: float = 1e-4
    penalty: Literal["l2", "l1", "elasticnet"] = "l2"
    max_iter: int = 1000
    tol: float = 1e-3
    balanced: bool = False

    space: ClassVar = {"alpha": Range(1e-7, 1e-1, log=True)}
    needs: ClassVar = Needs(frozenset({"weights"}))
    expected_failures: ClassVar[Mapping[str, str]] = {
        "layouts on larger rows": "scikit-learn ends by an objective, for which it keeps another "
        "norm of w where rows are CSR: the passes are the same, and there are one or two fewer"
    }

    def __post_init__(self) -> None:
        import_module("sklearn.linear_model")  # off the clock of a fit
        require_above(0, alpha=self.alpha, tol=self.tol)
        require_at_most(MOST, alpha=self.alpha)
        require_count(1, max_iter=self.max_iter)
        if self.penalty not in PENALTIES:
            raise ParameterError(
                f"penalty must be one of {', '.join(PENALTIES)}, got {self.penalty!r}"
            )

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """The rows with a feature 1; the objective is scikit-learn's own."""
        phi = AppendOne()
        return Problem(features=phi, train=data.with_rows(phi(data.rows)))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> State:
        """Return the weights after the last pass."""
        from sklearn.linear_model import SGDClassifier

        data, kind = balanced(problem.data) if self.balanced else (problem.data, None)
        descent = SGDClassifier(
            loss="log_loss",
            alpha=self.alpha,
            penalty=self.penalty,
            max_iter=self.max_iter,
            tol=self.tol,
            fit_intercept=False,
            class_weight=kind,
            random_state=int(rng.integers(2**31)),
        )
        descent.fit(to_library_matrix(data.rows), data.y, sample_weight=unit_weights(data.weights))
        w = np.ravel(descent.coef_).astype(np.float64)
        count_rows(int(descent.n_iter_) * data.n)
        return State(w)
