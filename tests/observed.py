"""`solve` for tests that ask the problem something, which no `Run` holds."""

from aucbench.solving.loop import solve
from aucbench.solving.wrappers import WithProblems


def observed(solver, data, **budget):
    """(run, problem)"""
    watched = WithProblems(solver)
    run = solve(watched, data, **budget)
    [problem] = watched.problems
    return run, problem
