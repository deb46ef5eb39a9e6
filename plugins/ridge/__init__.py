"""The pairwise square with a ridge: a linear system, solved exactly or by primal-dual steps.

Both solvers certify their distance from the optimum.
"""
