"""Real supervisors that start in 0.1 s instead of 2 s."""

from aucbench.bench.engines import local
from aucbench.processes import open_supervisor


def quick(*, threads, preload, hidden):
    """A supervisor that does not import what the cells of a benchmark need."""
    return open_supervisor(threads=threads, hidden=hidden)


def start_quickly():
    """Let the engines of this process have such supervisors from now on."""
    local.open_supervisor = quick
