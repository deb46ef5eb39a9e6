"""Solvers for the pairwise square with a ridge, which is a linear system.

LS-SVM solves it exactly, and SPDAM by primal-dual steps. Both certify their distance from the
optimum.
"""
