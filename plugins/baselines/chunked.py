"""Logistic regression of rows in chunks: Newton's method on a sample, then L-BFGS on all rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import sqrt

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.special import expit

from aucbench.contract import State
from aucbench.data.arrays import Rows, Vector
from aucbench.data.columns import append_ones
from aucbench.data.layouts import square_entries
from aucbench.data.passes import gram
from aucbench.data.tally import uncounted
from aucbench.objectives import LogisticInParts
from aucbench.objectives.logistic_in_parts import LogisticPoint
from aucbench.optim import Lbfgs, WeakWolfe

WIDE = 2000  # features beyond which the Hessian over the sample is a diagonal
JITTER = 1e-10  # relative, so that rounding leaves the Hessian positive definite
STEPS = 50  # of Newton's method, at most
FAR = 100.0  # length of its first step, at most
CLOSE = 1e-10  # share of P, far below the error of the sample; ½‖∇P‖² bounds the distance


def descent(f: LogisticInParts, most: int) -> Iterator[State]:
    """Yield the best point so far after each reading of the rows, its gap certified.

    Parameters
    ----------
    f : LogisticInParts
        The losses; ½‖w‖² is added to them.
    most : int
        Steps, at most.
    """
    with uncounted():  # the sample is in memory
        theta, inverse = _Sample(f).optimum()
    at = best = f.at(theta)
    hessian = Lbfgs(initial=inverse)
    yield _state(best)
    for _ in range(most):
        p = hessian.direction(at.gradient)
        search, lower = WeakWolfe(at.value, float(at.gradient @ p), 1.0), None
        while not search.ended and best.gap > 2.0 * best.rounding:
            trial = f.at(at.theta + search.step * p)
            best = min(best, trial, key=lambda point: point.gap)
            yield _state(best)
            if search.tell(trial.value, float(trial.gradient @ p)):
                lower = trial
        if lower is None:
            return
        hessian.add(lower.theta - at.theta, lower.gradient - at.gradient)
        at = lower


def _state(at: LogisticPoint) -> State:
    return State(at.w, gap=at.gap, residual=at.residual, value=at.value)


class _Sample:
    """P over the sample, of which a row counts for all rows of its class that it stands for."""

    def __init__(self, f: LogisticInParts) -> None:
        data, sample = f.data, f.data.sample
        self.rows: Rows = append_ones(sample.rows)
        self.y = sample.y.astype(np.float64)
        each = (data.n_neg / sample.labels.n_neg, data.n_pos / sample.labels.n_pos)
        self.weights = f.C * np.where(self.y > 0, each[1], each[0])
        self.ridge = np.append(np.ones(data.d), 0.0)
        self.odds = float(np.log(data.n_pos / data.n_neg))

    def value(self, theta: Vector) -> tuple[float, Vector]:
        """Return P and ∇P."""
        margins = self.y * (self.rows.matrix @ theta)
        pull = self.rows.matrix.T @ (self.weights * self.y * expit(-margins))
        losses = np.logaddexp(0.0, -margins)
        value = float(self.weights @ losses + 0.5 * (self.ridge * theta) @ theta)
        return value, np.asarray(self.ridge * theta - pull)

    def bends(self, theta: Vector) -> Vector:
        """Return the second derivatives of P in the scores."""
        alpha = expit(self.y * (self.rows.matrix @ theta))
        return np.asarray(self.weights * alpha * (1.0 - alpha))

    def hessian(self, theta: Vector) -> Vector:
        """Return ∇²P, positive definite in spite of rounding."""
        H = gram(self.rows, self.bends(theta), np.zeros(self.rows.d))
        H[np.diag_indices(self.rows.d)] += self.ridge + JITTER * H.diagonal()
        return H

    def optimum(self) -> tuple[Vector, Callable[[Vector], Vector]]:
        """Return the optimum, and r -> M⁻¹ r with the Hessian M there.

        Beyond 2000 features it is w = 0 with its best c, and M is a diagonal.
        """
        theta = np.append(np.zeros(self.rows.d - 1), self.odds)
        if self.rows.d > WIDE:
            diagonal = square_entries(self.rows).matrix.T @ self.bends(theta) + self.ridge
            return theta, lambda r: np.asarray(r / diagonal)
        enough = sqrt(CLOSE * self.value(theta)[0])
        found = minimize(
            self.value,
            theta,
            method="trust-exact",
            jac=True,
            hess=self.hessian,
            options={"gtol": enough, "maxiter": STEPS, "initial_trust_radius": FAR},
        )
        factor = cho_factor(found.hess, overwrite_a=True, check_finite=False)
        return found.x, lambda r: np.asarray(cho_solve(factor, r, check_finite=False))
