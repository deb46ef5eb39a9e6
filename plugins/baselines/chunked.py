"""Logistic regression of rows in chunks: Newton's method on a sample, then L-BFGS on all rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.linalg import cho_factor, cho_solve

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
CLOSE = 1e-8  # fall that a step promises, relative to P, at which the sample has told what it can


def descent(f: LogisticInParts, w: Vector, most: int) -> Iterator[State]:
    """Yield the best point so far after each reading of the rows, its gap certified.

    Parameters
    ----------
    f : LogisticInParts
        The losses; ½‖w‖² is added to them.
    w : array of shape (d,)
        The first weights; 0 means the optimum over the sample.
    most : int
        Steps, at most.
    """
    with uncounted():  # the sample is in memory
        theta, inverse = _Sample(f).optimum(w)
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

    def value(self, theta: Vector) -> float:
        """Return P."""
        losses = np.logaddexp(0.0, -self.y * (self.rows.matrix @ theta))
        return float(self.weights @ losses + 0.5 * (self.ridge * theta) @ theta)

    def optimum(self, w: Vector) -> tuple[Vector, Callable[[Vector], Vector]]:
        """Return the optimum, or w ≠ 0 with its best c, and r -> M⁻¹ r with the Hessian M there.

        Beyond 2000 features there is no optimum, and M is a diagonal.
        """
        theta = np.append(w, self.odds)
        free = np.append(np.zeros(w.size), 1.0) if w.any() else np.ones(theta.size)
        value = self.value(theta)
        for _ in range(STEPS):
            alpha = 1.0 / (1.0 + np.exp(self.y * (self.rows.matrix @ theta)))
            pull = self.rows.matrix.T @ (self.weights * alpha * self.y)
            inverse = self._inverse(self.weights * alpha * (1.0 - alpha))
            if self.rows.d > WIDE:
                break
            p = inverse((pull - self.ridge * theta) * free)
            fall, step = float((pull - self.ridge * theta) @ (p * free)), 1.0
            while step > 1e-6 and self.value(theta + step * p * free) > value - 1e-4 * step * fall:
                step *= 0.5
            theta = theta + step * p * free
            value = self.value(theta)
            if fall <= CLOSE * value:
                break
        return theta, inverse

    def _inverse(self, bend: Vector) -> Callable[[Vector], Vector]:
        """Return r -> M⁻¹ r, M = Σ_i bend_i x_i x_iᵀ and the ridge."""
        if self.rows.d > WIDE:
            squares = square_entries(self.rows).matrix
            diagonal = squares.T @ bend + self.ridge
            return lambda r: np.asarray(r / diagonal)
        M = gram(self.rows, bend, np.zeros(self.rows.d))
        M[np.diag_indices(self.rows.d)] += self.ridge + JITTER * M.diagonal()
        factor = cho_factor(M, overwrite_a=True, check_finite=False)
        return lambda r: np.asarray(cho_solve(factor, r, check_finite=False))
