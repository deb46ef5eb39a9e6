"""Preloaded: what steps keep goes to a disk, as if the memory were full."""

from aucbench.processes.linux import fixed

fixed.SMALL = -1
fixed.free_memory = lambda: -1
