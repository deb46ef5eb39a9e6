"""Problems and states of solvers: without `solve`, or of what it has run."""

import numpy as np

from aucbench.contract import Budget
from aucbench.solving.loop import solve
from aucbench.solving.wrappers import WithProblems
from aucbench_plugins.online import oam


def posed(solver, data, rng=None):
    return solver.problem(data, rng, Budget())


def states(solver, problem, rng=None, w0=None):
    start = np.zeros(problem.data.d) if w0 is None else w0.copy()
    return solver.iterates(problem, start, rng, Budget())


def observed(solver, data, **budget):
    """The run of `solve`, and the problem that it had."""
    watched = WithProblems(solver)
    run = solve(watched, data, **budget)
    [problem] = watched.problems
    return run, problem


def step_by_rows(update, memory, X, y, order, *drawn):
    """Take the plain step of a solver's file for each row of an order, in place of its kernel.

    Of what was drawn for the rows, each step gets its own.
    """
    for t, i in enumerate(order):
        update(memory, X[i], int(y[i]), *(each[t] for each in drawn))
    return memory


def step_by_buffers(solver, w, X, y, order, uniforms):
    """Take the plain steps of OAM; return w, the buffers of both classes, and the largest |w_j|."""
    B, seen, largest = ([], []), [0, 0], 0.0
    for i, u in zip(order, uniforms, strict=True):
        w = oam.reference_update(solver, w, B, seen, X[i], int(y[i]), u)
        largest = max(largest, np.abs(w).max())
    return w, B, largest
