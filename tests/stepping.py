"""Problems and states of solvers without `solve`: any start, and any random numbers."""

import numpy as np

from aucbench.contract import Budget


def posed(solver, data, rng=None):
    return solver.problem(data, rng, Budget())


def states(solver, problem, rng=None, w0=None):
    start = np.zeros(problem.data.d) if w0 is None else w0.copy()
    return solver.iterates(problem, start, rng, Budget())


def step_by_rows(update, memory, X, y, order):
    """Take the plain step of a solver's file for each row of an order, in place of its kernel."""
    for i in order:
        update(memory, X[i], int(y[i]))
    return memory
