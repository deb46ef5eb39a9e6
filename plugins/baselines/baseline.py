"""A linear classifier of scikit-learn as a solver: one fit, which gives one state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from math import hypot
from typing import Any, ClassVar

import numpy as np

from aucbench.contract import Needs, Problem, Solver, State, count_rows
from aucbench.data.arrays import Vector
from aucbench.errors import LARGE, require_at_least, require_at_most, require_count
from aucbench.stats.vectors import unit_weights

FIT_TOLERANCE = (
    1e-8  # scikit-learn's own 1e-4 left w up to 15 % from the optimum on the shared sets
)


@dataclass(frozen=True)
class LinearBaseline(Solver):
    """What the baselines share. Each of them says which estimator its `iterates` fits.

    Parameters
    ----------
    C : float
        Inverse regularisation C from 1e-100 to 1e100, in units of 1/loss summed over the rows.
    max_iter : int
        Largest number of iterations. scikit-learn warns when they are not enough.
    """

    C: float = 1.0
    max_iter: int = 3000

    module: ClassVar[str]  # module of scikit-learn that has the estimator
    space: ClassVar = {"C": (1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0)}
    needs: ClassVar = Needs(frozenset({"weights"}))

    def __post_init__(self) -> None:
        # Imported here, so that the import slows down neither `import aucbench` nor a timed fit.
        import_module(self.module)
        require_at_least(1.0 / LARGE, C=self.C)  # outside, LIBLINEAR never ends
        require_at_most(LARGE, C=self.C)
        require_count(1, max_iter=self.max_iter)


def one_fit(
    estimator: Any,
    problem: Problem,
    slope: Callable[[Vector], Vector],
    *,
    intercept_ridge: float = 0.0,
) -> State:
    """Fit a scikit-learn linear classifier to FIT_TOLERANCE and return its weights.

    The intercept is dropped: a constant added to every score leaves the AUC as it is. Each
    iteration that the estimator reports counts as one pass over the rows, and so does the residual;
    evaluations of a line search, which it does not report, do not count. The residual is the norm
    of the gradient, in w and the intercept, of the objective in the docstring of the solver.

    Parameters
    ----------
    estimator : object
        Its `C` is set, and its `class_weight` is None or "balanced". With weights of rows it is
        None: `balanced` has the classes in the weights.
    problem : Problem
        Holds the rows.
    slope : function (margins) -> derivatives
        Derivative of the loss of a row in its margin y (w·x + c).
    intercept_ridge : float
        Weight of c²/2 in the objective of the estimator.
    """
    data = problem.data
    weights = unit_weights(data.weights)
    estimator.set_params(tol=FIT_TOLERANCE).fit(data.rows.matrix, data.y, sample_weight=weights)
    w = np.ravel(estimator.coef_).astype(np.float64)
    c = float(estimator.intercept_[0])
    pull = estimator.C * data.y * slope(data.y * (data.scores(w) + c))
    if estimator.class_weight == "balanced":
        pull *= 0.5 / np.where(data.y > 0, data.labels.p, 1.0 - data.labels.p)
    if weights is not None:
        pull *= weights
    slack = float(pull.sum()) + intercept_ridge * c
    residual = hypot(float(np.linalg.norm(w + data.pullback(pull))), slack)
    count_rows(int(np.max(estimator.n_iter_)) * data.n)
    return State(w, residual=residual)


def logistic_slope(margins: Vector) -> Vector:
    """Return d/dm log(1 + exp(−m)) = −1/(1 + exp(m)), without overflow."""
    slopes: Vector = -np.exp(-np.logaddexp(0.0, margins))
    return slopes
