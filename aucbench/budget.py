"""The budget of a fit where the user gives none, and tolerances that plans and `solve` share."""

DEFAULT_PASSES = 50.0  # where neither passes nor seconds are given
OVERSPENT = 1.1  # times its budget, from which on a fit has used more than it was given
GAP_TOL = 1e-6  # certified gap, relative to the objective, at which a fit ends
ENOUGH = 0.01  # of f(0) − f*, or of what a fit has gained: above it a fit has not converged
CLAIM = 1e-6  # largest error of an objective that a state claims, relative to that at w or at 0
