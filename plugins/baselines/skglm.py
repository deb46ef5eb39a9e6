"""Sparse logistic regression of skglm, with a convex or a non-convex penalty."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal, cast
from warnings import catch_warnings, warn

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State, count_rows
from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector
from aucbench.data.layouts import square_entries, to_library_matrix
from aucbench.errors import ParameterError, require_above, require_at_most, require_count
from aucbench.features import AppendOne
from aucbench.projectors import ElasticNet

from .l1_logistic import RATIOS, certified, l1_problem, slopes_at_zero
from .parts import require

PENALTIES = ("l1", "mcp")
ACCURACY = 1e-5  # of λ: the distance of the gradient from the subgradients of the penalty
EPOCHS = 10_000  # passes over a working set, at most
FORKS = "KMP_INIT_AT_FORK"
STEP = 4.0  # of a coordinate whose mean square is 1, one over the largest curvature 1/4


@about("few features, by a non-convex penalty", sparse=True, cites=("bertrand2022", "zhang2010"))
@dataclass(frozen=True)
class Skglm(Solver):
    """min (1/n) Σ_i log(1 + exp(−y_i (w·x_i + c))) + Σ_j p(|w_j|), by coordinate descent.

    p is λ|w_j| for "l1". For "mcp", the minimax concave penalty, it is λu − u²/(2γ) up to u = γλ
    and γλ²/2 beyond, at u = σ_j |w_j| with the root mean square σ_j of column j: large weights are
    not shrunk. So each step has one minimum, if γ > 4.

    skglm descends over working sets of features, with extrapolation. It ends if no component of the
    gradient is farther than 10⁻⁵ λ from its subgradients, else after `max_iter` working sets, with
    a warning. "l1" has a certified gap; "mcp" has local minima, and its objective is not listed.

    Numba compiles skglm for each process, penalty and layout of rows: docs/methods/thresholding.md
    has the seconds. They are spent when the solver is made, and not in the time of a fit.

    Parameters
    ----------
    penalty : {"mcp", "l1"}
        p.
    ratio : float
        λ/λ_max, in (0, 1]. λ_max is the least λ at which all weights are 0.
    gamma : float
        γ > 4 of "mcp", without unit. A larger one is closer to "l1".
    max_iter : int
        Working sets, at most. Each counts as one pass over the rows.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.

    References
    ----------
    Bertrand, Klopfenstein, Bannier, Gidel & Massias, "Beyond L1: faster and better sparse models
    with skglm", NeurIPS 2022. Zhang, "Nearly unbiased variable selection under minimax concave
    penalty", Annals of Statistics 38, 2010. The range of λ is ours.
    """

    penalty: Literal["mcp", "l1"] = "mcp"
    ratio: float = 0.03
    gamma: float = 8.0
    max_iter: int = 50

    space: ClassVar = {"ratio": RATIOS, "penalty": PENALTIES}
    needs: ClassVar = Needs(packages=("skglm",), extra="sparse")

    def __post_init__(self) -> None:
        if self.penalty not in PENALTIES:
            raise ParameterError(f"penalty must be mcp or l1, got {self.penalty!r}")
        require_above(0, ratio=self.ratio)
        require_at_most(1, ratio=self.ratio)
        require_above(STEP, gamma=self.gamma)
        require_count(1, max_iter=self.max_iter)
        import_skglm()
        compile_for(self.penalty)

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """The loss with the l1 penalty; with the other one nothing is listed."""
        if self.penalty == "l1":
            return l1_problem(data, self.ratio)
        phi = AppendOne()
        return Problem(features=phi, train=data.with_rows(phi(data.rows)))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> State:
        """Return the fitted weights, the intercept as the last one."""
        data = problem.data
        if self.penalty == "l1":
            lam = cast(ElasticNet, problem.project).l1
            return certified(problem, self._fitted(_columns(data.rows), data.y, lam))
        shares = np.full(data.n, 1.0 / data.n)
        sigma = np.sqrt(data.with_rows(square_entries(data.rows)).pullback(shares))
        sigma[sigma == 0.0] = 1.0  # of a column of zeros
        lam = self.ratio * float(np.abs(slopes_at_zero(data) / sigma)[:-1].max())
        return State(self._fitted(_columns(data.rows, sigma), data.y, lam or 1.0) / sigma)

    def _fitted(self, X: Any, y: Vector, lam: float) -> Vector:
        """Return the weights of columns, at which skglm ends."""
        w, sets, distance = descent(X, y, self.penalty, lam, self.gamma, self.max_iter)
        count_rows(sets * len(y))
        if distance > ACCURACY * lam:
            from sklearn.exceptions import ConvergenceWarning

            warn(
                f"skglm did not converge: the gradient is {distance / lam:.1e} λ from the "
                f"subgradients after {sets} working sets; raise max_iter",
                ConvergenceWarning,
                stacklevel=2,
            )
        return w


def descent(
    X: Any, y: Vector, penalty: str, lam: float, gamma: float, most: int
) -> tuple[Vector, int, float]:
    """Return the weights, the number of working sets, and the distance that `ACCURACY` bounds.

    The last column of X is 1 and has no penalty. It starts at the logarithm of the odds. (Rejected:
    the intercept of skglm. Its steps are a 16th of those of a column, and were not near the optimum
    after 50 working sets.)
    """
    from skglm.datafits import Logistic
    from skglm.penalties import WeightedL1, WeightedMCPenalty
    from skglm.solvers import AndersonCD

    w, counted = np.zeros(X.shape[1]), np.ones(X.shape[1])
    w[-1], counted[-1] = np.log((y > 0).sum() / (y < 0).sum()), 0.0
    kind = WeightedL1(lam, counted) if penalty == "l1" else WeightedMCPenalty(lam, gamma, counted)
    method = AndersonCD(most, EPOCHS, tol=ACCURACY * lam, fit_intercept=False)
    scores = np.full(len(y), w[-1])
    w, values, distance = method.solve(X, y.astype(np.float64), Logistic(), kind, w, scores)
    return w, max(1, len(values)), float(distance)


def import_skglm() -> None:
    """Import it, and take back the variable that Numba sets and the filters of warnings of SciPy.

    Raises
    ------
    MissingExtraError
        When it is not installed.
    """
    known = os.environ.get(FORKS)
    with catch_warnings():
        require("skglm", "skglm", "sparse")
    if known is None:
        os.environ.pop(FORKS, None)


@cache
def compile_for(penalty: str) -> None:
    """Let Numba compile what a fit calls, for both layouts of rows."""
    from scipy.sparse import csc_matrix

    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(size=(40, 12)), np.ones(40)]
    y = np.where(X[:, 0] + rng.logistic(size=40) > 0, 1.0, -1.0)
    for matrix in (np.asfortranarray(X), csc_matrix(X)):
        descent(matrix, y, penalty, 0.01, 2.0 * STEP, 1)


def _columns(rows: Rows, sigma: Vector | None = None) -> Any:
    """Return a matrix stored by columns, each divided by its sigma."""
    if rows.is_sparse:
        X = to_library_matrix(rows).tocsc()
        if sigma is not None:
            X.data /= np.repeat(sigma, np.diff(X.indptr))
        return X
    return np.asfortranarray(rows.matrix if sigma is None else rows.matrix / sigma)
