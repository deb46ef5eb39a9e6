"""Interval regression: a linear model of the scores at which sequences have the fewest errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, cast

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State
from aucbench.data import Data, uncounted
from aucbench.data.arrays import Vector
from aucbench.data.folds import drawn_parts
from aucbench.data.layouts import square_entries
from aucbench.data.summaries import breakpoints_of
from aucbench.errors import (
    LARGE,
    DataError,
    ParameterError,
    require_above,
    require_at_least,
    require_at_most,
)
from aucbench.features import AppendOne
from aucbench.objectives import IntervalHinge
from aucbench.optim.proximal_newton import minimiser, proximal_newton
from aucbench.projectors import ElasticNet

PENALTIES = ("l1", "l2")
PATH = {"l1": 10.0 ** np.arange(0.0, -4.1, -0.25), "l2": 10.0 ** np.arange(1.0, -5.1, -0.5)}
FOLDS = 5
HUGE = 1e300
MOST = 4000  # weights up to which the d x d Hessian is formed: 128 MB


@about(
    "changepoint penalties from intervals, the usual baseline",
    sparse=True,
    certified=True,
    cites=("rigaill2013",),
)
@dataclass(frozen=True)
class IntervalRegression(Solver):
    """min (1/n) Σ_i [l_i + m − s_i]₊² + [s_i − h_i + m]₊² + λ‖w‖₁ or (λ/2)‖w‖², s = Xw + b.

    (l_i, h_i) is the interval of scores at which sequence i has the fewest errors, the widest one
    if there are several. It is the usual baseline in changepoint detection, where a score is a
    predicted −log penalty. The last weight is b, which has no penalty. For labels the intervals
    are (0, ∞) and (−∞, 0), so it is a squared-hinge classifier.

    The method is Newton's, which is exact up to a certified gap of 10⁻⁹ of the objective
    (`aucbench.optim.proximal_newton`). A step forms the d × d Hessian and counts as four passes.

    Parameters
    ----------
    penalty : {"l1", "l2"}
        A penalty depends on the scale of features, so scale them first.
    lam : float, optional
        λ > 0, in units of the loss per unit (l1) or squared unit (l2) of w. None: of a path of
        λ, the largest one whose mean loss over 5 folds of the training rows is within one
        standard error of the least. The path is a part of the time of a fit, not of its passes.
    margin : float
        m ≥ 0, in units of log penalty.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.
    DataError
        When there are more than 4000 features.

    References
    ----------
    Rigaill, Hocking, Vert & Bach, "Learning sparse penalties for change-point detection using max
    margin interval regression", ICML 2013, and the R package penaltyLearning, which standardises
    features and takes the l1 penalty.
    """

    penalty: Literal["l1", "l2"] = "l2"
    lam: float | None = None
    margin: float = 1.0

    space: ClassVar = {"lam": tuple(10.0**e for e in range(1, -6, -1))}
    needs: ClassVar = Needs(frozenset({"breakpoints", "warm-start"}), path="lam", passes=100)

    def __post_init__(self) -> None:
        if self.penalty not in PENALTIES:
            raise ParameterError(f"penalty is {self.penalty!r}; give 'l1' or 'l2'")
        require_above(0, lam=self.lam)
        require_at_least(0, margin=self.margin)
        require_at_most(LARGE, margin=self.margin)

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise the hinge of the target intervals, with the λ of the best fit in folds."""
        if data.d > MOST:
            raise DataError(
                f"interval-regression forms a matrix of {data.d} x {data.d} numbers, but is made "
                f"for at most {MOST} features; use features such as top-k ones, or logistic"
            )
        phi = AppendOne()
        f = IntervalHinge(data.with_rows(phi(data.rows)), self.margin)
        with uncounted():  # it is tuning
            lam = self._chosen(f, rng) if self.lam is None else self.lam
        return Problem(f, self._omega(lam), phi)

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per Newton step."""
        f, omega = IntervalHinge(problem.data, self.margin), cast(ElasticNet, problem.project)
        return proximal_newton(f, omega, w0)

    def _omega(self, lam: float) -> ElasticNet:
        l1, l2 = (lam, 0.0) if self.penalty == "l1" else (0.0, lam)
        return ElasticNet(l1, l2, free=1)

    def _chosen(self, f: IntervalHinge, rng: np.random.Generator) -> float:
        """Return λ by cross-validation, see `lam`."""
        whole = Data(f.data.rows, breakpoints_of(f.data))  # without labels no class can be missing
        path = PATH[self.penalty] * self._unit(f)
        parts = drawn_parts(whole, FOLDS, int(rng.integers(2**31)))
        losses = np.array([self._losses(rest, held, path) for rest, held in parts])
        mean = losses.mean(axis=0)
        best = int(np.argmin(mean))
        error = float(losses[:, best].std(ddof=1)) / np.sqrt(len(losses))
        return float(path[np.argmax(mean <= mean[best] + error)])

    def _losses(self, rest: Data, held: Data, path: Vector) -> list[float]:
        """Return for each λ the loss of the rows `held`, each fit started from the one before."""
        f, judge = IntervalHinge(rest, self.margin), IntervalHinge(held, self.margin)
        w, losses = np.zeros(rest.d), []
        for lam in path:
            w = minimiser(f, self._omega(float(lam)), w)
            losses.append(judge.value(w))
        return losses

    def _unit(self, f: IntervalHinge) -> float:
        """Return the least l1 penalty with w = 0, or the mean curvature along a feature."""
        data = f.data
        if self.penalty == "l1":
            flat = minimiser(f, ElasticNet(HUGE, 0.0, free=1), np.zeros(data.d))
            return float(np.abs(f.grad(flat)[:-1]).max())
        shares = np.full(data.n, 1.0 / data.n)
        squares = data.with_rows(square_entries(data.rows))
        variances = squares.pullback(shares) - data.pullback(shares) ** 2
        return 2.0 * float(np.maximum(variances[:-1], 0.0).mean())
