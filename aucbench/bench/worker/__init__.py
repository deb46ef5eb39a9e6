"""The worker: everything that runs in the process of a cell."""
