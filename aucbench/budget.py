"""The budget of a fit where the user gives none: plans and `solve` share it."""

DEFAULT_PASSES = 50.0  # where neither passes nor seconds are given
OVERSPENT = 1.1  # times its budget, from which on a fit has used more than it was given
GAP_TOL = 1e-6  # certified gap, relative to the objective, at which a fit ends
