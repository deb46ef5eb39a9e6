"""LS-SVM for the AUC: the exact minimiser of the pairwise square with a ridge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar, Literal

import numpy as np

from aucbench.about import about
from aucbench.contract import Budget, Needs, Problem, Solver, State
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.rounding import gap_of_gradient
from aucbench.data.tally import count_at_least
from aucbench.errors import ParameterError, require_above
from aucbench.objectives import MomentSquare, PairwiseSquare, square_over
from aucbench.optim.choice import require_above_or_auto, ridge
from aucbench.optim.term_model import Model
from aucbench.optim.term_newton import term_newton
from aucbench.projectors import GroupL2, penalty_of, ridge_of, term_penalty

from .certified_solution import certified_solution
from .leave_pair_out import LEAVE_PAIR_OUT, best_ridge
from .normal_equations import model, of_moments, preconditioner


@about(
    "the exact least-squares ranking, in seconds for few features",
    certified=True,
    cites=("gao2013", "bertsekas1982", "yuan2006", "pahikkala2008", "airola2011"),
)
@dataclass(frozen=True)
class LsSvm(Solver):
    """Solve (2(C₊ + C₋ + δδᵀ) + λI) w = −2δ, δ = m₋ − m₊, to a residual of tol ‖2δ‖.

    C₊, C₋ and m₊, m₋ are the covariances and the means of the classes. The method is
    preconditioned conjugate gradients (`aucbench.optim.conjugate_gradient`); a product reads the
    rows once. Up to 4000 features the matrix is formed, in O(n d²) for dense rows, and factorised.
    With the factor as preconditioner one or two iterations are enough. If there are fewer rows than
    features, the products of the rows take the place of the matrix: O(n² d), and each iteration
    reads the rows once more.

    Of other pairs (`Data.pairs`) the system is (2XᵀLX + λI) w = 2Xᵀe, with the Laplacian L and the
    degrees e of π: pairs of groups, survival times or grades.

    Means and covariances of rows with weights are weighted. Where the residual ‖∇‖ is computed from
    its definition, the state has a certified gap, by strong convexity: (‖∇‖ + rounding)²/(2λ).

    With bounds of weights (`Data.terms`), as effects that must not fall have them, or with `group`,
    it takes the loop of `aucbench.optim.term_newton`, whose model is the matrix above. Each state
    is certified.

    Of rows in chunks (`aucbench.scale`) the matrix is made of their moments, from one reading for
    every λ (`aucbench.objectives.MomentSquare`). The first state is its solution, and a bound of
    the rounding errors of the moments certifies it. If that is not enough, the next reading has the
    residual of the rows. Beyond 4000 features each iteration is a
    reading.

    Parameters
    ----------
    lam : float or "auto", optional
        Ridge λ > 0, in units of the pairwise square per squared unit of w. None means
        0.3 D² (1/n₊ + 1/n₋), where D² is the mean square distance of a pair of rows: see
        `aucbench.optim.default_ridge`. "auto" chooses it by held-out training rows: see
        `aucbench.optim.ridge`. "leave-pair-out" chooses among the same values by the AUC of all
        pairs of rows, each left out of a fit (`aucbench_plugins.ridge.leave_pair_out`), in closed
        form: for few rows, of labels without weights, groups and bounds of weights.
    tol : float
        Relative residual > 0 at which it ends.
    group : float, optional
        Weight of the group lasso Σ_t √p_t ‖w_t‖ over the terms of the features (`Data.terms`), each
        of p_t features: all that a map such as `splines` makes of a column. Without terms each
        column is one. In units of the pairwise square per unit of w. None: no such penalty.

    Raises
    ------
    ParameterError
        When a parameter is not greater than 0, or there is a `group` beside "leave-pair-out".
    DataError
        When rows are too long to derive `lam` from, or "leave-pair-out" finds a class of one row.
    UnsupportedError
        When there is a `group`, and the rows are read in chunks; when "leave-pair-out" meets data
        that have no closed form.

    References
    ----------
    The baseline B-LS-SVM of Gao, Jin, Zhu & Zhou, "One-pass AUC optimization", ICML 2013. Group
    lasso: Yuan & Lin, "Model selection and estimation in regression with grouped variables",
    Journal of the Royal Statistical Society B 68, 2006. Leave-pair-out: see `LeavePairOut`.
    """

    lam: float | Literal["auto", "leave-pair-out"] | None = None
    tol: float = 1e-10
    group: float | None = None

    space: ClassVar = {"lam": tuple(10.0**e for e in range(1, -6, -1))}
    needs: ClassVar = Needs(
        frozenset({"warm-start", "weights", "group-pairs", "order-pairs", "shapes", "chunks"}),
        path="lam",
    )

    def __post_init__(self) -> None:
        require_above_or_auto(0, lam=None if self.lam == LEAVE_PAIR_OUT else self.lam)
        require_above(0, tol=self.tol, group=self.group)
        if self.lam == LEAVE_PAIR_OUT and self.group is not None:
            raise ParameterError(
                "lam=leave-pair-out has no closed form with a group lasso; take lam=auto, or leave "
                "group out"
            )
        if self.lam == LEAVE_PAIR_OUT:  # its closed form is of labels alone, in memory
            own = replace(self.needs, capabilities=frozenset({"warm-start"}))
            object.__setattr__(self, "needs", own)

    def problem(self, data: Data, rng: np.random.Generator, budget: Budget) -> Problem:
        """Minimise the pairwise square with the ridge λ, within bounds of weights."""
        by_pairs = self.lam == LEAVE_PAIR_OUT
        lam = best_ridge(data) if by_pairs else ridge(self, data, rng, budget)
        return Problem(square_over(data), penalty_of(data, lam, self.group))

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> Iterator[State]:
        """Yield one state per product with H. To form M counts as a pass, M⁻¹ of rows too."""
        penalty = term_penalty(problem)
        if penalty is not None:
            yield from self._terms(problem, penalty, w0)
            return
        f, lam, w = problem.objective, ridge_of(problem), w0
        b = -f.grad(np.zeros(f.data.d))  # −2δ
        tol = self.tol * float(np.linalg.norm(b))
        if isinstance(f, MomentSquare):
            solve = of_moments(f, lam)
            count_at_least(2 * f.data.n)  # of the survey and of the moments, which may be known
            if f.is_direct:
                w = solve(b) + 0.0  # no weight is -0.0
                residual, bound = f.solved(w, lam)
                yield State(w, gap=bound, residual=residual)
        else:
            solve = preconditioner(f.data, lam)
        steps = certified_solution(lambda v: f.curvature(v) + lam * v, b, w, solve, tol)
        for w, residual, exact in steps:
            gap = gap_of_gradient(residual, w, lam, f.rounding(w)) if exact else None
            yield State(w, gap=gap, residual=residual)

    def _terms(self, problem: Problem, penalty: GroupL2, w0: Vector) -> Iterator[State]:
        """Yield one state per point of `term_newton`, with the matrix above as its model."""
        f = PairwiseSquare(problem.data)
        M = cache(lambda: Model(model(f, penalty.l2)))
        enough = self.tol * float(np.linalg.norm(f.grad(np.zeros(f.data.d))))
        w = penalty.bounded(w0)
        for at in term_newton(f, penalty, w, lambda *_: M(), enough=enough):
            yield State(at.w, gap=at.gap, residual=at.residual, value=at.value)
