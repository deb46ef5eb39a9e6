"""Problems and states of solvers without `solve`: any start, and any random numbers."""

import numpy as np

from aucbench.contract import Budget
from aucbench_plugins.online import oam


def posed(solver, data, rng=None):
    return solver.problem(data, rng, Budget())


def states(solver, problem, rng=None, w0=None):
    start = np.zeros(problem.data.d) if w0 is None else w0.copy()
    return solver.iterates(problem, start, rng, Budget())


def step_by_rows(update, memory, X, y, order, *drawn):
    """Take the plain step of a solver's file for each row of an order, in place of its kernel.

    Of what was drawn for the rows, each step gets its own.
    """
    for t, i in enumerate(order):
        update(memory, X[i], int(y[i]), *(each[t] for each in drawn))
    return memory


def step_by_buffers(solver, w, X, y, order, uniforms):
    """Take the plain steps of OAM; return the weights and the buffers of both classes."""
    B, seen = ([], []), [0, 0]
    for i, u in zip(order, uniforms, strict=True):
        w = oam.reference_update(solver, w, B, seen, X[i], int(y[i]), u)
    return w, B
