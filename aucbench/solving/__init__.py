"""From a solver to a result: the loop over iterates, its wrappers, the tuner."""
