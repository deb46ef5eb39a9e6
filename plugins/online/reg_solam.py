"""regSOLAM: stochastic online AUC maximisation with a ridge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State
from aucbench.data import Chunk, Data
from aucbench.data.arrays import Index, Vector
from aucbench.errors import LARGE, require_above, require_at_most
from aucbench.kernels.solam import solam_pass
from aucbench.objectives import square_over
from aucbench.optim import default_ridge, passes
from aucbench.projectors import ElasticNet

from .derived import derive_saddle_step, positive_share
from .solam import STEPS, SaddlePoint


@about("streams of rows that are too many to keep, with a ridge", cites=("natole2019",))
@dataclass(frozen=True)
class RegSolam(Solver):
    """The update of SOLAM with λw added to ∂w, on the ball ‖w‖ ≤ √(2/λ).

    The update is `reference_update` of `solam.py`. The ball contains the minimiser. The objective
    is p(1−p) F + (λ/2)‖w‖², where F is the pairwise square and p the share of positives. It is a
    streaming method.

    The cost per row is O(d) for dense rows. For CSR it is O(stored values + c d), where
    c ≈ ξλ/(9√t).

    Parameters
    ----------
    xi : float, optional
        Step size ξ > 0, in squared units of w: γ_t = ξ/√t, as published. None means
        γ_t = γ min(1, √(n/t)), γ = 1/max (1 − p_i)(|x_i|² + 1), as in `solam`; in a stream, ξ = 1.
    lam : float, optional
        Ridge λ > 0, in units of p(1−p) F per squared unit of w. None means 0.3 D²/n, where D² is
        the mean square distance of a pair of rows: see `aucbench.optim.default_ridge`. In a
        stream, where the rows are not known before, it means λ = 0.1.
    kappa : float, optional
        Bound κ > 0 of ‖x‖. None means the largest norm of a row seen so far.
    shuffle : bool
        Whether each pass visits the rows in a fresh random order. False: in file order.

    Raises
    ------
    ParameterError
        When a parameter is not greater than 0.
    DataError
        When `xi` or `lam` is None and rows are too long to derive it from.

    References
    ----------
    Natole, Ying & Lyu, "Stochastic AUC optimization algorithms with linear convergence",
    Frontiers in Applied Mathematics and Statistics 5:30, 2019, section 5. The steps ξ < 1 of the
    grid are ours, as those of `solam`.
    """

    xi: float | None = None
    lam: float | None = None
    kappa: float | None = None
    shuffle: bool = True

    space: ClassVar = {"xi": STEPS, "lam": tuple(10.0**e for e in range(-5, 6))}
    needs: ClassVar = Needs(frozenset({"warm-start", "chunks"}))

    def __post_init__(self) -> None:
        require_above(0, xi=self.xi, lam=self.lam, kappa=self.kappa)
        require_at_most(LARGE, lam=self.lam)

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise the pairwise square with the ridge λ/(p(1−p))."""
        return Problem(square_over(data), ElasticNet(0.0, self._ridge(data) / _unit(data)))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per pass."""
        data, point = problem.data, self.start(w0, rng)
        point.lam = self._ridge(data)
        point.R = sqrt(2.0 / point.lam)
        if self.xi is None:
            point.xi, point.n = derive_saddle_step(data, "xi"), data.n
        return passes(self, problem, w0, rng, shuffle=self.shuffle, memory=point)

    def start(self, w: Vector, rng: np.random.Generator) -> SaddlePoint:
        """Return the point w, a = b = α = 0."""
        lam = self.lam or 0.1
        return SaddlePoint.at(w, self.kappa, xi=self.xi or 1.0, R=sqrt(2.0 / lam), lam=lam)

    def update(self, memory: SaddlePoint, chunk: Chunk, order: Index) -> None:
        """Take one step for each of the rows `order`: `reference_update` of SOLAM, by a kernel."""
        solam_pass(chunk, order, memory)

    def weights(self, memory: SaddlePoint) -> Vector:
        """Return the weighted mean of the points."""
        return memory.mean

    def _ridge(self, data: Data) -> float:
        return self.lam or _unit(data) * default_ridge(data)


def _unit(data: Data) -> float:
    """Return p(1−p), the unit of λ in F."""
    p = positive_share(data)
    return p * (1 - p)
