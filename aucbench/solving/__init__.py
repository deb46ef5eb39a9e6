"""From a solver to a result: the only loop over iterates, its wrappers, cross-validation."""
