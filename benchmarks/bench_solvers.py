"""One pass of every registered solver: a new plugin is tracked without touching this file."""

from __future__ import annotations

import numpy as np

import aucbench
from aucbench.contract import Budget
from aucbench.errors import MissingExtraError

from .rows import dense, ones

DATA = {"dense": lambda: dense(2_000, 100), "csr": lambda: ones(5_000, 123, 14)}


def installed(solver: str) -> aucbench.Solver:
    """Return a solver; asv skips the benchmark of one whose package is not there."""
    try:
        return aucbench.get_solver(solver)
    except MissingExtraError as missing:
        raise NotImplementedError(str(missing)) from missing


class Solvers:
    """Set-up of the problem, one pass, and the value of the objective after it."""

    version = "1"
    # `estimator` is no solver before it is told which one, and `ebm` takes minutes.
    params = (sorted({*aucbench.list_solvers()} - {"estimator", "ebm"}), [*DATA])
    param_names = ("solver", "layout")

    def setup(self, solver: str, layout: str) -> None:
        self.data = DATA[layout]()
        self.solver = installed(solver)

    def time_pass(self, solver: str, layout: str) -> None:
        aucbench.solve(self.solver, self.data, passes=1)

    def peakmem_pass(self, solver: str, layout: str) -> None:
        aucbench.solve(self.solver, self.data, passes=1)


class FewRows:
    """A first fit of fewer rows than features, and of data that know the products of their rows."""

    version = "1"
    params = (["ls-svm"], [1000, 3162])
    param_names = ("solver", "d")

    def setup(self, solver: str, d: int) -> None:
        self.data = dense(200, d)
        self.solver = aucbench.get_solver(solver)
        aucbench.solve(self.solver, self.data)

    def time_first(self, solver: str, d: int) -> None:
        aucbench.solve(self.solver, self.data.with_rows(self.data.rows))

    def time_next(self, solver: str, d: int) -> None:
        aucbench.solve(self.solver, self.data)


class LeavePairOut:
    """The λ of `ls-svm` by leave-pair-out: one factor, and all pairs for each of its values."""

    version = "1"
    params = ([(300, 30), (300, 3000), (2000, 30)],)
    param_names = ("n, d",)

    def setup(self, shape: tuple[int, int]) -> None:
        self.data = dense(*shape)
        self.solver = aucbench.get_solver("ls-svm", lam="leave-pair-out")

    def time_problem(self, shape: tuple[int, int]) -> None:
        fresh = self.data.with_rows(self.data.rows)
        self.solver.problem(fresh, np.random.default_rng(0), Budget())
