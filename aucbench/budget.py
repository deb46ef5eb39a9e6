"""The budget of a fit where the user gives none: plans and `solve` share it."""

DEFAULT_PASSES = 50.0  # where neither passes nor seconds are given
GAP_TOL = 1e-6  # certified gap, relative to the objective, at which a fit ends
