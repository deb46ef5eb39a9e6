"""The steps of a solver without `solve`, for benchmarks that time one of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import aucbench
from aucbench.contract import Budget


def problem_of(solver: aucbench.Solver, data: aucbench.Data) -> aucbench.Problem:
    """Return what a solver minimises, with the seed 0 and without a limit."""
    return solver.problem(data, np.random.default_rng(0), Budget())


def states_of(
    solver: aucbench.Solver, problem: aucbench.Problem, w0: np.ndarray | None = None
) -> Iterator[aucbench.State]:
    """Return the states of a solver from some weights, or from 0, with the seed 0."""
    start = np.zeros(problem.data.d) if w0 is None else w0.copy()
    return solver.iterates(problem, start, np.random.default_rng(0), Budget())  # type: ignore[return-value]
