"""The fixed subset of `make bench-history`, through names that old commits have too.

Each class asks for nothing that another one needs: where a commit lacks something, only the
benchmarks of this one class have no number there. So do not change a class; add one.
What one thread computes is measured in CPU time, which depends less on what else runs.
"""

from __future__ import annotations

import subprocess
import sys
from time import process_time

import numpy as np

import aucbench

from .rows import dense, ones

COMMAND = [sys.executable, "-c", "from aucbench.cli import main; main()"]
LAYOUTS = {"dense": lambda: dense(10_000, 200), "csr": lambda: ones(32_561, 123, 14)}


def scored(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels, one in five positive, and scores that explain them in part."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(n) < 0.2, 1, -1)
    return y, rng.standard_normal(n) + (y > 0)


class HistoryYardstick:
    """No code of ours: how much of a change is the machine's."""

    version = "1"
    timer = process_time

    def setup(self) -> None:
        self.s = scored(1_000_000)[1]
        self.X = LAYOUTS["dense"]().rows.matrix

    def time_numpy_sort(self) -> None:
        np.sort(self.s)

    def time_numpy_sum(self) -> None:
        self.X.sum(axis=0)


class HistoryAuc:
    """AUC of a million scores."""

    version = "1"
    timer = process_time

    def setup(self) -> None:
        self.y, self.s = scored(1_000_000)

    def time_auc(self) -> None:
        aucbench.auc(self.y, self.s)


class HistoryWeightedAuc:
    """AUC of a million scores with weights."""

    version = "1"
    timer = process_time

    def setup(self) -> None:
        self.y, self.s = scored(1_000_000)
        self.weights = np.random.default_rng(1).uniform(0.5, 2.0, self.y.size)

    def time_auc(self) -> None:
        aucbench.auc(self.y, self.s, self.weights)


class HistoryPairs:
    """Value and coefficients of a loss over all pairs, each call with scores in another order."""

    version = "1"
    timer = process_time
    params = (["pairwise-hinge", "pairwise-squared-hinge"],)
    param_names = ("objective",)

    def setup(self, objective: str) -> None:
        y, s = scored(1_000_000)
        self.scores = [s, np.random.default_rng(1).permutation(s)]
        self.f = aucbench.get_objective(objective, aucbench.Data.of(np.ones((y.size, 1)), y))
        self.f.of_scores(s)

    def time_of_scores(self, objective: str) -> None:
        self.scores.reverse()
        self.f.of_scores(self.scores[0])


class HistoryAum:
    """The exact line minimum of the AUM of 10⁵ scores."""

    version = "1"
    timer = process_time

    def setup(self) -> None:
        from aucbench import aum

        self.aum = aum
        self.y, self.s = scored(100_000)
        self.d = np.random.default_rng(1).standard_normal(self.y.size) - 0.3 * self.y

    def time_line_min(self) -> None:
        self.aum.aum_line_min(self.s, self.d, self.y)


class HistorySelect:
    """A projection of a million entries, off the clock copied to where it works in place."""

    version = "1"
    timer = process_time
    params = (["top-k", "l1-ball"],)
    param_names = ("projector",)
    number = 1
    repeat = (10, 50, 1.0)
    warmup_time = 0

    def setup(self, projector: str) -> None:
        self.v = np.random.default_rng(0).standard_normal(1_000_000)
        size = {"top-k": {"k": 10_000}, "l1-ball": {"R": float(np.abs(self.v).sum()) / 100}}
        self.project = aucbench.get_projector(projector, **size[projector])

    def time_project(self, projector: str) -> None:
        self.project(self.v)


class HistoryRows:
    """What all solvers read: X w, and the gradient of the pairwise square."""

    version = "1"
    timer = process_time
    params = ([*LAYOUTS],)
    param_names = ("layout",)

    def setup(self, layout: str) -> None:
        self.data = LAYOUTS[layout]()
        self.f = aucbench.get_objective("pairwise-square", self.data)
        self.w = np.random.default_rng(0).standard_normal(self.data.d)
        self.f.grad(self.w)

    def time_scores(self, layout: str) -> None:
        self.data.scores(self.w)

    def time_grad(self, layout: str) -> None:
        self.f.grad(self.w)


class HistorySolve:
    """A fit of three passes, its set-up and its evaluations included."""

    version = "1"
    timer = process_time
    params = (
        ["sht-auc", "sto-iht", "hsg-ht", "spam-l1", "solam", "fsauc", "spdam", "ls-svm", "svm-or"],
        [*LAYOUTS],
    )
    param_names = ("solver", "layout")
    number = 1
    repeat = (3, 9, 1.0)

    def setup(self, solver: str, layout: str) -> None:
        self.data = LAYOUTS[layout]()
        self.solver = aucbench.get_solver(solver)
        if (solver, layout) in {("ls-svm", "csr"), ("spdam", "csr")}:
            raise NotImplementedError  # solves on the dense rows say the same

    def time_solve(self, solver: str, layout: str) -> None:
        aucbench.solve(self.solver, self.data, passes=3)


class HistoryCommand:
    """Wall time of the command, the start of Python included."""

    version = "1"
    number = 1
    repeat = (2, 4, 1.0)
    warmup_time = 0
    params = (["help", "list", "compare", "compare-12"],)
    param_names = ("command",)
    timeout = 120

    def setup(self, command: str) -> None:
        shape = ["--splits", "2", "--repeats", "6" if command.endswith("12") else "1"]
        compare = ["compare", "--data", "outbreak[n=1000,d=20,k=5]", "--solvers", "sht-auc"]
        self.arguments = {
            "help": ["--help"],
            "list": ["list", "solvers"],
        }.get(command, [*compare, "--quiet", "--passes", "1", "--jobs", "2", *shape])

    def time_command(self, command: str) -> None:
        subprocess.run([*COMMAND, *self.arguments], check=True, capture_output=True)


class HistoryImport:
    """A fresh interpreter for each measurement."""

    version = "1"

    def timeraw_import_aucbench(self) -> str:
        return "import aucbench"
