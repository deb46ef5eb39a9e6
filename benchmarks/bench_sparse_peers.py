"""Fits of sparse regressions, ours and those of other packages, and of curves of columns."""

from __future__ import annotations

import aucbench

from .bench_solvers import installed
from .rows import dense, ones

DATA = {"dense": lambda: dense(1_000, 1_000), "csr": lambda: ones(5_000, 5_000, 20)}
SOLVERS = ["sht-auc[k=20]", "sto-iht[k=20]", "abess[k=20]", "celer", "skglm", "skglm[penalty=l1]"]


class SparseFits:
    """A whole fit; hard thresholding takes its 50 passes. Numba compiles skglm before."""

    version = "1"
    params = (SOLVERS, [*DATA])
    param_names = ("solver", "layout")

    def setup(self, solver: str, layout: str) -> None:
        self.data = DATA[layout]()
        self.solver = installed(solver)

    def time_fit(self, solver: str, layout: str) -> None:
        aucbench.solve(self.solver, self.data)


class Curves:
    """A round for each of 10 columns, and for as many pairs of them."""

    version = "1"
    params = ([0.0, 1.0],)
    param_names = ("interactions",)

    def setup(self, interactions: float) -> None:
        self.data = dense(5_000, 10)
        given = f"interactions={interactions},outer_bags=1,max_rounds=20"
        self.solver = installed(f"ebm[{given}]")

    def time_fit(self, interactions: float) -> None:
        aucbench.solve(self.solver, self.data)
