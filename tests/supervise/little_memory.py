"""Preloaded: what steps keep goes to a disk, as if the memory were full."""

from aucbench.processes import fixed

fixed._fits = lambda size: False
