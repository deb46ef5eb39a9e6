"""One pass of each row-by-row solver, in file order, after what a fit pays once.

`Sector` compares lazy steps on very sparse rows with an eager step that touches every weight.
"""

from __future__ import annotations

from statistics import median

import numpy as np

import aucbench
from aucbench.data.summaries import whole_chunk
from aucbench.kernels.spam import soft_pass
from aucbench_plugins.online.derived import derive_spam_step
from aucbench_plugins.online.proximal import make_lazy_pass
from aucbench_plugins.online.spam import ProximalPoint, SpamL1

from .bench_svm_or import seconds
from .rows import LAYOUTS, dense, sector
from .steps import problem_of, states_of

SOLVERS = {
    "spam-l1": "spam-l1[shuffle=false]",
    "spam-l2": "spam-l2[shuffle=false]",
    "spam-net": "spam-net[shuffle=false]",
    "solam": "solam[shuffle=false]",
    "reg-solam": "reg-solam[shuffle=false]",
    "fsauc": "fsauc[shuffle=false,passes=1000]",
    "fsauc-tight": "fsauc[shuffle=false,passes=1000,R=0.1]",
    "uni-exp": "uni-exp[shuffle=false]",
    "opauc-lr": "opauc-lr[shuffle=false]",
    "oam-gra": "oam-gra[shuffle=false]",
    "oam-seq": "oam-seq[shuffle=false]",
}


class Pass:
    """A solver that is ready for a pass; its first pass is not measured."""

    def start(self, spec: str, data: aucbench.Data) -> None:
        solver = aucbench.get_solver(spec)
        problem = problem_of(solver, data)
        self.states = states_of(solver, problem)
        next(self.states)


class RowByRow(Pass):
    """Like a9a as CSR, and 20000 x 1000 dense."""

    version = "1"
    params = ([*SOLVERS], [*LAYOUTS])
    param_names = ("solver", "layout")
    number = 1
    repeat = (5, 9, 10.0)

    def setup(self, solver: str, layout: str) -> None:
        if layout == "dense" and solver.startswith(("oam", "opauc")):
            raise NotImplementedError  # a pass takes seconds; CSR rows are enough
        self.start(SOLVERS[solver], LAYOUTS[layout]())

    def time_pass(self, solver: str, layout: str) -> None:
        next(self.states)


class Covariances(Pass):
    """OPAUC where d x d matters: 1000 rows of 1000 features."""

    version = "1"
    number = 1

    def setup(self) -> None:
        self.start("opauc[shuffle=false]", dense(1_000, 1_000))

    def time_opauc(self) -> None:
        next(self.states)


class Wide:
    """A fit of 50 passes over 60 rows of 2000 features, in coordinates of their span."""

    version = "1"
    params = (["opauc", "opauc-lr", "oam-seq", "oam-gra"],)
    param_names = ("solver",)

    def setup(self, solver: str) -> None:
        self.solver, self.data = aucbench.get_solver(solver), dense(60, 2_000)

    def time_fit(self, solver: str) -> None:
        aucbench.solve(self.solver, self.data, every=50)


class Sector(Pass):
    """9619 x 55197 with 0.3 % stored: a pass, and 200 rows with steps that touch every weight.

    The eager steps are NumPy's; each works on whole vectors, which is what O(d) costs at best.
    """

    version = "1"
    params = (["spam-l1", "spam-l2", "spam-net", "solam", "fsauc"],)
    param_names = ("solver",)
    number = 1

    def setup(self, solver: str) -> None:
        data = sector()
        self.start(SOLVERS[solver], data)
        self.rows, self.means = data.rows, data.means
        self.w, self.total = np.zeros(data.d), np.zeros(data.d)
        self.settle = {"solam": self.project, "spam-l2": self.shrink}.get(solver, self.soften)

    def project(self) -> None:
        if (norm := np.linalg.norm(self.w)) > 1e-2:
            self.w *= 1e-2 / norm

    def shrink(self) -> None:
        self.w @ self.means[0], self.w @ self.means[1]
        self.w *= 1.0 / (1.0 + 1e-3)

    def soften(self) -> None:
        self.w @ self.means[0], self.w @ self.means[1]
        np.copysign(np.maximum(np.abs(self.w) - 1e-6, 0.0), self.w, out=self.w)

    def time_pass(self, solver: str) -> None:
        next(self.states)

    def time_200_eager_steps(self, solver: str) -> None:
        starts = self.rows.starts
        for i in range(200):
            row = slice(starts[i], starts[i + 1])
            columns, values = self.rows.columns[row], self.rows.stored[row]
            self.w[columns] -= 1e-3 * (self.w[columns] @ values - 1.0) * values
            self.settle()
            self.total += self.w


class Sweep:
    """Lazy l1 steps on rows like those of sector, beside a compiled SIMD loop over all weights."""

    version = "1"

    def setup(self) -> None:
        data = sector()
        self.chunk, self.lazy = whole_chunk(data), make_lazy_pass(data)
        self.order = np.arange(data.n, dtype=np.int32)
        self.point = ProximalPoint.at(np.zeros(data.d), data, *SpamL1().penalties(data))
        self.point.xi, self.point.n = derive_spam_step(data, shuffle=False), np.inf
        self.time_lazy()

    def time_lazy(self) -> None:
        self.lazy(self.chunk, self.order, self.point)

    def time_500_steps_over_all_weights(self) -> None:
        soft_pass(self.chunk, self.order[:500], self.point)

    def track_ratio(self) -> float:
        """Time of a step over all weights divided by that of a lazy one; the target is 20."""
        share = self.order.size / 500
        return median(
            share * seconds(self.time_500_steps_over_all_weights) / seconds(self.time_lazy)
            for _ in range(15)
        )

    track_ratio.unit = "times faster"  # type: ignore[attr-defined]
